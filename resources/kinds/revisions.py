"""What a workload looked like before: its ReplicaSets (Deployments) or ControllerRevisions (StatefulSets,
DaemonSets), and the way back.

As `kubectl rollout history` and `kubectl rollout undo` have it:
https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/rollback.go
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kube.client import ClusterClient
from kube.objects import KubeObject, name_of, namespace_of, uid_of
from kube.selectors import from_selector
from resources.kinds.parts import some
from resources.state.health import items, mapping, text

KINDS = ("Deployment", "StatefulSet", "DaemonSet")
_NUMBER = "deployment.kubernetes.io/revision"
_CAUSE = "kubernetes.io/change-cause"
_HASH = "pod-template-hash"


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """`template`: the Pod template as the workload would have it.

    `kind` and `name`: the object that keeps it. `current`: it is the newest.
    """

    number: int
    kind: str
    name: str
    created: str
    cause: str
    template: dict[str, Any]
    current: bool = False


@dataclass(frozen=True, slots=True)
class Revisions:
    """Newest first. `problem`: why none could be read, in the API server's words."""

    revisions: tuple[Revision, ...] = ()
    problem: str = ""

    def number(self, wanted: str) -> Revision | None:
        return next((revision for revision in self.revisions if str(revision.number) == wanted), None)


def revisions_of(client: ClusterClient, obj: KubeObject) -> Revisions:
    """Those whose controller is this very object, not a namesake."""
    kind = "ReplicaSet" if obj.get("kind") == "Deployment" else "ControllerRevision"
    try:
        labels = from_selector(mapping(mapping(obj.get("spec")).get("selector")))
    except (TypeError, AttributeError):
        return Revisions()
    found = some(client, "apps", kind, namespace_of(obj), labels=labels, limit=200)
    read = _replica_set if kind == "ReplicaSet" else _controller_revision
    mine = [made for item in found.items if _owned(item, obj) and (made := read(item)) is not None]
    mine.sort(key=lambda revision: revision.number, reverse=True)
    newest = mine[0].number if mine else 0
    return Revisions(
        tuple(
            Revision(
                number=revision.number,
                kind=kind,
                name=revision.name,
                created=revision.created,
                cause=revision.cause,
                template=revision.template,
                current=revision.number == newest,
            )
            for revision in mine
        ),
        found.problem,
    )


def _owned(item: Mapping[str, Any], obj: KubeObject) -> bool:
    owners = items(mapping(item.get("metadata")).get("ownerReferences"))
    return any(owner.get("controller") is True and text(owner.get("uid")) == uid_of(obj) for owner in owners)


def _replica_set(item: KubeObject) -> Revision | None:
    metadata = mapping(item.get("metadata"))
    notes = mapping(metadata.get("annotations"))
    number = text(notes.get(_NUMBER))
    template = mapping(mapping(item.get("spec")).get("template"))
    if not number.isdecimal() or not template:
        return None
    inner = dict(mapping(template.get("metadata")))
    inner["labels"] = {key: value for key, value in mapping(inner.get("labels")).items() if key != _HASH}
    return _made(int(number), item, {**template, "metadata": inner})


def _controller_revision(item: KubeObject) -> Revision | None:
    number = item.get("revision")
    template = mapping(mapping(mapping(item.get("data")).get("spec")).get("template"))
    if not isinstance(number, int) or not template:
        return None
    # It is kept as a strategic merge patch that replaces the whole template.
    return _made(number, item, {key: value for key, value in template.items() if key != "$patch"})


def _made(number: int, item: KubeObject, template: dict[str, Any]) -> Revision:
    metadata = mapping(item.get("metadata"))
    cause = text(mapping(metadata.get("annotations")).get(_CAUSE))
    return Revision(
        number=number,
        kind="",
        name=name_of(item),
        created=text(metadata.get("creationTimestamp")),
        cause=cause,
        template=template,
    )
