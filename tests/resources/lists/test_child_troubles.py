"""O1: the worst object below counts: from failing Pods and Deployments up to the instances to which they belong."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from kube.discovery import ResourceType
from kube.errors import KubeError, NotFound
from resources.lists import child_troubles
from resources.lists.entries import ListEntry, Owner
from resources.state.children import GRACE_SECONDS, Trouble, combined, trouble
from resources.state.health import DEGRADED, Health

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
POD, SET = (
    ResourceType(group="", version="v1", plural="pods", kind="Pod", namespaced=True),
    ResourceType(group="apps", version="v1", plural="statefulsets", kind="StatefulSet", namespaced=True),
)
DEPLOYMENT = ResourceType(group="apps", version="v1", plural="deployments", kind="Deployment", namespaced=True)
THING = ResourceType(group="x.example.com", version="v1", plural="things", kind="Thing", namespaced=True)
BAD = Health(state="Degraded", reason="ImagePullBackOff")


def ago(seconds: float) -> str:
    return (NOW - timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")


@pytest.mark.parametrize(
    ("kind", "health", "created", "counts"),
    [
        (("", "Pod"), BAD, ago(GRACE_SECONDS + 1), True),
        (("", "Pod"), BAD, ago(GRACE_SECONDS - 1), False),
        (("", "Pod"), Health(state="Degraded", reason="CrashLoopBackOff", since=ago(5)), ago(3600), False),
        (("", "Pod"), Health(state="Degraded", reason="CrashLoopBackOff", since=ago(60)), ago(3600), True),
        (("", "Pod"), Health(state="Degraded", reason="Evicted", since=ago(60), ended=True), ago(3600), False),
        (("", "Pod"), Health(state="Progressing", reason="ContainerCreating"), ago(3600), False),
        (("apps", "Deployment"), Health(state="Degraded", reason="exceeded quota"), ago(60), True),
        (("batch", "Job"), Health(state="Degraded", reason="BackoffLimitExceeded"), ago(60), False),
        (("", "Pod"), BAD, "", True),
    ],
)
def test_o1_what_counts_and_when(kind: tuple[str, str], health: Health, created: str, counts: bool) -> None:
    """O1: after half a minute; not what ended, and not another day's failed Job."""
    assert (trouble(kind, "web-0", health, created, NOW) is not None) is counts


@pytest.mark.parametrize(
    ("own", "state"),
    [
        ("Ready", "Degraded"),
        ("Progressing", "Degraded"),
        ("Unknown", "Degraded"),
        ("Suspended", "Suspended"),
        ("Terminating", "Terminating"),
        ("Completed", "Completed"),
        ("", ""),
    ],
)
def test_o1_the_worst_child_decides(own: str, state: str) -> None:
    """O1: but not over what is the object's own."""
    found = trouble(("", "Pod"), "web-0", BAD, "", NOW)
    assert found is not None
    health = combined(Health(state=own), [found])
    assert health.state == state
    assert ("web-0" in health.reason) is (state == "Degraded")
    assert combined(Health(state=own), []) == Health(state=own)


class Cluster:
    """A StatefulSet of an instance; nothing else can be read."""

    def find_kind(self, group: str, kind: str, _version: str = "") -> ResourceType:
        for type_ in (POD, SET, DEPLOYMENT, THING):
            if (type_.group, type_.kind) == (group, kind):
                return type_
        raise NotFound(kind)

    def get(self, type_: ResourceType, name: str, _namespace: str = "") -> dict[str, Any]:
        if (type_, name) != (SET, "db"):
            raise NotFound(name)
        controller = {"apiVersion": "x.example.com/v1", "kind": "Thing", "name": "db", "controller": True}
        return {"metadata": {"name": "db", "namespace": "shop", "ownerReferences": [controller]}}


def pod(name: str, owner: Owner | None, **labels: str) -> ListEntry:
    return ListEntry(
        uid=name,
        name=name,
        namespace="shop",
        created="",
        cells=(),
        health=BAD,
        labels=tuple(labels.items()),
        owner=owner,
    )


def troubles(monkeypatch: pytest.MonkeyPatch, *entries: ListEntry) -> child_troubles.ChildTroubles:
    def failing(_client: Any, type_: ResourceType, _namespace: str) -> list[ListEntry]:
        if type_ is DEPLOYMENT:
            raise KubeError("not allowed")
        return list(entries)

    monkeypatch.setattr(child_troubles, "_failing", failing)
    return child_troubles.read_troubles(Cluster(), "shop")  # type: ignore[arg-type]


def test_o1_up_to_the_instance(monkeypatch: pytest.MonkeyPatch) -> None:
    """O1: a StatefulSet's Pod makes the StatefulSet and its instance Degraded, and no other of the name."""
    found = troubles(monkeypatch, pod("db-0", Owner("apps/v1", "StatefulSet", "db")))
    ready = Health(state="Ready")
    assert found.health(SET, "shop", "db", ready).state == "Degraded"
    assert (
        found.health(THING, "shop", "db", Health(state="Progressing", reason="Pending")).reason
        == "Pod db-0: ImagePullBackOff"
    )
    assert found.health(THING, "other", "db", ready) == ready
    assert found.health(THING, "shop", "db2", ready) == ready


def test_o1_by_a_label_where_there_is_no_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    """O1: as the page's tree finds it."""
    found = troubles(monkeypatch, pod("db-0", None, **{"app.kubernetes.io/instance": "db"}))
    assert found.health(THING, "shop", "db", Health(state="Progressing")).state == "Degraded"
    assert found.health(THING, "shop", "else", Health(state="Progressing")).state == "Progressing"


def test_o1_lists_overlay_only_kinds_that_can_have_pods() -> None:
    """O1: OLM's own kinds keep OLM's word."""
    verbs = frozenset(("list",))
    assert child_troubles.counts(THING) and child_troubles.counts(SET)
    for group, kind in (("", "Pod"), ("", "ConfigMap"), ("operators.coreos.com", "ClusterServiceVersion")):
        assert not child_troubles.counts(
            ResourceType(group=group, version="v1", plural="x", kind=kind, namespaced=True, verbs=verbs)
        )


def test_a_rollout_that_takes_too_long_has_the_cause_of_its_pods() -> None:
    own = Health(state=DEGRADED, reason="ReplicaSet has timed out progressing", since="2026-01-01T00:00:00Z")
    explained = Trouble(
        "Pod", "web-1", Health(state=DEGRADED, reason="web can't start: there is no ConfigMap settings", named=True)
    )
    unexplained = Trouble("Pod", "web-0", Health(state=DEGRADED, reason="CreateContainerConfigError"))
    found = combined(own, [unexplained, explained])
    assert (found.reason, found.named, found.since) == (explained.health.reason, True, own.since)
    assert combined(own, [unexplained]) == own, "its own words are no worse"
    named = Health(state=DEGRADED, reason="web can't make Pods: the quota is used up", named=True)
    assert combined(named, [explained]) == named
