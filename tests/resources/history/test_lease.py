"""One writer at a time, whatever the clocks of the hosts say; and what a page says of a kind beyond the limit."""

from datetime import timedelta

import pytest
from django.utils import timezone

from kube.client import ClusterClient
from resources.history import recording_status
from resources.place import Place
from tests.eventually import until

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def skewed(monkeypatch: pytest.MonkeyPatch) -> None:
    """This host's clock is an hour ahead of the database's."""
    ahead = timezone.now
    monkeypatch.setattr(timezone, "now", lambda: ahead() + timedelta(hours=1))


def test_a_host_whose_clock_is_ahead_takes_nothing_away() -> None:
    assert recording_status.hold_lease("c", "one", "")
    assert not recording_status.hold_lease("c", "two", "")
    assert recording_status.hold_lease("c", "one", "")
    found = recording_status.lease_holder("c")
    assert found is not None and found.holder == "one"
    assert recording_status.hold_lease("other", "two", "")


def test_who_says_nothing_for_long_is_succeeded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording_status, "LEASE_SECONDS", 0.2)
    assert recording_status.hold_lease("c", "one", "")
    until(lambda: recording_status.hold_lease("c", "two", ""), seconds=30)
    monkeypatch.setattr(recording_status, "LEASE_SECONDS", 15.0)
    assert recording_status.hold_lease("c", "two", "nothing works")
    found = recording_status.lease_holder("c")
    assert found is not None and (found.holder, found.problem) == ("two", "nothing works")
    assert not recording_status.hold_lease("c", "one", "")


def test_who_leaves_is_succeeded_at_once() -> None:
    assert recording_status.hold_lease("c", "one", "")
    recording_status.leave_lease("c", "two")
    assert not recording_status.hold_lease("c", "two", "")
    recording_status.leave_lease("c", "one")
    assert recording_status.lease_holder("c") is None
    assert recording_status.hold_lease("c", "two", "")


def test_a_kind_beyond_the_limit_says_so(client: ClusterClient, monkeypatch: pytest.MonkeyPatch) -> None:
    maps = client.find("", "v1", "configmaps")
    assert recording_status.hold_lease(client.name, "one", "")
    assert recording_status.recording(client, Place(maps, "default", "a")).why == ""
    monkeypatch.setattr(recording_status, "MAX_RECORDED_TYPES", 0)
    assert recording_status.recorded_types(client) == ()
    assert (
        "History is recorded for at most 0 resource types"
        in recording_status.recording(client, Place(maps, "default", "a")).why
    )
    secrets = client.find("", "v1", "secrets")
    assert recording_status.recording(client, Place(secrets, "default", "a")).why == ""
