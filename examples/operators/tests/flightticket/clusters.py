"""A cluster with FlightTickets in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from examples.operators.flightticket.booking import reference_of
from examples.operators.flightticket.operator import GROUP
from examples.operators.tests import places
from examples.operators.tests.places import Object, Place, phase
from tests.api import Answer, Api


class Tickets(Place):
    """The FlightTickets of one namespace."""

    group, kind, plural = GROUP, "FlightTicket", "flighttickets"

    def ask(self, name: str, **spec: Any) -> Answer:
        return super().ask(name, **{"from": "Seoul", "to": "Lisbon", "number": 2, **spec})

    def pending(self, name: str) -> Object:
        return self.until(name, phase("Pending"))

    def asked(self, name: str) -> Object:
        """The ticket once the operator has begun: on a slow machine it may be further than Pending when one looks."""
        return self.until(name, phase("Pending", "Booked", "Rejected"))

    def booked(self, name: str) -> Object:
        """The ticket, with the reference that belongs to it."""
        found = self.until(name, phase("Booked"))
        assert found["status"]["bookingReference"] == reference_of(found["metadata"]["uid"], found["spec"])
        return found

    def rejected(self, name: str) -> Object:
        found = self.until(name, phase("Rejected"))
        assert "bookingReference" not in found["status"]
        return found


@contextmanager
def namespace(api: Api, prefix: str) -> Iterator[Tickets]:
    """A namespace of its own."""
    with places.namespace(api, prefix) as name:
        yield Tickets(api, name)
