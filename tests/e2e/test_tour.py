"""The overview's first steps, walked as they lead: each link opens the page where it is done, and what was done is
ticked.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessibility import overhangs, violations
from tests.e2e.conftest import Site
from tests.e2e.steps import SLOW, field, install_from_here

pytestmark = pytest.mark.timeout(600)
KINDS = (("samples.operator-console.dev", "sampledbs"),)


def _follow(site: Site, page: Page, step: str) -> None:
    page.goto(f"{site.url}/")
    tour = page.locator("#overview-tour:not([data-coming])")
    expect(tour).to_be_visible(timeout=SLOW)
    tour.get_by_role("link", name=step, exact=True).click()


def _done(site: Site, page: Page, step: str) -> None:
    page.goto(f"{site.url}/")
    done = page.locator("#overview-tour .overview-done").filter(has=page.get_by_role("link", name=step, exact=True))
    expect(done).to_have_count(1, timeout=SLOW)


def test_each_step_leads_where_it_is_done_and_is_ticked(site: Site, page: Page, namespace: str) -> None:
    step = "Create a namespace"
    _follow(site, page, step)
    page.get_by_label("New namespace").fill(namespace)
    page.get_by_role("button", name="Create namespace").click()
    expect(page.locator("#toasts")).to_contain_text(f"Namespace “{namespace}” created.")
    _done(site, page, step)

    step = "Find an operator in OperatorHub"
    _follow(site, page, step)
    install_from_here(page, "sampledb", "SampleDB", namespace)
    _done(site, page, step)

    step = "Create an instance"
    _follow(site, page, step)
    page.goto(f"{page.url}?namespace={namespace}")
    page.locator("#services").get_by_role("link", name="Create instance: SampleDB", exact=True).click()
    expect(page.get_by_role("heading", name="Create SampleDB")).to_be_visible()
    field(page, "Name").fill("first")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_role("heading", name="first").first).to_be_visible(timeout=SLOW)
    _done(site, page, step)

    step = "Watch the instance start"
    _follow(site, page, step)
    # The list of the kind with the most instances: on another cluster it might not be ours.
    expect(page.locator("#rows")).to_be_visible()
    page.goto(f"{site.url}/resources/samples.operator-console.dev/v1/sampledbs/{namespace}/first/")
    expect(page.locator("#object")).to_contain_text("Ready", timeout=SLOW)
    _done(site, page, step)

    step = "Access the instance from your machine"
    _follow(site, page, step)
    expect(page.locator("main")).to_contain_text("select Actions, then Port-forward")
    page.goto(f"{site.url}/resources/core/v1/pods/{namespace}/first-0/")
    page.locator("#actions summary").click()
    page.get_by_role("link", name="Port-forward", exact=True).click()
    page.get_by_role("button", name="Start port-forward", exact=True).click()
    tunnel = page.locator("[data-tunnel]").first
    expect(tunnel).to_be_visible()
    _done(site, page, step)
    expect(page.locator("#overview-tour")).to_contain_text("all 5 steps done")
    page.goto(f"{site.url}/resources/forwards/")
    for _ in range(page.locator("[data-tunnel]").count()):
        left = page.locator("[data-tunnel]").count()
        page.get_by_role("button", name="Stop").first.click()
        expect(page.locator("[data-tunnel]")).to_have_count(left - 1)


def test_a_quick_start_stays_beside_the_pages(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/quick-starts/")
    page.get_by_role("link", name="Getting started", exact=True).click()
    panel = page.get_by_role("complementary", name="Getting started")
    expect(panel).to_contain_text("In five tasks")
    expect(panel.get_by_role("heading", level=2, name="Getting started")).to_be_focused()
    page.goto(f"{site.url}/namespaces/")
    page.get_by_label("New namespace").fill("typed")
    panel.get_by_role("button", name="Start", exact=True).press("Enter")
    expect(panel.get_by_role("heading", name="Create a namespace")).to_be_focused()
    expect(panel.locator("[data-copy]").first).to_be_visible()
    panel.get_by_role("button", name="No", exact=True).press("Enter")
    expect(panel.get_by_role("status")).to_contain_text("Not done yet")
    expect(panel.get_by_role("button", name="No", exact=True)).to_be_focused()
    panel.get_by_role("button", name="Yes", exact=True).click()
    panel.get_by_role("button", name="Next", exact=True).click()
    expect(panel.get_by_role("heading", name="Find an operator in OperatorHub")).to_be_focused()
    expect(page.get_by_label("New namespace")).to_have_value("typed")
    assert violations(page) == []
    panel.get_by_role("link", name="Open the page").click()
    expect(page.get_by_role("heading", level=1, name="OperatorHub")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{site.url}/quick-starts/?status=in-progress")
    expect(page.get_by_text("1 quick start", exact=True)).to_be_visible()
    assert overhangs(page) == [] and violations(page) == []
    panel.get_by_role("button", name="Restart").click()
    panel.get_by_role("button", name="Close the quick start").click()
    expect(page.locator("#quick-start")).to_be_hidden()
    expect(page.locator("#main")).to_be_focused()
