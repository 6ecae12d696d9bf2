"""Events filtered, counted, and with repeats together."""

from typing import Any

import pytest

from kube.client import ClusterClient
from resources.page.events import EventList, EventQuery, Happened, event_list_of, family, rows_of


def _event(
    number: int, name: str, reason: str = "Pulled", type_: str = "Normal", message: str = "", **more: Any
) -> dict[str, Any]:
    about = {"apiVersion": "v1", "kind": "Pod", "name": name, "namespace": "shop", "uid": name}
    seen = f"2026-01-01T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}Z"
    return {
        "metadata": {"name": f"e{number}", "uid": f"e{number}", "namespace": "shop", "resourceVersion": str(number)},
        "involvedObject": about,
        "type": type_,
        "reason": reason,
        "message": message or f"Container {name} started in {number} s",
        "lastTimestamp": seen,
        "source": {"component": "kubelet"},
        **more,
    }


def _look(events: list[dict[str, Any]], **filters: Any) -> EventList:
    return event_list_of(events, EventQuery(**filters))


def _rows(client: ClusterClient, found: EventList) -> tuple[Happened, ...]:
    return rows_of(client, found.groups)


def test_repeats_are_one_line_with_all_their_objects(client: ClusterClient) -> None:
    events = [_event(number, f"web-{number}", count=2) for number in range(30)]
    events.append(_event(40, "web-1", "Failed", "Warning", "no such image"))
    found = _look(events)
    assert (found.total, found.matched, len(found.groups), found.warnings) == (31, 31, 2, 1)
    failed, pulled = _rows(client, found)
    assert (failed.reason, failed.warning, failed.number, failed.count) == ("Failed", True, 1, 1)
    assert (pulled.number, pulled.count, len(pulled.objects)) == (30, 60, 10)
    assert pulled.objects[0].type is not None
    assert found.kinds == (("Pod", 31),)
    assert found.reasons == (("Pulled", 30), ("Failed", 1))
    assert len(_look(events, grouped=False).groups) == 31


@pytest.mark.parametrize(
    ("name", "kind", "maker"),
    [
        ("web-7d4b9c6f5-x2x8p", "Pod", "web"),
        ("argocd-operator-controller-manager-5f7d9c8b6c-2hjkl", "Pod", "argocd-operator-controller-manager"),
        ("db-0", "Pod", "db"),
        ("backup-28765432-x2x8p", "Pod", "backup"),
        ("data-db-10", "PersistentVolumeClaim", "data-db"),
        ("web", "Pod", "web"),
        ("web-0", "SampleDB", ""),
    ],
)
def test_o13_by_whom_an_object_was_made(name: str, kind: str, maker: str) -> None:
    """O13: an Event names no owner, but the names that Kubernetes makes up do."""
    assert family(name, kind) == maker


def test_o13_pods_of_different_operators_are_different_rows(client: ClusterClient) -> None:
    """O13: each row with its own age; the Pods of one maker are still one row."""
    names = (
        "argocd-operator-7d4b9c6f5-x2x8p",
        "argocd-operator-7d4b9c6f5-bcdfg",
        "memcached-operator-5f7d9c8b6c-2hjkl",
    )
    events = [_event(number * 60, name, message="Back-off pulling image") for number, name in enumerate(names)]
    found = _look(events)
    assert [(row.number, row.last) for row in _rows(client, found)] == [
        (1, "2026-01-01T00:02:00Z"),
        (2, "2026-01-01T00:01:00Z"),
    ]


def test_filters_and_order(client: ClusterClient) -> None:
    events = [_event(number, f"web-{number}") for number in range(250)]
    events += [_event(300 + number, "db-0", "BackOff", "Warning", "Back-off restarting") for number in range(3)]
    assert _look(events, type="Warning").matched == 3
    assert _look(events, reason="BackOff", kind="Pod").matched == 3
    assert _look(events, kind="Node").matched == 0
    assert _look(events, q="RESTARTING db").matched == 3
    found = _look(events, grouped=False)
    assert len(found.groups) == 253
    assert rows_of(client, found.groups[:1])[0].name == "e302"


def test_odd_events_are_no_error(client: ClusterClient) -> None:
    odd: list[dict[str, Any]] = [
        {},
        {"metadata": None, "involvedObject": "x", "count": "many", "message": 3},
        {"series": {"count": 4, "lastObservedTime": "2026-01-01T00:00:00.000000Z"}, "involvedObject": {"kind": "Pod"}},
        {"involvedObject": {"kind": "Gone", "apiVersion": "gone.example.com/v1", "name": "x"}, "type": None},
    ]
    found = _look(odd)
    assert found.total == 4
    assert sum(row.count for row in _rows(client, found)) == 7


def test_ten_thousand_are_looked_through(client: ClusterClient) -> None:
    events = [_event(number, f"web-{number % 500}-{number}", reason=f"R{number % 40}") for number in range(10_000)]
    found = _look(events, q="web")
    assert found.total == 10_000
    assert len(found.groups) == 40
