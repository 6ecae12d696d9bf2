"""Annotations that hold a copy of the object: which those are, and where they must not go along."""

import pytest

from kube.objects import is_last_applied, without_last_applied
from operatorhub.exports.folder import export_object
from resources.history import stored_object, writes
from resources.writing.examples import as_new

COPIES = {
    "kubectl.kubernetes.io/last-applied-configuration": "{}",
    "kopf.zalando.org/last-handled-configuration": "{}",
    "flights.com/last-handled": "{}",
    "banzaicloud.com/last-applied": "UEs=",
    "objectset.rio.cattle.io/applied": "H4s=",
}
TICKET = {
    "apiVersion": "flights.com/v1",
    "kind": "FlightTicket",
    "metadata": {"name": "family", "annotations": {**COPIES, "team": "shop"}},
    "spec": {"to": "Lisbon"},
}


def test_which_they_are() -> None:
    assert all(is_last_applied(key) for key in COPIES)
    assert not any(is_last_applied(key) for key in ("team", "example.com/applied", "example.com/last-handled-by", ""))


@pytest.mark.parametrize("odd", [None, [], "text", 3])
def test_what_is_no_mapping(odd: object) -> None:
    assert without_last_applied(odd) == {}


@pytest.mark.parametrize("made", [as_new, export_object, stored_object.clean, writes.recreated])
def test_another_object_does_not_get_them(made) -> None:
    assert made(TICKET)["metadata"]["annotations"] == {"team": "shop"}


def test_an_older_version_comes_without_its_own() -> None:
    """kopf compares its copy with the object: with the old copy it would take the old version for one that it has
    seen to.
    """
    now = {"flights.com/last-handled": '{"to": "Porto"}', "team": "kitchen"}
    live = {**TICKET, "metadata": {"name": "family", "annotations": now}, "spec": {"to": "Porto"}}
    made = writes.reverted(TICKET, live)
    assert made["metadata"]["annotations"] == {"flights.com/last-handled": '{"to": "Porto"}', "team": "shop"}
    assert made["spec"] == {"to": "Lisbon"}
