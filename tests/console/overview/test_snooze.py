"""Troubles that a person wants to see later, objects whose deletion doesn't end, acts on many objects, and first
steps that are done.
"""

import html
import re
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from console.overview import instances, part, tour
from console.overview.changes import RecentChange, _together
from console.overview.part import ERROR, CardProblem, with_causes
from console.web.clusters import console_client
from kube.client import ClusterClient
from resources.models import Mark, Step
from resources.place import Place
from tests.console.overview.scene import gadget, gadgets, remove
from tests.eventually import until

pytestmark = pytest.mark.django_db
TROUBLE = CardProblem(level=ERROR, title="Pod web", reason="no such image", url="/resources/core/v1/pods/shop/web/")


@pytest.fixture
def client(cluster_kubeconfig: Path, redis_server: str) -> ClusterClient:
    return console_client()


def is_snoozed(client: ClusterClient, trouble: CardProblem = TROUBLE) -> bool:
    return part.is_snoozed(part.snoozes(client), trouble)


@pytest.mark.parametrize("span", part.SPANS)
def test_a_snooze_begins_ends_and_runs_out(client: ClusterClient, span: str) -> None:
    assert not is_snoozed(client)
    part.snooze(client, f"{TROUBLE.key}:{TROUBLE.state}", span)
    assert is_snoozed(client)
    part.end_snooze(client, TROUBLE.key)
    assert not is_snoozed(client)
    part.snooze(client, f"{TROUBLE.key}:{TROUBLE.state}", span)
    Mark.objects.update(at=timezone.now() - timedelta(seconds=1))
    assert not is_snoozed(client)


def test_only_until_it_changes_looks_at_the_reason(client: ClusterClient) -> None:
    other = CardProblem(level=ERROR, title="Pod web", reason="another reason", url=TROUBLE.url)
    for span, hidden in ((part.CHANGE, False), (part.DAY, True)):
        part.snooze(client, f"{TROUBLE.key}:{TROUBLE.state}", span)
        assert is_snoozed(client) and is_snoozed(client, other) is hidden


def test_there_is_a_bound_and_nonsense_is_ignored(client: ClusterClient) -> None:
    for text in ("", "x", f"{TROUBLE.key}:", f"{TROUBLE.key}:{TROUBLE.state}x"):
        part.snooze(client, text, part.DAY)
    part.snooze(client, f"{TROUBLE.key}:{TROUBLE.state}", "year")
    assert not part.snoozes(client)
    for number in range(part.MAX_SNOOZED + 5):
        part.snooze(client, f"{number:032}:{TROUBLE.state}", part.DAY)
    assert len(part.snoozes(client)) == part.MAX_SNOOZED


def test_a_row_is_snoozed_and_shown_again_and_a_deletion_that_waits_is_one(
    client: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instances, "_HELD_AFTER", timedelta(0))
    type_ = gadgets(client)
    gadget(client, "default", "held", phase="Running")
    client.patch(type_, "held", {"metadata": {"finalizers": ["example.com/clean-up"]}}, "default")
    client.delete(type_, "held", "default")
    browser = Client()
    try:
        shown = html.unescape(browser.get("/?part=instances").content.decode())
        assert "example.com/clean-up" in shown and "/default/held/finalizers/" in shown and "data-snoozed" not in shown
        found = re.search(r'name="day"\s+value="([^"]+)"|value="([^"]+)"\s+name="day"', shown)
        assert found, shown
        trouble_id = found[1] or found[2]
        assert browser.post("/overview/snooze/", {"day": trouble_id}).status_code == 302
        assert "data-snoozed" in browser.get("/?part=instances").content.decode()
        assert "data-snoozed" in browser.get("/?all=1").content.decode()
        browser.post("/overview/snooze/", {"end": trouble_id.partition(":")[0]})
        assert "data-snoozed" not in browser.get("/?part=instances").content.decode()
    finally:
        client.patch(type_, "held", {"metadata": {"finalizers": None}}, "default")
        remove(client)


