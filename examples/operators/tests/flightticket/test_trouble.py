"""Bad input and bad luck: the right status and message, nothing lost. All on a really started cluster."""

from typing import Any

import pytest

from examples.operators.tests.flightticket.clusters import Tickets
from examples.operators.tests.places import Operator, condition, phase


@pytest.mark.parametrize(
    ("spec", "field", "message"),
    [
        ({"number": 11}, "spec.number", "should be less than or equal to 10"),
        ({"number": 0}, "spec.number", "should be greater than or equal to 1"),
        ({"number": "two"}, "spec.number", 'must be of type integer: "string"'),
        ({"number": None}, "spec.number", "Required value"),
        ({"to": "Seoul"}, "spec.to", "to must differ from from"),
        ({"to": "X"}, "spec.to", "should be at least 2 chars long"),
        ({"from": " Seoul"}, "spec.from", "should match"),
        ({"class": "Roof"}, "spec.class", 'supported values: "Economy", "Business", "First"'),
        ({"note": "x" * 201}, "spec.note", "may not be more than 200"),
    ],
)
def test_the_api_server_refuses_at_the_field(
    installed: Tickets, spec: dict[str, Any], field: str, message: str
) -> None:
    answer = installed.ask("bad", **spec)
    assert answer.status == 422, answer.raw
    assert field in [cause[0] for cause in answer.causes]
    assert message in answer.message


REJECTED: dict[str, tuple[dict[str, Any], str, str]] = {
    "monaco": ({"to": "Monaco"}, "NoAirport", "Monaco has no airport; fly to Nice and take the train or the bus"),
    "vaduz": ({"from": "liechtenstein"}, "NoAirport", "liechtenstein has no airport; take the train or the bus"),
    "circle": ({"to": "SEOUL"}, "SamePlace", "Seoul and SEOUL are one place"),
    "crowd": ({"class": "First", "number": 5}, "NotEnoughSeats", "First has 4 seats; ask for fewer"),
}


def test_what_the_airline_rejects_has_its_reason_and_can_be_mended(installed: Tickets) -> None:
    for name, (spec, _, _) in REJECTED.items():
        installed.create(name, **spec)
    for name, (_, reason, message) in REJECTED.items():
        found = installed.rejected(name)
        booked = condition(found, "Booked")
        assert (booked["status"], booked["reason"]) == ("False", reason)
        assert booked["message"].startswith(message)
        assert installed.events(found["metadata"]["uid"], "Rejected")["Rejected"] == booked["message"]
        assert installed.change(name, **{"from": "Oslo", "to": "Lima", "number": 2}).status == 200
    for name in REJECTED:
        installed.booked(name)


def test_another_flight_of_a_booked_ticket_is_another_booking(installed: Tickets) -> None:
    """Where it goes, its number and its class may change; one that is rejected then has no reference any more."""
    changes: dict[str, dict[str, Any]] = {"there": {"to": "Porto"}, "more": {"number": 3}, "well": {"class": "First"}}
    for name in (*changes, "nowhere"):
        installed.create(name)
    before = {name: installed.booked(name)["status"]["bookingReference"] for name in (*changes, "nowhere")}
    for name, change in changes.items():
        assert installed.change(name, **change).status == 200
    installed.change("nowhere", to="Monaco")
    for name in changes:
        assert installed.booked(name)["status"]["bookingReference"] != before[name]
    installed.rejected("nowhere")


def test_where_a_booked_flight_begins_can_not_be_changed(installed: Tickets) -> None:
    installed.create("fixed")
    before = installed.booked("fixed")
    answer = installed.change("fixed", **{"from": "Busan"})
    assert answer.status == 422, answer.raw
    assert answer.causes[0][0] == "spec.from"
    assert "from can't be changed once the ticket is booked; delete the ticket and create another" in answer.message
    assert installed.get("fixed") == before


def test_labels_and_notes_are_no_other_booking(installed: Tickets) -> None:
    uid = installed.create("noted")["metadata"]["uid"]
    before = installed.booked("noted")["status"]
    path = f"{installed.home}/noted"
    assert installed.api.patch(path, {"metadata": {"labels": {"team": "sales"}}}).status == 200
    assert installed.change("noted", note="the aisle, please").status == 200
    with installed.api.watch(f"{installed.home}?watch=1&fieldSelector=metadata.name%3Dnoted") as watch:
        for event in watch:
            status = event["object"]["status"]
            assert (status["phase"], status["bookingReference"]) == ("Booked", before["bookingReference"])
            if status["observedGeneration"] == 2:
                break
    assert condition(event["object"], "Booked")["lastTransitionTime"] == before["conditions"][0]["lastTransitionTime"]
    assert set(installed.events(uid)) == {"Pending", "Booked"}


def test_a_change_while_it_is_pending(tickets: Tickets) -> None:
    """Nothing is booked yet, so everything may change, and only the last wish is booked."""
    tickets.create("hasty")
    tickets.pending("hasty")
    assert tickets.change("hasty", **{"from": "Busan", "number": 3}).status == 200
    found = tickets.booked("hasty")
    assert found["status"]["observedGeneration"] == 2
    assert condition(found, "Booked")["message"].startswith("3 seats from Busan")


def test_a_ticket_that_is_deleted_while_it_is_pending(tickets: Tickets, operator: Operator) -> None:
    """It is gone at once, nothing is booked for it, and its name is free: a new ticket of that name gets its own
    booking.
    """
    old = tickets.create("short")["metadata"]["uid"]
    tickets.pending("short")
    with operator.frozen():
        tickets.delete("short")
        assert tickets.api.get(f"{tickets.home}/short").status == 404
        new = tickets.create("short", to="Porto")["metadata"]["uid"]
    found = tickets.booked("short")
    assert (found["metadata"]["uid"], found["spec"]["to"]) == (new, "Porto")
    assert "Booked" in tickets.events(new, "Booked")
    assert set(tickets.events(old)) == {"Pending"}


@pytest.mark.parametrize("moment", ["", "Pending"])
def test_a_ticket_that_is_deleted_while_it_is_made_stays_away(tickets: Tickets, moment: str) -> None:
    tickets.create("away")
    if moment:
        tickets.asked("away")
    tickets.delete("away")
    tickets.create("marker", to="Oslo")
    tickets.booked("marker")
    assert tickets.api.get(f"{tickets.home}/away").status == 404
    tickets.delete("marker")


def test_one_name_in_two_namespaces_is_two_tickets(two: tuple[Tickets, Tickets], tickets: Tickets) -> None:
    first, second = two
    first.create("twin")
    second.create("twin")
    references = {place.booked("twin")["status"]["bookingReference"] for place in two}
    assert len(references) == 2
    first.delete("twin")
    assert phase("Booked")(second.get("twin"))


def test_forty_at_once_are_all_booked(tickets: Tickets) -> None:
    for number in range(40):
        tickets.create(f"crowd-{number}", number=1 + number % 10)
    references = {tickets.booked(f"crowd-{number}")["status"]["bookingReference"] for number in range(40)}
    assert len(references) == 40
    tickets.clear()
