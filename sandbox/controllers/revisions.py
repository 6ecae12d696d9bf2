"""ControllerRevisions: the templates that a StatefulSet or DaemonSet has had, each under a name made from its hash."""

from __future__ import annotations

from ..cluster import Cluster
from ..objects import Object, copy, dig
from .owners import children, owner_reference
from .rollout import template_hash

RESOURCE = "controllerrevisions.apps"
HASH_LABEL = "controller-revision-hash"
#: What a StatefulSet's revisions are known by.
_OWN_LABEL = "controller.kubernetes.io/hash"
#: Of the owner's annotations those that its revisions keep.
_HANDED_DOWN = ("deprecated.daemonset.template.generation",)


def ensure(cluster: Cluster, owner: Object) -> tuple[Object, list[Object]]:
    """(the revision of the present template, all revisions with the oldest first)."""
    found = children(cluster, RESOURCE, owner, owner["spec"]["selector"])
    found.sort(key=lambda item: int(item.get("revision") or 0))
    digest = template_hash(owner["spec"].get("template"))
    name = f"{owner['metadata']['name']}-{digest}"
    newest = int(found[-1]["revision"]) if found else 0
    present = next((item for item in found if item["metadata"]["name"] == name), None)
    if present is None:
        made = cluster.create(RESOURCE, _revision(owner, name, digest, newest + 1))
        return made, [*found, made]
    if int(present["revision"]) != newest:  # the template went back to an older one
        changed = cluster.patch(RESOURCE, name, {"revision": newest + 1}, owner["metadata"]["namespace"])
        return changed, [*(item for item in found if item is not present), changed]
    return present, found


def _revision(owner: Object, name: str, digest: str, number: int) -> Object:
    template = {**copy(owner["spec"].get("template") or {}), "$patch": "replace"}
    labels = dict(dig(owner, "spec", "template", "metadata", "labels") or {})
    if owner["kind"] == "StatefulSet":
        labels = dict(dig(owner, "spec", "selector", "matchLabels") or labels)
    made: Object = {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {
            "name": name,
            "namespace": owner["metadata"]["namespace"],
            "labels": {**labels, _OWN_LABEL if owner["kind"] == "StatefulSet" else HASH_LABEL: digest},
            "ownerReferences": [owner_reference(owner)],
        },
        "data": {"spec": {"template": template}},
        "revision": number,
    }
    found = owner["metadata"].get("annotations") or {}
    if owner["kind"] == "DaemonSet" and found:
        made["metadata"]["annotations"] = {key: found[key] for key in _HANDED_DOWN if key in found}
    return made


def template_of(revision: Object) -> Object:
    """The Pod template that a revision keeps."""
    found: Object = copy(dig(revision, "data", "spec", "template") or {})
    found.pop("$patch", None)
    return found


def forget(cluster: Cluster, owner: Object, revisions: list[Object], used: set[str]) -> None:
    """Deletes the oldest revisions that no Pod runs, beyond revisionHistoryLimit."""
    idle = [revision for revision in revisions if revision["metadata"]["name"] not in used]
    limit = int(owner["spec"].get("revisionHistoryLimit", 10))
    for item in idle[: max(0, len(idle) - limit)]:
        cluster.delete(RESOURCE, item["metadata"]["name"], owner["metadata"]["namespace"])
