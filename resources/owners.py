"""What belongs to an object: everything whose ownerReferences lead to it, and the claims that a StatefulSet made from its templates.

Nobody in Kubernetes keeps such a list: it is found by reading the namespace, kind by kind and at once, with the reader's own rights. Kinds that may not
be read, or have more objects than are read here, are named instead of left out in silence.
https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError, NotFound
from kube.objects import KubeObject, name_of, namespace_of, uid_of
from resources.health import items, mapping, text
from resources.types import is_custom

# Kinds that operators make. `full`: their state is in the object; of the others only the metadata is read.
_FULL = (
    ("apps", "Deployment"),
    ("apps", "ReplicaSet"),
    ("apps", "StatefulSet"),
    ("apps", "DaemonSet"),
    ("batch", "CronJob"),
    ("batch", "Job"),
    ("", "Pod"),
    ("", "PersistentVolumeClaim"),
)
_METADATA = (
    ("", "Service"),
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
CHUNK = 500
# Of one kind in one namespace; the whole is bounded by the number of kinds.
READ = 2000
ROWS = 200
_SIBLINGS = 20
_workers = ThreadPoolExecutor(8, thread_name_prefix="owned")


@dataclass(frozen=True, slots=True)
class Owned:
    """One object that belongs to another, `depth` steps below it (from 0)."""

    type: ResourceType
    object: KubeObject
    depth: int


@dataclass(frozen=True, slots=True)
class Belongings:
    """In the order of a tree. `gaps`: kinds that could not be read, or not to their end, with the reason."""

    rows: tuple[Owned, ...]
    gaps: tuple[tuple[str, str], ...]
    more: int = 0

    @property
    def uids(self) -> frozenset[str]:
        return frozenset(uid_of(row.object) for row in self.rows)


def owned_types(client: ClusterClient, type_: ResourceType) -> tuple[ResourceType, ...]:
    """The kinds among which to look for what objects of `type_` own; none for kinds that own nothing."""
    if is_custom(type_.group):
        wanted: Iterable[tuple[str, str]] = (*_FULL, *_METADATA)
    else:
        wanted = _OWNED.get((type_.group, type_.kind), ())
    found: list[ResourceType] = []
    for group, kind in wanted:
        try:
            found.append(client.find_kind(group, kind))
        except NotFound:
            continue
    if is_custom(type_.group):
        found += _siblings(client, type_)
    return tuple(found)


def _siblings(client: ClusterClient, type_: ResourceType) -> list[ResourceType]:
    """Kinds of the same API group: operators build their larger kinds of their smaller ones."""
    found: dict[str, ResourceType] = {}
    for other in client.types():
        if other.group == type_.group and other.namespaced and "list" in other.verbs:
            found.setdefault(other.plural, other)
    return list(found.values())[:_SIBLINGS]


def belongings(client: ClusterClient, type_: ResourceType, owner: KubeObject) -> Belongings:
    """Everything below `owner`. Raises nothing for what can't be read: that is in `gaps`."""
    types = owned_types(client, type_)
    namespace = namespace_of(owner)
    answers = _workers.map(lambda wanted: _read(client, wanted, namespace), types)
    read = dict(zip(types, answers, strict=True))
    gaps = tuple((wanted.kind, gap) for wanted, (_, gap) in read.items() if gap)
    objects = [(wanted, obj) for wanted, (found, _) in read.items() for obj in found]
    rows = tree(owner, objects, [wanted.kind for wanted in types])
    return Belongings(tuple(rows[:ROWS]), gaps, max(0, len(rows) - ROWS))


def _read(client: ClusterClient, type_: ResourceType, namespace: str) -> tuple[list[KubeObject], str]:
    """(objects, why there may be more)."""
    full = (type_.group, type_.kind) in _FULL or is_custom(type_.group)
    found: list[KubeObject] = []
    token = ""
    try:
        while True:
            if full:
                page = client.list(type_, namespace, limit=CHUNK, continue_=token)
                found, token = found + page.items, page.continue_
            else:
                table = client.table(type_, namespace, limit=CHUNK, continue_=token)
                found, token = found + [row.object for row in table.rows], table.continue_
            if not token:
                return found, ""
            if len(found) >= READ:
                return found, _("only the first %(count)d of the namespace were looked at") % {"count": len(found)}
    except KubeError as error:
        return found, str(error)


def tree(
    owner: KubeObject, objects: Iterable[tuple[ResourceType, KubeObject]], kinds: Sequence[str] = ()
) -> list[Owned]:
    """Those below `owner`, each once and behind what it belongs to, in the order of `kinds` and by name. References in a circle end where they began."""
    rank = {kind: index for index, kind in reversed(list(enumerate(kinds)))}
    children: dict[str, list[tuple[ResourceType, KubeObject]]] = {}
    claims: list[tuple[ResourceType, KubeObject]] = []
    for type_, obj in objects:
        references = owner_references(obj)
        for reference in references:
            children.setdefault(text(reference.get("uid")), []).append((type_, obj))
        if type_.kind == "PersistentVolumeClaim" and not references:
            claims.append((type_, obj))
    found: list[Owned] = []
    seen = {uid_of(owner)}

    def walk(above: KubeObject, depth: int) -> None:
        below = children.get(uid_of(above), []) + _claims_of(above, claims)
        for type_, obj in sorted(
            below, key=lambda entry: (rank.get(entry[0].kind, len(rank)), entry[0].kind, _natural(name_of(entry[1])))
        ):
            if uid_of(obj) in seen or depth > 9:
                continue
            seen.add(uid_of(obj))
            found.append(Owned(type_, obj, depth))
            walk(obj, depth + 1)

    walk(owner, 0)
    return found


def owner_references(obj: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Entries of metadata.ownerReferences."""
    return items(mapping(obj.get("metadata")).get("ownerReferences"))


def _claims_of(
    above: KubeObject, claims: list[tuple[ResourceType, KubeObject]]
) -> list[tuple[ResourceType, KubeObject]]:
    """<template>-<StatefulSet>-<number>: such claims have no ownerReferences, since they outlive their StatefulSet."""
    templates = items(mapping(above.get("spec")).get("volumeClaimTemplates"))
    if not templates or not claims:
        return []
    names = "|".join(re.escape(name_of(dict(template))) for template in templates)
    pattern = re.compile(rf"(?:{names})-{re.escape(name_of(above))}-\d+")
    where = namespace_of(above)
    return [entry for entry in claims if namespace_of(entry[1]) == where and pattern.fullmatch(name_of(entry[1]))]


def _natural(name: str) -> tuple[tuple[int, str], ...]:
    """db-2 before db-10."""
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name))
