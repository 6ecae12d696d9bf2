"""Reading measurements: as the reader, without ever holding a page up, and no more than is bounded."""

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from kube import limits
from kube.discovery import ResourceType
from kube.errors import Forbidden, KubeError, Unreachable
from resources import usage
from resources.usage import ALLOCATABLE, NODES, PODS, Readings
from tests.eventually import until

SERVED = (
    ResourceType(
        group="metrics.k8s.io",
        version="v1beta1",
        plural="pods",
        kind="PodMetrics",
        namespaced=True,
        verbs=("get", "list"),
    ),
    ResourceType(
        group="metrics.k8s.io",
        version="v1beta1",
        plural="nodes",
        kind="NodeMetrics",
        namespaced=False,
        verbs=("get", "list"),
    ),
    ResourceType(group="", version="v1", plural="nodes", kind="Node", namespaced=False, verbs=("get", "list")),
)


class Cluster:
    """A client whose metrics server answers with `items`, an error, or after `wait`."""

    host, name = "http://here", "here"

    def __init__(self, who: str = "ada", types: tuple[ResourceType, ...] = SERVED) -> None:
        self.who = who
        self.config = object()
        self.served = types
        self.items: list[dict[str, Any]] = [_metrics("web")]
        self.error: KubeError | None = None
        self.goes_on = threading.Event()
        self.goes_on.set()
        self.asked: list[tuple[str, str]] = []

    def types(self) -> tuple[ResourceType, ...]:
        return self.served

    def impatient(self, _seconds: float) -> "Cluster":
        return self

    def list(self, type_: ResourceType, namespace: str = "") -> Any:
        self.asked.append((type_.qualified, namespace))
        self.goes_on.wait(10)
        if self.error:
            raise self.error
        return SimpleNamespace(items=self.items)


def _metrics(name: str) -> dict[str, Any]:
    container = {"name": "main", "usage": {"cpu": "1m", "memory": "1Ki"}}
    return {"kind": "PodMetrics", "metadata": {"name": name, "namespace": "shop"}, "containers": [container]}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that have gone by beside the real ones."""
    ahead, real = [0.0], time.monotonic
    monkeypatch.setattr(usage.time, "monotonic", lambda: real() + ahead[0])
    return ahead


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many objects each write into the history had."""
    found: list[int] = []
    monkeypatch.setattr(usage, "note", lambda _client, _plural, used: found.append(len(used)))
    return found


@pytest.fixture
def all_(noted: list[int]) -> Iterator[Readings]:
    yield Readings()


def _names(all_: Readings, client: Any, plural: str = PODS, namespace: str = "shop") -> list[str] | None:
    found = all_.ask(client, plural, namespace).now()
    return None if found is None else [name for _namespace, name in found]


def test_it_is_read_once_for_all_that_ask_soon(all_: Readings) -> None:
    client = Cluster()
    assert [_names(all_, client) for _time in range(3)] == [["web"]] * 3
    assert client.asked == [("pods.metrics.k8s.io", "shop")]


def test_where_none_are_served_nothing_is_asked(all_: Readings) -> None:
    client = Cluster(types=SERVED[2:])
    assert _names(all_, client) is None
    assert _names(all_, client, ALLOCATABLE, "") is None
    assert client.asked == []


def test_what_was_read_is_its_readers_alone(all_: Readings) -> None:
    ada, eve = Cluster("ada"), Cluster("eve")
    eve.error = Forbidden("pods.metrics.k8s.io is forbidden")
    assert _names(all_, ada) == ["web"]
    assert _names(all_, eve) is None
    assert len(eve.asked) == 1


def test_a_permission_that_was_taken_away_takes_the_numbers_away(all_: Readings, clock: list[float]) -> None:
    client = Cluster()
    assert _names(all_, client) == ["web"]
    client.error = Forbidden("pods.metrics.k8s.io is forbidden")
    clock[0] += usage.KEEP_SECONDS + 1
    assert _names(all_, client) is None


