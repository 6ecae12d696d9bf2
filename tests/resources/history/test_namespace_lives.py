"""S9: a namespace that was deleted and made again under the same name is another's: its former objects are not
shown.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from kube.discovery import ResourceType
from kube.errors import Forbidden, KubeError, NotFound
from resources.history import store, timeline
from resources.history.store import Event
from resources.history.timeline import NamespaceUids
from resources.models import Step, Traced
from resources.place import Place

pytestmark = pytest.mark.django_db
VERBS = frozenset(("list", "watch", "get"))
TYPE = ResourceType(group="x.io", version="v1", plural="things", kind="Thing", namespaced=True, verbs=VERBS)
NAMESPACES = ResourceType(group="", version="v1", plural="namespaces", kind="Namespace", namespaced=False, verbs=VERBS)
BEGAN = datetime(2026, 11, 1, tzinfo=UTC)


class Cluster:
    """What an API server would say of namespaces and things. `answer`: an error instead of the namespace."""

    name = host = who = owner = "c"

    def __init__(self) -> None:
        self.objects: dict[tuple[str, str], dict[str, Any]] = {}
        self.answer: KubeError | None = None
        self.reads = 0

    def find(self, _group: str, _version: str, plural: str) -> ResourceType:
        return NAMESPACES if plural == "namespaces" else TYPE

    def get(self, type_: ResourceType, name: str, _namespace: str = "") -> dict[str, Any]:
        self.reads += type_ is NAMESPACES
        if type_ is NAMESPACES and self.answer:
            raise self.answer
        if (type_.plural, name) not in self.objects:
            raise NotFound(name)
        return self.objects[type_.plural, name]

    def review(self, *_about: Any) -> Any:
        return type("Access", (), {"allowed": True, "reason": ""})()

    def put(self, type_: ResourceType, name: str, uid: str, minute: int) -> dict[str, Any]:
        created = (BEGAN + timedelta(minutes=minute)).strftime("%Y-%m-%dT%H:%M:%SZ")
        metadata = {"name": name, "uid": uid, "creationTimestamp": created, "resourceVersion": str(minute)}
        if type_.namespaced:
            metadata["namespace"] = "shop"
        obj = {"apiVersion": type_.api_version, "kind": type_.kind, "metadata": metadata, "spec": {"of": uid}}
        self.objects[type_.plural, name] = obj
        return obj


@pytest.fixture
def cluster() -> Any:
    return Cluster()


def record(cluster: Any, obj: dict[str, Any], *, known: bool = True) -> Traced:
    """`known`: whether the recorder could say in which namespace it was."""
    uid = NamespaceUids(cluster).uid_of("shop", obj) if known else ""
    store.record("c", TYPE, [Event("ADDED", obj, namespace_uid=uid)], {})
    return Traced.objects.get(uid=obj["metadata"]["uid"])


def shown(cluster: Any) -> list[str]:
    return [traced.uid for traced in timeline.lives(cluster, Place(TYPE, "shop", "web"))]


@pytest.mark.parametrize("known", [True, False], ids=["uid", "rows of before: times"])
def test_s9_the_former_tenants_objects_are_not_shown(cluster: Any, known: bool) -> None:
    """S9: by the namespace's uid, and where it was not stored by the times of creation; also by the address of one
    change, and among what was deleted.
    """
    cluster.put(NAMESPACES, "shop", "first", 0)
    former = record(cluster, cluster.put(TYPE, "web", "theirs", 1), known=known)
    assert shown(cluster) == ["theirs"]
    Traced.objects.update(deleted_at=timezone.now())
    cluster.put(NAMESPACES, "shop", "second", 10)
    record(cluster, cluster.put(TYPE, "web", "mine", 11), known=known)
    assert shown(cluster) == ["mine"]
    place = Place(TYPE, "shop", "web")
    with pytest.raises(NotFound):
        timeline.step_of(cluster, place, Step.objects.get(traced=former).pk)
    assert timeline.step_of(cluster, place, Step.objects.get(traced__uid="mine").pk).traced.uid == "mine"
    assert timeline.recently_deleted(cluster, "shop") == ()
    Traced.objects.update(deleted_at=timezone.now())
    assert [row.traced.uid for row in timeline.recently_deleted(cluster)] == ["mine"]


def test_s9_who_may_not_read_the_namespace_sees_the_object_that_is_there(cluster: Any) -> None:
    """S9: without the namespace only the live object's own history is certain."""
    cluster.put(NAMESPACES, "shop", "first", 0)
    record(cluster, cluster.put(TYPE, "web", "theirs", 1))
    record(cluster, cluster.put(TYPE, "web", "mine", 11))
    cluster.answer = Forbidden("no")
    assert shown(cluster) == ["mine"]
    del cluster.objects["things", "web"]
    assert shown(cluster) == []


def test_s9_of_a_namespace_that_is_gone_everything_is_shown(cluster: Any) -> None:
    """S9: to users who still have access."""
    cluster.put(NAMESPACES, "shop", "first", 0)
    record(cluster, cluster.put(TYPE, "web", "theirs", 1))
    del cluster.objects["namespaces", "shop"]
    assert shown(cluster) == ["theirs"]


def test_s9_the_recorder_knows_a_late_event_of_an_earlier_life(cluster: Any) -> None:
    """S9: what is older than the namespace was in another one; the namespace is read again only for what may be
    younger than the last answer.
    """
    uids = NamespaceUids(cluster)
    old = cluster.put(TYPE, "web", "theirs", 1)
    cluster.put(NAMESPACES, "shop", "second", 10)
    assert uids.uid_of("shop", old) == ""
    assert [uids.uid_of("shop", cluster.put(TYPE, "web", "mine", minute)) for minute in (11, 12)] == ["second"] * 2
    assert cluster.reads == 1
    now = int((timezone.now() - BEGAN).total_seconds() // 60) + 1
    assert uids.uid_of("shop", cluster.put(TYPE, "web", "mine", now)) == "second"
    assert cluster.reads == 2
