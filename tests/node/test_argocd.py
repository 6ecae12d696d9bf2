"""R2: Argo CD from OperatorHub to its own page, as a person gets it by clicks, with all its parts in containers."""

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from bench.console import console
from console.processes.parts import free_port
from tests.chromium import Contexts
from tests.e2e.steps import SLOW, create_namespace, field, fill_in_argocd, olm_tile
from tests.eventually import until
from tests.node.conftest import Site, install_timed, picture
from tools.realnode import argocd
from tools.realnode.__main__ import print_progress
from tools.realnode.argocd import ArgoCD
from tools.realnode.images import Builder

pytestmark = pytest.mark.timeout(2400)
VERSION = "v3.3.10"
NAMESPACE, NAME = "argocd", "example-argocd"
PARTS = ("application-controller", "dex-server", "redis", "repo-server", "server")


@pytest.fixture(scope="module", autouse=True)
def offered(site: Site, builder: Builder) -> Iterator[ArgoCD]:
    found = argocd.build(builder, print_progress)
    print_progress(f"Argo CD is in OperatorHub after {found.apply(site.node):.1f} s")
    yield found
    site.node.kubectl("-n", NAMESPACE, "delete", "applications.argoproj.io,argocds.argoproj.io", "--all")
    site.node.kubectl("-n", NAMESPACE, "delete", "subscriptions.operators.coreos.com,csv", "--all")
    site.node.kubectl("delete", "namespace", NAMESPACE)


def test_its_operator_is_installed_from_operatorhub(site: Site, page: Page) -> None:
    create_namespace(site, page, NAMESPACE)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="OperatorHub").click()
    expect(olm_tile(page, "SampleDB")).to_be_visible(timeout=SLOW)
    install_timed(page, "argocd", "Argo CD", NAMESPACE)
    picture(page, "real-node-argocd-operator")
    (deployment,) = site.get("-n", NAMESPACE, "deployments")["items"]
    assert deployment["metadata"]["ownerReferences"][0]["kind"] == "ClusterServiceVersion"
    assert "@sha256:" in deployment["spec"]["template"]["spec"]["containers"][0]["image"]


def state(site: Site) -> dict[str, str]:
    return dict(site.get("-n", NAMESPACE, "argocd", NAME).get("status", {}))


def test_an_instance_of_its_form_becomes_available(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/operators/")
    page.get_by_role("link", name="Argo CD", exact=True).first.click()
    page.get_by_role("link", name=re.compile("Create instance|Create ArgoCD")).first.click()
    expect(page.get_by_role("heading", name="Create Argo CD")).to_be_visible()
    fill_in_argocd(page, NAME)
    picture(page, "real-node-argocd-form")
    started = time.monotonic()
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page).to_have_url(re.compile(f"/{NAME}/$"))
    # Nothing is loaded again: what comes up is seen as it does.
    page.evaluate("window.__sameDocument = true")
    owned = page.locator("#owned")
    for part in PARTS:
        expect(owned.get_by_role("link", name=f"{NAME}-{part}", exact=True).first).to_be_visible(timeout=SLOW)
    until(lambda: state(site).get("phase") == "Available", "phase Available", seconds=900)
    print_progress(f"Available {time.monotonic() - started:.1f} s after Create")
    expect(page.locator("#object")).to_contain_text("Available", timeout=SLOW)
    assert page.evaluate("window.__sameDocument") is True
    picture(page, "real-node-argocd")
    pods = site.get("-n", NAMESPACE, "pods")["items"]
    ready = {pod["metadata"]["labels"].get("app.kubernetes.io/name") for pod in pods if is_ready(pod)}
    assert ready >= {f"{NAME}-{part}" for part in PARTS}


def test_its_page_is_reached_by_a_port_forward(site: Site, page: Page, contexts: Contexts) -> None:
    """In the console of the node, an address of the console; in one on this machine, a port, as Argo CD's web interface
    needs: its addresses are absolute.
    """
    forward = f"/resources/core/v1/services/{NAMESPACE}/{NAME}-server/forward/"
    page.goto(f"{site.url}{forward}")
    field(page, "Port").fill("443")
    page.get_by_role("button", name="Start port-forward", exact=True).click()
    address = page.get_by_role("link", name="Open page").first.get_attribute("href")
    assert VERSION in page.request.get(f"{site.url}{address}api/version").text()
    page.get_by_role("button", name="Stop").click()

    local = free_port()
    with console(kubeconfig=site.node.kubeconfig) as here:
        page.goto(f"{here.url}{forward}")
        field(page, "Port").fill("443")
        field(page, "Port on this machine").fill(str(local))
        page.get_by_role("button", name="Start port-forward", exact=True).click()
        expect(page.get_by_role("link", name=f"localhost:{local}")).to_be_visible()
        picture(page, "real-node-argocd-forward")
        # The certificate is Argo CD's own.
        visitor = contexts(waits=60_000, viewport={"width": 1440, "height": 900}, ignore_https_errors=True).new_page()
        visitor.goto(f"https://localhost:{local}/api/version")
        expect(visitor.locator("body")).to_contain_text(VERSION)
        # Anonymous users are enabled, so they are asked for nothing and may read.
        assert "error" not in visitor.request.get(f"https://localhost:{local}/api/v1/applications").json()


def is_ready(pod: dict[str, Any]) -> bool:
    conditions = pod["status"].get("conditions", [])
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)
