"""What the overview says when something is missing: no operator yet, a worker that watches nothing, no Redis, no
database.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.db import OperationalError, connection
from django.test import Client, override_settings

from console.overview.cards import CARDS
from console.web import clusters
from console.web.clusters import console_client
from operatorhub import olm
from resources.changes import HubState
from resources.changes.connection import key, sync_client
from tests import processes
from tests.console.overview.test_page import part, raw, words
from tests.environment import FOLDER
from tests.eventually import until

_STEP = re.compile(r'<li\s+class="[^"]*overview-next"\s+aria-current="step"\s*>.*?<a href="([^"]+)">([^<]+)</a>', re.S)


@pytest.fixture
def browser(redis_server: str) -> Client:
    return Client()


@pytest.fixture(scope="module")
def empty(redis_server: str) -> Iterator[Path]:
    """An embedded cluster with OLM and no catalog: nothing is installed, and nothing can be."""
    data = FOLDER / "overview-empty"
    with processes.sandbox(data):
        yield data / "kubeconfig"


@pytest.fixture
def on_empty(empty: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with override_settings(KUBECONFIG=str(empty)):
        monkeypatch.setattr(clusters, "_clients", {})
        client = console_client()
        until(lambda: olm.served(client) or client.forget_types())
        yield


@pytest.mark.django_db
def test_on_an_empty_cluster_the_first_steps_lead_and_no_card_is_blank(browser: Client, on_empty: None) -> None:
    page = raw(browser, "/?all=1")
    # Right below the verdict, before any card.
    assert page.index('id="overview-verdict"') < page.index('id="overview-tour"') < page.index('id="overview-changes"')
    assert _STEP.findall(page) == [("/namespaces/", "Create a namespace")]
    assert "0 of 5 steps done" in words(page)
    assert "None yet." in part(browser, "operators") and "Find an operator in OperatorHub" in part(browser, "operators")
    for card in CARDS:
        body = part(browser, card.key).split("overview-body", 1)[1].split(">", 1)[1]
        assert words(body).strip(), card.key


@pytest.mark.django_db
def test_the_next_step_moves_on_as_they_are_done(browser: Client, on_empty: None) -> None:
    client = console_client()
    namespaces = client.find("", "v1", "namespaces")
    client.create(namespaces, {"metadata": {"name": "first-steps"}})
    try:
        until(lambda: "1 of 5 steps done" in words(part(browser, "tour")))
        assert _STEP.findall(part(browser, "tour")) == [("/operatorhub/", "Find an operator in OperatorHub")]
    finally:
        client.delete(namespaces, "first-steps")


@pytest.mark.django_db
def test_a_worker_that_can_not_watch_says_why(browser: Client, cluster_kubeconfig: Path) -> None:
    """As a hub tells it with its heartbeat; the second that can watch is enough."""
    redis = sync_client()
    _beat(HubState("one", problem="the API server refuses to be watched"))
    try:
        found = part(browser, "cluster")
        assert 'data-level="warning"' in found and "the API server refuses to be watched" in found
        assert 'href="/readyz"' in found and "Live updates are off" in found
        _beat(HubState("two"))
        assert "Live updates are on." in part(browser, "cluster")
    finally:
        redis.delete(key("hubs"), key("hub", "one"), key("hub", "two"))
    assert "Check that the Celery worker is running." in part(browser, "cluster")


def _beat(state: HubState) -> None:
    sync_client().sadd(key("hubs"), state.id)
    sync_client().set(key("hub", state.id), msgspec.json.encode(state))


@pytest.mark.django_db
def test_without_redis_everything_is_told_and_that_it_does_not_update(
    cluster_kubeconfig: Path, tmp_path: Path, settings: Any
) -> None:
    settings.REDIS_URL = f"unix://{tmp_path}/nobody.sock"
    sync_client.cache_clear()
    try:
        page = raw(Client(), "/?all=1")
    finally:
        sync_client.cache_clear()
    text = words(page)
    assert "Live updates are off Redis isn't responding." in text
    assert re.search(r'<span\s+class="overview-count[^"]*"\s*>\d+</span>\s*<span>Namespaces', page)
    assert "data-coming" not in page and re.search(r"\d+ needs? attention", text)
    for card in CARDS:
        assert f'id="overview-{card.key}"' in page


@pytest.mark.django_db
def test_without_a_database_the_cluster_is_told_all_the_same(browser: Client, cluster_kubeconfig: Path) -> None:
    def away(*_question: Any) -> None:
        raise OperationalError("the server closed the connection")

    with connection.execute_wrapper(away):
        changes, numbers, tour = (part(browser, item) for item in ("changes", "cluster", "tour"))
        page = raw(browser, "/")
    assert "database isn't responding: the server closed the connection" in changes and "Try again" in changes
    assert "overview-count" in numbers
    assert "Getting started" in tour and 'id="overview-tour"' in page
