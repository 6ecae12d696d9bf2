"""What the autopilot decides, from what it has measured and what the Pods look like."""

from typing import Any

import pytest

from examples.operators.kudo.autopilot import Measured, Settings, adjustment, usual
from examples.operators.kudo.sickness import Seen

ON = {
    "AUTOPILOT": True,
    "NODE_COUNT": 3,
    "MIN_NODES": 3,
    "MAX_NODES": 5,
    "BUSY_REQUESTS": 100,
    "MEMORY": "96Mi",
    "MAX_MEMORY": "384Mi",
    "COOL_DOWN": 60,
}
MIB = 1 << 20


def asked(
    rate: float = 0.0, seconds: float = 0.01, memory: int = 40, nodes: int = 0, usual: float = 0.0, **parameters: Any
) -> str:
    """The reason and the new parameters; '' for nothing."""
    settings = Settings.from_parameters(ON | parameters)
    assert settings
    found = adjustment(settings, Measured(nodes or settings.count, rate, seconds, memory * MIB), usual)
    return f"{found.reason.removeprefix('Autopilot')} {dict(found.parameters)}" if found else ""


@pytest.mark.parametrize("values", [{}, ON | {"AUTOPILOT": False}], ids=("a package without one", "switched off"))
def test_it_is_off(values: dict[str, Any]) -> None:
    assert Settings.from_parameters(values) is None


def test_it_grows_with_the_load_and_shrinks_with_it() -> None:
    assert asked(rate=299) == asked(rate=301, NODE_COUNT=5) == ""
    assert asked(rate=301) == "Scaled {'NODE_COUNT': '5'}"
    assert asked(rate=149, NODE_COUNT=5) == "Scaled {'NODE_COUNT': '3'}"
    assert asked(rate=0, NODE_COUNT=3) == "", "MIN_NODES"
    assert asked(rate=9999, NODE_COUNT=5) == "AtTheLimit {}"


def test_no_load_makes_it_swing() -> None:
    """After it has grown or shrunk the same load asks for no way back, whatever the load is."""
    for rate in range(0, 1000, 7):
        counts = [3]
        for _ in range(6):
            found = asked(rate=rate, NODE_COUNT=counts[-1], MAX_NODES=7, MIN_NODES=1)
            counts.append(int(found.split("'")[3]) if found.startswith("Scaled") else counts[-1])
        assert counts in (sorted(counts), sorted(counts, reverse=True)), rate
        assert counts[-1] == counts[-2], rate


def test_a_count_outside_the_bounds_is_brought_inside() -> None:
    assert asked(NODE_COUNT=1) == "Scaled {'NODE_COUNT': '3'}"
    assert asked(NODE_COUNT=7, rate=9999) == "Scaled {'NODE_COUNT': '5'}"


def test_what_was_not_measured_is_no_quiet() -> None:
    assert asked(NODE_COUNT=5, nodes=4, rate=0) == ""


def test_memory_is_doubled_before_it_is_full() -> None:
    assert asked(memory=76) == ""
    assert asked(memory=77) == "Tuned {'MEMORY': '192Mi'}"
    assert asked(memory=350, MEMORY="384Mi") == "AtTheLimit {}"
    assert asked(memory=350, MEMORY="0.1G") == "", "what it can not read it leaves alone"


def test_what_takes_longer_than_usual_is_noticed_and_does_not_become_usual_at_once() -> None:
    assert asked(seconds=0.09, usual=0.02, rate=10) == "Abnormal {}"
    assert asked(seconds=0.09, usual=0.0, rate=10) == asked(seconds=0.04, usual=0.001, rate=10) == ""
    learned = usual(0.0, Measured(3, 10, 0.02, 0))
    assert learned == 0.02
    assert usual(learned, Measured(3, 10, 0.12, 0)) == pytest.approx(0.03)
    assert usual(learned, Measured(3, 0, 0.0, 0)) == learned


def pod(ready: bool = True, phase: str = "Running", **more: Any) -> dict[str, Any]:
    container = {"state": more.pop("state", {"running": {}}), "restartCount": 4}
    conditions = [{"type": "Ready", "status": "True" if ready else "False"}]
    return {
        "metadata": {"uid": "1", **more},
        "status": {"phase": phase, "conditions": conditions, "containerStatuses": [container]},
    }


CRASHING = pod(False, state={"waiting": {"reason": "CrashLoopBackOff"}})


@pytest.mark.parametrize(
    ("seen", "borne", "words"),
    [
        (pod(), None, ""),
        (pod(False), 60, "it runs and does not become ready"),
        (CRASHING, 15, "it ended 4 times"),
        (pod(False, phase="Failed"), 0, "it has failed: without a word"),
        (pod(False, state={"waiting": {"reason": "ImagePullBackOff"}}), None, ""),
        (pod(False, phase="Pending", state={}), None, ""),
        (pod(False, deletionTimestamp="now"), None, ""),
    ],
    ids=("well", "unready", "crashing", "failed", "without its image", "waiting for a place", "going"),
)
def test_how_long_it_is_borne(seen: dict[str, Any], borne: int | None, words: str) -> None:
    """Seconds, with a patience of 15; None: without limit."""
    remembered = Seen("1")
    verdicts = [remembered.judge(seen, {"beat": now}, now, 15.0) for now in range(200)]
    assert verdicts == ([""] * 200 if borne is None else [""] * borne + [words] * (200 - borne))


def test_a_node_that_stops_reporting_is_stuck_and_one_that_never_did_is_not() -> None:
    remembered = Seen("1")
    assert not any(remembered.judge(pod(), {"beat": now}, now, 16.0) for now in range(50))
    verdicts = [remembered.judge(pod(), {"beat": 49}, now, 16.0) for now in range(50, 80)]
    first = next(number for number, item in enumerate(verdicts, 50) if item)
    assert (first - 49, verdicts[-1]) == (17, "it runs and has stopped reporting")
    assert remembered.judge(pod(), {"beat": 50}, 80, 16.0) == ""
    assert not any(Seen("2").judge(pod(), None, now, 16.0) for now in range(200))
