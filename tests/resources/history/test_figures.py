"""Numbers over time out of the history: drawn as lines, said as words, listed as a table."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from resources.history.strip import READY, RESTARTS, WANTED, figures, numbers_of
from resources.models import Step, Traced
from tests.resources.history.conftest import Watched

pytestmark = pytest.mark.django_db


def scaled(watched: Watched, place: str) -> Traced:
    """Three replicas asked for, ready one after another, then one asked for: over the last four hours."""
    watched.create(place, "web", spec={"replicas": 3})
    for ready in (1, 3):
        # A condition too, so that none is folded into the one before it.
        status = {
            "replicas": 3,
            "readyReplicas": ready,
            "conditions": [{"type": "Seen", "status": "True", "reason": f"R{ready}"}],
        }
        watched.patch(place, "web", {"status": status}, "status")
    watched.patch(place, "web", {"spec": {"replicas": 1}})
    watched.patch(place, "web", {"metadata": {"labels": {"nothing": "changed"}}})
    traced = Traced.objects.get(name="web", namespace=place)
    now = timezone.now()
    for hours, step in zip((4, 3, 2, 1, 0.5), traced.steps.order_by("pk"), strict=True):
        Step.objects.filter(pk=step.pk).update(at=now - timedelta(hours=hours), until=now - timedelta(hours=hours))
    return traced


def test_replicas_are_lines_words_and_rows(watched: Watched, place: str) -> None:
    found = figures(scaled(watched, place))
    wanted, ready = found.lines
    assert (wanted.key, wanted.least, wanted.most, wanted.now) == (WANTED, 1, 3, 1)
    assert (ready.key, ready.least, ready.most, ready.now) == (READY, 1, 3, 3)
    assert wanted.path == "M0.0 2.0H750.0V26.0H1000" or re.fullmatch(
        r"M0.0 2.0(H[\d.]+V2.0)*H7(50|49)\.\dV26.0H1000", wanted.path
    )
    assert found.words == "desired replicas: between 1 and 3, now 1; ready replicas: between 1 and 3, now 3"
    assert [row.numbers for row in found.rows] == [(1, 3), (3, 3), (3, 1), (3, None)], (
        "a change of a label is no change of a number"
    )


def test_the_page_has_the_drawing_with_its_words_and_the_table(watched: Watched, place: str) -> None:
    scaled(watched, place)
    for address in ("", "history/"):
        page = Client().get(f"/resources/{watched.type.group}/v1/gadgets/{place}/web/{address}").content.decode()
        drawing = re.search(r'<svg\s+class="history-lines"[^>]*role="img"\s+aria-label="([^"]*)"', page)
        assert drawing and "now 1; ready replicas: between 1 and 3, now 3" in drawing[1]
        table = page.partition('id="history-numbers"')[2].partition("</table>")[0]
        assert re.findall(r'table__td">(\d|–)<', table) == ["1", "3", "3", "3", "3", "1", "3", "–"]


def test_without_numbers_nothing_is_drawn(watched: Watched, place: str) -> None:
    watched.create(place, "plain", spec={"colour": "blue", "replicas": "many", "size": True})
    assert figures(Traced.objects.get(name="plain", namespace=place)).lines == ()
    page = Client().get(f"/resources/{watched.type.group}/v1/gadgets/{place}/plain/").content.decode()
    assert "history-lines" not in page


@pytest.mark.parametrize(
    ("obj", "numbers"),
    [
        ({"spec": {"replicas": 2}, "status": {"replicas": 2}}, {WANTED: 2, READY: 0}),
        ({"spec": {"size": 4}}, {WANTED: 4}),
        ({"spec": {}, "status": {"desiredNumberScheduled": 3, "numberReady": 2}}, {WANTED: 3, READY: 2}),
        ({"status": {"containerStatuses": [{"restartCount": 2}, {"restartCount": 1}, {}]}}, {RESTARTS: 3}),
        ({"spec": {"replicas": -1}, "status": {"readyReplicas": "3"}}, {}),
        ({"spec": None, "status": []}, {}),
        (None, {}),
    ],
)
def test_which_numbers_an_object_says(obj: Any, numbers: dict[str, int]) -> None:
    assert numbers_of(obj) == numbers


def test_an_object_that_is_gone_has_its_lines_to_its_end(watched: Watched, place: str) -> None:
    scaled(watched, place)
    watched.delete(place, "web")
    traced = Traced.objects.get(name="web", namespace=place)
    assert figures(traced).end == traced.deleted_at
    assert figures(traced).lines[0].now == 1
