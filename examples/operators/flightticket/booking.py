"""What happens to a ticket next, from the ticket alone. Pure functions: they can be tested without a cluster.

Everything that is known stands in the object. So it does not matter how often, or after which restart, the question is
asked.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from typing import Any

Object = dict[str, Any]
Ticket = Mapping[str, Any]

#: Places that no airline flies to, and the airport to take instead.
WITHOUT_AIRPORT = {
    "andorra": "Barcelona",
    "liechtenstein": "Zurich",
    "monaco": "Nice",
    "san marino": "Rimini",
    "vatican city": "Rome",
}
#: Seats of a class that has fewer than one may ask for.
SEATS = {"First": 4}
#: Of a booking reference: no 0 and O, no 1 and I.
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def next_status(ticket: Ticket) -> Object | None:
    """The status that comes next, as a merge patch; None when nothing is left to do for this spec."""
    meta, status, spec = ticket["metadata"], ticket.get("status") or {}, ticket["spec"]
    generation = meta.get("generation", 1)
    phase = status.get("phase") if status.get("observedGeneration") == generation else None
    if phase in ("Booked", "Rejected"):
        return None
    route = f"{_seats(spec['number'])} from {spec['from']} to {spec['to']}"
    reference: str | None = reference_of(meta["uid"], spec)
    booked = ("Booked", "True", "SeatsReserved", f"{route}: booked as {reference}")
    if phase is None and (status.get("phase"), status.get("bookingReference")) == ("Booked", reference):
        # It is the flight that was booked already: what has changed the airline does not read.
        word, value, reason, message = booked
    elif phase is None:
        word, value, reason, message = "Pending", "Unknown", "Asking", f"asking for {route}"
    elif problem := refusal(spec):
        word, value, (reason, message) = "Rejected", "False", problem
    else:
        word, value, reason, message = booked
    return {
        "phase": word,
        "observedGeneration": generation,
        "bookingReference": reference if word == "Booked" else None,
        "conditions": [_condition(status, generation, value, reason, message)],
    }


def refusal(spec: Ticket) -> tuple[str, str] | None:
    """Why this flight can't be booked, in a word and in a sentence; None when it can."""
    begin, end, seats = str(spec["from"]), str(spec["to"]), SEATS.get(spec.get("class", ""), 10)
    if _known(begin) == _known(end):
        return "SamePlace", f"{begin} and {end} are one place; a flight goes somewhere else"
    if airport := WITHOUT_AIRPORT.get(_known(end)):
        return "NoAirport", f"{end} has no airport; fly to {airport} and take the train or the bus"
    if airport := WITHOUT_AIRPORT.get(_known(begin)):
        return "NoAirport", f"{begin} has no airport; take the train or the bus to {airport} and fly from there"
    if spec["number"] > seats:
        return "NotEnoughSeats", f"{spec['class']} has {seats} seats; ask for fewer, or for another class"
    return None


def reference_of(uid: str, spec: Ticket) -> str:
    """Six letters that are the same whenever the same flight is booked for the same ticket."""
    flight = [uid, spec["from"], spec["to"], spec["number"], spec.get("class", "")]
    digest = hashlib.sha256(json.dumps(flight).encode()).digest()
    return "".join(LETTERS[byte % len(LETTERS)] for byte in digest[:6])


def _known(place: str) -> str:
    """A place as the airline knows it, however it is written."""
    return " ".join(place.lower().split())


def _seats(number: int) -> str:
    return "1 seat" if number == 1 else f"{number} seats"


def _condition(status: Ticket, generation: int, value: str, reason: str, message: str) -> Object:
    """The condition Booked; its time changes only when its status does."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    for old in status.get("conditions") or []:
        if (old["type"], old["status"]) == ("Booked", value):
            moment = old["lastTransitionTime"]
    return {
        "type": "Booked",
        "status": value,
        "observedGeneration": generation,
        "lastTransitionTime": moment,
        "reason": reason,
        "message": message,
    }
