"""The start pages of users with access to one or two namespaces."""

import html
import json
import re

import pytest
from django.test import Client

from kube.client import ClusterClient
from operatorhub import tasks
from tests.console.reach.tenants import Tenants
from tests.console.signin.people import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(town: Tenants, operator: str) -> Client:
    """Of the one with two namespaces, who has named the second."""
    tasks.refresh_catalogs()
    found = signed_in(town.tokens["two"])
    assert found.post("/namespaces/own/", {"name": town.second}).status_code == 302
    found.get("/?namespace=-")
    return found


def _read(browser: Client, address: str) -> str:
    answer = browser.get(address)
    assert answer.status_code == 200, (address, answer.status_code, answer.content[:500])
    # One space where a template breaks a line, and none before the end of a tag.
    flat = re.sub(r"\s+", " ", answer.content.decode())
    return html.unescape(re.sub(r"\s+(?=>)", "", flat))


def test_the_picker_has_theirs_and_says_how_they_were_found(browser: Client, town: Tenants) -> None:
    page = _read(browser, "/operators/?namespace=-")
    picker = page.partition('id="namespace-menu"')[2].partition("</details>")[0]
    assert re.search(r'value="-"\s+aria-current="true">\s*All my namespaces', picker)
    for name in (town.own, town.second):
        assert re.search(rf'name="namespace"\s+value="{name}"', picker)
    assert "(from your token, added by you)." in page and "Add a namespace" in page


def test_a_list_of_all_namespaces_is_of_theirs_and_follows_each(
    browser: Client, town: Tenants, admin: ClusterClient
) -> None:
    page = _read(browser, "/resources/core/v1/configmaps/?namespace=-")
    assert f"{town.mark}-mine" in page and f"{town.mark}-also" in page and f"{town.mark}-theirs" not in page
    topics = " ".join(f"{admin.name}/core/v1/configmaps/{item}?namespace" for item in (town.own, town.second))
    assert f'data-live-rows="{topics}"' in page
    filtered = _read(browser, f"/resources/core/v1/configmaps/?namespace=-&q={town.mark}&sort=-name")
    assert filtered.index(f"{town.mark}-mine") < filtered.index(f"{town.mark}-also")
    assert 'aria-sort="descending"' in filtered


def test_search_palette_and_numbers_are_of_theirs(browser: Client, town: Tenants) -> None:
    for address in (f"/resources/search/?namespace=-&q={town.mark}", f"/palette/?q={town.mark}&namespace=-"):
        page = _read(browser, address)
        assert f"{town.mark}-pod" in page and f"{town.mark}-theirs" not in page, address
    table = json.loads(_read(browser, "/api/resources/core/v1/configmaps/"))
    names = {item["metadata"]["name"] for item in table["items"]}
    assert {f"{town.mark}-mine", f"{town.mark}-also"} <= names and f"{town.mark}-theirs" not in names
    assert town.mark in _read(browser, "/resources/events/?namespace=-")


def test_the_catalog_offers_what_may_be_installed_in_theirs(browser: Client, town: Tenants) -> None:
    assert "/samples-catalog/sampledb/" in _read(browser, "/operatorhub/?namespace=-&q=sampledb")
    package = _read(browser, "/operatorhub/olm/samples-catalog/sampledb/?namespace=-")
    assert "Install" in package and "cannot list" not in package
    install = _read(browser, "/operatorhub/olm/samples-catalog/sampledb/install/?namespace=-")
    assert town.own in install and town.second in install and town.foreign not in install


def test_installed_operators_are_those_of_theirs(browser: Client, town: Tenants, operator: str) -> None:
    for namespace in ("-", town.own):
        page = _read(browser, f"/operators/?namespace={namespace}")
        assert f"/operators/{town.own}/{operator}/" in page
    overview = _read(browser, "/?namespace=-")
    assert 'id="overview-operators"' in overview


def test_a_refusal_names_what_would_give_it(browser: Client, town: Tenants) -> None:
    page = html.unescape(browser.get("/resources/core/v1/nodes/").content.decode())
    assert "kubectl create clusterrole get-nodes --verb=get,list,watch --resource=nodes" in page
    refused = browser.get(f"/resources/core/v1/configmaps/{town.foreign}/{town.mark}-theirs/")
    page = html.unescape(refused.content.decode())
    assert refused.status_code == 403
    assert f"--verb=get,list,watch --resource=configmaps -n {town.foreign}" in page
