"""An object's page in a browser: what one must know is above the fold, and the drawing follows the objects."""

import pytest
from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from tests.e2e.conftest import Site
from tests.e2e.test_tree import _deployment

KINDS = (("apps", "deployments"),)


def _create(client: ClusterClient, namespace: str, replicas: int) -> str:
    spaces = client.find("", "v1", "namespaces")
    client.create(spaces, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    client.create(client.find("apps", "v1", "deployments"), _deployment("web", replicas), namespace)
    return f"/resources/apps/v1/deployments/{namespace}/web/"


@pytest.mark.journey
def test_state_objects_and_settings_are_above_the_fold(
    site: Site, page: Page, client: ClusterClient, namespace: str
) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{site.url}{_create(client, namespace, 2)}")
    dots = page.locator(".topology-dot")
    expect(dots).to_have_count(2, timeout=60_000)
    for selector in ("#object-state", "nav.pf-v6-c-tabs", "#settings", ".topology-box"):
        box = page.locator(selector).first.bounding_box()
        assert box is not None and box["y"] + box["height"] < 900, selector
    # The drawing follows: one Pod less is one dot less, without a reload.
    client.patch(client.find("apps", "v1", "deployments"), "web", {"spec": {"replicas": 1}}, namespace)
    expect(dots).to_have_count(1, timeout=60_000)


def test_the_drawing_is_for_eyes_and_the_table_for_everybody(
    site: Site, page: Page, client: ClusterClient, namespace: str
) -> None:
    page.goto(f"{site.url}{_create(client, namespace, 1)}")
    expect(page.locator(".topology-dot")).to_have_count(1, timeout=60_000)
    drawing = page.locator(".topology")
    assert drawing.get_attribute("aria-hidden") == "true"
    assert drawing.evaluate("(one) => [...one.querySelectorAll('a')].every((link) => link.tabIndex < 0)")
    tree = page.get_by_role("treegrid", name="Owned objects")
    expect(tree).to_be_visible()
    # No heading reaches into the next column.
    for heading in tree.get_by_role("columnheader").all():
        assert heading.evaluate("(cell) => cell.scrollWidth <= cell.clientWidth"), heading.inner_text()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(drawing).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
