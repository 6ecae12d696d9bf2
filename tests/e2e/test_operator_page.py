"""An installed operator's page in a browser: five tabs in one row on any width, its state and what one does next
above the fold.
"""

import re

import pytest
from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from operatorhub import olm
from operatorhub.upgrade import plans
from tests.e2e.conftest import Site
from tests.e2e.steps import SLOW, create_namespace
from tests.eventually import until
from tests.operatorhub import operators

KINDS = (("flights.com", "flighttickets"),)
TABS = ("", "instances", "permissions", "updates", "events")
V1 = "flightticket-operator.v1.0.0"


def _installed(client: ClusterClient, namespace: str) -> str:
    """FlightTicket 1.0.0 with an update that waits; its page's path."""
    operators.make(client, "", "Namespace", namespace)
    operators.make(client, olm.GROUP, "OperatorGroup", "g", namespace, spec={"targetNamespaces": [namespace]})
    operators.subscribe(client, namespace, channel="candidate", startingCSV=V1, installPlanApproval="Manual")
    plans.approve(client, plans.read(client, namespace, operators.waiting_plan(client, namespace, V1)))
    operators.succeeded(client, namespace, V1)
    until(lambda: operators.sub_of(client, namespace).waits, seconds=60)
    return f"/operators/{namespace}/{V1}/"


@pytest.mark.journey
@pytest.mark.timeout(300)
def test_five_tabs_in_one_row_and_what_matters_above_the_fold(
    site: Site, page: Page, client: ClusterClient, namespace: str
) -> None:
    path = _installed(client, namespace)
    tabs = page.locator(".cockpit-head nav.pf-v6-c-tabs a")
    for width, height in ((1440, 900), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        for tab in TABS:
            page.goto(f"{site.url}{path}{f'{tab}/' if tab else ''}")
            expect(tabs).to_have_count(5)
            boxes = [box for item in tabs.all() if (box := item.bounding_box())]
            assert len({round(box["y"]) for box in boxes}) == 1
            assert max(box["x"] + box["width"] for box in boxes) <= width
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), (tab, width)
            for selector in ("#operator-state", "#operator-update", "#create-first"):
                box = page.locator(selector).bounding_box()
                assert box is not None and box["y"] + box["height"] < height / 2, (selector, tab, width)
    # The update leads to its approval; what was a page of its own is now in the tabs or in the menu.
    page.set_viewport_size({"width": 1440, "height": 900})
    page.locator("#operator-update").click()
    expect(page.get_by_role("button", name="Approve")).to_be_visible()
    page.goto(f"{site.url}{path}plans/")
    expect(page).to_have_url(re.compile(r"/updates/#plans$"))
    page.locator("#operator-actions > summary").click()
    for name in ("Edit Subscription", "ClusterServiceVersion YAML", "Uninstall"):
        expect(page.locator("#operator-actions").get_by_role("link", name=name, exact=True)).to_be_visible()


@pytest.mark.timeout(300)
def test_from_the_overview_to_an_instance_in_ten_clicks(site: Site, page: Page, namespace: str) -> None:
    clicks = 0
    create_namespace(site, page, namespace)
    page.goto(site.url)

    def click(name: str, role: str = "link") -> None:
        nonlocal clicks
        clicks += 1
        page.get_by_role(role, name=re.compile(name)).first.click()  # type: ignore[arg-type]

    click("^OperatorHub$")
    page.get_by_label("Search operators").press_sequentially("flightticket")
    expect(page.locator("[data-tile]")).to_have_count(1)
    clicks += 1
    page.locator("[data-tile] a").first.click()
    click(r"^Install( in another namespace)?$")
    clicks += 2
    page.get_by_label("Only the namespace it is installed in").check()
    page.get_by_label("Installation namespace").select_option(namespace)
    click("^Install$", "button")
    expect(page.locator("#progress-title")).to_have_attribute("data-state", "done", timeout=SLOW)
    # One thing to do next, and it is what people installed the operator for.
    expect(page.locator("main .pf-m-primary")).to_have_count(1)
    click("^Create FlightTicket$")
    click("^Create$", "button")
    expect(page.locator("#object-state")).to_contain_text("Ready", timeout=SLOW)
    assert clicks <= 10
