"""A ticket from the catalog to the end, in a real browser: what is refused where, and a status that changes
live.
"""

import re

import pytest
from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from kube.errors import NotFound
from tests.e2e.conftest import Site
from tests.e2e.steps import SLOW, create_namespace, field, install

pytestmark = pytest.mark.timeout(600)
KINDS = (("flights.com", "flighttickets"),)


def refused(page: Page, label: str, words: str) -> None:
    """Sent; the form is there again, with these words, at that field, and with everything that was typed."""
    page.get_by_role("button", name="Create", exact=True).click()
    wrong = field(page, label)
    expect(wrong).to_have_attribute("aria-invalid", "true")
    described = wrong.get_attribute("aria-describedby") or ""
    description = " ".join(page.locator(f"[id='{name}']").inner_text() for name in described.split())
    assert words in description, description
    expect(field(page, "Name")).to_have_value("spring")


def test_a_ticket_is_refused_booked_and_rejected(site: Site, page: Page, client: ClusterClient, namespace: str) -> None:
    create_namespace(site, page, namespace)
    install(site, page, "flightticket", "FlightTicket", namespace)
    page.get_by_role("link", name=re.compile("Create instance|Create FlightTicket")).first.click()
    expect(page.get_by_role("heading", name="Create FlightTicket")).to_be_visible()
    field(page, "Name").fill("spring")
    expect(field(page, "From")).to_have_value("Seoul")

    # Eleven seats: the browser knows the limit, and so does the server.
    seats = field(page, "Number")
    seats.fill("11")
    assert seats.evaluate("input => input.validity.rangeOverflow") is True
    refused(page, "Number", "10")
    # A rule of the CRD that no browser knows: the API server's words at its fieldPath.
    field(page, "Number").fill("2")
    field(page, "To").fill("Seoul")
    refused(page, "To", "to must differ from from")
    field(page, "To").fill("Lisbon")
    page.get_by_role("button", name="Create", exact=True).click()

    # The navigation counts it without another page.
    navigation = page.get_by_role("navigation", name="Main")
    expect(navigation.get_by_role("link", name=re.compile(r"FlightTicket\s*1$"))).to_have_count(1, timeout=SLOW)

    # Booked on the open page; a mark set in this document stays.
    expect(page.get_by_role("heading", name="spring").first).to_be_visible()
    page.evaluate("window.__sameDocument = true")
    conditions = page.get_by_role("table", name="Conditions")
    expect(conditions).to_contain_text("SeatsReserved", timeout=SLOW)
    tickets = client.find("flights.com", "v1", "flighttickets")
    reference = client.get(tickets, "spring", namespace)["status"]["bookingReference"]
    expect(page.locator("#object")).to_contain_text(reference)
    assert page.evaluate("window.__sameDocument") is True
    detail = page.url

    # Edited to a place without an airport: the operator says no, and where to go instead.
    page.locator("#actions > summary").click()
    page.locator("#actions").get_by_role("link", name="Edit", exact=True).click()
    expect(field(page, "Number")).to_have_value("2")
    field(page, "To").fill("Monaco")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page).to_have_url(detail)
    expect(page.locator("#object-state")).to_contain_text("Degraded", timeout=SLOW)
    expect(conditions).to_contain_text("Monaco has no airport; fly to Nice")

    # The list has the kind's own columns.
    page.goto(f"{site.url}/resources/flights.com/v1/flighttickets/?namespace={namespace}")
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name="spring", exact=True))
    for words in ("Seoul", "Monaco", "Rejected"):
        expect(row).to_contain_text(words)

    page.goto(detail)
    page.locator("#actions > summary").click()
    page.get_by_role("link", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator("#toasts")).to_contain_text("spring")
    with pytest.raises(NotFound):
        client.get(tickets, "spring", namespace)
