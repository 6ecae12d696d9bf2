"""R5: Operator SDK's tutorial: Memcached's bundle is an image, installed by CatalogSource, OperatorGroup, Subscription
and InstallPlan; three nodes, five, none, and all of it away, with memcached really running.
"""

import time

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.steps import SLOW, field
from tests.eventually import until
from tests.node.conftest import Site, install_timed, picture
from tools.realnode.__main__ import print_progress
from tools.realnode.images import CATALOG, MEMCACHED, packages

pytestmark = [pytest.mark.timeout(1800), pytest.mark.usefixtures("namespace")]
NAMESPACE, NAME = "caches", "memcached-sample"
LABEL = f"cache.example.com/memcached={NAME}"
BUNDLE = next(package.bundle for package in packages() if package.name == "memcached")
CSV = "memcached-operator.v0.1.0"
#: To the server behind a Pod's address, by bash alone.
_ASK = "exec 3<>/dev/tcp/127.0.0.1/11211; printf 'set tea 0 0 4\\r\\nhot!\\r\\nget tea\\r\\nquit\\r\\n' >&3; cat <&3"


def test_the_bundle_is_an_image(site: Site, page: Page) -> None:
    """What OLM was given, and what it answered with."""
    source = site.get("-n", "olm", "catalogsource", "samples-catalog")
    assert source["spec"]["image"] == CATALOG
    assert source["status"]["connectionState"]["lastObservedState"] == "READY"
    page.goto(f"{site.url}/operatorhub/")
    install_timed(page, "memcached", "Memcached", NAMESPACE)
    (group,) = site.items(NAMESPACE, "operatorgroups")
    assert group["spec"]["targetNamespaces"] == [NAMESPACE]
    (subscription,) = site.items(NAMESPACE, "subscriptions.operators.coreos.com")
    assert subscription["status"]["installedCSV"] == CSV
    (plan,) = site.items(NAMESPACE, "installplans")
    assert plan["status"]["phase"] == "Complete"
    assert [bundle["path"] for bundle in plan["status"]["bundleLookups"]] == [BUNDLE]
    page.goto(
        f"{site.url}/resources/operators.coreos.com/v1alpha1/installplans/{NAMESPACE}/{plan['metadata']['name']}/"
    )
    expect(page.locator("#object-state")).to_contain_text("Complete", timeout=SLOW)


def test_three_nodes_five_none_and_all_of_it_away(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/resources/cache.example.com/v1alpha1/memcacheds/new/?namespace={NAMESPACE}")
    expect(field(page, "Name")).to_have_value(NAME)
    expect(field(page, "Size")).to_have_value("3")
    started = time.monotonic()
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_role("heading", name=NAME).first).to_be_visible(timeout=SLOW)
    page.evaluate("window.__sameDocument = true")
    three = _see(site, page, 3)
    print_progress(f"Memcached: three nodes {time.monotonic() - started:.1f} s after Create")
    picture(page, "real-node-memcached")
    for name in three:
        assert "VALUE tea 0 4\nhot!" in site.node.kubectl("-n", NAMESPACE, "exec", name, "--", "bash", "-c", _ASK)
    assert {container["image"] for container in site.containers(NAMESPACE, LABEL)} == {MEMCACHED}

    started = time.monotonic()
    site.node.kubectl("-n", NAMESPACE, "patch", f"memcached/{NAME}", "--type=merge", '-p={"spec":{"size":5}}')
    assert set(three) < set(_see(site, page, 5))
    print_progress(f"Memcached: five nodes {time.monotonic() - started:.1f} s after the patch")
    # In the tutorial's version of the API, none is a number too.
    newer = f"memcacheds.v1.cache.example.com/{NAME}"
    site.node.kubectl("-n", NAMESPACE, "patch", newer, "--type=merge", '-p={"spec":{"size":0}}')
    assert _see(site, page, 0) == []
    assert page.evaluate("window.__sameDocument") is True
    site.node.kubectl("-n", NAMESPACE, "patch", newer, "--type=merge", '-p={"spec":{"size":1}}')
    _see(site, page, 1)

    page.locator("#actions > summary").click()
    page.get_by_role("link", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete", exact=True).click()
    for kind in ("memcacheds", "deployments", "replicasets", "pods"):
        until(lambda kind=kind: not _ours(site, kind, NAME), f"{kind} of {NAME} are gone")


def test_one_is_created_in_the_tutorials_version(site: Site, page: Page) -> None:
    """K11: v1 beside v1alpha1, with the form of its own example, and no node at all."""
    page.goto(f"{site.url}/resources/cache.example.com/v1/memcacheds/new/?namespace={NAMESPACE}")
    field(page, "Name").fill("asleep")
    field(page, "Size").fill("0")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_role("heading", name="asleep").first).to_be_visible(timeout=SLOW)
    expect(page.get_by_role("table", name="Conditions")).to_contain_text("0 of 0 nodes ready", timeout=SLOW)
    assert site.get("-n", NAMESPACE, "memcacheds.v1.cache.example.com", "asleep")["spec"]["size"] == 0
    site.node.kubectl("-n", NAMESPACE, "delete", "memcached/asleep")


def test_the_operator_is_uninstalled(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/operators/{NAMESPACE}/{CSV}/")
    page.locator("#operator-actions > summary").click()
    page.get_by_role("link", name="Uninstall", exact=True).click()
    page.get_by_role("button", name="Uninstall", exact=True).click()
    expect(page.get_by_role("heading", name="Memcached is uninstalled")).to_be_visible(timeout=SLOW)
    for kind in ("subscriptions.operators.coreos.com", "csv", "deployments", "pods"):
        until(lambda kind=kind: not _ours(site, kind, "memcached"), f"{kind} of the operator are gone")


def _ours(site: Site, kind: str, prefix: str) -> list[str]:
    return [name for name in site.names(NAMESPACE, kind) if name.startswith(prefix)]


def _see(site: Site, page: Page, size: int) -> list[str]:
    """So many nodes come up on the open page, as Pods that run and in words; status.nodes."""
    expect(page.get_by_role("table", name="Conditions")).to_contain_text(f"{size} of {size} nodes ready", timeout=SLOW)
    pods = page.locator("#owned tr").filter(has=page.get_by_text("Pod", exact=True))
    expect(pods).to_have_count(size, timeout=SLOW)
    until(lambda: len(_nodes(site)) == size, "status.nodes")
    names = _nodes(site)
    assert names == sorted(names)
    for name in names:
        expect(pods.get_by_role("link", name=name, exact=True)).to_be_visible()
    return names


def _nodes(site: Site) -> list[str]:
    return list(site.get("-n", NAMESPACE, "memcached", NAME)["status"].get("nodes") or [])
