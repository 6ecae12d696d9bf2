"""By keyboard to anywhere; and many rows chosen at once."""

import re

import pytest
from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from tests.e2e.conftest import Site

KINDS = ()


@pytest.mark.journey
def test_anywhere_by_keyboard(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/resources/core/v1/namespaces/-/default/")
    page.goto(site.url)
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Page, resource type, operator or namespace")
    expect(field).to_be_focused()
    offered = page.locator("#palette").get_by_role("option")
    # What was opened lately stands first.
    expect(offered.first).to_have_text("default · Namespace")
    field.fill("persistentvolumeclaims")
    expect(page.locator("#palette").get_by_role("option", selected=True)).to_contain_text("PersistentVolumeClaim")
    page.keyboard.press("ArrowDown")
    expect(offered.nth(1)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/resources/core/v1/persistentvolumeclaims/"))
    # The keys are known once the scripts of the new page have run.
    page.wait_for_load_state()
    page.keyboard.press("/")
    expect(page.get_by_label("Filter by name")).to_be_focused()
    page.keyboard.press("Escape")
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.journey
def test_many_rows_at_once(site: Site, page: Page, client: ClusterClient, namespace: str) -> None:
    client.create(
        client.find("", "v1", "namespaces"), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    )
    maps = client.find("", "v1", "configmaps")
    for name in ("one", "two", "three"):
        client.create(maps, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"tick-{name}"}}, namespace)
    page.goto(f"{site.url}/resources/core/v1/configmaps/?namespace={namespace}&q=tick")
    go = page.locator("#bulk").get_by_role("button", name="Delete")
    expect(go).to_be_hidden()
    page.get_by_label("Select all rows of this page").check()
    page.get_by_label("Select tick-two").uncheck()
    expect(page.get_by_text("2 selected")).to_be_visible()
    # A change of a row by another user keeps the selection.
    client.patch(maps, "tick-one", {"data": {"a": "1", "b": "2"}}, namespace)
    expect(page.locator("tr", has_text="tick-one").locator("td").nth(2)).to_have_text("2")
    expect(page.get_by_label("Select tick-one")).to_be_checked()
    go.click()
    expect(page.get_by_role("heading", name="Delete 2 ConfigMap objects?")).to_be_visible()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("All changes are done.")).to_be_visible()
    page.get_by_role("link", name="Back to ConfigMaps").click()
    expect(page.get_by_role("link", name="tick-two", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="tick-one", exact=True)).to_have_count(0)
