"""The stream of Events: new ones arrive live, unless it is paused."""

import re

import pytest
from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from tests.e2e.conftest import Site

KINDS = ()


def _event(client: ClusterClient, namespace: str, reason: str) -> None:
    about = {"apiVersion": "v1", "kind": "ConfigMap", "name": "wall", "namespace": namespace}
    event = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": f"e-{reason.lower()}"}, "involvedObject": about}
    event |= {"type": "Normal", "reason": reason, "message": f"it {reason}", "lastTimestamp": "2026-01-01T00:00:00Z"}
    client.create(client.find("", "v1", "events"), event, namespace)


@pytest.mark.journey
def test_it_goes_on_by_itself_and_can_be_paused(site: Site, page: Page, client: ClusterClient, namespace: str) -> None:
    spaces = client.find("", "v1", "namespaces")
    client.create(spaces, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    page.goto(f"{site.url}/resources/events/?namespace={namespace}")
    stream = page.locator("#event-stream")
    _event(client, namespace, "Built")
    expect(stream).to_contain_text("it Built", timeout=60_000)
    page.get_by_role("button", name="Pause").click()
    _event(client, namespace, "Painted")
    # Another page of the same browser hears of it; this one stands still.
    other = page.context.new_page()
    other.goto(f"{site.url}/resources/events/?namespace={namespace}")
    expect(other.locator("#event-stream")).to_contain_text("it Painted", timeout=60_000)
    expect(stream).not_to_contain_text("it Painted")
    # Its label says what it does next.
    expect(page.get_by_role("button", name="Pause")).to_have_count(0)
    page.get_by_role("button", name="Follow").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(stream).to_contain_text("it Painted", timeout=60_000)
    page.get_by_label("Text in the message or the object's name").fill("built")
    expect(stream).not_to_contain_text("it Painted")
    expect(stream).to_contain_text("it Built")
    expect(page).to_have_url(re.compile("q=built"))
