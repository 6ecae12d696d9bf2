"""OLM: operators that can not be in one namespace"""

from .observations import Seen
from .olm import Olm, told_in_order

POTS = "conformance-pots"


def test_one_failure_stops_the_namespace(seen: Seen, olm: Olm) -> None:
    """One Subscription that can not be satisfied keeps the others of its namespace from being installed"""
    olm.group()
    olm.subscribe("conformance-spoons", "kind")
    olm.failed("conformance-spoons")
    olm.subscribe(POTS)
    found = olm.failed(POTS)
    found["message"] = told_in_order(found["message"])
    seen.value("of the other one", found)
    assert olm.api.get(olm.path("clusterserviceversions")).json["items"] == []


def test_two_owners_of_a_kind(seen: Seen, olm: Olm) -> None:
    """Two operators that own the same kind can not be in one namespace"""
    olm.group()
    olm.install(POTS, f"{POTS}.v1.2.0")
    olm.subscribe("conformance-mugs")
    found = olm.failed("conformance-mugs")
    seen.value("reason", found["reason"])
    assert "provide Pot (tea.conformance.example/v1)" in found["message"]


def test_two_subscriptions_of_a_package(seen: Seen, olm: Olm) -> None:
    """A package can be subscribed to once in a namespace"""
    olm.group()
    olm.subscribe("conformance-mugs", name="one")
    olm.csv("conformance-mugs.v1.0.0", "Succeeded")
    olm.subscribe("conformance-mugs", name="two")
    found = olm.failed("two")
    seen.value("condition", {**found, "message": told_in_order(found["message"])})


def test_a_csv_without_a_subscription(seen: Seen, olm: Olm) -> None:
    """A CSV that is there already and that no Subscription follows is in the way of one"""
    olm.group()
    olm.install(POTS, f"{POTS}.v1.2.0")
    olm.api.delete(olm.path("subscriptions", POTS))
    olm.subscribe(POTS, channel="range")
    found = olm.failed(POTS)
    seen.value("condition", {**found, "message": told_in_order(found["message"])})
