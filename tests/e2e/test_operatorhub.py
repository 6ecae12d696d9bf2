"""OperatorHub in a real browser, after the OKD console's own scenarios: filtering the catalog; installs for one
namespace and for all; warnings of what is deprecated; uninstalls with and without instances, and with one that does not
go; a catalog's details.
"""

import re

import pytest
from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from kube.errors import NotFound
from tests.e2e.conftest import Site
from tests.e2e.steps import SLOW, create_namespace, field

pytestmark = pytest.mark.timeout(600)
KINDS = (("flights.com", "flighttickets"), ("cache.example.com", "memcacheds"))
PACKAGE = "/operatorhub/olm/samples-catalog/flightticket/"
OLD = "flightticket-operator.v1.0.0"


def test_the_catalog_is_filtered(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/operatorhub/")
    tiles = page.locator("[data-tile]")
    expect(tiles.first).to_be_visible(timeout=SLOW)
    # Catalogs that the console reads itself may still come: numbers are compared when they are there.
    database = page.locator("#facet-category label").filter(has_text=re.compile(r"^\s*Database"))
    database.click()
    expect(page).to_have_url(re.compile("category=database"))
    expect(tiles.filter(has_text="Memcached").first).to_be_visible()
    expect(tiles.filter(has_text="FlightTicket")).to_have_count(0)
    number = page.locator("#facet-category label").filter(has_text=re.compile(r"^\s*Database")).locator(".hub-number")
    expect(page.locator("#hub-count")).to_contain_text(re.compile(rf"{number.inner_text()} items?"))
    search = page.get_by_label("Search operators")
    search.press_sequentially("memcachd")
    expect(page).to_have_url(re.compile("q=memcachd"))
    expect(tiles.first).to_contain_text("Memcached")
    search.fill("zzqqxx nothing")
    expect(page.get_by_role("heading", name="No matching operators")).to_be_visible()
    page.get_by_role("link", name="Clear all filters").first.click()
    expect(page.get_by_label("Search operators")).to_have_value("")
    expect(tiles.filter(has_text="FlightTicket").or_(page.get_by_role("link", name="Show more")).first).to_be_visible()
    # A tile is a link, and Back leads to the same tiles.
    page.goto(f"{site.url}/operatorhub/?q=flightticket&source=olm/samples-catalog")
    expect(tiles).to_have_count(1)
    tiles.first.get_by_role("link").first.click()
    expect(page.get_by_role("heading", name="FlightTicket", exact=True).first).to_be_visible()
    page.go_back()
    expect(page.get_by_label("Search operators")).to_have_value("flightticket")
    expect(tiles).to_have_count(1)


def test_a_deprecated_version_in_one_namespace_and_an_instance_that_stays(
    site: Site, page: Page, client: ClusterClient, namespace: str
) -> None:
    # Warned of before: on the package's page and on the install page.
    page.goto(f"{site.url}{PACKAGE}?channel=archive")
    for words in ("The channel archive is deprecated", "Version 1.0.0 is deprecated", "Nothing new comes into"):
        expect(page.get_by_text(words).first).to_be_visible()
    page.get_by_role("link", name="Install", exact=True).first.click()
    expect(page.get_by_text("This channel is deprecated:")).to_be_visible()
    page.get_by_label("Only the namespace it is installed in").check()
    page.get_by_label("Installation namespace").select_option("+")
    page.get_by_label("Name of the new namespace").fill(namespace)
    expect(page.locator("#namespace-state")).to_contain_text("will be created")
    page.get_by_role("button", name="Install", exact=True).click()
    expect(page.locator("#progress-title")).to_have_attribute("data-state", "done", timeout=SLOW)

    # And afterwards: in the list, on its page, at its Subscription.
    page.goto(f"{site.url}/operators/?namespace={namespace}")
    row = page.get_by_role("row").filter(has_text="FlightTicket")
    expect(row).to_contain_text("Deprecated")
    row.get_by_role("link", name="FlightTicket", exact=True).first.click()
    expect(page.get_by_text("Deprecated by its author").first).to_be_visible()
    page.goto(f"{site.url}/operators/{namespace}/subscriptions/flightticket/edit/")
    expect(page.locator("main")).to_contain_text("Nothing new comes into the channel archive")

    # An instance from the form; a finalizer that no controller removes holds it.
    page.goto(f"{site.url}/resources/flights.com/v1/flighttickets/new/?namespace={namespace}")
    field(page, "Name").fill("held")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_role("heading", name="held").first).to_be_visible()
    tickets = client.find("flights.com", "v1", "flighttickets")
    client.patch(tickets, "held", {"metadata": {"finalizers": ["tests.example/held"]}}, namespace)
    page.goto(f"{site.url}/operators/{namespace}/{OLD}/instances/")
    expect(page.locator("main").get_by_role("link", name="held", exact=True)).to_be_visible()
    _uninstall_with_the_instance(site, page, client, namespace)


