"""What happens to a ticket next: a pure function of the ticket."""

from typing import Any

import pytest

from examples.operators.flightticket.booking import LETTERS, next_status, reference_of, refusal


def ticket(status: dict[str, Any] | None = None, generation: int = 1, **spec: Any) -> dict[str, Any]:
    made = {
        "metadata": {"uid": "3f1c", "generation": generation},
        "spec": {"from": "Seoul", "to": "Lisbon", "number": 2, **spec},
    }
    return {**made, "status": status} if status is not None else made


def following(found: dict[str, Any]) -> dict[str, Any]:
    status = next_status(found)
    assert status is not None
    return status


@pytest.mark.parametrize("status", [None, {}, {"phase": "Booked"}, {"phase": "Booked", "observedGeneration": 0}])
def test_a_spec_that_nobody_looked_at_is_pending(status: dict[str, Any] | None) -> None:
    made = following(ticket(status))
    assert (made["phase"], made["observedGeneration"], made["bookingReference"]) == ("Pending", 1, None)
    (condition,) = made["conditions"]
    assert (condition["type"], condition["status"], condition["reason"]) == ("Booked", "Unknown", "Asking")
    assert condition["message"] == "asking for 2 seats from Seoul to Lisbon"


def test_pending_becomes_booked_and_then_rests() -> None:
    pending = following(ticket(number=1))
    booked = following(ticket(pending, number=1))
    assert (booked["phase"], booked["conditions"][0]["status"]) == ("Booked", "True")
    assert booked["conditions"][0]["message"] == f"1 seat from Seoul to Lisbon: booked as {booked['bookingReference']}"
    assert next_status(ticket(booked, number=1)) is None


@pytest.mark.parametrize(
    ("spec", "reason", "message"),
    [
        ({"to": "Monaco"}, "NoAirport", "Monaco has no airport; fly to Nice and take the train or the bus"),
        (
            {"to": " VATICAN   City "},
            "NoAirport",
            " VATICAN   City  has no airport; fly to Rome and take the train or the bus",
        ),
        (
            {"from": "andorra"},
            "NoAirport",
            "andorra has no airport; take the train or the bus to Barcelona and fly from there",
        ),
        ({"to": "seoul"}, "SamePlace", "Seoul and seoul are one place; a flight goes somewhere else"),
        ({"to": "Nice", "from": "nice"}, "SamePlace", "nice and Nice are one place; a flight goes somewhere else"),
        (
            {"number": 5, "class": "First"},
            "NotEnoughSeats",
            "First has 4 seats; ask for fewer, or for another class",
        ),
    ],
)
def test_what_is_rejected(spec: dict[str, Any], reason: str, message: str) -> None:
    rejected = following(ticket(following(ticket(**spec)), **spec))
    assert (rejected["phase"], rejected["bookingReference"]) == ("Rejected", None)
    (condition,) = rejected["conditions"]
    assert (condition["status"], condition["reason"], condition["message"]) == ("False", reason, message)
    assert next_status(ticket(rejected, **spec)) is None


@pytest.mark.parametrize("spec", [{"number": 4, "class": "First"}, {"number": 10, "class": "Business"}, {"number": 10}])
def test_what_is_not_rejected(spec: dict[str, Any]) -> None:
    assert refusal(ticket(**spec)["spec"]) is None


def test_another_flight_is_asked_for_again() -> None:
    booked = following(ticket(following(ticket())))
    for change in ({"to": "Porto"}, {"number": 3}, {"class": "First"}):
        again = following(ticket(booked, generation=2, **change))
        assert (again["phase"], again["observedGeneration"], again["bookingReference"]) == ("Pending", 2, None)


def test_what_the_airline_does_not_read_is_no_other_booking() -> None:
    booked = following(ticket(following(ticket())))
    noted = following(ticket(booked, generation=2, note="the aisle, please"))
    assert (noted["phase"], noted["bookingReference"]) == ("Booked", booked["bookingReference"])
    assert noted["observedGeneration"] == noted["conditions"][0]["observedGeneration"] == 2
    assert next_status(ticket(noted, generation=2, note="the aisle, please")) is None


def test_what_somebody_else_had_booked_is_not_believed() -> None:
    """A status of another ticket, of an earlier generation: its reference is not this one's."""
    booked = following(ticket(following(ticket())))
    other = ticket({**booked, "bookingReference": "AAAAAA"}, generation=2)
    assert following(other)["phase"] == "Pending"


def test_the_condition_keeps_its_time_while_it_says_the_same() -> None:
    old = {"type": "Booked", "status": "Unknown", "lastTransitionTime": "2026-01-01T00:00:00Z"}
    same = following(ticket({"conditions": [old]}))
    assert same["conditions"][0]["lastTransitionTime"] == "2026-01-01T00:00:00Z"
    other = following(ticket({"phase": "Pending", "observedGeneration": 1, "conditions": [old]}))
    assert other["conditions"][0]["lastTransitionTime"] > "2026-01-01T00:00:00Z"


def test_a_reference_belongs_to_a_ticket_and_its_flight() -> None:
    flight, other = ticket()["spec"], ticket(to="Porto")["spec"]
    assert reference_of("a", flight) == reference_of("a", {**flight, "note": "mine"})
    assert len({reference_of("a", flight), reference_of("a", other), reference_of("b", flight)}) == 3
    assert len(reference_of("a", flight)) == 6
    assert set(reference_of("a", flight)) <= set(LETTERS)
