"""The page of all Events: filters in the address, repeats together, a region that renews itself."""

from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from tests.resources.views.form_submission import flat

PAGE = "/resources/events/"


def put(client: ClusterClient, namespace: str, name: str, about: str, **more: Any) -> None:
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": name, "namespace": namespace},
        "involvedObject": {"apiVersion": "v1", "kind": "Pod", "name": about, "namespace": namespace},
        "type": "Normal",
        "reason": "Painted",
        "message": f"{about} is blue",
        "firstTimestamp": "2026-01-01T00:00:00Z",
        "lastTimestamp": "2026-01-01T00:00:00Z",
        "source": {"component": "painter"},
        **more,
    }
    client.create(client.find("", "v1", "events"), event, namespace)


@pytest.fixture
def painted(client: ClusterClient, namespace: str) -> str:
    for number in range(3):
        put(client, namespace, f"e-{number}", f"wall-{number}")
    put(client, namespace, "bad", "wall-1", type="Warning", reason="Dried", message="no <b>paint</b> left")
    return namespace


def test_it_works(browser: Client, painted: str) -> None:
    answer = browser.get(PAGE, {"namespace": painted})
    text = answer.content.decode()
    assert answer.status_code == 200
    assert text.count('id="happened-') == 2
    assert "3 objects" in text
    assert f'href="/resources/core/v1/pods/{painted}/wall-1/"' in text
    assert "no &lt;b&gt;paint&lt;/b&gt; left" in text
    assert "Warnings 1" in text
    assert f"core/v1/events/{painted}" in text
    apart = browser.get(PAGE, {"namespace": painted, "group": "0"}).content.decode()
    assert apart.count('id="happened-') == 4


def test_filters(browser: Client, painted: str) -> None:
    def page_with(**filters: str) -> str:
        return browser.get(PAGE, {"namespace": painted, **filters}, HTTP_HX_REQUEST="true").content.decode()

    only = page_with(type="Warning")
    assert "<html" not in only
    assert only.count('id="happened-') == 1
    assert "1 of 4 events" in only
    assert page_with(reason="Painted", q="wall-2").count('id="happened-') == 1
    assert "No matching events." in page_with(kind="Node")
    # Nonsense is taken for nothing.
    assert page_with(type="x", page="-1", group="?").count('id="happened-') == 2
    assert page_with(page="99999999999").count('id="happened-') == 2, "the last page"


def test_pages_follow_the_preference(browser: Client, client: ClusterClient, namespace: str) -> None:
    for number in range(23):
        put(client, namespace, f"e-{number:02}", f"wall-{number}")
    address = {"namespace": namespace, "group": "0"}
    assert browser.get(PAGE, address).content.decode().count('id="happened-') == 23
    browser.post("/settings/", {"size": "20"})
    first = browser.get(PAGE, address).content.decode()
    assert first.count('id="happened-') == 20
    assert 'rel="next">Older' in first and 'rel="prev"' not in first
    second = browser.get(PAGE, {**address, "page": "2"}).content.decode()
    assert second.count('id="happened-') == 3
    assert 'rel="prev">Newer' in second and 'rel="next"' not in second
    # A program's pages have a length of their own.
    api = browser.get("/api/resources/events/", address).json()
    assert (len(api["items"]), api["lines"]) == (23, 23)
    assert browser.get("/api/resources/events/", {**address, "page": "2"}).json()["items"] == []


def test_what_is_chosen_stays_in_the_choice(browser: Client, painted: str) -> None:
    text = flat(browser.get(PAGE, {"namespace": painted, "reason": "Faded"}))
    assert '<option value="Faded" selected> Faded (0) </option>' in text


@pytest.mark.parametrize("path", ["/resources/", "/resources/events/", "/resources/search/"])
def test_a_page_has_the_console_around_it_and_its_part_has_not(browser: Client, path: str) -> None:
    page = browser.get(path).content.decode()
    assert "<html" in page and "Workloads" in page, "the navigation, which asks the cluster"
    part = browser.get(path, HTTP_HX_REQUEST="true").content.decode()
    assert part.strip() and "<html" not in part and "Workloads" not in part