def test_a_failure_is_bridged_for_a_while(all_: Readings, clock: list[float]) -> None:
    client = Cluster()
    assert _names(all_, client) == ["web"]
    client.error = Unreachable("no answer")
    clock[0] += usage.KEEP_SECONDS + 1
    assert _names(all_, client) == ["web"]
    clock[0] += usage.OLDEST_SECONDS
    assert _names(all_, client) is None


def test_after_a_failure_it_is_not_asked_at_once_again(all_: Readings, clock: list[float]) -> None:
    client = Cluster()
    client.error = Unreachable("no answer")
    assert [_names(all_, client) for _time in range(3)] == [None] * 3
    assert len(client.asked) == 1
    clock[0] += usage.FAILED_SECONDS + 1
    client.error = None
    assert _names(all_, client) == ["web"]


def test_a_server_that_hangs_holds_nobody_up(all_: Readings) -> None:
    client = Cluster()
    client.goes_on.clear()
    began = time.monotonic()
    asked = all_.ask(client, PODS, "shop")  # type: ignore[arg-type]
    # One page waits once for a moment, whatever it asks.
    assert [asked.now(), asked.now()] == [None, None]
    assert time.monotonic() - began < usage.WAIT_SECONDS + 5
    client.goes_on.set()


def test_after_one_slow_answer_no_page_waits(
    all_: Readings, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage, "WAIT_SECONDS", 0.05)
    client = Cluster()
    client.goes_on.clear()
    asked = all_.ask(client, PODS, "shop")  # type: ignore[arg-type]
    assert asked.now() is None
    client.goes_on.set()
    until(lambda: asked.now() is not None)
    clock[0] += usage.KEEP_SECONDS + 1
    client.goes_on.clear()
    monkeypatch.setattr(usage, "WAIT_SECONDS", 60)
    began = time.monotonic()
    # What was known is shown while it is asked again.
    assert _names(all_, client) == ["web"]
    assert time.monotonic() - began < 5
    client.goes_on.set()


def test_questions_that_wait_are_bounded(all_: Readings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usage, "_QUEUED", 5)
    clients = [Cluster(f"person-{number}") for number in range(12)]
    for client in clients:
        client.goes_on.clear()
        all_.ask(client, PODS, "shop")  # type: ignore[arg-type]
    for client in clients:
        client.goes_on.set()
    time.sleep(0.2)
    assert sum(len(client.asked) for client in clients) == 5


def test_what_is_kept_is_bounded(all_: Readings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "USAGE_OBJECTS", replace(limits.USAGE_OBJECTS, value=50))
    for number in range(30):
        client = Cluster(f"person-{number}")
        client.items = [_metrics(f"web-{pod}") for pod in range(10)]
        assert len(_names(all_, client) or ()) == 10
    assert all_.objects <= 60


def test_what_the_nodes_can_give_is_read_seldom(all_: Readings, clock: list[float], noted: list[int]) -> None:
    client = Cluster()
    status = {"allocatable": {"cpu": "4", "memory": "1Gi"}}
    client.items = [{"kind": "Node", "metadata": {"name": "n1"}, "status": status}]
    assert _names(all_, client, ALLOCATABLE, "") == ["n1"]
    clock[0] += 60
    assert _names(all_, client, ALLOCATABLE, "") == ["n1"]
    assert client.asked == [("nodes", "")]
    assert noted == []


def test_a_minute_of_the_history_is_written_once(all_: Readings, clock: list[float], noted: list[int]) -> None:
    client = Cluster()
    for _time in range(5):
        _names(all_, client)
        clock[0] += usage.KEEP_SECONDS + 1
    until(lambda: len(client.asked) == 5)
    until(lambda: len(noted) == 2)


def test_what_is_odd_breaks_nothing(all_: Readings) -> None:
    client = Cluster()
    client.items = [{"metadata": 7}]
    assert _names(all_, client) in (None, [])
    assert NODES == "nodes"
