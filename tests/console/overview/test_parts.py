"""What the cards are made of: questions with a bound, a ring of shares, the step of an update, worst first."""

import threading
import time
from pathlib import Path

import pytest

from console.overview import operators, part
from console.overview.instances import RING_LENGTH, donut
from console.overview.part import ERROR, WARNING, CardProblem, worst_first
from console.web.clusters import console_client
from operatorhub.running.installed_operators import Operator
from operatorhub.running.updates import Update
from tests.eventually import until


def test_what_does_not_answer_in_time_is_named_and_joined_by_the_next_who_asks(cluster_kubeconfig: Path) -> None:
    client, go_on, asked = console_client(), threading.Event(), []

    def slow() -> str:
        asked.append(1)
        go_on.wait(20)
        return "late"

    began = time.monotonic()
    found, late = part.run_within(client, "test", {"quick": lambda: "soon", "slow": slow}, 0.3)
    assert (found, late) == ({"quick": "soon"}, ("slow",)) and time.monotonic() - began < 5
    _found, late = part.run_within(client, "test", {"slow": slow}, 0.1)
    assert late == ("slow",)
    threading.Timer(0.2, go_on.set).start()
    found, late = part.run_within(client, "test", {"slow": slow}, 20)
    assert (found, late) == ({"slow": "late"}, ())
    # Three looks, one question.
    assert len(asked) == 1
    # The question has ended: the next request asks again. It is forgotten a moment after its answer is there.
    until(lambda: part.run_within(client, "test", {"slow": lambda: "new"}, 20)[0] == {"slow": "new"}, seconds=20)


def test_the_ring_is_whole_and_one_of_a_thousand_is_seen() -> None:
    drawn = donut([("green", 9_999, "Ready"), ("red", 1, "Degraded"), ("grey", 0, "Unknown")])
    assert [arc.label for arc in drawn.arcs] == ["Ready", "Degraded"]
    lengths = [arc.length for arc in drawn.arcs]
    assert lengths[1] > 1.5
    assert sum(lengths) < RING_LENGTH and drawn.arcs[1].offset > lengths[0]
    assert drawn.arcs[1].offset + lengths[1] <= RING_LENGTH
    assert drawn.words == "Ready 9,999, Degraded 1"
    assert donut([("green", 3, "Ready")]).arcs[0].dash == "100.00 0.00"
    assert donut([]).arcs == ()


@pytest.mark.parametrize(
    ("csv", "version", "to", "words"),
    [
        ("db.v1.0.0", "1.0.0", "db.v1.1.0", "1.0.0 → 1.1.0"),
        ("db.v1.0.0", "1.0.0", "", ""),
        ("db.v1.0.0", "1.0.0", "db.v1.0.0", ""),
        ("db-one", "1.0.0", "db-two", "db-one → db-two"),
        ("old.v1.0.0", "1.0.0", "new.v2.0.0", "old.v1.0.0 → new.v2.0.0"),
    ],
)
def test_from_which_version_to_which(csv: str, version: str, to: str, words: str) -> None:
    app = Operator(
        uid="1",
        namespace="apps",
        csv=csv,
        title="DB",
        version=version,
        provider="",
        state="done",
        word="",
        reason="",
        apis=(),
        subscription="",
        package="",
        channel="",
        created="",
        update=Update(state="asks", word="", to=to),
    )
    assert operators.step(app) == words


def test_the_worst_comes_first_and_the_rest_keeps_its_order() -> None:
    troubles = [
        CardProblem(level=level, title=title, reason="", url="")
        for level, title in ((WARNING, "a"), (ERROR, "b"), (WARNING, "c"), (ERROR, "d"))
    ]
    assert [item.title for item in worst_first(troubles)] == ["b", "d", "a", "c"]
