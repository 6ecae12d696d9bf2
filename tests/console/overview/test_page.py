"""The overview on clusters that are empty, in trouble, without OLM and away."""

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from django.test import Client, override_settings

from console.overview import instances, tour
from console.overview.cards import CARDS
from console.web import clusters
from console.web.clusters import console_client
from kube.client import ClusterClient
from operatorhub import olm
from resources.history import store
from resources.history.store import Event
from tests import processes
from tests.console.overview.scene import GROUP, Scene, gadget, scene
from tests.environment import FOLDER
from tests.eventually import until
from tests.operatorhub.conftest import ready

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(cluster_kubeconfig: Path, redis_server: str) -> Client:
    return Client()


@pytest.fixture(scope="module")
def troubled(cluster_kubeconfig: Path) -> Iterator[Scene]:
    client = console_client()
    until(lambda: olm.served(client) or client.forget_types())
    until(lambda: ready(client, 1))
    with scene(client) as found:
        yield found


@pytest.fixture
def client(cluster_kubeconfig: Path) -> ClusterClient:
    return console_client()


def raw(browser: Client, address: str) -> str:
    answer = browser.get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    return html.unescape(answer.content.decode())


def words(text: str) -> str:
    """What a person reads, in one line."""
    return re.sub(
        r"\s+", " ", re.sub(r"<[^>]+>", " ", re.sub(r"<(script|style|svg|template).*?</\1>", " ", text, flags=re.S))
    )


def part(browser: Client, key: str) -> str:
    return raw(browser, f"/?part={key}")


def test_the_page_asks_the_cluster_for_nothing_and_names_what_each_card_waits_for(browser: Client) -> None:
    page = raw(browser, "/")
    for card in CARDS:
        assert f'id="overview-{card.key}"' in page and f'hx-get="/?part={card.key}"' in page
        assert str(card.waits) in page
    assert page.count("data-coming") == len(CARDS) + 1  # and the tour
    assert " style=" not in page and "Getting started" in page


def test_each_card_answers_by_itself_and_an_unknown_one_does_not(browser: Client) -> None:
    for card in CARDS:
        found = part(browser, card.key)
        assert found.strip().startswith("<article") and f'id="overview-{card.key}"' in found
        assert "data-coming" not in found and " style=" not in found
    assert browser.get("/?part=nothing").status_code == 404


def test_cards_renew_themselves_apart(browser: Client, client: ClusterClient) -> None:
    until(lambda: olm.served(client) or client.forget_types())
    operators, numbers = _topics(part(browser, "operators")), _topics(part(browser, "cluster"))
    assert any("/pods/" in topic for topic in numbers)
    # A created or deleted Pod doesn't reload the operators.
    assert operators and all("/operators.coreos.com/" in topic for topic in operators)
    assert not any("/operators.coreos.com/" in topic for topic in numbers)


def _topics(text: str) -> list[str]:
    found = re.search(r'data-live="([^"]*)"', text)
    assert found
    return found[1].split()


def test_without_a_worker_that_is_said_to_be_trouble(browser: Client) -> None:
    found = part(browser, "cluster")
    assert "Live updates are off" in found and "Check that the Celery worker is running." in found
    assert 'data-level="warning"' in found and 'href="/readyz"' in found
    assert re.search(r'<span\s+class="overview-count[^"]*"\s*>\d+</span>\s*<span>Namespaces', found)


