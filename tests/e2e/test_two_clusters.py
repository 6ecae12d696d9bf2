"""Two tabs of one browser, each with a cluster of its own: what one of them shows, hears and does is its cluster's,
whatever the other does.
"""

from pathlib import Path
from uuid import uuid4

from playwright.sync_api import BrowserContext, Page, expect

from tests.console.clusters.conftest import several, two  # noqa: F401  fixtures
from tests.console.clusters.site import AWAY, HERE, OTHER, Site, prefix

MAPS = "/resources/core/v1/configmaps/"


def _make(site: Site, context: str, name: str) -> None:
    client = site.client(context)
    made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
    client.create(client.find("", "v1", "configmaps"), made, "default")


def test_two_tabs_look_at_two_clusters_and_never_mix_them(context: BrowserContext, several: Site) -> None:  # noqa: F811
    first, other = context.new_page(), context.new_page()
    first.goto(f"{several.url}{MAPS}?namespace=default")
    # By the switcher, with the keyboard.
    other.goto(f"{several.url}{MAPS}?namespace=default")
    other.locator(".console-clusters > summary").focus()
    other.keyboard.press("Enter")
    row = other.locator("#clusters-menu .console-clusters-row").filter(has_text=OTHER)
    expect(row).to_contain_text("connected")
    expect(other.locator("#clusters-menu .console-clusters-row").filter(has_text=AWAY)).to_contain_text("unreachable")
    row.get_by_role("link").press("Enter")
    other.wait_for_url(f"{several.url}{prefix(OTHER)}{MAPS}")
    expect(other.locator(".console-clusters > summary")).to_contain_text(OTHER)
    assert HERE in first.title() and OTHER in other.title()

    # Both are live, each with its own.
    mark = uuid4().hex[:6]
    _make(several, HERE, f"{mark}-one")
    _make(several, OTHER, f"{mark}-other")
    expect(first.get_by_role("link", name=f"{mark}-one")).to_be_visible()
    expect(other.get_by_role("link", name=f"{mark}-other")).to_be_visible()
    assert first.get_by_text(f"{mark}-other").count() == 0 and other.get_by_text(f"{mark}-one").count() == 0

    # A form that was open all the time is sent to where it was made for.
    other.goto(f"{several.url}{prefix(OTHER)}/namespaces/")
    first.goto(f"{several.url}/namespaces/")
    for page, name in ((other, f"{mark}-other"), (first, f"{mark}-one")):
        page.locator("#new-namespace").fill(name)
        page.get_by_role("button", name="Create namespace").click()
        expect(page.locator("#namespaces")).to_contain_text(name)
    assert f"{prefix(OTHER)}/" in other.url and "/c/" not in first.url
    for context_, mine, theirs in ((HERE, "one", "other"), (OTHER, "other", "one")):
        client = several.client(context_)
        names = {obj["metadata"]["name"] for obj in client.list(client.find("", "v1", "namespaces")).items}
        assert f"{mark}-{mine}" in names and f"{mark}-{theirs}" not in names


def test_the_switcher_fits_a_phone(context: BrowserContext, several: Site, tmp_path: Path) -> None:  # noqa: F811
    page: Page = context.new_page()
    page.set_viewport_size({"width": 375, "height": 720})
    page.goto(f"{several.url}{prefix(OTHER)}{MAPS}")
    expect(page.locator(".console-clusters .console-cluster-name")).to_be_visible()
    last = page.locator(".console-tools > *").last.bounding_box()
    assert last and last["x"] + last["width"] <= 375
    page.locator(".console-clusters > summary").click()
    expect(page.locator("#clusters-menu .console-clusters-row").first).to_be_visible()
    box = page.locator(".console-clusters > .console-menu-panel").bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= 375
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    page.screenshot(path=str(tmp_path / "phone.png"))
    page.keyboard.press("Escape")
    expect(page.locator(".console-clusters > .console-menu-panel")).to_be_hidden()
