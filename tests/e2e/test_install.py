"""The install form and its timeline in a browser: the manifests follow what is chosen, a trouble has its way out, an
undo leaves nothing.
"""

import re
from collections.abc import Iterator
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from kube.errors import NotFound
from tests.e2e.conftest import Site
from tests.e2e.steps import SLOW, olm_tile

pytestmark = pytest.mark.timeout(300)
KINDS = (("samples.operator-console.dev", "sampledbs"),)


@pytest.fixture
def fresh(client: ClusterClient) -> Iterator[str]:
    """The name of a namespace that is not there yet; gone at the end."""
    name = f"fresh-{uuid4().hex[:6]}"
    yield name
    try:
        client.delete(client.find("", "v1", "namespaces"), name)
    except NotFound:
        return


def open_form(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/operatorhub/?q=sampledb")
    package = olm_tile(page, "SampleDB").get_by_role("link").first.get_attribute("href")
    page.goto(f"{site.url}{package}install/")


def test_the_manifests_follow_the_form_until_it_is_installed(
    site: Site, page: Page, client: ClusterClient, fresh: str
) -> None:
    open_form(site, page)
    yaml = page.locator("#install-yaml")
    page.get_by_label("Only the namespace it is installed in").check()
    page.get_by_label("Installation namespace").select_option("+")
    page.get_by_label("Name of the new namespace").press_sequentially(fresh)
    expect(yaml).to_contain_text(f"name: {fresh}")
    expect(page.locator("#namespace-state")).to_contain_text("will be created")

    # Input is preserved, a new line too, while the page is rendered again.
    page.get_by_text("Advanced: the operator's Pods").click()
    env = page.get_by_label("Environment variables")
    env.press_sequentially("LOG_LEVEL=debug\n")
    expect(yaml).to_contain_text("LOG_LEVEL")
    env.press_sequentially("A=")
    expect(yaml).to_contain_text("name: A")
    expect(env).to_have_value("LOG_LEVEL=debug\nA=")

    page.get_by_role("button", name="Dry run").click()
    answers = page.locator("#install-answers li")
    expect(answers).to_have_count(3)
    expect(answers.first).to_contain_text("would be created")
    expect(page.get_by_label("Environment variables")).to_have_value("LOG_LEVEL=debug\nA=")

    page.get_by_role("button", name="Install", exact=True).click()
    title = page.locator("#progress-title")
    expect(title).to_have_attribute("data-state", "done", timeout=SLOW)
    expect(page.locator("#create-first")).to_contain_text("Create SampleDB")
    page.get_by_role("link", name="Uninstall").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("SampleDB")


def test_a_trouble_appears_by_itself_and_a_button_mends_it(
    site: Site, page: Page, client: ClusterClient, namespace: str
) -> None:
    spaces = client.find("", "v1", "namespaces")
    client.create(spaces, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    open_form(site, page)
    catalog = re.search(r"/operatorhub/([^/]+)/([^/]+)/", page.url)
    assert catalog
    spec = {"name": "sampledb", "channel": "stable", "source": catalog[2], "sourceNamespace": catalog[1]}
    group = "operators.coreos.com"
    meta = {"name": "sampledb", "namespace": namespace}
    sub = {"apiVersion": f"{group}/v1alpha1", "kind": "Subscription", "metadata": meta, "spec": spec}
    client.create(client.find(group, "v1alpha1", "subscriptions"), sub, namespace)
    page.goto(f"{site.url}/operators/{namespace}/subscriptions/sampledb/")
    trouble = page.locator("#trouble")
    expect(trouble).to_have_attribute("data-trouble", "no-group")
    trouble.get_by_role("button", name="Create an OperatorGroup for this namespace").click()
    expect(page.locator("#progress-title")).to_have_attribute("data-state", "done", timeout=SLOW)
    expect(trouble).to_have_count(0)
