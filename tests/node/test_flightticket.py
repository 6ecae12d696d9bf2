"""R4: FlightTicket from OperatorHub, its controller in a container: eleven seats are refused at the field, in the form
and by the API server, and a ticket is booked under an open page.
"""

import re
import time

import pytest
import yaml
from playwright.sync_api import Page, expect

from tests.e2e.steps import SLOW, field
from tests.e2e.test_form_yaml import put
from tests.eventually import until
from tests.node.conftest import Site, install_timed, picture
from tools.realcluster.process import PartFailed
from tools.realnode.__main__ import print_progress

pytestmark = [pytest.mark.timeout(1800), pytest.mark.usefixtures("namespace")]
NAMESPACE = "flights"
IMAGE = "operator-console.dev/flightticket-operator:1.1.0"


def test_it_is_installed_and_its_controller_is_a_container(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/operatorhub/")
    install_timed(page, "flightticket", "FlightTicket", NAMESPACE)
    (container,) = site.containers(NAMESPACE, "app.kubernetes.io/name=flightticket-operator")
    assert container["image"] == IMAGE
    assert container["imageID"].startswith("operator-console.dev/flightticket-operator@sha256:")
    assert container["ready"] is True


def test_eleven_seats_are_refused_at_the_field_and_a_ticket_is_booked(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/resources/flights.com/v1/flighttickets/new/?namespace={NAMESPACE}")
    field(page, "Name").fill("spring")
    # The browser knows the limit of the schema, and the console doesn't ask the API server.
    number = field(page, "Number")
    number.fill("11")
    assert number.evaluate("input => input.validity.rangeOverflow") is True
    _refused(page, "Number", "Must be at most 10")
    picture(page, "real-node-flightticket-refused")
    # The API server's words, at the field that its rule names.
    number.fill("10")
    field(page, "To").fill("Seoul")
    _refused(page, "To", "to must differ from from")
    field(page, "To").fill("Lisbon")
    started = time.monotonic()
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_role("table", name="Conditions")).to_contain_text("SeatsReserved", timeout=SLOW)
    print_progress(f"FlightTicket: booked {time.monotonic() - started:.1f} s after Create")
    ticket = site.get("-n", NAMESPACE, "ft", "spring")
    assert ticket["spec"]["number"] == 10
    expect(page.locator("#object")).to_contain_text(ticket["status"]["bookingReference"])
    picture(page, "real-node-flightticket")


def test_eleven_seats_are_refused_by_the_api_server(site: Site, page: Page) -> None:
    """It answers kubectl, and the console's import, which has no form in front of it."""
    ticket = {
        "apiVersion": "flights.com/v1",
        "kind": "FlightTicket",
        "metadata": {"name": "autumn", "namespace": NAMESPACE},
        "spec": {"from": "Seoul", "to": "Lisbon", "number": 11},
    }
    with pytest.raises(PartFailed, match=r"spec\.number in body should be less than or equal to 10"):
        site.apply(ticket)
    page.goto(f"{site.url}/resources/import/?namespace={NAMESPACE}")
    put(page, yaml.safe_dump(ticket))
    page.get_by_role("button", name="Import", exact=True).click()
    result = page.get_by_role("table", name="Result", exact=True)
    expect(result).to_contain_text("spec.number", timeout=SLOW)
    expect(result).to_contain_text("should be less than or equal to 10")


def test_a_ticket_that_is_deleted_is_gone(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/resources/flights.com/v1/flighttickets/{NAMESPACE}/spring/")
    page.locator("#actions > summary").click()
    page.get_by_role("link", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page).to_have_url(re.compile("/flighttickets/"))
    until(lambda: not site.names(NAMESPACE, "flighttickets"), "the ticket is gone")


def _refused(page: Page, label: str, words: str) -> None:
    page.get_by_role("button", name="Create", exact=True).click()
    wrong = field(page, label)
    expect(wrong).to_have_attribute("aria-invalid", "true", timeout=SLOW)
    described = wrong.get_attribute("aria-describedby") or ""
    assert words in " ".join(page.locator(f"[id='{name}']").inner_text() for name in described.split())
