"""What happens to a ticket next, from the ticket alone. Pure functions: they can be tested without a cluster.

Everything that is known stands in the object. So it does not matter how often, or after which restart, the question is asked.
"""

from __future__ import annotations

import hashlib
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
#: Of a booking reference: no 0 and O, no 1 and I.
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def next_status(ticket: Ticket) -> Object | None:
    """The status that comes next, as a merge patch; None when nothing is left to do for this spec."""
    meta, status = ticket["metadata"], ticket.get("status") or {}
    generation = meta.get("generation", 1)
    phase = status.get("phase") if status.get("observedGeneration") == generation else None
    if phase in ("Booked", "Rejected"):
        return None
    spec = ticket["spec"]
    route = f"{_seats(spec['number'])} from {spec['from']} to {spec['to']}"
    reference: str | None = None
    if phase is None:
        facts = ("Pending", "Unknown", "Asking", f"asking for {route}")
    elif problem := refusal(spec):
        facts = ("Rejected", "False", "NoAirport", problem)
    else:
        reference = reference_of(meta["uid"], generation)
        facts = ("Booked", "True", "SeatsReserved", f"{route}: booked as {reference}")
    word, value, reason, message = facts
    return {
        "phase": word,
        "observedGeneration": generation,
        "bookingReference": reference,
        "conditions": [_condition(status, generation, value, reason, message)],
    }


def refusal(spec: Ticket) -> str:
    """Why this flight can't be booked; empty when it can."""
    place = str(spec["to"])
    airport = WITHOUT_AIRPORT.get(" ".join(place.lower().split()))
    return f"{place} has no airport; fly to {airport} and take the train or the bus" if airport else ""


def reference_of(uid: str, generation: int) -> str:
    """Six letters that are the same whenever the same ticket, with the same spec, is booked."""
    digest = hashlib.sha256(f"{uid}/{generation}".encode()).digest()
    return "".join(LETTERS[byte % len(LETTERS)] for byte in digest[:6])


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
