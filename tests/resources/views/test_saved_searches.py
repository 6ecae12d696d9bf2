"""Saved searches: a list with its filters under a name, opened and shared by its address."""

import re
from dataclasses import replace

import pytest
from django.test import Client

from kube import limits
from kube.client import ClusterClient
from resources.lists import saved_searches
from resources.models import SavedSearch

_PODS = {"group": "", "version": "v1", "plural": "pods"}


def names(page: str) -> list[str]:
    return re.findall(r'class="console-break" href="[^"]*">([^<]*)</a>\s*<span', page)


def test_a_filter_is_saved_found_on_its_list_and_deleted(browser: Client, namespace: str) -> None:
    query = f"namespace={namespace}&q=web&state=Degraded&sort=-name&page=3&part=states"
    answer = browser.post("/resources/saved/", {**_PODS, "name": "  broken   web ", "query": query})
    wanted = f"/resources/core/v1/pods/?namespace={namespace}&q=web&state=Degraded&sort=-name"
    assert answer["Location"] == wanted, "a whole address, without the page of it"
    page = browser.get(wanted).content.decode()
    assert names(page) == ["broken web"] and "“broken web” saved." in page
    assert names(browser.get("/resources/core/v1/services/").content.decode()) == []
    assert names(browser.get("/settings/").content.decode()) == ["broken web"]
    assert "broken web" in browser.get("/palette/?q=broken", headers={"HX-Request": "true"}).content.decode()
    browser.post("/resources/saved/", {**_PODS, "name": "broken web", "query": "q=other"})
    assert SavedSearch.objects.get().query == "q=other", "the same name takes its place"
    key = str(SavedSearch.objects.get().pk)
    assert browser.post("/resources/saved/", {"delete": key, "next": "/settings/"})["Location"] == "/settings/"
    assert not SavedSearch.objects.exists()


def test_saved_searches_are_tabs_of_their_list(browser: Client, namespace: str) -> None:
    def tabs(address: str, **headers: str) -> list[tuple[str, bool]]:
        page = browser.get(address, headers=headers).content.decode()
        links = re.findall(
            r'<a class="pf-v6-c-tabs__link" href="[^"]*" (aria-current="page")?.*?>(\w+)</span>', page, re.S
        )
        return [(name, bool(current)) for current, name in links]

    pods = f"/resources/core/v1/pods/?namespace={namespace}"
    assert tabs(pods) == []
    browser.post("/resources/saved/", {**_PODS, "name": "broken", "query": f"namespace={namespace}&state=Degraded"})
    browser.post("/resources/saved/", {**_PODS, "name": "web", "query": "q=web"})
    assert tabs(pods) == [("All", True), ("broken", False), ("web", False)]
    assert tabs(f"{pods}&state=Degraded&page=2") == [("All", False), ("broken", True), ("web", False)]
    assert tabs(f"{pods}&q=web") == [("All", False), ("broken", False), ("web", True)], "in whichever namespace"
    region = {"HX-Request": "true", "HX-Target": "list"}
    assert tabs(f"{pods}&q=we", **region) == [("All", False), ("broken", False), ("web", False)]
    assert tabs(pods, **region | {"HX-Target": "rows"}) == [], "a live update renews the rows alone"
    assert tabs("/resources/core/v1/services/") == []


def test_a_search_of_all_kinds_is_saved_too(browser: Client) -> None:
    answer = browser.post(
        "/resources/saved/",
        {"name": "all broken", "query": "namespace=-&q=state:degraded&kind=core/pods&kind=apps/deployments"},
    )
    assert (
        answer["Location"]
        == "/resources/search/?namespace=-&q=state%3Adegraded&kind=core%2Fpods&kind=apps%2Fdeployments"
    )
    assert names(browser.get("/resources/search/").content.decode()) == ["all broken"]


@pytest.mark.parametrize("name", ["", "   ", "x" * 61, "a\u202eb\u0007"])
def test_a_bad_name_is_refused_at_the_field(browser: Client, name: str) -> None:
    answer = browser.post("/resources/saved/", {**_PODS, "name": name, "query": "q=web"})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert 'aria-invalid="true"' in page and 'id="saved-again-help" role="alert"' in page
    assert 'name="query" value="q=web"' in page, "what was to be saved is not lost"
    assert not SavedSearch.objects.exists()


def test_nobody_deletes_or_sees_anothers(browser: Client, client: ClusterClient) -> None:
    form = saved_searches.SavedSearchForm(None, {"name": "mine", "query": "q=a"})
    assert form.is_valid() and saved_searches.save(client, form)
    row = SavedSearch.objects.get()
    SavedSearch.objects.update(user="another user")
    browser.post("/resources/saved/", {"delete": str(row.pk)})
    assert SavedSearch.objects.count() == 1
    assert names(browser.get("/resources/saved/").content.decode()) == []


def test_there_is_an_end_to_them_and_odd_numbers_delete_nothing(
    browser: Client, client: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SAVED_SEARCHES", replace(limits.SAVED_SEARCHES, value=1))
    assert browser.post("/resources/saved/", {"name": "one", "query": "q=a"}).status_code == 302
    assert browser.post("/resources/saved/", {"name": "two", "query": "q=a"}).status_code == 422
    for key in ("", "x", "-1", "9" * 19, "²"):
        assert browser.post("/resources/saved/", {"delete": key}).status_code == 302
    assert SavedSearch.objects.count() == 1
    away = browser.post("/resources/saved/", {"delete": "1", "next": "https://evil.example/"})
    assert away["Location"] == "/resources/saved/"
