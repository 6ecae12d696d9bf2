"""The catalog in a browser: typing, filters, chips, Back, the comparison; and a package's page with its schemas."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.chromium import Contexts
from tests.e2e.accessibility import overhangs, violations
from tests.e2e.conftest import Site

# Our own packages are in every catalog these tests meet.
OURS = "category=database"


def catalog(site: Site, page: Page, query: str = "") -> Page:
    page.goto(f"{site.url}/operatorhub/{query}")
    expect(page.locator("#hub-tiles")).to_be_attached(timeout=30_000)
    return page


def address(page: Page) -> str:
    return page.url.partition("/operatorhub/")[2]


@pytest.mark.journey
def test_typing_filters_and_back(site: Site, page: Page) -> None:
    catalog(site, page)
    box = page.get_by_role("searchbox")
    expect(box).to_be_focused()
    before = box.bounding_box()
    box.press_sequentially("sampledb", delay=20)
    expect(page.locator("[data-tile] h2").first).to_have_text("SampleDB")
    expect(page).to_have_url(re.compile(r"\?q=sampledb$"))
    expect(box).to_be_focused()
    page.locator("#facet-category").get_by_role("checkbox", name="Database").check()
    expect(page).to_have_url(re.compile("category=database"))
    expect(page.get_by_role("list", name="Active filters").get_by_role("link")).to_have_count(1)
    # Nothing jumps while results change.
    assert box.bounding_box() == before
    page.go_back()
    expect(page).to_have_url(re.compile(r"\?q=sampledb$"))
    expect(box).to_have_value("sampledb")
    expect(page.locator("#facet-category").get_by_role("checkbox", name="Database")).not_to_be_checked()
    # All letters were one step.
    page.go_back()
    expect(box).to_have_value("")
    expect(page).to_have_url(re.compile(r"/operatorhub/$"))


def test_a_chip_takes_its_filter_away_and_clearing_takes_all(site: Site, page: Page) -> None:
    catalog(site, page, f"?q=no-such-name-anywhere&{OURS}&level=3&view=list")
    expect(page.get_by_text("No matching operators")).to_be_visible()
    page.get_by_role("list", name="Active filters").get_by_role("link", name="Full Lifecycle").click()
    expect(page).not_to_have_url(re.compile("level="))
    expect(page).to_have_url(re.compile("category=database"))
    page.get_by_role("link", name="Clear all filters").last.click()
    expect(page).to_have_url(re.compile(r"\?view=list$"))
    expect(page.locator("[data-tile]").first).to_be_visible()
    expect(page.get_by_role("searchbox")).to_have_value("")


def test_two_are_picked_and_compared(site: Site, page: Page) -> None:
    catalog(site, page, "?q=sampledb")
    page.locator("[data-tile]").first.get_by_role("checkbox", name="Compare").check()
    expect(page.locator("#hub-tray")).to_contain_text("SampleDB")
    box = page.get_by_role("searchbox")
    box.fill("memcached")
    expect(page.locator("[data-tile] h2").first).to_have_text("Memcached")
    # What was picked stays picked while it is not among the results.
    page.locator("[data-tile]").first.get_by_role("checkbox", name="Compare").check()
    page.get_by_role("link", name="Compare 2").click()
    table = page.get_by_role("table")
    expect(table.get_by_role("link", name="SampleDB", exact=True)).to_be_visible()
    expect(table.get_by_role("row", name=re.compile("Capability level"))).to_contain_text("Full Lifecycle")
    page.get_by_role("link", name="Remove Memcached").click()
    expect(page.get_by_text("Select 2 to 4 operators")).to_be_visible()


def test_a_schema_opens_field_by_field(site: Site, page: Page) -> None:
    catalog(site, page, "?q=sampledb")
    page.locator("[data-tile] a").first.click()
    page.get_by_role("link", name="Schema of SampleDB").first.click()
    if page.get_by_text("The schema is unknown").is_visible():
        pytest.skip("this console knows the catalog's PackageManifests only")
    # What people write is open at once, the rest is fetched when it is opened.
    inside = page.locator("details[id^=more-]")
    inside.first.locator("> summary").click()
    expect(inside.first.locator(".schema-field").first).to_be_visible()
    page.get_by_role("searchbox").fill("storage")
    expect(page.locator("#schema [role=status]")).to_contain_text("field")
    expect(page.locator(".schema-field strong").first).to_contain_text("storage", ignore_case=True)
    expect(page).to_have_url(re.compile("q=storage"))


@pytest.mark.parametrize(("width", "scheme", "language"), [(1400, "light", "en-US"), (360, "dark", "ko-KR")])
def test_nothing_hangs_out_and_nothing_breaks_a_rule(
    site: Site, contexts: Contexts, width: int, scheme: Any, language: str
) -> None:
    context = contexts(viewport={"width": width, "height": 900}, color_scheme=scheme, locale=language)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    package = catalog(site, page, "?q=sampledb").locator("[data-tile] a").first.get_attribute("href") or ""
    key = package.removeprefix("/operatorhub/").rstrip("/")
    tabs = [f"{package}?tab={name}" for name in ("permissions", "versions", "contents")]
    for path in (
        f"/operatorhub/?view=list&compare={key}",
        *tabs,
        f"{package}apis/sampledbs.samples.operator-console.dev/",
        f"/operatorhub/compare/?package={key}&package=a/b/c",
    ):
        page.goto(f"{site.url}{path}")
        complaints += [f"{path} {item}" for item in (*overhangs(page), *violations(page))]
    assert complaints == []


def test_without_script_it_filters_too(site: Site, contexts: Contexts) -> None:
    context = contexts(java_script_enabled=False, viewport={"width": 390, "height": 800})
    page = catalog(site, context.new_page())
    expect(page.locator("#hub-facets")).to_be_hidden()
    page.locator("label[for=hub-show]").click()
    page.locator("#facet-category").get_by_role("checkbox", name="Database").check()
    page.get_by_role("searchbox").fill("sampledb")
    page.get_by_role("searchbox").press("Enter")
    assert "q=sampledb" in address(page)
    assert "category=database" in address(page)
    expect(page.locator("[data-tile] h2").first).to_have_text("SampleDB")


def test_f15_a_search_that_the_next_letter_overtakes_is_no_error(site: Site, page: Page) -> None:
    """F15: the fixture fails a test whose page logs errors, and a replaced request has not failed."""
    page.goto(f"{site.url}/operatorhub/")
    given_up: list[str] = []
    page.on("requestfailed", lambda request: given_up.append(request.url))
    page.route("**/operatorhub/?**", lambda _route: None)
    search = page.locator("#hub input[name=q]")
    search.press_sequentially("ar", delay=400)
    with page.expect_event("requestfailed"):
        search.press_sequentially("gocd", delay=400)
    assert given_up
