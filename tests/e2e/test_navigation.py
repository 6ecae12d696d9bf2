"""From page to page and back: addresses, titles, how far one had scrolled, and the streams.

Each page is loaded (docs/decisions/0027-pages-are-loaded.md).
"""

import re

import pytest
from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from tests.chromium import Contexts
from tests.e2e.conftest import Site

KINDS: tuple[tuple[str, str], ...] = ()
# The title is there before the page is.
_TOP = "() => document.getElementById('main')?.scrollTop"


@pytest.mark.parametrize("width", [pytest.param(1400, marks=pytest.mark.journey), 390])
def test_back_leads_to_where_one_was(site: Site, contexts: Contexts, width: int) -> None:
    page = contexts(viewport={"width": width, "height": 700}).new_page()
    page.goto(f"{site.url}/resources/")
    expect(page).to_have_title(re.compile("^Resources · "))
    link = page.get_by_role("link", name="Endpoints", exact=True)
    link.scroll_into_view_if_needed()
    page.wait_for_timeout(400)
    top = page.evaluate(_TOP)
    assert top > 100
    link.click()
    expect(page).to_have_url(re.compile("/resources/core/v1/endpoints/"))
    expect(page).to_have_title(re.compile("Endpoints"))
    page.wait_for_function(f"() => ({_TOP})() === 0")
    page.go_back()
    expect(page).to_have_url(re.compile("/resources/$"))
    expect(page).to_have_title(re.compile("^Resources · "))
    page.wait_for_function(f"() => Math.abs(({_TOP})() - {top}) < 3")
    page.reload()
    page.wait_for_function(f"() => Math.abs(({_TOP})() - {top}) < 3")
    # Forward is the other page's own place.
    page.go_forward()
    expect(page).to_have_url(re.compile("/endpoints/"))
    page.wait_for_function(f"() => ({_TOP})() === 0")


@pytest.mark.journey
def test_after_back_a_list_is_live_again(site: Site, page: Page, client: ClusterClient, namespace: str) -> None:
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    client.create(client.find("", "v1", "namespaces"), space)
    maps = client.find("", "v1", "configmaps")

    def make(name: str) -> None:
        client.create(maps, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}, namespace)

    make("first")
    page.goto(f"{site.url}/resources/core/v1/configmaps/?namespace={namespace}")
    page.get_by_role("link", name="first", exact=True).click()
    expect(page.get_by_role("heading", name="first", exact=True)).to_be_visible()
    make("meanwhile")
    page.go_back()
    expect(page.get_by_role("link", name="meanwhile", exact=True)).to_be_visible()
    make("later")
    expect(page.get_by_role("link", name="later", exact=True)).to_be_visible()
