"""Marks of the timeline: who did what when, near ones as one; and how much time is shown."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from resources.history.strip import CONTROLLERS, EVENTS, NEAR, PEOPLE, TOLD, Happened, happened, lanes, strip
from resources.models import Step, Traced, Write
from resources.page.detail import Link
from resources.page.events import EventRow
from tests.resources.history.conftest import Watched

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
END = BEGIN + timedelta(hours=1)


def at(minutes: float, lane: str = PEOPLE, words: str = "x", *, is_warning: bool = False) -> Happened:
    return Happened(at=BEGIN + timedelta(minutes=minutes), lane=lane, words=words, is_warning=is_warning)


def test_each_lane_has_its_own_marks_and_an_empty_one_stays() -> None:
    people, controllers, events = lanes([at(30), at(15, EVENTS)], BEGIN, END)
    assert (people.key, controllers.key, events.key) == (PEOPLE, CONTROLLERS, EVENTS)
    assert [mark.percent for mark in people.marks] == [50.0]
    assert controllers.marks == () and controllers.count == 0
    assert [mark.percent for mark in events.marks] == [25.0]


def test_what_lies_outside_of_the_time_is_left_out() -> None:
    people = lanes([at(-1), at(61), at(60)], BEGIN, END)[0]
    assert [mark.percent for mark in people.marks] == [100.0] and people.count == 1


def test_marks_that_would_cover_each_other_are_one_with_a_count() -> None:
    found = lanes([at(30 + second / 60, words=str(second), is_warning=second == 3) for second in range(10)], BEGIN, END)
    (mark,) = found[0].marks
    assert mark.count == 10 and mark.is_warning
    assert mark.words == tuple(str(second) for second in range(9, 9 - TOLD, -1)) and mark.more == 10 - TOLD


def test_many_changes_in_a_row_do_not_become_one_mark_of_the_whole_width() -> None:
    found = lanes([at(number / 10) for number in range(600)], BEGIN, END)[0]
    assert 60 < len(found.marks) <= 100 / NEAR
    assert sum(mark.count for mark in found.marks) == 600


def traced(**ago: timedelta) -> Traced:
    began = timezone.now() - max(ago.values())
    parts = {"version": "v1", "plural": "things", "kind": "Thing", "name": "web", "resource_version": "1", "head": b""}
    return Traced.objects.create(cluster="c", uid="u", began_at=began, **parts)


def step(of: Traced, version: str, ago: timedelta, **more: object) -> Step:
    moment = timezone.now() - ago
    return Step.objects.create(traced=of, resource_version=version, at=moment, until=moment, **more)


@pytest.mark.django_db
def test_who_made_a_change_decides_its_lane() -> None:
    traced_object = traced(made=timedelta(hours=1))
    step(traced_object, "1", timedelta(hours=1), event=Step.CREATED, manager="kubectl-create", spec=True)
    step(
        traced_object, "2", timedelta(minutes=50), manager="thing-operator", spec=True, fields=[["spec.size", "1", "3"]]
    )
    step(traced_object, "3", timedelta(minutes=40), manager="Python-urllib", spec=True)
    step(traced_object, "4", timedelta(minutes=30), manager="thing-operator", status=True)
    Write.objects.create(
        key="k", cluster="c", uid="u", user="alice", at=timezone.now(), verb="patch", resource_version="3"
    )
    found = {(item.lane, item.words) for item in happened(traced_object, (), "/h/")}
    assert found == {
        (PEOPLE, "kubectl create: created"),
        (CONTROLLERS, "thing-operator: spec.size: 1 → 3"),
        (PEOPLE, "alice: changed"),
    }, "a mere status is in the bar above"


@pytest.mark.django_db
def test_events_without_a_time_are_left_out_and_warnings_are_marked() -> None:
    item = traced(made=timedelta(hours=1))
    link = Link("Pod", "web-0", "shop", None)
    rows = [
        EventRow(
            uid=uid, warning=warning, reason="BackOff", message="m", about=link, count=1, seen=seen, source="kubelet"
        )
        for uid, warning, seen in (("a", True, "2026-01-01T00:00:00Z"), ("b", False, ""), ("c", False, "soon"))
    ]
    (only,) = happened(item, rows, "/h/")
    assert (only.lane, only.is_warning, only.url) == (EVENTS, True, "#event-a")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("changed", "shown", "offered"),
    [
        (timedelta(minutes=20), "1h", ["1h", "24h", "7d"]),
        (timedelta(hours=5), "24h", ["1h", "24h", "7d"]),
        (timedelta(days=2), "7d", ["1h", "24h", "7d"]),
    ],
)
def test_the_shortest_time_that_holds_the_last_change_of_state(
    changed: timedelta, shown: str, offered: list[str]
) -> None:
    item = traced(made=timedelta(days=3))
    step(item, "1", timedelta(days=3), event=Step.CREATED, state="Progressing")
    step(item, "2", changed, status=True, state="Ready")
    found = strip(item)
    assert [span.key for span in found.spans] == offered
    assert [span.key for span in found.spans if span.is_shown] == [shown]
    assert strip(item, "7d").spans[2].is_shown
    assert strip(item, "30d").spans == found.spans == strip(item, "<script>").spans


@pytest.mark.django_db
def test_a_young_object_has_nothing_to_choose() -> None:
    item = traced(made=timedelta(minutes=3))
    step(item, "1", timedelta(minutes=3), event=Step.CREATED, state="Ready")
    assert strip(item).spans == ()


@pytest.mark.django_db
def test_both_pages_have_the_lanes_and_keep_the_chosen_time(watched: Watched, place: str) -> None:
    watched.create(place, "web", spec={"replicas": 3})
    watched.patch(place, "web", {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}, "status")
    watched.patch(place, "web", {"spec": {"replicas": 1}})
    at_url = f"/resources/{watched.type.group}/v1/gadgets/{place}/web/"
    for address in (f"{at_url}?part=history", f"{at_url}history/"):
        page = Client().get(address).content.decode()
        links = re.findall(r'<a href="([^"]*)" tabindex="-1">', page)
        assert links and all(re.search(r"#(step|event)-", link) for link in links)
    assert "?part=history&amp;span=24h" in Client().get(f"{at_url}?part=history&span=24h").content.decode()
    assert "span=" not in Client().get(f'{at_url}?part=history&span="><b>').content.decode().partition("hx-get")[0]
