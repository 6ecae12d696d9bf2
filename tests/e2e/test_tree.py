"""What an object owns, as a tree: walked by keyboard, folded, and left as it was by live updates."""

import pytest
from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from tests.e2e.conftest import Site

KINDS = ()


def _deployment(name: str, replicas: int) -> dict[str, object]:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "example.com/web:1"}]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


@pytest.mark.journey
def test_a_tree_by_keyboard_stays_as_it_was_folded(
    site: Site, page: Page, client: ClusterClient, namespace: str
) -> None:
    spaces = client.find("", "v1", "namespaces")
    client.create(spaces, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    deployments = client.find("apps", "v1", "deployments")
    client.create(deployments, _deployment("web", 2), namespace)
    page.goto(f"{site.url}/resources/apps/v1/deployments/{namespace}/web/")
    tree = page.get_by_role("treegrid", name="Owned objects")
    rows = tree.locator("tbody tr")
    expect(rows).to_have_count(3, timeout=60_000)
    top, first = rows.nth(0), rows.nth(1)
    expect(top).to_have_attribute("aria-expanded", "true")
    top.focus()
    page.keyboard.press("ArrowDown")
    expect(first).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(top).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(top).to_have_attribute("aria-expanded", "false")
    expect(first).to_be_hidden()
    # It is scaled: what was folded stays so, and the focus where it was.
    client.patch(deployments, "web", {"spec": {"replicas": 3}}, namespace)
    expect(rows).to_have_count(4, timeout=60_000)
    expect(first).to_be_hidden()
    expect(top).to_have_attribute("aria-expanded", "false")
    expect(top).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(rows.nth(3)).to_be_visible()
    page.keyboard.press("End")
    expect(rows.nth(3)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("navigation", name="Owners")).to_contain_text("Deployment web")


@pytest.mark.journey
def test_fields_are_searched_and_told(site: Site, page: Page, client: ClusterClient, namespace: str) -> None:
    spaces = client.find("", "v1", "namespaces")
    client.create(spaces, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    deployments = client.find("apps", "v1", "deployments")
    client.create(deployments, _deployment("web", 1), namespace)
    page.goto(f"{site.url}/resources/apps/v1/deployments/{namespace}/web/")
    page.locator("nav.pf-v6-c-tabs").get_by_role("link", name="Values").click()
    values = page.locator("#values")
    values.get_by_label("Field or value").fill("example.com/web")
    image = values.locator(".resource-key", has_text="image").first
    expect(image).to_be_visible()
    expect(values.locator(".resource-key", has_text="replicas").first).to_be_hidden()
    image.click()
    explanation = values.locator("[data-values-told]")
    expect(explanation).to_contain_text(".spec.template.spec.containers[0].image")
    expect(explanation).to_contain_text("Container image name")
    # A live update leaves the search as it is.
    client.patch(deployments, "web", {"metadata": {"labels": {"touched": "yes"}}, "spec": {"replicas": 2}}, namespace)
    expect(page.locator("#owned-sum")).to_contain_text("of 2 Pods ready", timeout=60_000)
    expect(values.locator(".resource-key", has_text="replicas").first).to_be_hidden()
    expect(explanation).to_contain_text(".spec.template.spec.containers[0].image")
    values.get_by_label("Field or value").fill("")
    expect(values.locator(".resource-key", has_text="replicas").first).to_be_visible()
