"""H3: “The same with kubectl” follows what is ticked in the form around it, also on a page that a click led to."""

import re

from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from tests.e2e.conftest import Site

KINDS = ()


def test_what_becomes_of_owned_objects(site: Site, page: Page, client: ClusterClient, namespace: str) -> None:
    spaces, maps = client.find("", "v1", "namespaces"), client.find("", "v1", "configmaps")
    client.create(spaces, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    client.create(maps, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "paint"}}, namespace)
    command = f"kubectl delete configmaps paint -n {namespace}"
    page.goto(f"{site.url}/resources/core/v1/configmaps/{namespace}/paint/")
    page.locator(f'a[href$="/{namespace}/paint/delete/"]').first.evaluate("link => link.click()")
    copied = page.locator("[data-follows] [data-copy]")
    expect(copied).to_have_attribute("data-copy", command)
    page.get_by_text("Owned objects", exact=True).click()
    page.get_by_role("radio", name=re.compile("Orphan")).check()
    expect(copied).to_have_attribute("data-copy", f"{command} --cascade=orphan")
    page.get_by_text("kubectl equivalent").click()
    expect(page.locator("[data-command]:visible")).to_have_text(f"{command} --cascade=orphan")
    page.get_by_role("radio", name=re.compile("Background")).check()
    expect(copied).to_have_attribute("data-copy", command)


def test_an_import_by_its_tick_and_namespace(site: Site, page: Page, namespace: str) -> None:
    page.goto(f"{site.url}/resources/import/")
    copied = page.locator("[data-follows] [data-copy]")
    field = page.locator("#namespace")
    if field.evaluate("field => field.tagName") == "SELECT":
        field.select_option("default")
    else:
        field.fill("default")
    expect(copied).to_have_attribute("data-copy", "kubectl apply --server-side -f objects.yaml -n default")
    page.get_by_role("checkbox", name=re.compile("Change existing objects")).uncheck()
    expect(copied).to_have_attribute("data-copy", "kubectl create -f objects.yaml -n default")
    page.get_by_text("kubectl equivalent").click()
    expect(page.locator("[data-command]:visible")).to_have_text("kubectl create -f objects.yaml -n default")