@pytest.fixture
def pulling(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--kubeconfig"):
        pytest.skip("needs nodes that pull images: on the real cluster's every Pod runs")


class TestTrouble:
    def test_operators_say_why_and_from_which_version_to_which(self, browser: Client, troubled: Scene) -> None:
        # The card's lists are kept ones, which a watch brings up to date.
        until(lambda: "1.0.0 → 1.1.0" in part(browser, "operators"))
        found = part(browser, "operators")
        assert "no operators found from catalog nowhere" in found or "nowhere" in found
        assert f'href="/operators/{troubled.broken}/subscriptions/sampledb/"' in found
        assert f'href="/operators/{troubled.place}/installplans/{troubled.plan}/"' in found
        text = words(found)
        assert "1 waiting for approval" in text and "1 with problems" in text

    def test_instances_are_counted_by_state_as_a_picture_and_as_a_table(self, browser: Client, troubled: Scene) -> None:
        found = part(browser, "instances")
        rows = dict(
            re.findall(
                r"<tr>\s*<th.*?</span>\s*(?:<svg.*?</svg>)?\s*([^<]+?)\s*</th>\s*<td>(\d+)</td>", found, flags=re.S
            )
        )
        assert {key: rows[key] for key in ("Degraded", "Progressing", "Ready")} == {
            "Degraded": "1",
            "Progressing": "1",
            "Ready": "3",
        }
        assert sum(map(int, rows.values())) == 6
        label = re.search(r'<svg\s+class="overview-donut"[^>]*aria-label="([^"]*)"', found)
        assert label and "Degraded 1, Progressing 1, Ready 3" in label[1]
        assert found.count("stroke-dasharray=") == len(rows)
        assert "no room on any disk" in found
        assert f'href="/resources/{GROUP}/v1/gadgets/{troubled.place}/bad/"' in found
        assert f"/resources/{GROUP}/v1/gadgets/?namespace=-&state=Degraded" in found
        assert any(GROUP in topic for topic in _topics(found))

    def test_pods_and_warnings(self, browser: Client, troubled: Scene, pulling: None) -> None:
        until(lambda: "t pull registry.invalid/none:1" in part(browser, "pods"))
        pods = part(browser, "pods")
        assert f'href="/resources/core/v1/pods/{troubled.place}/stuck/"' in pods
        warnings = words(until(lambda: "stuck" in (text := part(browser, "warnings")) and text))
        assert "Pod stuck" in warnings and "registry.invalid/none:1" in warnings

    def test_one_list_has_all_of_it_worst_first(self, browser: Client, troubled: Scene, pulling: None) -> None:
        until(lambda: "t pull registry.invalid/none:1" in part(browser, "pods"))
        page = raw(browser, "/?all=1")
        listed = page.split("data-troubles-all", 1)[1].split("</ol>", 1)[0]
        levels = re.findall(r'<li\s+class="overview-trouble"\s+data-level="(\w+)"', listed)
        assert levels == sorted(levels) and {"error", "warning"} == set(levels)
        content = words(listed)
        for text in ("nowhere", "Gadget bad", "Pod stuck", "1.0.0 → 1.1.0", "Live updates are off"):
            assert text in content
        assert f"{len(levels)} need attention" in words(page)
        assert "data-coming" not in page

    def test_what_is_slow_is_named_and_holds_up_nothing(
        self, browser: Client, troubled: Scene, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(instances, "WAIT", 0.0)
        found = part(browser, "instances")
        assert "data-pending" in found and "No response yet:" in found and 'hx-trigger="load delay:1s"' in found
        monkeypatch.undo()
        assert "data-pending" not in part(browser, "instances")

    def test_a_change_has_its_object_and_the_way_to_its_history(
        self, browser: Client, troubled: Scene, client: ClusterClient
    ) -> None:
        type_ = client.find(GROUP, "v1", "gadgets")
        obj, seen = client.get(type_, "good-0", troubled.place), {}
        store.record(client.name, type_, [Event("ADDED", obj)], seen)
        changed = client.patch(type_, "good-0", {"spec": {"size": 7}}, troubled.place)
        store.record(client.name, type_, [Event("MODIFIED", changed)], seen)
        status = client.patch(type_, "good-0", {"status": {"note": "x"}}, troubled.place, subresource="status")
        store.record(client.name, type_, [Event("MODIFIED", status)], seen)
        found = part(browser, "changes")
        assert f'href="/resources/{GROUP}/v1/gadgets/{troubled.place}/good-0/history/"' in found
        text = words(found)
        assert "changed spec.size" in text and "created" in text
        assert "status.note" not in text

    def test_the_steps_are_ticked_by_what_is_there(self, browser: Client, troubled: Scene) -> None:
        assert "3 of 5 steps done" in words(part(browser, "tour"))
        assert browser.get(f"/resources/{GROUP}/v1/gadgets/{troubled.place}/bad/").status_code == 200
        found = part(browser, "tour")
        assert "4 of 5 steps done" in words(found)
        assert found.count("overview-done") == 4
        assert "bad" in words(part(browser, "recent"))


def test_a_new_instance_is_counted_as_soon_as_it_is_heard_of(
    browser: Client, troubled: Scene, client: ClusterClient
) -> None:
    """A look waits 50 ms for the watch of the list, which may need longer on a busy machine; a count would be kept for
    ten seconds.
    """

    def number() -> int:
        found = re.search(r'text-anchor="middle"[^>]*>(\d+)<', part(browser, "instances"))
        assert found
        return int(found[1])

    before = number()
    gadget(client, troubled.place, "another", phase="Running")
    until(lambda: number() == before + 1, seconds=8)
    client.delete(client.find(GROUP, "v1", "gadgets"), "another", troubled.place)


def test_the_tour_is_put_away_and_brought_back(browser: Client, client: ClusterClient) -> None:
    assert browser.get("/overview/tour/").status_code == 405
    assert browser.post("/overview/tour/", {"away": "1"})["Location"] == "/"
    assert tour.away(client)
    page = raw(browser, "/")
    assert 'id="overview-tour"' not in page and "show first steps" in page
    browser.post("/overview/tour/", {"away": "1"})
    browser.post("/overview/tour/", {"away": "0"})
    assert 'id="overview-tour"' in raw(browser, "/")
    assert not tour.away(client)


def test_a_cluster_that_is_away_is_one_trouble_and_the_page_is_there(
    browser: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = yaml.safe_load((FOLDER / "sandbox" / "kubeconfig").read_text())
    for cluster in config["clusters"]:
        cluster["cluster"]["server"] = "https://127.0.0.1:9"
    path = tmp_path / "config"
    path.write_text(yaml.safe_dump(config))
    monkeypatch.setattr(clusters, "_clients", {})
    with override_settings(KUBECONFIG=str(path)):
        page = raw(browser, "/?all=1")
        assert browser.get("/").status_code == 200
    text = words(page)
    assert "1 needs attention" in text and "The API server isn't responding" in text
    assert "All is well" not in text.split("Getting started")[0].replace("data-text", "")


def test_a_cluster_without_olm_is_not_unwell(redis_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = FOLDER / "overview-no-olm"
    with processes.sandbox(data, options=("--no-olm",)), override_settings(KUBECONFIG=str(data / "kubeconfig")):
        monkeypatch.setattr(clusters, "_clients", {})
        browser = Client()
        found = part(browser, "olm")
        assert "This cluster has no OLM" in found and 'href="/operatorhub/olm/"' in found
        assert 'data-level="success"' in found
        assert "This cluster has no OLM" in part(browser, "operators")
        assert "No custom resource types are served" in part(browser, "instances")
        assert "No Pods." in part(browser, "pods")
        assert "No warning in the last hour." in part(browser, "warnings")
        assert "0 of 5 steps done" in words(part(browser, "tour"))
