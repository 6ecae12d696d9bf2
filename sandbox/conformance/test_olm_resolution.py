"""OLM: what a Subscription asks for and can not have"""

import pytest

from .observations import Seen
from .olm import Olm, condition, told_in_order

POTS = "conformance-pots"
REQUESTS = {
    "no such package": {"package": "conformance-nothing"},
    "no such channel": {"package": POTS, "channel": "slow"},
    "no such startingCSV": {"package": POTS, "startingCSV": f"{POTS}.v9.9.9"},
    "startingCSV of another channel": {"package": POTS, "channel": "range", "startingCSV": f"{POTS}.v1.0.0"},
    "no such catalog": {"package": POTS, "source": "nowhere"},
    "no such namespace": {"package": POTS, "sourceNamespace": "nowhere"},
    "a kind that nobody offers": {"package": "conformance-spoons", "channel": "kind"},
    "a package that nobody offers": {"package": "conformance-spoons", "channel": "package"},
    "a version that nobody offers": {"package": "conformance-spoons", "channel": "range"},
}


@pytest.mark.parametrize("what", REQUESTS)
def test_what_can_not_be(seen: Seen, olm: Olm, what: str) -> None:
    """A Subscription that can not be satisfied says why"""
    olm.group()
    olm.subscribe(**REQUESTS[what])
    found = olm.failed(REQUESTS[what]["package"])
    found["message"] = told_in_order(found["message"])
    seen.value("condition", found)


def test_no_operator_group(seen: Seen, olm: Olm) -> None:
    """Without an OperatorGroup nothing is resolved, and nothing is reported"""
    olm.subscribe(POTS)
    status = olm.subscription(POTS, lambda status: condition(status, "CatalogSourcesUnhealthy"))["status"]
    seen.value("status", status, without=["catalogHealth", "conditions"])
    assert not condition(status, "ResolutionFailed")
    assert olm.api.get(olm.path("installplans")).json["items"] == []
