"""OLM v1: catalogd serves the catalog's image, and SampleDB is installed from it as a ClusterExtension by the form,
runs, and is deleted. Before test_olm.py, where OLM v0 installs the same CRD.
"""

import re
import time

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.steps import SLOW
from tests.eventually import until
from tests.node.conftest import Site, picture
from tools.realnode.__main__ import print_progress

pytestmark = pytest.mark.timeout(1800)
NAME = NAMESPACE = "sampledb"
CRD = "sampledbs.samples.operator-console.dev"


def test_the_catalog_is_served(site: Site, page: Page) -> None:
    catalog = site.get("clustercatalog", "samples")
    # By the webhook of catalogd, through the certificate of the node's authority.
    assert catalog["metadata"]["labels"]["olm.operatorframework.io/metadata.name"] == "samples"
    assert "@sha256:" in catalog["status"]["resolvedSource"]["image"]["ref"]
    page.goto(f"{site.url}/operatorhub/catalogs/")
    expect(page.get_by_role("link", name="Operator Console Samples for OLM v1")).to_be_visible()


def test_sampledb_is_installed_by_the_form(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/operatorhub/")
    tile = page.locator('[data-tile]:has(a[href^="/operatorhub/-/"])').filter(has_text="SampleDB")
    expect(tile).to_be_visible(timeout=SLOW)
    tile.get_by_role("link").first.click()
    page.get_by_role("link", name="Install", exact=True).click()
    expect(page.get_by_role("heading", name="Install sampledb with OLM v1")).to_be_visible()
    expect(page.get_by_text("OLM would install 1.0.0")).to_be_visible()
    # The catalog has no manifests, and the console doesn't reach the registry.
    page.get_by_label(re.compile("Give it all permissions")).check()
    expect(page.get_by_text("The ServiceAccount gets all permissions in the cluster.")).to_be_visible()
    picture(page, "real-node-extension-form")
    page.get_by_role("button", name="Check (dry run)").click()
    expect(page.get_by_text("All objects would be accepted.")).to_be_visible()
    started = time.monotonic()
    page.get_by_role("button", name="Install", exact=True).click()
    expect(page.locator("#extension-title")).to_have_attribute("data-state", "done", timeout=SLOW)
    print_progress(f"Installed {time.monotonic() - started:.1f} s after the click")
    expect(page.locator("#owned")).to_contain_text("sampledb-operator")
    picture(page, "real-node-extension")
    site.node.kubectl("-n", NAMESPACE, "rollout", "status", "deployment/sampledb-operator", "--timeout=180s")
    print_progress(f"its operator is ready {time.monotonic() - started:.1f} s after the click")
    extension = site.get("clusterextension", NAME)
    assert extension["status"]["install"]["bundle"]["version"] == "1.0.0"
    (installed,) = (each for each in extension["status"]["conditions"] if each["type"] == "Installed")
    assert installed["status"] == "True"


def test_it_is_deleted_with_its_kind(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/extensions/{NAME}/delete/")
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page).to_have_url(re.compile("/extensions/$"))
    until(lambda: CRD not in site.node.kubectl("get", "crds", "-o", "name"), "its kind is gone", seconds=180)
    until(lambda: NAME not in site.node.kubectl("get", "clusterextensions", "-o", "name"), seconds=60)
    site.node.kubectl("delete", "namespace", NAMESPACE, "--wait=false")
