"""O5: what the history says to whom, and how long an object has been in a state."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from console.web import access
from kube.discovery import ResourceType
from resources.history import recording_status
from resources.history.strip import strip
from resources.models import Followed, Step, Traced
from resources.place import Place

pytestmark = pytest.mark.django_db
TYPE = ResourceType(
    group="x.example.com",
    version="v1",
    plural="things",
    kind="Thing",
    namespaced=True,
    verbs=frozenset(("list", "watch", "get")),
)


class Cluster:
    """`everywhere`: whether its user may list the kind in all namespaces."""

    name = host = "c"

    def __init__(self, everywhere: bool) -> None:
        self.everywhere = everywhere
        self.who = f"user {everywhere}"

    def review(self, _verb: str, _type: ResourceType, namespace: str = "", *_more: Any) -> Any:
        return type("Access", (), {"allowed": bool(namespace) or self.everywhere, "reason": ""})()


@pytest.mark.parametrize("everywhere", [True, False])
def test_o5_counts_and_settings_are_for_who_sees_all(everywhere: bool) -> None:
    """O5: a reader of one namespace learns nothing of the others, nor how the console is set up."""
    access._review.cache_clear()
    Followed.objects.create(cluster="c", type=TYPE.qualified, too_many=4711)
    found = recording_status.recording(Cluster(everywhere), Place(TYPE, "shop", "web"))  # type: ignore[arg-type]
    assert not found.on and found.why
    assert ("4711" in found.why, "HISTORY" in found.why) == (everywhere, everywhere)


@pytest.mark.parametrize("everywhere", [True, False])
def test_o5_what_a_database_said_is_for_who_sees_all(everywhere: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """O5: the same for the recorder's own trouble."""
    access._review.cache_clear()
    writer = type("Writer", (), {"problem": "disk /srv/data is full"})()
    monkeypatch.setattr(recording_status, "lease_holder", lambda _cluster: writer)
    found = recording_status.recording(Cluster(everywhere), Place(TYPE, "shop", "web"))  # type: ignore[arg-type]
    assert ("/srv/data" in found.why) is everywhere


def test_o5_a_young_object_has_no_time_before_it_was_made() -> None:
    """O5: nine seconds are nine seconds."""
    began = timezone.now() - timedelta(seconds=9)
    parts = {"version": "v1", "plural": "things", "kind": "Thing", "name": "web", "resource_version": "1", "head": b""}
    traced = Traced.objects.create(cluster="c", uid="u", began_at=began, **parts)
    Step.objects.create(traced=traced, event=Step.CREATED, resource_version="1", at=began, until=began, state="Unknown")
    found = strip(traced)
    assert found.begin is not None and found.end is not None
    assert found.begin == began and (found.end - found.begin).total_seconds() < 60
    assert found.bars[0].begin == began
