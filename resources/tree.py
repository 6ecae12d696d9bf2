"""Owned objects of an object: those whose ownerReferences lead to it, the claims that a StatefulSet made from its
templates, and those with an instance label of its name. And, upwards, its owners.

Kubernetes has no such list: the namespace is read kind by kind and at once, with the reader's own permissions. Which
kinds are looked through depends on the kind of the owner (owned_types). Kinds that can't be read, or have more objects
than are read here, are named instead of left out silently.
https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/

Pods are the many. A workload's are asked for by its selector, which they must match; in a namespace with more Pods than
one page has, those of a custom resource are asked for by the selectors of the workloads below it. Only where there is
no workload (operators that make Pods themselves) are the Pods of the whole namespace looked through, as Tables that
carry their metadata and their state in words.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from cachetools import TTLCache
from django.utils.translation import gettext as _

from console.web.front import Workers
from kube import limits
from kube.client import ClusterClient
from kube.discovery import ResourceType, is_custom
from kube.errors import KubeError, NotFound
from kube.objects import Column, KubeObject, TableRow, name_of, namespace_of, uid_of
from kube.reader import read
from kube.selectors import instance_marks, mark_of, pod_selector
from kube.types.meta import ObjectMeta, OwnerReference
from kube.types.workloads import WorkloadSpec
from resources.writing import examples

# Kinds that operators make. FULL: their state, or what they select, is in the object; of the others only the metadata
# is read.
FULL = (
    ("apps", "Deployment"),
    ("apps", "ReplicaSet"),
    ("apps", "StatefulSet"),
    ("apps", "DaemonSet"),
    ("batch", "CronJob"),
    ("batch", "Job"),
    ("", "Pod"),
    ("", "PersistentVolumeClaim"),
    ("", "Service"),
)
_METADATA = (
    ("", "ConfigMap"),
    ("", "Secret"),
    ("", "ServiceAccount"),
    ("networking.k8s.io", "Ingress"),
    ("networking.k8s.io", "NetworkPolicy"),
    ("policy", "PodDisruptionBudget"),
    ("rbac.authorization.k8s.io", "Role"),
    ("rbac.authorization.k8s.io", "RoleBinding"),
)
# What the kinds of Kubernetes own; kinds that operators brought may own anything.
_OWNED: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {
    ("apps", "Deployment"): (("apps", "ReplicaSet"), ("", "Pod")),
    ("apps", "ReplicaSet"): (("", "Pod"),),
    ("apps", "DaemonSet"): (("", "Pod"),),
    ("apps", "StatefulSet"): (("", "Pod"), ("", "PersistentVolumeClaim")),
    ("batch", "CronJob"): (("batch", "Job"), ("", "Pod")),
    ("batch", "Job"): (("", "Pod"),),
    ("", "ReplicationController"): (("", "Pod"),),
}
_SIBLINGS = 20


#: Objects of one request.
CHUNK = 500
#: Workloads of which the Pods are asked for, in a namespace with many.
MAX_WORKLOADS = 20
_DEPTH = 9
# Whose Pods their selector finds. A ReplicaSet's are those of its Deployment.
_WORKLOAD_KINDS = ("Deployment", "StatefulSet", "DaemonSet", "Job", "ReplicaSet", "ReplicationController")
#: Objects, and why there may be more.
Read = tuple[list[KubeObject], str]
_workers = Workers(8, thread_name_prefix="owned")
_KEEP_SECONDS = 30.0
_KEPT = 64
#: What belongs to an object: uids, and the uids of all that was read.
_kept: TTLCache[tuple[str, str, str], tuple[frozenset[str], frozenset[str]]] = TTLCache(_KEPT, _KEEP_SECONDS)
_lock = Lock()


@dataclass(frozen=True, slots=True)
class Owned:
    """One object that belongs to another, `depth` steps below it (from 0).

    `how`: '' by reference, `claim` by a StatefulSet's template, or the label's key.
    """

    type: ResourceType
    object: KubeObject
    depth: int
    how: str = ""


@dataclass(frozen=True, slots=True)
class Belongings:
    """In the order of a tree.

    `gaps`: kinds that could not be read, or not to their end, with the reason. `types`: among which it was looked.
    """

    rows: tuple[Owned, ...] = ()
    gaps: tuple[tuple[str, str], ...] = ()
    types: tuple[ResourceType, ...] = ()
    read_uids: frozenset[str] = frozenset()  # of all objects that were read to find these

    @property
    def uids(self) -> frozenset[str]:
        return frozenset(uid_of(row.object) for row in self.rows)


def types_below(client: ClusterClient, type_: ResourceType, namespace: str) -> tuple[ResourceType, ...]:
    """The kinds among which to look, also those that its operator names; none for kinds that own nothing."""
    declared = examples.offer(client, type_, namespace).resources if is_custom(type_.group) else ()
    return owned_types(client, type_, declared)


def owned_types(
    client: ClusterClient, type_: ResourceType, declared: Iterable[tuple[str, str]] = ()
) -> tuple[ResourceType, ...]:
    """None for kinds that own nothing.

    `declared`: (apiVersion or version, kind) of the kinds that its operator says it makes, also of other groups.
    """
    custom = is_custom(type_.group)
    wanted = (*FULL, *_METADATA) if custom else _OWNED.get((type_.group, type_.kind), ())
    found: list[ResourceType] = []
    for group, kind in wanted:
        try:
            found.append(client.find_kind(group, kind))
        except NotFound:
            continue
    if custom:
        found += _siblings(client, type_)
        found += _told(client, declared)
    once: dict[tuple[str, str], ResourceType] = {}
    for owned_type in found:
        once.setdefault((owned_type.group, owned_type.plural), owned_type)
    return tuple(once.values())


def _siblings(client: ClusterClient, type_: ResourceType) -> list[ResourceType]:
    """Kinds of the same API group: operators build their larger kinds of their smaller ones.

    What is in no namespace owns both sorts.
    """
    found: dict[str, ResourceType] = {}
    for other in client.types():
        if other.group == type_.group and "list" in other.verbs and (other.namespaced or not type_.namespaced):
            found.setdefault(other.plural, other)
    return list(found.values())[:_SIBLINGS]


def _told(client: ClusterClient, declared: Iterable[tuple[str, str]]) -> list[ResourceType]:
    """A ClusterServiceVersion names kinds with their version only, or with group and version: the first that fits is
    meant.
    """
    found: list[ResourceType] = []
    for version, kind in list(declared)[:50]:
        fitting = (
            type_
            for type_ in client.types()
            if type_.kind == kind
            and "list" in type_.verbs
            and type_.namespaced
            and version in (type_.version, type_.api_version)
        )
        first = next(fitting, None)
        if first is not None and first.kind not in ("Event", "PackageManifest"):
            found.append(first)
    return found[:_SIBLINGS]


def belongings(client: ClusterClient, type_: ResourceType, owner: KubeObject) -> Belongings:
    """Everything below `owner`. Raises nothing for what can't be read: that is in `gaps`."""
    namespace, custom = namespace_of(owner), is_custom(type_.group)
    types = types_below(client, type_, namespace)
    if not types:
        return Belongings()
    labels = "" if custom else pod_selector({**owner, "kind": type_.kind})
    candidates = _read_candidates(client, types, namespace, labels)
    kinds = [wanted.kind for wanted in types]
    marks = instance_marks(type_.group, name_of(owner)) if custom else ()
    pods = next((wanted for wanted in types if _is_pod(wanted)), None)
    if pods and not labels and candidates[pods][1]:
        candidates[pods] = _many_pods(
            client=client,
            pods=pods,
            namespace=namespace,
            rows=owned_tree(owner, _flat(candidates, pods), kinds, marks),
            owner=owner,
            marks=marks,
        )
    gaps = tuple((wanted.kind, gap) for wanted, (_found, gap) in candidates.items() if gap)
    all_ = _flat(candidates)
    found = Belongings(
        tuple(owned_tree(owner, all_, kinds, marks)), gaps, types, frozenset(uid_of(obj) for _type, obj in all_)
    )
    _keep(client, owner, found.uids, found.read_uids)
    return found


