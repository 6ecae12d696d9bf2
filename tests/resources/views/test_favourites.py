"""Favourites and what was looked at lately: starred, found again everywhere, and bounded."""

import re
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from kube import limits
from kube.client import ClusterClient
from resources import favourites
from resources.models import Mark
from resources.place import Place
from tests.resources.views.test_history import _text


def _star(browser: Client, address: dict[str, str], on: str, **headers: Any) -> Any:
    return browser.post("/resources/favourite/", {**address, "on": on, "next": "/resources/"}, **headers)


@pytest.fixture
def paint(namespace: str, config_map: str) -> dict[str, str]:
    return {"group": "core", "version": "v1", "plural": "configmaps", "namespace": namespace, "name": config_map}


def test_a_star_on_an_object(browser: Client, paint: dict[str, str]) -> None:
    url = f"/resources/core/v1/configmaps/{paint['namespace']}/{paint['name']}/"
    assert 'aria-pressed="false"' in browser.get(url).content.decode()
    answer = _star(browser, paint, "1")
    assert (answer.status_code, answer["Location"]) == (302, "/resources/")
    assert _star(browser, paint, "1").status_code == 302, "twice is once"
    page = browser.get(url).content.decode()
    assert 'aria-pressed="true"' in page
    assert re.search(rf'class="pf-v6-c-nav__link pf-m-current"\s+href="{url}"', page)
    for address in ("/resources/favourites/", "/palette/"):
        assert url in browser.get(address).content.decode()
    part = _star(browser, paint, "0", HTTP_HX_REQUEST="true").content.decode()
    assert 'aria-pressed="false"' in part
    assert "<html" not in part
    assert not Mark.objects.filter(sort="favourite").exists()


def test_a_star_on_a_kind(browser: Client) -> None:
    address = {"group": "apps", "version": "v1", "plural": "deployments"}
    assert 'aria-pressed="false"' in browser.get("/resources/apps/v1/deployments/").content.decode()
    _star(browser, address, "1")
    assert 'aria-pressed="true"' in browser.get("/resources/apps/v1/deployments/").content.decode()
    assert "Deployments" in _text(browser.get("/resources/favourites/"))


def test_what_is_gone_says_so(browser: Client, client: ClusterClient, paint: dict[str, str]) -> None:
    _star(browser, paint, "1")
    client.delete(client.find("", "v1", "configmaps"), paint["name"], paint["namespace"])
    assert "no longer exists" in _text(browser.get("/resources/favourites/"))
    Mark.objects.create(
        cluster=client.name,
        user=client.user,
        sort="favourite",
        group="no.such",
        version="v1",
        plural="things",
        kind="Thing",
        name="t",
        at="2026-01-01T00:00:00Z",
    )
    assert "resource type no longer served" in _text(browser.get("/resources/favourites/"))
    assert browser.get("/palette/").status_code == 200


def test_bad_input(browser: Client, paint: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert _star(browser, {**paint, "plural": "nonsense"}, "1").status_code == 404
    assert browser.get("/resources/favourite/").status_code == 405
    answer = browser.post("/resources/favourite/", {**paint, "on": "1", "next": "https://example.com/"})
    assert answer["Location"].startswith("/resources/core/")
    monkeypatch.setattr(limits, "FAVOURITES", replace(limits.FAVOURITES, value=1))
    answer = browser.post("/resources/favourite/", {**paint, "name": "another", "on": "1"}, follow=True)
    assert "Remove one first" in _text(browser.get("/resources/")) or "Remove one first" in _text(answer)


def test_what_was_looked_at_is_bounded(
    browser: Client, client: ClusterClient, paint: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"/resources/core/v1/configmaps/{paint['namespace']}/{paint['name']}/"
    browser.get(url)
    browser.get(url)
    browser.get(url, {"part": "object"}, HTTP_HX_REQUEST="true")
    assert Mark.objects.filter(sort="recent").count() == 1
    assert url in browser.get("/resources/favourites/").content.decode()
    monkeypatch.setattr(limits, "RECENT_OBJECTS", replace(limits.RECENT_OBJECTS, value=3))
    type_ = client.find("", "v1", "configmaps")
    for number in range(6):
        favourites.visit(client, Place(type_, "n", f"m{number}"))
    assert [item.name for item in favourites.recent(client)] == ["m5", "m4", "m3"]
