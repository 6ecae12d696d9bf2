"""Without JavaScript: every main page reads, an operator is installed and an instance created by plain forms."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from kube.errors import NotFound
from tests.chromium import Contexts
from tests.e2e.conftest import Site
from tests.e2e.steps import field, olm_tile
from tests.eventually import until

KINDS = (("samples.operator-console.dev", "sampledbs"),)
# Words that are on the page when it reads, beside its heading.
PAGES = {
    "/": "Getting started",
    "/operatorhub/": "Compare",
    "/operatorhub/levels/": "Seamless Upgrades",
    "/operatorhub/catalogs/": "Packages",
    "/operators/?namespace=-": "Add operator",
    "/resources/": "ConfigMap",
    "/resources/core/v1/namespaces/": "kube-system",
    "/resources/core/v1/namespaces/-/default/": "Active",
    "/resources/core/v1/namespaces/-/default/yaml/": "kind: Namespace",
    "/resources/core/v1/configmaps/new/?namespace=default": "Name",
    "/resources/core/v1/configmaps/explain/": "immutable",
    "/resources/search/?q=default&namespace=-": "default",
    "/resources/events/?namespace=-": "Message",
    "/palette/?q=pods": "Pods",
    "/namespaces/": "kube-system",
    "/audit/": "Audit",
    "/settings/": "Language",
    "/quick-starts/": "Getting started",
    "/no-such-page/": "Page not found",
}


@pytest.fixture
def plain(contexts: Contexts) -> Iterator[Page]:
    context = contexts(java_script_enabled=False)
    yield context.new_page()


def test_every_main_page_reads(site: Site, plain: Page) -> None:
    # A console that has just started is still at its index of packages.
    until(
        lambda: plain.goto(f"{site.url}/operatorhub/") and "Compare" in plain.locator("main").inner_text(),
        seconds=120,
        not_yet=(NotFound,),
    )
    for path, words in PAGES.items():
        plain.goto(f"{site.url}{path}")
        expect(plain.get_by_role("heading", level=1).first).to_be_visible()
        shown = plain.locator("main")
        held = shown.locator("textarea").first.input_value() if path.endswith("/yaml/") else shown.inner_text()
        assert words in held, path
        # What is still to be fetched by a script would never come.
        assert not [text for text in shown.locator('[hx-trigger~="load"]').all_inner_texts() if "…" in text], path


def test_on_a_phone_the_navigation_is_there(site: Site, contexts: Contexts) -> None:
    page = contexts(java_script_enabled=False, viewport={"width": 390, "height": 800}).new_page()
    page.goto(f"{site.url}/")
    page.get_by_role("link", name="Navigation").click()
    page.get_by_role("navigation", name="Main").get_by_role("link", name="OperatorHub").click()
    expect(page).to_have_url(f"{site.url}/operatorhub/")


def test_theme_and_language_are_set_by_a_button(site: Site, plain: Page) -> None:
    plain.goto(f"{site.url}/settings/")
    plain.locator("main").get_by_label("Theme").select_option("dark")
    plain.locator("main").get_by_role("button", name="Save").first.click()
    expect(plain.locator("html")).to_have_class(re.compile("pf-v6-theme-dark"))


def test_install_and_create_an_instance(site: Site, plain: Page, client: ClusterClient, namespace: str) -> None:
    client.create(
        client.find("", "v1", "namespaces"), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    )
    plain.goto(f"{site.url}/operatorhub/?q=sampledb")
    olm_tile(plain, "SampleDB").get_by_role("link").first.click()
    plain.get_by_role("link", name=re.compile("^Install( again)?$")).click()
    plain.get_by_label("Only the namespace it is installed in").check()
    plain.get_by_label("Installation namespace").select_option(namespace)
    plain.get_by_role("button", name="Install", exact=True).click()
    expect(plain).to_have_url(re.compile(f"/operators/{namespace}/subscriptions/sampledb/"))

    def done() -> bool:
        plain.reload()
        return plain.locator("#progress-title").get_attribute("data-state") == "done"

    until(done, seconds=120, not_yet=(NotFound,))
    plain.goto(f"{site.url}/resources/samples.operator-console.dev/v1/sampledbs/new/?namespace={namespace}")
    field(plain, "Name").fill("by-hand")
    plain.get_by_role("button", name="Create", exact=True).click()
    expect(plain).to_have_url(re.compile(f"/{namespace}/by-hand/"))
    expect(plain.get_by_role("heading", name="by-hand", level=1)).to_be_visible()
    databases = client.find("samples.operator-console.dev", "v1", "sampledbs")
    assert client.get(databases, "by-hand", namespace)["spec"]
    # And away with it, confirmed on a page of its own.
    plain.goto(f"{site.url}/resources/samples.operator-console.dev/v1/sampledbs/{namespace}/by-hand/delete/")
    plain.get_by_role("button", name="Delete", exact=True).click()
    until(lambda: _gone(client, namespace), seconds=120, not_yet=(NotFound,))


def _gone(client: ClusterClient, namespace: str) -> bool:
    databases = client.find("samples.operator-console.dev", "v1", "sampledbs")
    return not client.list(databases, namespace).items