def uids_below(
    client: ClusterClient, type_: ResourceType, owner: KubeObject, asked: Mapping[str, str]
) -> frozenset[str]:
    """The uids of what belongs to `owner`.

    `asked`: uid → kind of objects that may be among them: only one that has not been seen before costs a look.

    So a busy namespace's Events, which come many times a second, are not as many looks through the namespace.
    """
    kinds = {wanted.kind for wanted in types_below(client, type_, namespace_of(owner))}
    new = {uid for uid, kind in asked.items() if kind in kinds}
    with _lock:
        known = _kept.get((client.host, client.who, uid_of(owner)))
    if known is not None and new <= known[1]:
        return known[0]
    found = belongings(client, type_, owner)
    _keep(client, owner, found.uids, found.read_uids | new)
    return found.uids


def _keep(client: ClusterClient, owner: KubeObject, uids: frozenset[str], read_uids: frozenset[str]) -> None:
    with _lock:
        _kept[client.host, client.who, uid_of(owner)] = (uids, read_uids)


def _flat(
    candidates: Mapping[ResourceType, Read], without: ResourceType | None = None
) -> list[tuple[ResourceType, KubeObject]]:
    return [(type_, obj) for type_, (found, _gap) in candidates.items() if type_ != without for obj in found]


def _many_pods(
    client: ClusterClient,
    pods: ResourceType,
    namespace: str,
    rows: Sequence[Owned],
    owner: KubeObject,
    marks: Sequence[tuple[str, str]],
) -> Read:
    deployed = {uid_of(row.object) for row in rows if row.type.kind == "Deployment"}
    selectors = [
        pod_selector({**row.object, "kind": row.type.kind})
        for row in rows
        if row.type.kind in _WORKLOAD_KINDS
        and not any(reference.uid in deployed for reference in owner_references(row.object))
    ]
    if found := [selector for selector in selectors if selector]:
        return _pods_by_selectors(client, pods, namespace, found)
    uids = {uid_of(owner), *(uid_of(row.object) for row in rows)}

    def wanted(pod: KubeObject) -> bool:
        metadata = read(pod.get("metadata"), ObjectMeta)
        owned = any(reference.uid in uids for reference in metadata.owner_references)
        return owned or bool(mark_of(metadata.labels, marks))

    return scan_pods(client, pods, namespace, wanted)


