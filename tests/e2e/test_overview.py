"""The overview in a browser: cards load without moving anything, problems arrive live and link to their object,
the first steps are dismissed.
"""

import re

import pytest
from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from tests.chromium import Contexts
from tests.console.overview import scene
from tests.e2e.conftest import Site
from tests.eventually import until

KINDS = ((scene.GROUP, "gadgets"),)
PATIENCE = 60_000
# The layout shift without user input since the page was opened.
_SHIFTS = """() => new Promise((done) => { let sum = 0;
  new PerformanceObserver((list) => { for (const one of list.getEntries()) if (!one.hadRecentInput) sum += one.value; })
    .observe({type: "layout-shift", buffered: true});
  setTimeout(() => done(sum), 300); })"""


@pytest.mark.journey
def test_trouble_comes_by_itself_and_leads_to_its_object(
    site: Site, page: Page, client: ClusterClient, namespace: str
) -> None:
    client.create(client.find("", "v1", "namespaces"), {"metadata": {"name": namespace}})
    scene.gadgets(client)
    scene.gadget(client, namespace, "well", phase="Running")
    until(lambda: site.knows(scene.GROUP), "the console knows the kind")
    page.goto(f"{site.url}/")
    verdict = page.locator("#overview-verdict")
    expect(page.locator("[data-coming], [data-pending]")).to_have_count(0, timeout=PATIENCE)
    expect(verdict.locator("[data-sum]")).not_to_have_text("Checking the cluster")
    expect(page.locator("#overview-instances table")).to_contain_text("Ready")
    assert page.evaluate(_SHIFTS) < 0.01

    assert not verdict.get_by_role("link", name=f"Gadget broken in {namespace}").count()
    scene.gadget(client, namespace, "broken", phase="Failed", message="no room")
    line = verdict.get_by_role("link", name=f"Gadget broken in {namespace}")
    expect(line).to_be_visible(timeout=PATIENCE)
    expect(verdict.locator("[data-sum]")).to_have_text(re.compile(r"needs? attention"))
    expect(verdict.locator('[data-area="instances"] [data-mark="error"]')).to_have_count(1)

    line.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#object-name")).to_have_text("broken", timeout=PATIENCE)
    page.go_back()
    expect(page.locator("#overview-recent").get_by_role("link", name="broken")).to_be_visible(timeout=PATIENCE)

    gadgets = client.find(scene.GROUP, "v1", "gadgets")
    client.patch(gadgets, "broken", {"status": {"phase": "Running"}}, namespace, subresource="status")
    expect(line).to_have_count(0, timeout=PATIENCE)

    page.locator("#overview-tour").get_by_role("button", name="Hide").click()
    expect(page.locator("#overview-tour")).to_have_count(0)
    page.get_by_role("button", name="Getting started").click()
    expect(page.locator("#overview-tour .overview-done").first).to_be_visible(timeout=PATIENCE)
    scene.remove(client)


def test_every_row_gets_its_cause_after_the_page_is_painted(
    site: Site, page: Page, client: ClusterClient, namespace: str
) -> None:
    client.create(client.find("", "v1", "namespaces"), {"metadata": {"name": namespace}})
    pods = client.find("", "v1", "pods")
    for number in range(6):
        body = {"containers": [{"name": "web", "image": "web", "envFrom": [{"configMapRef": {"name": "absent"}}]}]}
        client.create(pods, {"metadata": {"name": f"web-{number}"}, "spec": {**body, "schedulerName": "x"}}, namespace)
        waiting = {"reason": "CreateContainerConfigError", "message": 'configmap "absent" not found'}
        status = {"phase": "Pending", "containerStatuses": [{"name": "web", "state": {"waiting": waiting}}]}
        client.patch(pods, f"web-{number}", {"status": status}, namespace, subresource="status")
    page.goto(f"{site.url}/")
    rows = page.locator("#overview-verdict .overview-trouble", has_text=namespace)
    expect(rows).to_have_count(6, timeout=PATIENCE)
    expect(rows.filter(has=page.get_by_role("link", name="Create ConfigMap"))).to_have_count(6, timeout=PATIENCE)


def test_without_a_script_one_link_shows_all(site: Site, contexts: Contexts) -> None:
    context = contexts(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site.url}/")
    expect(page.locator("#overview-cluster")).not_to_contain_text("Kubernetes v")
    page.locator("#overview-verdict").get_by_role("link", name="Show everything on this page").click()
    expect(page.locator("#overview-cluster")).to_contain_text("Kubernetes v")
    expect(page.locator("#overview-verdict [data-sum]")).not_to_have_text("Checking the cluster")
    page.locator("#overview-tour").get_by_role("button", name="Hide").click()
    expect(page.locator("#overview-tour")).to_have_count(0)
    page.get_by_role("button", name="Getting started").click()
    expect(page.locator("#overview-tour")).to_be_visible()
