"""The plan view in a real browser: it follows an Instance step by step, by keyboard and on a phone, and runs a plan."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from tests.e2e.conftest import Site
from tests.resources.kinds import instances
from tests.resources.views import definitions

LONG = 60_000
KINDS = (("kudo.dev", "instances"),)


@pytest.fixture
def kinds(client: ClusterClient) -> Iterator[None]:
    made = instances.kinds(client)
    yield
    for item in made:
        definitions.remove(client, item)


def test_plans_are_followed_and_run(site: Site, page: Page, client: ClusterClient, namespace: str, kinds: None) -> None:
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    client.create(client.find("", "v1", "namespaces"), body)
    type_ = instances.create(client, namespace, instances.status())
    page.goto(f"{site.url}/resources/kudo.dev/v1beta1/instances/{namespace}/galera/")
    nodes = page.get_by_role("list", name="Steps of nodes, in sequence")
    expect(nodes).to_contain_text("In progress", timeout=LONG)
    expect(nodes).to_contain_text("2 of 3 Pods ready")
    expect(page.get_by_text("The plan deploy is running").first).to_be_visible()
    # What the user opened stays open while the rest changes.
    summary = page.locator("#plan-backup > summary")
    summary.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("list", name="Phases of backup, in sequence")).to_be_visible()

    client.patch(type_, "galera", {"status": instances.status("COMPLETE", "COMPLETE")}, namespace, subresource="status")
    expect(page.locator("#plan-deploy > summary")).to_contain_text("Complete", timeout=LONG)
    expect(page.locator("#plan-deploy > summary")).to_contain_text("3 of 3 phases")
    expect(page.get_by_role("list", name="Phases of backup, in sequence")).to_be_visible()

    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.get_by_role("link", name="Run backup").click()
    page.get_by_role("button", name="Run plan backup").click()
    expect(page.get_by_text("Plan “backup” requested.")).to_be_visible(timeout=LONG)
    assert client.get(type_, "galera", namespace)["spec"]["planExecution"] == {"planName": "backup"}