def owned_tree(
    owner: KubeObject,
    objects: Iterable[tuple[ResourceType, KubeObject]],
    kinds: Sequence[str] = (),
    marks: Sequence[tuple[str, str]] = (),
) -> list[Owned]:
    """Those below `owner`, each once and behind what it belongs to, in the order of `kinds` and by name.

    References in a circle end where they began.

    `marks`: labels by which an object without an owner of its own belongs to it, too.
    """
    rank = {kind: index for index, kind in reversed(list(enumerate(kinds)))}
    children: dict[str, list[tuple[ResourceType, KubeObject, str]]] = {}
    claims: list[tuple[ResourceType, KubeObject, str]] = []
    marked: list[tuple[ResourceType, KubeObject, str]] = []
    for type_, obj in objects:
        metadata = read(obj.get("metadata"), ObjectMeta)
        references = metadata.owner_references
        for reference in references:
            children.setdefault(reference.uid, []).append((type_, obj, ""))
        if type_.kind == "PersistentVolumeClaim" and not references:
            claims.append((type_, obj, "claim"))
        if marks and not references and (key := mark_of(metadata.labels, marks)):
            marked.append((type_, obj, key))
    found: list[Owned] = []
    seen = {uid_of(owner)}

    def order(entry: tuple[ResourceType, KubeObject, str]) -> Any:
        return rank.get(entry[0].kind, len(rank)), entry[0].kind, _natural(name_of(entry[1]))

    def add(below: Iterable[tuple[ResourceType, KubeObject, str]], depth: int) -> None:
        for type_, obj, how in sorted(below, key=order):
            if uid_of(obj) in seen or depth > _DEPTH:
                continue
            seen.add(uid_of(obj))
            found.append(Owned(type_, obj, depth, how))
            add(children.get(uid_of(obj), []) + _claims_of(obj, claims), depth + 1)

    add(children.get(uid_of(owner), []) + _claims_of(owner, claims), 0)
    add(marked, 0)
    return found


def owner_references(obj: Mapping[str, Any]) -> tuple[OwnerReference, ...]:
    return read(obj.get("metadata"), ObjectMeta).owner_references


def _claims_of(
    above: KubeObject, claims: list[tuple[ResourceType, KubeObject, str]]
) -> list[tuple[ResourceType, KubeObject, str]]:
    """<template>-<StatefulSet>-<number>: such claims have no ownerReferences, since they outlive their StatefulSet."""
    templates = read(above.get("spec"), WorkloadSpec).volume_claim_templates if claims else ()
    if not templates:
        return []
    names = "|".join(re.escape(template.metadata.name) for template in templates)
    pattern = re.compile(rf"(?:{names})-{re.escape(name_of(above))}-\d+")
    where = namespace_of(above)
    return [entry for entry in claims if namespace_of(entry[1]) == where and pattern.fullmatch(name_of(entry[1]))]


def _natural(name: str) -> tuple[tuple[int, str], ...]:
    """db-2 before db-10."""
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name))


