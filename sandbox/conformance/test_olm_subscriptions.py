"""OLM: Subscriptions, their fields and their conditions"""

from tests.api import Api

from .observations import Seen
from .olm import Olm, condition, told_in_order

POTS = "conformance-pots"


def test_validation(seen: Seen, api: Api, olm: Olm) -> None:
    """What a Subscription must have is checked"""
    whole = {"name": POTS, "source": olm.catalog, "sourceNamespace": "olm"}
    for missing in whole:
        spec = {key: value for key, value in whole.items() if key != missing}
        seen(f"no {missing}", olm.make("subscriptions", "bad", spec))
    seen("a number", olm.make("subscriptions", "bad", {**whole, "channel": 7}))
    unknown = olm.make("subscriptions", "odd", {**whole, "name": "conformance-nothing", "colour": "red"})
    seen("what it does not know", unknown, only=["spec"])
    body = {"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription", "metadata": {"name": "bad"}}
    seen("no spec", api.post(olm.path("subscriptions"), body))


def test_a_failure_that_is_mended(seen: Seen, olm: Olm) -> None:
    """When the Subscription is corrected, the failure goes and the operator is installed"""
    olm.group()
    olm.subscribe(POTS, channel="slow")
    olm.failed(POTS)
    olm.api.patch(olm.path("subscriptions", POTS), {"spec": {"channel": "stable"}})
    olm.csv(f"{POTS}.v1.2.0", "Succeeded")
    found = olm.settled(POTS, f"{POTS}.v1.2.0")
    seen.value("condition", condition(found["status"], "ResolutionFailed"))


def test_deprecations(seen: Seen, olm: Olm) -> None:
    """A Subscription to what is deprecated says so in conditions of its own"""
    olm.group()
    olm.subscribe("conformance-antiques", "old")
    olm.csv("conformance-antiques.v1.0.0", "Succeeded")
    words = ("PackageDeprecated", "ChannelDeprecated", "BundleDeprecated", "Deprecated")
    found = olm.subscription("conformance-antiques", lambda status: condition(status, "BundleDeprecated"))["status"]
    for word in words:
        seen.value(word, condition(found, word))


def test_deprecations_without_a_channel(seen: Seen, olm: Olm) -> None:
    """A Subscription without a channel reports a deprecated package and version, and no channel"""
    olm.group()
    olm.subscribe("conformance-antiques", "", startingCSV="conformance-antiques.v1.0.0")
    olm.csv("conformance-antiques.v1.0.0", "Succeeded")
    words = ("PackageDeprecated", "ChannelDeprecated", "BundleDeprecated", "Deprecated")
    found = olm.subscription("conformance-antiques", lambda status: condition(status, "BundleDeprecated"))["status"]
    for word in words:
        seen.value(word, condition(found, word))


def test_a_starting_csv_that_no_channel_has(seen: Seen, olm: Olm) -> None:
    """Without a channel, a startingCSV that does not exist is reported in OLM's words"""
    olm.group()
    olm.subscribe(POTS, "", startingCSV=f"{POTS}.v9.0.0")
    seen.value("message", told_in_order(olm.failed(POTS)["message"]))
