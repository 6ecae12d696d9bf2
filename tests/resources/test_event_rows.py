"""Events filtered, counted, and with repeats together."""

from typing import Any

from kube.client import ClusterClient
from resources.page.event_rows import PAGE, Linker, Stream, Wish, look


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


def _look(client: ClusterClient, events: list[dict[str, Any]], **wish: Any) -> Stream:
    return look(events, Wish(**wish), Linker(client))


def test_repeats_are_one_line_with_all_their_objects(client: ClusterClient) -> None:
    events = [_event(number, f"web-{number}", count=2) for number in range(30)]
    events.append(_event(40, "web-1", "Failed", "Warning", "no such image"))
    found = _look(client, events)
    assert (found.total, found.matched, found.lines, found.warnings) == (31, 31, 2, 1)
    failed, pulled = found.rows
    assert (failed.reason, failed.warning, failed.number, failed.count) == ("Failed", True, 1, 1)
    assert (pulled.number, pulled.count, len(pulled.objects)) == (30, 60, 10)
    assert pulled.objects[0].type is not None
    assert found.kinds == (("Pod", 31),)
    assert found.reasons == (("Pulled", 30), ("Failed", 1))
    assert _look(client, events, grouped=False).lines == 31


def test_filters_and_pages(client: ClusterClient) -> None:
    events = [_event(number, f"web-{number}") for number in range(250)]
    events += [_event(300 + number, "db-0", "BackOff", "Warning", "Back-off restarting") for number in range(3)]
    assert _look(client, events, type="Warning").matched == 3
    assert _look(client, events, reason="BackOff", kind="Pod").matched == 3
    assert _look(client, events, kind="Node").matched == 0
    assert _look(client, events, q="RESTARTING db").matched == 3
    page = _look(client, events, grouped=False, page=3)
    assert (page.lines, len(page.rows)) == (253, 253 - 2 * PAGE)
    assert _look(client, events, grouped=False).rows[0].name == "e302"


def test_odd_events_are_no_error(client: ClusterClient) -> None:
    odd: list[dict[str, Any]] = [
        {},
        {"metadata": None, "involvedObject": "x", "count": "many", "message": 3},
        {"series": {"count": 4, "lastObservedTime": "2026-01-01T00:00:00.000000Z"}, "involvedObject": {"kind": "Pod"}},
        {"involvedObject": {"kind": "Gone", "apiVersion": "gone.example.com/v1", "name": "x"}, "type": None},
    ]
    found = _look(client, odd)
    assert found.total == 4
    assert sum(row.count for row in found.rows) == 7


def test_ten_thousand_are_looked_through(client: ClusterClient) -> None:
    events = [_event(number, f"web-{number % 500}-{number}", reason=f"R{number % 40}") for number in range(10_000)]
    found = _look(client, events, q="web")
    assert found.total == 10_000
    assert found.lines == 40
