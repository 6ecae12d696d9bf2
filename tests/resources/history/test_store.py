"""What is written of a change, and its bounds."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from kube.client import ClusterClient
from kube.discovery import ResourceType
from resources.history import store, stored_object
from resources.history.store import Event
from resources.models import Step, Traced

pytestmark = pytest.mark.django_db
TYPE = ResourceType(
    group="x.io",
    version="v1",
    plural="things",
    kind="Thing",
    namespaced=True,
    verbs=frozenset(("list", "watch", "get")),
)


class Recorded:
    """One object; a call records its next version."""

    def __init__(self, name: str = "a") -> None:
        self.version, self.seen, self.name = 0, {}, name
        self.objects: list[dict[str, Any]] = []

    def __call__(
        self, spec: Any, status: Any = None, *, kind: str = "MODIFIED", listed: bool = False, **metadata: Any
    ) -> int:
        self.version += 1
        meta = {"name": self.name, "namespace": "n", "uid": self.name, "resourceVersion": str(self.version), **metadata}
        obj: dict[str, Any] = {"apiVersion": "x.io/v1", "kind": "Thing", "metadata": meta, "spec": spec}
        if status is not None:
            obj["status"] = status
        self.objects.append(obj)
        return store.record(
            "c", TYPE, [Event("ADDED" if self.version == 1 and not listed else kind, obj, listed)], self.seen
        )

    @property
    def traced(self) -> Traced:
        return Traced.objects.get(cluster="c", uid=self.name)

    @property
    def steps(self) -> list[Step]:
        return list(self.traced.steps.order_by("pk"))


def past(traced: Traced) -> list[Any]:
    """Every version that can still be made, newest first."""
    obj = stored_object.unpacked(traced.head)
    found = [obj]
    for step in traced.steps.order_by("-pk"):
        if step.back:
            obj = stored_object.apply_steps(obj, stored_object.unpacked(step.back))
            found.append(obj)
    return found


def test_each_change_is_a_step_that_leads_back() -> None:
    recorded = Recorded()
    recorded({"size": 1, "list": [{"name": "a"}]})
    recorded({"size": 3, "list": [{"name": "a", "x": None}]})
    recorded({"size": 3, "list": []}, {"phase": "Creating"})
    recorded({"size": 3, "list": []}, {"phase": "Running"}, labels={"a": "b"})
    assert [(step.event, step.spec, step.meta, step.status) for step in recorded.steps] == [
        ("created", False, False, False),
        ("changed", True, False, False),
        ("changed", True, False, True),
        ("changed", False, True, True),
    ]
    assert [step.state for step in recorded.steps] == ["Unknown", "Unknown", "Progressing", "Ready"]
    assert recorded.steps[1].fields == [["spec.size", "1", "3"], ["spec.list[name=a].x", "", "null"]]
    assert past(recorded.traced) == [stored_object.clean(obj) for obj in reversed(recorded.objects)]
    assert recorded.traced.size == len(recorded.traced.head) + sum(len(step.back) for step in recorded.steps)


def test_the_same_twice_and_what_is_late_write_nothing() -> None:
    recorded = Recorded()
    recorded({"size": 1})
    recorded({"size": 2})
    again = [Event("MODIFIED", obj) for obj in recorded.objects]
    assert store.record("c", TYPE, again, {}) == 0, "another worker saw the same"
    assert recorded({"size": 2}) == 0, "only the version is new"
    assert len(recorded.steps) == 2


def test_an_operator_that_counts_is_one_step() -> None:
    recorded = Recorded()
    recorded({"size": 1}, {"phase": "Running", "done": 0})
    for number in range(1, 40):
        recorded({"size": 1}, {"phase": "Running", "done": number})
    last = recorded.steps[-1]
    assert len(recorded.steps) == 2
    assert (last.count, last.fields) == (39, [["status.done", "0", "39"]])
    recorded({"size": 1}, {"phase": "Failed", "done": 39})
    assert len(recorded.steps) == 3, "another state word is a step of its own"
    assert past(recorded.traced) == [stored_object.clean(recorded.objects[place]) for place in (40, 39, 0)]


def test_conditions_that_flap_are_all_there() -> None:
    recorded = Recorded()
    recorded({}, {"conditions": [{"type": "Ready", "status": "False", "reason": "A"}]})
    for status in ("True", "False", "True"):
        recorded({}, {"conditions": [{"type": "Ready", "status": status, "reason": "A"}]})
    assert [step.fields[0][2] for step in recorded.steps[1:]] == ["True (A)", "False (A)", "True (A)"]


def test_deleted_and_made_again_are_two() -> None:
    recorded, again = Recorded("a"), Recorded("b")
    recorded({"size": 1})
    recorded({"size": 1}, kind="DELETED")
    assert recorded.traced.deleted_at is not None
    assert [step.event for step in recorded.steps] == ["created", "deleted"]
    again({"size": 1})
    assert Traced.objects.count() == 2


def test_what_a_list_does_not_show_was_deleted_meanwhile() -> None:
    recorded, other = Recorded("a"), Recorded("b")
    recorded({"size": 1})
    other({"size": 1}, listed=True)
    assert other.steps[0].event == "seen"
    other({"size": 2}, listed=True)
    assert other.steps[1].gap
    assert store.gone("c", TYPE, {"b"}) == 1
    assert (recorded.steps[-1].event, recorded.steps[-1].gap) == ("deleted", True)
    assert store.gone("c", TYPE, {"b"}) == 0


def test_no_secrets_no_copies_no_locks() -> None:
    recorded = Recorded()
    for metadata in (
        {"labels": {"olm.copiedFrom": "x"}},
        {"annotations": {"control-plane.alpha.kubernetes.io/leader": "{}"}},
    ):
        assert recorded({"size": 1}, **metadata) == 0
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "uid": "s", "resourceVersion": "1"}}
    assert store.record("c", TYPE, [Event("ADDED", secret)], {}) == 0
    assert Traced.objects.count() == 0


def test_many_changes_keep_what_people_changed(settings: Any) -> None:
    settings.HISTORY_CHANGES = 30
    recorded = Recorded()
    recorded({"size": 1})
    recorded({"size": 2})
    for number in range(200):
        recorded(
            {"size": 2}, {"conditions": [{"type": "Ready", "status": "TrueFalse"[4 * (number % 2) :][:5].strip()}]}
        )
    found = recorded.steps
    assert len(found) <= 30
    assert [step.spec for step in found][:2] == [False, True], "its spec's change is still there"
    versions = past(recorded.traced)
    assert versions[-1] == stored_object.clean(recorded.objects[0]), "and every step still leads back"
    assert recorded.traced.size == len(recorded.traced.head) + sum(len(step.back) for step in found)


def test_spec_changes_have_a_bound_too(settings: Any) -> None:
    settings.HISTORY_CHANGES = 20
    recorded = Recorded()
    for number in range(60):
        recorded({"size": number})
    assert 18 <= len(recorded.steps) <= 20
    assert past(recorded.traced)[-1]["spec"]["size"] >= 60 - 20


def test_by_age_and_by_size(settings: Any) -> None:
    recorded, other = Recorded("a"), Recorded("b")
    for number in range(10):
        recorded({"text": "x" * 100 * number})
        other({"text": "y" * 100 * number})
    old = timezone.now() - timedelta(days=31)
    Step.objects.filter(pk__in=[step.pk for step in recorded.steps[:4]]).update(at=old, until=old)
    assert store.prune() == 4
    assert len(recorded.steps) == 6
    assert len(past(recorded.traced)) == 6
    other({}, kind="DELETED")
    Traced.objects.filter(uid="b").update(deleted_at=old)
    store.prune()
    assert [traced.uid for traced in Traced.objects.all()] == ["a"]
    settings.HISTORY_MEGABYTES = 0
    store.prune()
    assert store.stored_bytes() == 0


def test_large_objects(client: ClusterClient) -> None:
    recorded = Recorded()
    items = [{"name": f"item-{number}", "text": "words " * 20} for number in range(10_000)]
    recorded({"items": items})
    for number in range(5):
        items = [*items[:500], {"name": "item-500", "text": f"changed {number}"}, *items[501:]]
        recorded({"items": items})
    assert all(len(step.back) < 300 for step in recorded.steps), "one item of ten thousand is a small step"
    assert recorded.steps[-1].fields == [["spec.items[name=item-500].text", "changed 3", "changed 4"]]
    assert past(recorded.traced)[-1] == stored_object.clean(recorded.objects[0])
