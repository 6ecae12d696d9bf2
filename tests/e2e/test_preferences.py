"""Preferences in a browser: in effect where they are chosen, without a page that jumps; live rows wear them too."""

import re
from collections.abc import Iterator
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from tests.chromium import Contexts
from tests.e2e.conftest import Site

_UTC = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")


@pytest.fixture
def namespace(client: ClusterClient) -> Iterator[str]:
    type_, name = client.find("", "v1", "namespaces"), f"prefer-{uuid4().hex[:6]}"
    client.create(type_, {"metadata": {"name": name}})
    yield name
    client.delete(type_, name)


def write(client: ClusterClient, namespace: str, name: str) -> None:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
    client.create(client.find("", "v1", "configmaps"), body, namespace)


@pytest.mark.journey
def test_theme_and_times_change_where_one_is_and_live_rows_with_them(
    page: Page, site: Site, client: ClusterClient, namespace: str
) -> None:
    write(client, namespace, "before")
    address = f"{site.url}/resources/core/v1/configmaps/?namespace={namespace}"
    page.goto(address)
    page.evaluate("window.stays = true")
    cell = page.locator("tr", has_text="before").locator("time")
    expect(cell).to_have_text(re.compile(r"^\d+[smh]"))
    page.get_by_label("Language and theme").click()
    page.locator("#pick-theme").select_option("dark")
    expect(page.locator("html")).to_have_class(re.compile("pf-v6-theme-dark"))
    page.locator("#pick-times").select_option("utc")
    expect(cell).to_have_text(_UTC)
    write(client, namespace, "after")
    row = page.locator("tr", has_text="after")
    expect(row.locator("time")).to_have_text(_UTC)
    client.patch(client.find("", "v1", "configmaps"), "after", {"data": {"a": "b"}}, namespace)
    expect(row.locator("td", has_text=re.compile(r"^\s*1\s*$"))).to_be_visible()
    expect(row.locator("time")).to_have_text(_UTC)
    assert page.evaluate("window.stays"), "no page was loaded for it"
    page.reload()
    expect(cell).to_have_text(_UTC)
    expect(page.locator("html")).to_have_class(re.compile("pf-v6-theme-dark"))


def test_a_reader_far_away_sees_his_own_clock_from_the_second_page_on(contexts: Contexts, site: Site) -> None:
    context = contexts(timezone_id="Asia/Kathmandu")
    page = context.new_page()
    page.goto(f"{site.url}/settings/")
    page.locator("#times").select_option("local")
    page.locator("form:has(#times) button[type=submit]").click()
    expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
    answer = page.goto(f"{site.url}/namespaces/")
    assert answer
    served = re.findall(r"<time [^>]*data-age>([^<]*)</time>", answer.text())
    shown = page.locator("#namespaces time").all_text_contents()
    assert served == shown, "the server writes what the browser would"
    exact = page.locator("#namespaces time").first.get_attribute("datetime") or ""
    here = page.evaluate("text => new Date(text).toLocaleString('sv-SE')", exact)
    assert shown[0] == here


def test_a_wrong_value_is_said_at_its_field_and_a_language_comes_at_once(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/settings/")
    form = page.locator("form:has(#namespace)")
    page.locator("#namespace").fill("nobody-made-this")
    form.locator("button[type=submit]").click()
    expect(page.locator("#namespace-error")).to_have_text("The namespace nobody-made-this doesn't exist.")
    expect(page.locator("#namespace")).to_be_focused()
    page.locator("#namespace").fill("")
    page.locator("#language").select_option("ko")
    form.locator("button[type=submit]").click()
    expect(page.locator("html")).to_have_attribute("lang", "ko")
    expect(page.locator("h1")).to_have_text("설정")


def test_a_search_is_saved_with_what_stands_in_its_filters_now(page: Page, site: Site, namespace: str) -> None:
    page.goto(f"{site.url}/resources/core/v1/configmaps/?namespace={namespace}")
    page.locator("#list-q").fill("before")
    expect(page).to_have_url(re.compile("q=before"))
    page.locator("#saved-searches > summary").click()
    name = f"mine {namespace}"
    page.locator("#saved-name").fill(name)
    page.locator("#saved-searches").get_by_role("button", name="Save").click()
    expect(page).to_have_url(re.compile(rf"/configmaps/\?namespace={namespace}&q=before$"))
    page.locator("#saved-searches > summary").click()
    expect(page.locator("#saved-searches").get_by_role("link", name=name)).to_be_visible()
    expect(page.get_by_role("navigation", name="Saved searches").get_by_role("link", name=name)).to_have_attribute(
        "aria-current", "page"
    )
    page.get_by_role("button", name=f"Delete saved search {name}").click()
    page.locator("#saved-searches > summary").click()
    expect(page.get_by_role("link", name=name)).to_have_count(0)