def _uninstall_with_the_instance(site: Site, page: Page, client: ClusterClient, namespace: str) -> None:
    page.goto(f"{site.url}/operators/{namespace}/{OLD}/uninstall/")
    # H3: the commands follow the ticks.
    copied = page.locator("[data-follows] [data-copy]")
    expect(copied).not_to_have_attribute("data-copy", re.compile("--all"))
    page.get_by_label(re.compile(r"1\s+instance")).check()
    expect(copied).to_have_attribute("data-copy", re.compile("--all"))
    page.get_by_role("button", name="Uninstall", exact=True).click()
    expect(page.locator("#removal-body")).to_have_attribute("data-state", "running")
    # The page shows what it waits for, and who could help; the operator is still there.
    expect(page.get_by_text("tests.example/held")).to_be_visible(timeout=60_000)
    csvs = client.find("operators.coreos.com", "v1alpha1", "clusterserviceversions")
    assert client.get(csvs, OLD, namespace)
    tickets = client.find("flights.com", "v1", "flighttickets")
    client.patch(tickets, "held", {"metadata": {"finalizers": None}}, namespace)
    expect(page.locator("#removal-body")).to_have_attribute("data-state", "done", timeout=SLOW)
    assert client.list(tickets, namespace).items == []
    with pytest.raises(NotFound):
        client.get(csvs, OLD, namespace)
    # The navigation follows, within the ten seconds that are between two of its updates.
    operators = page.locator("#navigation-operators")
    expect(operators.locator(f"a[href*='/{namespace}/']")).to_have_count(0, timeout=SLOW)
    page.goto(f"{site.url}/operators/?namespace={namespace}")
    expect(page.get_by_role("row").filter(has_text="FlightTicket")).to_have_count(0)


@pytest.mark.journey
def test_an_operator_for_all_namespaces(site: Site, page: Page, client: ClusterClient, namespace: str) -> None:
    page.goto(f"{site.url}/operatorhub/olm/samples-catalog/memcached/install/")
    page.get_by_label(re.compile("All namespaces of the cluster")).check()
    page.get_by_label("Installation namespace").select_option("+")
    page.get_by_label("Name of the new namespace").fill(namespace)
    expect(page.locator("#namespace-state")).to_contain_text("will be created")
    page.get_by_role("button", name="Install", exact=True).click()
    expect(page.locator("#progress-title")).to_have_attribute("data-state", "done", timeout=SLOW)
    # One row, however many namespaces know of it.
    page.goto(f"{site.url}/operators/?namespace=-")
    row = page.get_by_role("row").filter(has_text="Memcached")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("All namespaces")
    # A selected row stays selected while the list changes; Space shows it beside the list.
    row.get_by_role("checkbox").check()
    csvs = client.find("operators.coreos.com", "v1alpha1", "clusterserviceversions")
    client.patch(csvs, "memcached-operator.v0.1.0", {"spec": {"displayName": "Memcached cache"}}, namespace)
    expect(row).to_contain_text("Memcached cache", timeout=SLOW)
    expect(page.locator("#bulk")).to_contain_text("1 selected")
    row.locator(".list-link").press(" ")
    expect(page.locator("#peek")).to_contain_text("memcached-operator", timeout=SLOW)
    page.locator("#bulk").get_by_role("button", name="Approve updates").click()
    expect(page.get_by_text("Nothing to approve for:")).to_be_visible()
    # Gone with its namespace, which nothing else uses; the kind stays.
    page.goto(f"{site.url}/operators/{namespace}/memcached-operator.v0.1.0/uninstall/")
    page.get_by_label(re.compile(rf"OperatorGroup\s+{namespace}")).check()
    page.get_by_role("button", name="Uninstall", exact=True).click()
    expect(page.locator("#removal-body")).to_have_attribute("data-state", "done", timeout=SLOW)
    groups = client.find("operators.coreos.com", "v1", "operatorgroups")
    assert client.list(groups, namespace).items == []
    crds = client.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
    assert client.get(crds, "memcacheds.cache.example.com")


def test_a_catalogs_details(site: Site, page: Page, namespace: str) -> None:
    page.goto(f"{site.url}/operatorhub/")
    expect(page.locator("[data-tile]").first).to_be_visible(timeout=SLOW)
    page.goto(f"{site.url}/operatorhub/catalogs/")
    page.get_by_role("link", name="Operator Console Samples").first.click()
    facts = page.locator("#source")
    expect(facts).to_contain_text("READY")
    expect(facts).to_contain_text("Whole cluster")
    for name in ("FlightTicket", "Memcached", "SampleDB"):
        expect(page.locator("main").get_by_role("link", name=name, exact=True)).to_be_visible()
    # A catalog whose address doesn't answer: added, explained, changed, removed.
    create_namespace(site, page, namespace)
    page.goto(f"{site.url}/operatorhub/catalogs/")
    page.get_by_role("link", name="Add CatalogSource").click()
    field(page, "Name").fill("far")
    field(page, "Namespace").fill(namespace)
    page.get_by_label("Image that OLM runs as a Pod").check()
    field(page, "Image").fill("registry.invalid/none/catalog:v1")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("heading", name="far", exact=True)).to_be_visible()
    expect(facts).to_contain_text("TRANSIENT_FAILURE", timeout=SLOW)
    expect(facts).to_contain_text(f"Namespace {namespace}")
    page.get_by_role("link", name="Edit", exact=True).click()
    page.get_by_label("Check for new images every").fill("45m")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(facts).to_contain_text("45m")
    page.get_by_role("link", name="Delete", exact=True).click()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page).to_have_url(re.compile("/operatorhub/catalogs/$"))
    expect(page.get_by_role("row").filter(has_text=f"{namespace}/far")).to_have_count(0)
