"""The autopilot with real nodes: a load comes and goes, a node gets stuck, and no user changes the Instance."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from examples.operators.tests.kudo.engines import Instances, define, ended
from examples.operators.tests.places import Operator, condition, namespace, says
from tests.api import Api
from tests.eventually import until

pytestmark = pytest.mark.timeout(300)
SECONDS = 120.0


@pytest.fixture(scope="module")
def place(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instances]:
    """A namespace that an engine serves which has the package."""
    log = tmp_path_factory.mktemp("engine") / "log"
    define(api)
    with namespace(api, "pilot") as name:
        found = Instances(api, name)
        engine = Operator("examples.operators.kudo.operator", api, log, name)
        engine.start(KUDO_PACKAGES="galera/kudo")
        yield found
        found.clear()
        engine.kill()
        assert "Traceback" not in log.read_text(), log.read_text()[-4000:]


@pytest.fixture(scope="module", autouse=True)
def tight(place: Instances) -> str:
    """The uid of an Instance whose nodes have more in use than MEMORY from the start.

    It is looked after while the other test runs.
    """
    on = {"AUTOPILOT": "true", "MIN_NODES": "1", "MAX_NODES": "1", "MAX_MEMORY": "48Mi", "COOL_DOWN": "4"}
    # Processes of this machine are not killed for having more than their limit.
    return str(place.new("tight", "galera-1.0.0", NODE_COUNT="1", MEMORY="16Mi", **on)["metadata"]["uid"])


def process(name: str, namespace: str) -> int:
    """The process of a node, which runs on this machine on either cluster."""
    wanted = {f"POD_NAME={name}".encode(), f"GALERA_NAMESPACE={namespace}".encode()}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if wanted <= set((folder / "environ").read_bytes().split(b"\0")):
                return int(folder.name)
        except OSError:
            continue
    raise AssertionError(f"{name} has no process")


@contextmanager
def load(place: Instances) -> Iterator[None]:
    """A client that never rests."""
    env = [{"name": "GALERA_INSTANCE", "value": "auto"}, {"name": "GALERA_NAMESPACE", "value": place.namespace}]
    container = {"name": "load", "image": "operator-console.dev/galera-node:1.0.0", "args": ["load"], "env": env}
    place.make("pods", "load", spec={"containers": [container], "restartPolicy": "Never"})
    yield
    place.kill_pod("load")


def test_it_grows_with_a_load_heals_a_stuck_node_and_shrinks_again(place: Instances) -> None:
    on = {"AUTOPILOT": "true", "MIN_NODES": "1", "MAX_NODES": "3", "BUSY_REQUESTS": "8", "COOL_DOWN": "8"}
    uid = place.new("auto", "galera-1.0.0", NODE_COUNT="1", **on)["metadata"]["uid"]
    place.until("auto", ended("deploy"), SECONDS)
    watching = place.until("auto", says("Autopilot", "Watching"), SECONDS)
    assert condition(watching, "Autopilot")["message"].startswith("1 nodes have 0 requests a second")

    with load(place):
        grown = place.until("auto", ended("update"), SECONDS)
        assert grown["spec"]["parameters"]["NODE_COUNT"] == "3"
        # A stopped process neither answers nor ends: only a probe detects it.
        old = place.api.get(place.path("pods", "auto-2")).json["metadata"]["uid"]
        os.kill(process("auto-2", place.namespace), signal.SIGSTOP)

        def anew() -> bool:
            meta = (place.api.get(place.path("pods", "auto-2")).json or {}).get("metadata") or {}
            return meta.get("uid") not in (None, old) and not meta.get("deletionTimestamp")

        until(anew)
        events = place.events(uid, "AutopilotScaled", "AutopilotHealed")
        assert "requests a second, and is busy with 8: NODE_COUNT is 3 now" in events["AutopilotScaled"]
        assert events["AutopilotHealed"] == "Pod auto-2 is made anew: it runs and has stopped reporting"
        place.until("auto", says("Autopilot", "Watching"), SECONDS)

    since = grown["status"]["planStatus"]["update"]["uid"]
    small = place.until("auto", ended("update", since=since), SECONDS)
    assert small["spec"]["parameters"]["NODE_COUNT"] == "1"
    assert "less than half of 8: NODE_COUNT is 1 now" in small["status"]["autopilot"]["lastAction"]
    place.set("auto", AUTOPILOT="false")
    off = place.until("auto", says("Autopilot", "Off"), SECONDS)
    assert "autopilot" not in off["status"], json.dumps(off["status"])
    place.delete("auto")


def test_memory_grows_before_it_is_full_and_no_more_than_it_may(place: Instances, tight: str) -> None:
    """More than 32 MiB are in use: MEMORY is doubled once, and then it can only be reported."""
    events = place.events(tight, "AutopilotTuned", "AutopilotAtTheLimit")
    assert events["AutopilotTuned"].endswith("of 16Mi: MEMORY is 32Mi now")
    assert events["AutopilotAtTheLimit"].endswith("of 32Mi, and MAX_MEMORY is 48Mi")
    found = place.until("tight", ended("update"), SECONDS)
    assert found["spec"]["parameters"]["MEMORY"] == "32Mi"
    node = place.api.get(place.path("pods", "tight-0")).json["spec"]["containers"][0]
    assert node["resources"]["limits"]["memory"] == "32Mi"
    assert condition(found, "Autopilot")["status"] == "False"
    place.delete("tight")
