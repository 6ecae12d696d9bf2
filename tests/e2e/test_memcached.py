"""Operator SDK's tutorial in a real browser: install Memcached, three nodes, five, two, none, and the operator away
again.
"""

import re

import pytest
from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from tests.e2e.conftest import Site
from tests.e2e.steps import SLOW, create_namespace, field, install
from tests.eventually import until

pytestmark = pytest.mark.timeout(600)
KINDS = (("cache.example.com", "memcacheds"),)
NAME = "memcached-sample"
GROUP = "cache.example.com"


def nodes_of(client: ClusterClient, namespace: str) -> list[str]:
    """status.nodes, as the API server has it."""
    found = client.get(client.find(GROUP, "v1alpha1", "memcacheds"), NAME, namespace)
    return list((found.get("status") or {}).get("nodes") or [])


def listed(page: Page) -> list[str]:
    """status.nodes as the page of the Memcached shows it: a tree, or on one line when it is short."""
    key = page.locator(".resource-key").filter(has_text=re.compile(r"^\s*nodes\s*$"))
    entry = page.locator("#values li").filter(has=key).first
    return re.findall(rf"{NAME}-\w+-\w+", entry.inner_text()) if entry.count() else []


def see(page: Page, client: ClusterClient, namespace: str, size: int) -> None:
    """So many nodes come up on the open page: in the status, as Pods, and in words."""
    pods = page.locator("#owned tr").filter(has=page.get_by_text("Pod", exact=True))
    expect(pods).to_have_count(size, timeout=SLOW)
    conditions = page.get_by_role("table", name="Conditions")
    expect(conditions).to_contain_text(f"{size} of {size} nodes ready", timeout=SLOW)
    expect(conditions).to_contain_text("NodesReady", timeout=SLOW)
    expect(page.locator("#object-state")).to_contain_text("Ready", timeout=SLOW)
    names = nodes_of(client, namespace)
    assert len(names) == size and names == sorted(names)
    until(lambda: listed(page) == names, "the page shows other nodes than the status has")
    for name in names:
        expect(pods.get_by_role("link", name=name, exact=True)).to_be_visible()


def uninstall(page: Page, client: ClusterClient, namespace: str) -> None:
    """By the menu of the operator's page; its ClusterServiceVersion and its Deployment go, the kind stays."""
    page.locator("#operator-actions > summary").click()
    page.get_by_role("link", name="Uninstall", exact=True).click()
    expect(page.get_by_role("heading", name="Uninstall Memcached?")).to_be_visible()
    # No instance is left, so nothing is warned of.
    expect(page.get_by_text("remains unmanaged")).to_have_count(0)
    page.get_by_role("button", name="Uninstall", exact=True).click()
    expect(page.get_by_role("heading", name="Memcached is uninstalled")).to_be_visible(timeout=60_000)
    for group, version, plural in (
        ("operators.coreos.com", "v1alpha1", "subscriptions"),
        ("operators.coreos.com", "v1alpha1", "clusterserviceversions"),
        ("apps", "v1", "deployments"),
        ("", "v1", "pods"),
    ):
        type_ = client.find(group, version, plural)
        until(
            lambda type_=type_: not _ours(client, type_, namespace),
            f"{plural} of the operator are still there",
            seconds=90,
        )


def _ours(client: ClusterClient, type_, namespace: str) -> list[str]:  # type: ignore[no-untyped-def]
    names = [obj["metadata"]["name"] for obj in client.list(type_, namespace).items]
    return [name for name in names if name.startswith("memcached")]


def test_the_tutorial_from_the_catalog_to_the_end(
    site: Site, page: Page, client: ClusterClient, namespace: str
) -> None:
    create_namespace(site, page, namespace)
    install(site, page, "memcached", "Memcached", namespace)
    operator = page.url
    memcacheds = client.find(GROUP, "v1alpha1", "memcacheds")

    # From the example; a number that is too large is reported at the field.
    page.get_by_role("link", name=re.compile("Create instance|Create Memcached")).first.click()
    expect(page.get_by_role("heading", name="Create Memcached")).to_be_visible()
    expect(field(page, "Name")).to_have_value(NAME)
    expect(field(page, "Size")).to_have_value("3")
    field(page, "Size").fill("8")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(field(page, "Size")).to_have_attribute("aria-invalid", "true")
    field(page, "Size").fill("3")
    page.get_by_role("button", name="Create", exact=True).click()

    # Three, then five by kubectl's patch, on the same page without reloading it: a mark set in this document stays.
    expect(page.get_by_role("heading", name=NAME).first).to_be_visible()
    page.evaluate("window.__sameDocument = true")
    see(page, client, namespace, 3)
    three = nodes_of(client, namespace)
    client.patch(memcacheds, NAME, {"spec": {"size": 5}}, namespace)
    see(page, client, namespace, 5)
    assert set(three) < set(nodes_of(client, namespace))
    assert page.evaluate("window.__sameDocument") is True
    expect(page.locator("#events")).to_contain_text("Scaled from 3 to 5 nodes", timeout=SLOW)
    detail = page.url

    # Two, by the page's own Scale.
    page.locator("#actions > summary").click()
    page.get_by_role("link", name="Scale", exact=True).click()
    expect(field(page, "Replicas")).to_have_value("5")
    field(page, "Replicas").fill("2")
    page.get_by_role("button", name="Scale", exact=True).click()
    expect(page).to_have_url(detail)
    see(page, client, namespace, 2)

    # Away: the garbage collector takes the Deployment and its Pods.
    page.locator("#actions > summary").click()
    page.get_by_role("link", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator("#toasts")).to_contain_text(NAME)
    for group, plural in (("apps", "deployments"), ("apps", "replicasets"), ("", "pods")):
        type_ = client.find(group, "v1", plural)
        until(
            lambda type_=type_: not client.list(type_, namespace, labels=f"{GROUP}/memcached={NAME}").items,
            f"{plural} of {NAME} are still there",
            seconds=90,
        )
    page.goto(f"{site.url}/resources/core/v1/pods/?namespace={namespace}")
    expect(page.get_by_role("link", name=re.compile(f"^{NAME}-"))).to_have_count(0)

    page.goto(operator)
    uninstall(page, client, namespace)
