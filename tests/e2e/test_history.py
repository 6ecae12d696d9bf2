"""A user changes a custom resource, sees the change arrive in its history, opens it, reverts it, deletes it and
recreates it; and stars it.
"""

import contextlib

from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from kube.errors import KubeError, NotFound
from tests.e2e.conftest import Site
from tests.eventually import until
from tests.resources.history.crd import GROUP, crd

KINDS = ()
PATIENCE = 60_000


def _gadgets(client: ClusterClient) -> None:
    try:
        client.create(client.find("apiextensions.k8s.io", "v1", "customresourcedefinitions"), crd())
    except KubeError as error:
        assert error.reason == "AlreadyExists", error

    def served() -> bool:
        client.forget_types()
        client.list(client.find(GROUP, "v1", "gadgets"))
        return True

    until(served, "gadgets are served", not_yet=(KubeError,))


def test_from_a_change_to_its_undo(site: Site, page: Page, client: ClusterClient, namespace: str) -> None:
    client.create(client.find("", "v1", "namespaces"), {"metadata": {"name": namespace}})
    _gadgets(client)
    gadgets = client.find(GROUP, "v1", "gadgets")
    body = {"apiVersion": gadgets.api_version, "kind": gadgets.kind, "metadata": {"name": "g"}, "spec": {"size": 1}}
    client.create(gadgets, body, namespace)
    page.goto(f"{site.url}/resources/{GROUP}/v1/gadgets/{namespace}/g/")
    history = page.locator("#history")
    # The worker hears of a new kind some seconds after it is served, and the page of what it wrote when the object
    # changes.
    until(lambda: page.reload() and history.locator(".history-step").count(), "a step of the history")
    client.patch(gadgets, "g", {"spec": {"size": 3}}, namespace)
    # The timeline above has the same words, as titles of its marks.
    steps = history.locator(".history-list")
    expect(steps.get_by_text("spec.size").first).to_be_visible(timeout=PATIENCE)
    step = history.locator(".history-step", has_text="spec.size").first
    step.locator("summary").click()
    expect(step.locator(".console-diff ins", has_text="size: 3")).to_be_visible(timeout=PATIENCE)
    client.patch(gadgets, "g", {"status": {"phase": "Running"}}, namespace, subresource="status")
    expect(steps.get_by_text("status.phase").first).to_be_visible(timeout=PATIENCE)
    expect(step.locator(".console-diff ins", has_text="size: 3")).to_be_visible()
    expect(history.locator("svg rect.pf-v6-u-icon-color-status-success")).not_to_have_count(0)

    step.get_by_role("link", name="Undo this change").click()
    expect(page.get_by_role("heading", name="Changes to save")).to_be_visible(timeout=PATIENCE)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#toasts").get_by_role("link", name="Undo")).to_be_visible(timeout=PATIENCE)
    assert client.get(gadgets, "g", namespace)["spec"] == {"size": 1}

    page.locator("#toasts").get_by_role("button", name="Close").first.click()
    page.get_by_role("button", name="Favorite").click()
    expect(page.get_by_role("button", name="Favorite")).to_have_attribute("aria-pressed", "true", timeout=PATIENCE)
    page.goto(f"{site.url}/")
    expect(page.locator("#overview-favourites").get_by_role("link", name="g", exact=True)).to_be_visible(
        timeout=PATIENCE
    )

    page.goto(f"{site.url}/resources/{GROUP}/v1/gadgets/{namespace}/g/delete/")
    page.get_by_role("button", name="Delete").last.click()
    page.locator("#toasts").get_by_role("link", name="Undo").click(timeout=PATIENCE)
    expect(page.get_by_text("The new object has a new uid")).to_be_visible(timeout=PATIENCE)
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.locator("#object-name")).to_have_text("g", timeout=PATIENCE)
    assert client.get(gadgets, "g", namespace)["spec"] == {"size": 1}
    page.goto(f"{site.url}/resources/{GROUP}/v1/gadgets/{namespace}/g/history/")
    expect(page.get_by_text("Other objects with this name:")).to_be_visible(timeout=PATIENCE)
    page.get_by_role("link", name="deleted").first.click()
    expect(page.get_by_text("Deleted", exact=True)).to_be_visible(timeout=PATIENCE)
    with contextlib.suppress(NotFound):
        client.delete(client.find("apiextensions.k8s.io", "v1", "customresourcedefinitions"), f"gadgets.{GROUP}")
