"""A person with two namespaces and no right to list any: their token says one, they name the other, and both are one
list that lives.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from tests.console.reach.tenants import Tenants, tenants
from tests.e2e.conftest import Site


@pytest.fixture(scope="module")
def town(admin: ClusterClient) -> Iterator[Tenants]:
    with tenants(admin) as found:
        yield found


def test_the_lists_of_their_namespaces_are_one_and_live(
    guarded: Site, admin: ClusterClient, town: Tenants, page: Page
) -> None:
    type_ = admin.find("", "v1", "configmaps")
    page.goto(f"{guarded.url}/resources/core/v1/configmaps/?namespace=-")
    page.get_by_label("Token", exact=True).fill(town.tokens["two"])
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("link", name=f"{town.mark}-mine", exact=True)).to_be_visible()
    expect(page.locator(".list-within")).to_contain_text(
        f"“All namespaces” includes only your namespaces here: {town.own}."
    )
    page.locator("#pick-namespace").click()
    page.get_by_role("link", name="Add a namespace").click()
    field = page.get_by_label("Add a namespace")
    field.fill(town.foreign)
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("#own-namespace-help")).to_contain_text(
        f"You don't have permission to read anything in “{town.foreign}”"
    )
    expect(field).to_be_focused()
    field.fill(town.second)
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator(f"#namespace-{town.second}")).to_contain_text("added by you")
    page.goto(f"{guarded.url}/resources/core/v1/configmaps/?namespace=-")
    expect(page.locator(".list-within")).to_contain_text(f"your namespaces here: {town.own}, {town.second}.")
    also = page.get_by_role("row").filter(has=page.get_by_role("link", name=f"{town.mark}-also", exact=True))
    expect(also).to_be_visible()
    # The page isn't reloaded from here on.
    for namespace in (town.second, town.own):
        fresh = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"{town.mark}-fresh"}}
        admin.create(type_, fresh, namespace)
        row = page.get_by_role("row").filter(has_text=f"{town.mark}-fresh").filter(has_text=namespace)
        expect(row).to_be_visible()
        admin.delete(type_, f"{town.mark}-fresh", namespace)
        expect(row).to_have_count(0)
    admin.patch(type_, f"{town.mark}-also", {"data": {"more": "1", "still": "2"}}, town.second)
    expect(also).to_contain_text("3")
    expect(also).to_contain_text(town.second)
    expect(page.locator("#health-banner")).to_be_hidden()
