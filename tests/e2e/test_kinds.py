"""Kinds in a real browser: counted live, their schema opened and searched, and deleted while their list is open."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from tests.e2e.conftest import Site
from tests.eventually import until
from tests.resources.views import definitions

LONG = 60_000


@pytest.fixture
def crd(client: ClusterClient) -> Iterator[dict[str, Any]]:
    made = definitions.create(client, definitions.definition())
    yield made
    definitions.remove(client, made)


@pytest.mark.journey
def test_numbers_come_where_somebody_looks(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/resources/?namespace=-&q=apps")
    expect(page.locator('[id="count-apps-deployments"]')).to_have_text(re.compile(r"^\s*\d+\s*$"), timeout=LONG)


def test_kinds_are_counted_where_somebody_looks(
    site: Site, page: Page, client: ClusterClient, crd: dict[str, Any]
) -> None:
    group = crd["spec"]["group"]
    client.create(definitions.served(client, crd), definitions.widget(crd, "one"), "default")
    until(lambda: site.knows(group), "the console knows the kind")
    page.goto(f"{site.url}/resources/?namespace=-")
    page.get_by_label("Resource type, group, short name or operator").fill(group)
    expect(page.get_by_role("status").filter(has_text="1 of ")).to_be_visible(timeout=LONG)
    number = page.locator(f'[id="count-{group}-widgets"]')
    expect(number).to_have_text("1", timeout=LONG)
    # A kind that comes or goes changes the page, and the number stays.
    client.patch(client.find(*definitions.CRDS), crd["metadata"]["name"], {"metadata": {"labels": {"seen": "yes"}}})
    expect(number).to_have_text("1")
    page.get_by_label("Custom only").check()
    expect(number).to_have_text("1")
    page.get_by_label("Scope").select_option("cluster")
    expect(page.get_by_text("No matching resource types.")).to_be_visible(timeout=LONG)


def test_a_schema_is_opened_and_searched(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/resources/apps/v1/deployments/")
    page.locator("#list-more > summary").click()
    page.get_by_role("link", name="Schema").click()
    template = page.locator(".schema-field", has=page.get_by_text("template", exact=True)).last
    template.get_by_text("nested fields").click()
    expect(template.get_by_text("PodSpec")).to_be_visible(timeout=LONG)
    page.get_by_label("Search all fields").fill("imagepullpolicy")
    expect(page.get_by_text("spec.template.spec.containers[].imagePullPolicy")).to_be_visible(timeout=LONG)
    expect(page).to_have_url(f"{site.url}/resources/apps/v1/deployments/explain/?q=imagepullpolicy")


def test_a_kind_that_goes_while_its_pages_are_open(
    site: Site, page: Page, client: ClusterClient, crd: dict[str, Any]
) -> None:
    group = crd["spec"]["group"]
    client.create(definitions.served(client, crd), definitions.widget(crd, "one"), "default")
    page.goto(f"{site.url}/resources/{group}/v1/widgets/?namespace=-")
    expect(page.get_by_role("link", name="one", exact=True)).to_be_visible(timeout=LONG)
    other = page.context.new_page()
    other.goto(f"{site.url}/resources/{group}/v1/widgets/default/one/")
    expect(other.get_by_role("heading", name="one")).to_be_visible(timeout=LONG)
    client.delete(client.find(*definitions.CRDS), crd["metadata"]["name"])
    for item in (page, other):
        expect(item.get_by_text("This resource type no longer exists")).to_be_visible(timeout=LONG)