def test_creates_of_one_act_are_one_row(client: ClusterClient) -> None:
    now, pods = timezone.now(), client.find("", "v1", "pods")
    change = RecentChange(event=Step.CREATED, at=now, who="ann", place=Place(pods, "shop", "a"), kind="Pod", fields=())
    older = RecentChange(
        event=Step.CREATED,
        at=now - timedelta(seconds=5),
        who="ann",
        place=Place(pods, "shop", "b"),
        kind="Pod",
        fields=(),
    )
    assert _together(change, older)
    assert not _together(
        change, RecentChange(event=Step.CREATED, at=older.at, who="bob", place=older.place, kind="Pod", fields=())
    )
    assert not _together(
        change, RecentChange(event=Step.DELETED, at=older.at, who="ann", place=older.place, kind="Pod", fields=())
    )
    assert not _together(
        change,
        RecentChange(
            event=Step.CREATED, at=older.at, who="ann", place=Place(pods, "other", "b"), kind="Pod", fields=()
        ),
    )
    assert not _together(
        change,
        RecentChange(
            event=Step.CREATED, at=now - timedelta(hours=1), who="ann", place=older.place, kind="Pod", fields=()
        ),
    )


def test_first_steps_that_are_all_done_leave_from_the_next_page_on(
    client: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tour, "_tried", lambda check, client: True)
    monkeypatch.setattr(tour, "_made", lambda client: (None, False))
    assert not tour.away(client)
    assert tour.collect(client).found.all_done
    assert tour.away(client)


def test_a_row_has_the_fix_of_its_cause(client: ClusterClient) -> None:
    namespaces = client.find("", "v1", "namespaces")
    name = f"overview-fix-{uuid4().hex[:6]}"
    client.create(namespaces, {"metadata": {"name": name}})
    pods = client.find("", "v1", "pods")
    body = {"containers": [{"name": "web", "image": "web", "envFrom": [{"configMapRef": {"name": "absent"}}]}]}
    # No kubelet takes it, so its status is what is written here.
    client.create(pods, {"metadata": {"name": "web"}, "spec": {**body, "schedulerName": "nobody"}}, name)
    waiting = {"reason": "CreateContainerConfigError", "message": 'configmap "absent" not found'}
    status = {"phase": "Pending", "containerStatuses": [{"name": "web", "state": {"waiting": waiting}}]}
    client.patch(pods, "web", {"status": status}, name, subresource="status")
    place = Place(pods, name, "web")
    trouble = CardProblem(level=ERROR, title="Pod web", reason="…", url=place.url())
    try:
        # The card doesn't wait for causes: the page asks for them, and then they are cached.
        (row,) = with_causes(client, [trouble], {trouble.url: place})
        assert (row.asks, row.fix) == (True, "")
        address = f"/?{urlencode({'part': 'causes', 'of': [row.cause_id, 'x:/nonsense/', 'x']}, doseq=True)}"
        answer = until(lambda: Client().get(address).json(), seconds=30)
        assert list(answer) == [row.cause_id]
        assert "/core/v1/configmaps/new-values/" in answer[row.cause_id]["url"]
        (row,) = with_causes(client, [trouble], {trouble.url: place})
        assert "name=absent" in row.fix_url and row.cause == answer[row.cause_id]["sentence"]
        assert not row.asks
        # Another reason is another question; of what isn't an object nothing is asked.
        (row,) = with_causes(client, [replace(trouble, reason="another")], {trouble.url: place})
        assert (row.asks, row.cause) == (True, "")
        assert not with_causes(client, [trouble], {})[0].asks
    finally:
        client.delete(namespaces, name)


def test_every_row_gets_its_cause_and_no_card_waits_for_it(
    client: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before, only the first three rows had one, and each card waited for it for a second."""

    def slow(*_arguments: object) -> None:
        time.sleep(2)

    pods = client.find("", "v1", "pods")
    places = {place.url(): place for place in (Place(pods, "shop", f"web-{number}") for number in range(20))}
    troubles = [CardProblem(level=ERROR, title=url, reason="…", url=url) for url in places]
    monkeypatch.setattr(part, "read_causes", slow)
    began = time.monotonic()
    rows = with_causes(client, troubles, places)
    assert time.monotonic() - began < 0.5
    assert all(row.asks for row in rows)
    # There are no such Pods: that is known then, and not asked again.
    found = part.find_causes(client, {row.cause_id: places[row.url] for row in rows[:8]}, 10)
    assert list(found.values()) == [None] * 8
    assert [row.asks for row in with_causes(client, troubles, places)] == [False] * 8 + [True] * 12