def _read_candidates(
    client: ClusterClient, types: Iterable[ResourceType], namespace: str, labels: str = ""
) -> dict[ResourceType, Read]:
    """The namespace's objects of each type.

    `labels` narrow Pods and ReplicaSets. Of Pods one page only, when it is not narrowed.
    """

    def read_type(type_: ResourceType) -> Read:
        narrow = labels if type_.kind in ("Pod", "ReplicaSet") else ""
        return objects_of(client, type_, namespace, narrow, CHUNK if _is_pod(type_) and not labels else None)

    asked = list(types)
    return dict(zip(asked, _workers.map(read_type, asked), strict=True))


def _pods_by_selectors(client: ClusterClient, pods: ResourceType, namespace: str, selectors: Iterable[str]) -> Read:
    """The Pods that any of the selectors finds, at most limits.OWNED_OBJECTS of each."""
    asked = list(dict.fromkeys(selectors))
    answers = list(_workers.map(lambda labels: objects_of(client, pods, namespace, labels), asked[:MAX_WORKLOADS]))
    gaps = [gap for _found, gap in answers if gap]
    if len(asked) > MAX_WORKLOADS:
        gaps.append(_("only the Pods of the first %(count)d workloads were read") % {"count": MAX_WORKLOADS})
    return [obj for found, _gap in answers for obj in found], "; ".join(dict.fromkeys(gaps))


def objects_of(
    client: ClusterClient, type_: ResourceType, namespace: str, labels: str = "", most: int | None = None
) -> Read:
    """Those of the namespace that `labels` select, at most `most`, else limits.OWNED_OBJECTS, and why there may be
    more.
    """
    most = limits.OWNED_OBJECTS.value if most is None else most
    full = (type_.group, type_.kind) in FULL or is_custom(type_.group)
    found: list[KubeObject] = []
    token = ""
    try:
        while True:
            if full:
                page = client.list(type_, namespace, labels=labels, limit=CHUNK, continue_=token)
                found, token = found + page.items, page.continue_
            else:
                table = client.table(type_, namespace, labels=labels, limit=CHUNK, continue_=token)
                found, token = found + [row.object for row in table.rows], table.continue_
            if not token:
                return found, ""
            if len(found) >= most:
                return found, _("only the first %(count)d objects of the namespace were checked") % {
                    "count": len(found)
                }
    except NotFound:
        return [], ""  # the kind's definition was just deleted: there are no objects of it
    except KubeError as error:
        return found, str(error)


def scan_pods(client: ClusterClient, pods: ResourceType, namespace: str, wanted: Callable[[KubeObject], bool]) -> Read:
    """Those Pods of the whole namespace that are wanted, by their metadata; their state is what the server's own
    columns say.
    """
    found: list[KubeObject] = []
    token, seen = "", 0
    try:
        while True:
            table = client.table(pods, namespace, limit=CHUNK, continue_=token)
            found += (as_pod(table.columns, row) for row in table.rows if wanted(row.object))
            seen, token = seen + len(table.rows), table.continue_
            if not token:
                return found, ""
            if seen >= limits.SCANNED_PODS.value:
                return found, _("only the first %(count)d objects of the namespace were checked") % {"count": seen}
    except KubeError as error:
        return found, str(error)


def as_pod(columns: Iterable[Column], row: TableRow) -> KubeObject:
    """A Pod's state as far as its Table row tells: status word, ready containers, restarts."""
    cells = {column.name: value for column, value in zip(columns, row.cells, strict=False)}
    ready, _slash, all_ = str(cells.get("Ready") or "").partition("/")
    word = str(cells.get("Status") or "")
    phase = word if word in ("Pending", "Running", "Succeeded", "Failed", "Unknown") else "Running"
    phase = "Succeeded" if word == "Completed" else phase
    number, total = int(ready) if ready.isdecimal() else 0, int(all_) if all_.isdecimal() else 0
    restarts = str(cells.get("Restarts") or "0").split(" ")[0]
    containers: list[dict[str, Any]] = [{"ready": index < number} for index in range(min(total, 100))]
    if containers:
        containers[0]["restartCount"] = int(restarts) if restarts.isdecimal() else 0
        if phase != word and word != "Completed":
            containers[0]["state"] = {"waiting": {"reason": word}}
    status = {
        "phase": phase,
        "containerStatuses": containers,
        "conditions": [{"type": "Ready", "status": "True" if number == total else "False"}],
    }
    return {"metadata": row.object.get("metadata") or {}, "status": status}


def _is_pod(type_: ResourceType) -> bool:
    return type_.kind == "Pod" and not type_.group
