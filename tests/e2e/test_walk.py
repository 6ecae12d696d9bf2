"""The whole job in a real browser, as a person does it: namespace, install, create, watch, reach, change, delete."""

import re
import socket
import ssl
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from kube.config import load
from kube.objects import KubeObject
from tests.e2e.conftest import Site
from tests.e2e.steps import SLOW, create_namespace, field, fill_in_argocd, install
from tests.eventually import until

pytestmark = pytest.mark.timeout(600)
KINDS = (("argoproj.io", "argocds"), ("samples.operator-console.dev", "sampledbs"))


def ping(port: int) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(b"PING\r\n")
        return connection.recv(64)


def ask_page(port: int) -> str:
    """What a browser gets there, as soon as a Pod behind it answers; the certificate is the cluster's own."""
    unverified = ssl._create_unverified_context()

    def page() -> str:
        with urllib.request.urlopen(f"https://127.0.0.1:{port}/", context=unverified, timeout=10) as answer:
            return str(answer.read().decode())

    return until(page, "the page behind the port", not_yet=(OSError,))


def is_simulated(pod: KubeObject) -> bool:
    return (pod["metadata"].get("annotations") or {}).get("operator-console.dev/simulated") == "true"


@pytest.mark.journey
def test_sampledb_from_the_catalog_to_its_end(site: Site, page: Page, client: ClusterClient, namespace: str) -> None:
    page.goto(site.url)
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    expect(page.locator("#masthead")).to_contain_text(load(str(site.kubeconfig)).name)
    create_namespace(site, page, namespace)
    install(site, page, "sampledb", "SampleDB", namespace)

    # The form, generated from the schema; the server's errors at the fields.
    page.get_by_role("link", name=re.compile("Create instance|Create SampleDB")).first.click()
    expect(page.get_by_role("heading", name="Create SampleDB")).to_be_visible()
    field(page, "Name").fill("orders")
    replicas = field(page, "Replicas")
    expect(replicas).to_have_value("1")
    replicas.fill("9")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.locator("#form")).to_contain_text("Must be at most")
    expect(field(page, "Replicas")).to_have_attribute("aria-invalid", "true")
    expect(field(page, "Name")).to_have_value("orders")
    field(page, "Replicas").fill("1")
    page.get_by_role("button", name="Create", exact=True).click()

    # Watched without reloading: a mark set in this document is still there at the end.
    expect(page.get_by_role("heading", name="orders").first).to_be_visible()
    page.evaluate("window.__sameDocument = true")
    owned = page.locator("#owned")
    for kind in ("StatefulSet", "PersistentVolumeClaim", "Job", "Pod", "Service"):
        expect(owned.get_by_text(kind, exact=True).first).to_be_visible(timeout=SLOW)
    expect(page.locator("#object")).to_contain_text("Ready", timeout=SLOW)
    expect(
        page.get_by_role("grid", name="Conditions").or_(page.get_by_role("table", name="Conditions"))
    ).to_contain_text("DatabaseReady")
    expect(page.locator("#events")).to_contain_text(re.compile("Created|Ready|Started"), timeout=SLOW)
    assert page.evaluate("window.__sameDocument") is True
    detail = page.url

    # The database answers through a port of this machine.
    owned.get_by_role("link", name="orders-0", exact=True).click()
    pod = page.url
    page.goto(f"{pod}forward/")
    page.get_by_role("button", name="Start port-forward", exact=True).click()
    local = page.locator("[data-tunnel]").first.get_attribute("data-tunnel")
    assert local is not None
    assert ping(int(local)).startswith((b"+PONG", b"-NOAUTH"))
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("No active port-forwards.")).to_be_visible()

    # Its log is followed.
    page.goto(f"{pod}logs/")
    expect(page.locator("[data-log-state]")).to_have_text("following")
    expect(page.locator("#log div").first).to_be_visible()

    # Scale.
    page.goto(f"{detail}scale/")
    field(page, "Replicas").fill("2")
    page.get_by_role("button", name="Scale", exact=True).click()
    expect(page.locator("#owned").get_by_role("link", name="orders-1", exact=True)).to_be_visible(timeout=SLOW)

    # Edit: by form, then by YAML.
    page.goto(f"{detail}edit/")
    field(page, "Replicas").fill("1")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page).to_have_url(detail)
    expect(page.locator("#owned").get_by_role("link", name="orders-0", exact=True)).to_be_visible()
    expect(page.locator("#owned").get_by_role("link", name="orders-1", exact=True)).to_have_count(0, timeout=SLOW)
    page.goto(f"{detail}yaml/")
    editor = page.locator(".cm-content")
    expect(editor).to_contain_text("kind: SampleDB")
    page.locator(".cm-line", has_text="app.kubernetes.io/name: example-database").click()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.keyboard.type("team: shop")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page).to_have_url(detail)
    sampledbs = client.find("samples.operator-console.dev", "v1", "sampledbs")
    assert client.get(sampledbs, "orders", namespace)["metadata"]["labels"]["team"] == "shop"

    # Delete, and see everything go.
    page.goto(f"{detail}delete/")
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator("#toasts")).to_contain_text("orders")
    page.goto(f"{site.url}/resources/core/v1/pods/?namespace={namespace}")
    expect(page.get_by_role("link", name="orders-0", exact=True)).to_have_count(0, timeout=SLOW)
    until(
        lambda: all(obj["metadata"]["name"] != "orders" for obj in client.list(sampledbs, namespace).items),
        "the end of the SampleDB",
    )


def test_argo_cd_from_the_real_catalog(
    site: Site, page: Page, client: ClusterClient, namespace: str, real_catalog: Path
) -> None:
    create_namespace(site, page, namespace)
    install(site, page, "argocd", "Argo CD", namespace)
    page.goto(f"{site.url}/resources/argoproj.io/v1beta1/argocds/new/?namespace={namespace}")
    fill_in_argocd(page, "example-argocd")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page).to_have_url(re.compile("/example-argocd/$"))
    owned = page.locator("#owned")
    for kind in ("Deployment", "StatefulSet", "Service", "Pod"):
        expect(owned.get_by_text(kind, exact=True).first).to_be_visible(timeout=SLOW)
    for part in ("server", "repo-server", "application-controller", "redis", "dex-server"):
        expect(owned.get_by_role("link", name=f"example-argocd-{part}", exact=True).first).to_be_visible(timeout=SLOW)
    if any(is_simulated(pod) for pod in client.list(client.find("", "v1", "pods"), namespace).items):
        # What the embedded cluster can't run, it says it only simulates.
        expect(owned).to_contain_text("Simulated", timeout=SLOW)
    made = client.get(client.find("argoproj.io", "v1beta1", "argocds"), "example-argocd", namespace)
    assert made["spec"]["usersAnonymousEnabled"] is True
    page.goto(f"{site.url}/resources/core/v1/services/{namespace}/example-argocd-server/forward/")
    field(page, "Port").fill("443")
    page.get_by_role("button", name="Start port-forward", exact=True).click()
    local = page.locator("[data-tunnel]").first.get_attribute("data-tunnel")
    try:
        answer = ask_page(int(local or 0))
    except OSError:
        page.reload()
        pytest.fail(f"nothing answered: {page.locator('main').inner_text()}")
    # Neither cluster runs Argo CD's own containers; what answers says so.
    assert "simulated" in answer.lower()
