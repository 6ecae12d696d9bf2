"""Objects as a cluster has them, short to write, and what the rules make of them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from resources.causes.cause import Cause
from resources.causes.engine import find_causes
from resources.causes.evidence import Event, evidence

NOW = datetime.fromisoformat("2026-11-25T10:00:00+00:00")
LONG_AGO = "2026-11-25T09:40:00Z"
RECENT = "2026-11-25T09:59:30Z"
HASH = "7d4b9c6f5"
Object = dict[str, Any]


def owner(kind: str, name: str, api: str = "apps/v1") -> Object:
    return {"apiVersion": api, "kind": kind, "name": name, "uid": f"{kind}-{name}", "controller": True}


def made(kind: str, name: str, api: str = "apps/v1", by: Object | None = None, **fields: Any) -> Object:
    metadata = {"name": name, "namespace": "shop", "uid": f"{kind}-{name}", "creationTimestamp": LONG_AGO}
    metadata |= {"ownerReferences": [by]} if by else {}
    metadata |= fields.pop("metadata", {})
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **fields}


def deployment(image: str = "web:1", ready: int = 0, wanted: int = 1, by: Object | None = None, **more: Any) -> Object:
    template = {"spec": {"containers": [{"name": "web", "image": image, **more}]}}
    status = {"replicas": wanted, "readyReplicas": ready, "updatedReplicas": wanted}
    return made("Deployment", "web", by=by, spec={"replicas": wanted, "template": template}, status=status)


def replica_set(replicas: int = 1, **status: Any) -> Object:
    labels = {"labels": {"pod-template-hash": HASH}}
    by = owner("Deployment", "web")
    status = {"replicas": replicas, **status}
    return made("ReplicaSet", f"web-{HASH}", by=by, metadata=labels, spec={"replicas": 1}, status=status)


def pod(container: Object | None = None, *, spec: Object | None = None, **status: Any) -> Object:
    """A Pod of the ReplicaSet above. `container`: what containerStatuses has of it beside its name."""
    by = owner("ReplicaSet", f"web-{HASH}")
    labels = {"labels": {"pod-template-hash": HASH}}
    containers = [{"name": "web", "image": "web:1"}]
    not_ready = {"type": "Ready", "status": "False", "lastTransitionTime": LONG_AGO}
    status = {"phase": "Pending", "conditions": [not_ready], **status}
    if container is not None:
        status["containerStatuses"] = [{"name": "web", "ready": False, "restartCount": 0, **container}]
    spec = {"containers": containers, **(spec or {})}
    return made("Pod", f"web-{HASH}-x2x8p", "v1", by, metadata=labels, spec=spec, status=status)


def waiting(reason: str, message: str = "", **more: Any) -> Object:
    return {"state": {"waiting": {"reason": reason, "message": message}}, **more}


def unschedulable(message: str, **spec: Any) -> Object:
    scheduled = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    return pod(spec=spec, conditions=[{**scheduled, "lastTransitionTime": LONG_AGO}])


def claim(phase: str = "Pending", class_: str | None = None, **spec: Any) -> Object:
    spec |= {"storageClassName": class_} if class_ is not None else {}
    return made("PersistentVolumeClaim", "data-web-0", "v1", spec=spec, status={"phase": phase})


def refused(message: str) -> Object:
    """A ReplicaSet that can't create its Pods."""
    failure = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": message}
    return replica_set(0, conditions=[{**failure, "lastTransitionTime": LONG_AGO}])


def instance(*conditions: Object, spec: Object | None = None, metadata: Object | None = None, **status: Any) -> Object:
    """A custom resource."""
    status = {"conditions": [{"lastTransitionTime": LONG_AGO, **condition} for condition in conditions], **status}
    return made(
        "ArgoCD", "argocd-sample", "argoproj.io/v1beta1", spec=spec or {}, status=status, metadata=metadata or {}
    )


def event(reason: str, message: str, count: int = 1, seen: str = RECENT, warning: bool = True) -> Event:
    return Event(reason=reason, message=message, count=count, seen=seen, warning=warning)


def causes(
    root: Object, *below: tuple[int, Object], events: Mapping[str, tuple[Event, ...]] | None = None, **more: Any
) -> list[Cause]:
    return find_causes(evidence(root, below, events=events, now=NOW, **more))


def only(rule: str, root: Object, *events: Event, **more: Any) -> Cause:
    """The one cause of an object with these Events, which that rule has found."""
    found = causes(root, events={root["metadata"]["uid"]: events}, **more)
    assert [cause.rule for cause in found] == [rule], found
    return found[0]


def none(root: Object, *events: Event, **more: Any) -> None:
    found = causes(root, events={root["metadata"]["uid"]: events}, **more)
    assert found == []
