"""What happens to a ticket next: a pure function of the ticket."""

from typing import Any

import pytest

from operators.flightticket.booking import LETTERS, next_status, reference_of, refusal


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


@pytest.mark.parametrize("place", ["Monaco", "monaco", " VATICAN   City "])
def test_a_place_without_an_airport_is_refused(place: str) -> None:
    refused = following(ticket(following(ticket(to=place)), to=place))
    assert (refused["phase"], refused["bookingReference"]) == ("Rejected", None)
    (condition,) = refused["conditions"]
    assert (condition["status"], condition["reason"]) == ("False", "NoAirport")
    assert condition["message"] == refusal({"to": place}) != ""
    assert next_status(ticket(refused, to=place)) is None


def test_a_changed_spec_is_asked_for_again() -> None:
    booked = following(ticket(following(ticket())))
    again = following(ticket(booked, generation=2, to="Porto"))
    assert (again["phase"], again["observedGeneration"], again["bookingReference"]) == ("Pending", 2, None)


def test_the_condition_keeps_its_time_while_it_says_the_same() -> None:
    old = {"type": "Booked", "status": "Unknown", "lastTransitionTime": "2026-01-01T00:00:00Z"}
    same = following(ticket({"conditions": [old]}))
    assert same["conditions"][0]["lastTransitionTime"] == "2026-01-01T00:00:00Z"
    other = following(ticket({"phase": "Pending", "observedGeneration": 1, "conditions": [old]}))
    assert other["conditions"][0]["lastTransitionTime"] > "2026-01-01T00:00:00Z"


def test_a_reference_belongs_to_a_ticket_and_its_spec() -> None:
    assert reference_of("a", 1) == reference_of("a", 1)
    assert len({reference_of("a", 1), reference_of("a", 2), reference_of("b", 1)}) == 3
    assert len(reference_of("a", 1)) == 6
    assert set(reference_of("a", 1)) <= set(LETTERS)
