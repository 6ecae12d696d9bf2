"""CustomResourceDefinitions: what they serve, their conditions, and how one goes with all its objects.

The real server does this in controllers a moment later; here a CRD is established in the same step that stores it, so
its API is there when the answer to ``kubectl create`` arrives.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from .cluster import Cluster
from .context import Context
from .errors import ApiError, Cause, NotFound
from .kinds.strategy import Strategy
from .objects import Object, decode, dig, now
from .resources import ALL_VERBS, Registry, Resource, Scale
from .schemas import CRDS, schema
from .store import Change, Store

FINALIZER = "customresourcecleanup.apiextensions.k8s.io"
#: What is left of an API whose CRD is being deleted (finalizers must still be removable).
_LEAVING = tuple(verb for verb in ALL_VERBS if verb != "create")
_VERSION = re.compile(r"^v(\d+)(?:(alpha|beta)(\d+))?$")


def version_rank(version: str) -> tuple[int, int, int, str]:
    """Sorts versions as Kubernetes prefers them: v2, v1, v1beta2, v1alpha1, then the rest by name."""
    found = _VERSION.match(version)
    if found is None:
        return (3, 0, 0, version)
    major, stage, minor = found.groups()
    return ({None: 0, "beta": 1, "alpha": 2}[stage], -int(major), -int(minor or 0), version)


Reading = Callable[[Resource, Any], bytes]


def resources_of(crd: Object, since: int = 0, reading: Reading | None = None) -> list[Resource]:
    """One Resource for each served version, preferred first. Nothing for a CRD that is not established.

    Objects stored before version ``since`` may not fit the schema; ``reading`` makes them. Those read in a version whose schema
    is not that of the stored one always go through it.
    """
    conditions = {item["type"]: item.get("status") for item in dig(crd, "status", "conditions") or []}
    if conditions.get("Established") != "True":
        return []
    spec = crd["spec"]
    names = dig(crd, "status", "acceptedNames") or spec["names"]
    storage = next((version["name"] for version in spec["versions"] if version.get("storage")), "")
    served = sorted((v for v in spec["versions"] if v.get("served")), key=lambda v: version_rank(v["name"]))
    verbs = _LEAVING if crd["metadata"].get("deletionTimestamp") else ALL_VERBS
    shape = next((version.get("schema") for version in spec["versions"] if version["name"] == storage), None)
    found = [_resource(crd["metadata"]["name"], spec, names, version, storage, verbs) for version in served]
    return [
        replace(resource, since=since if version.get("schema") == shape else sys.maxsize, reading=reading)
        for resource, version in zip(found, served, strict=True)
    ]


def _resource(
    name: str, spec: Object, names: Object, version: Object, storage: str, verbs: tuple[str, ...]
) -> Resource:
    subresources = version.get("subresources") or {}
    scale = subresources.get("scale")
    return Resource(
        group=spec["group"],
        version=version["name"],
        plural=names["plural"],
        kind=names["kind"],
        namespaced=spec.get("scope") == "Namespaced",
        singular=names.get("singular") or names["kind"].lower(),
        short_names=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        verbs=verbs,
        status=subresources.get("status") is not None,
        scale=Scale(scale["specReplicasPath"], scale["statusReplicasPath"], scale.get("labelSelectorPath", ""))
        if scale
        else None,
        list_kind=names.get("listKind") or f"{names['kind']}List",
        custom=name,
        storage_version=storage,
        columns=tuple(version.get("additionalPrinterColumns") or ()),
        deprecation=_deprecation(spec, names, version),
        selectable=tuple(field["jsonPath"] for field in version.get("selectableFields") or ()),
    )


def _deprecation(spec: Object, names: Object, version: Object) -> str:
    if not version.get("deprecated"):
        return ""
    default = f"{spec['group']}/{version['name']} {names['kind']} is deprecated"
    served = [v["name"] for v in spec["versions"] if v.get("served") and not v.get("deprecated")]
    better = [name for name in served if version_rank(name) < version_rank(version["name"])]
    if better:
        default += f"; use {spec['group']}/{min(better, key=version_rank)} {names['kind']}"
    return str(version.get("deprecationWarning") or default)


def load(store: Store, registry: Registry, reading: Reading) -> None:
    """Serves the CRDs of a store that was just opened."""
    for entry in store.scan(CRDS):
        registry.replace_crd(entry.name, resources_of(decode(entry.data), entry.version, reading))


def hook(store: Store, registry: Registry, reading: Reading, change: Change) -> None:
    """Called with every stored change of a CRD."""
    if change.type == "DELETED":
        registry.replace_crd(change.entry.name, [])
        store.end(change.entry.name)
        return
    crd = decode(change.entry.data)
    since = change.entry.version
    if change.previous is not None:
        before = decode(change.previous.data)
        if _same_api(before, crd):
            return
        if before["spec"] == crd["spec"]:
            since = registry.since(change.entry.name, since)
    registry.replace_crd(change.entry.name, resources_of(crd, since, reading))


def _same_api(old: Object, new: Object) -> bool:
    leaving = "deletionTimestamp" in old["metadata"], "deletionTimestamp" in new["metadata"]
    return leaving[0] == leaving[1] and old["spec"] == new["spec"] and old.get("status") == new.get("status")


# Rules


def _defaults(crd: Object) -> None:
    spec = crd.get("spec")
    if not isinstance(spec, dict):
        return
    names = spec.setdefault("names", {})
    if isinstance(names, dict) and names.get("kind"):
        names.setdefault("singular", str(names["kind"]).lower())
        names.setdefault("listKind", f"{names['kind']}List")
    if not spec.get("conversion"):
        spec["conversion"] = {"strategy": "None"}


def _validate(crd: Object, old: Object | None) -> list[Cause]:
    causes = [Cause(*cause) for cause in schema.check_crd(crd)] if schema is not None else []
    if old is None:
        return causes
    for path in (("group",), ("scope",), ("names", "plural"), ("names", "kind")):
        value = dig(crd, "spec", *path)
        if value != dig(old, "spec", *path):
            text = f'Invalid value: "{value}": field is immutable'
            causes.append(Cause("spec." + ".".join(path), "FieldValueInvalid", text))
    return causes


def _create(crd: Object, store: Store) -> None:
    names = dict(dig(crd, "spec", "names") or {})
    taken = _conflict(crd, (decode(entry.data) for entry in store.scan(CRDS)))
    stored = [version.get("name") for version in dig(crd, "spec", "versions") or [] if version.get("storage")]
    moment = now()

    def condition(kind: str, status: bool, reason: str, message: str) -> Object:
        return {
            "type": kind,
            "status": "True" if status else "False",
            "lastTransitionTime": moment,
            "reason": reason,
            "message": message,
        }

    accepted = condition("NamesAccepted", True, "NoConflicts", "no conflicts found")
    established = condition("Established", True, "InitialNamesAccepted", "the initial names have been accepted")
    if taken:
        accepted = condition("NamesAccepted", False, taken[0], taken[1])
        established = condition("Established", False, "NotAccepted", "not all names are accepted")
    crd["status"] = {
        "conditions": [accepted, established],
        "acceptedNames": {"plural": "", "kind": ""} if taken else names,
        "storedVersions": stored,
    }


def _conflict(crd: Object, others: Iterable[Object]) -> tuple[str, str] | None:
    names = dig(crd, "spec", "names") or {}
    group = dig(crd, "spec", "group")
    mine = {names.get("plural"), names.get("singular"), *(names.get("shortNames") or [])}
    for other in others:
        if dig(other, "spec", "group") != group or other["metadata"]["name"] == crd["metadata"].get("name"):
            continue
        theirs = dig(other, "status", "acceptedNames") or {}
        taken = {theirs.get("plural"), theirs.get("singular"), *(theirs.get("shortNames") or [])} - {None, ""}
        if names.get("kind") in (theirs.get("kind"), theirs.get("listKind")):
            return "KindConflict", f'"{names.get("kind")}" is already in use'
        clash = sorted(mine & taken)
        if clash:
            return "PluralConflict" if names.get(
                "plural"
            ) in clash else "ShortNamesConflict", f'"{clash[0]}" is already in use'
    return None


def _update(crd: Object, _: Object) -> None:
    status = crd.setdefault("status", {})
    conditions = {item["type"]: item.get("status") for item in status.get("conditions") or []}
    if conditions.get("NamesAccepted") == "True":
        status["acceptedNames"] = dict(dig(crd, "spec", "names") or {})
    stored = list(status.get("storedVersions") or [])
    for version in dig(crd, "spec", "versions") or []:
        if version.get("storage") and version.get("name") not in stored:
            stored.append(version["name"])
    status["storedVersions"] = stored


def _delete(crd: Object) -> None:
    finalizers = crd["metadata"].setdefault("finalizers", [])
    if FINALIZER not in finalizers and not crd["metadata"].get("deletionTimestamp"):
        finalizers.append(FINALIZER)


STRATEGY = Strategy(delete=_delete, defaults=_defaults, create=_create, update=_update, validate=_validate)


# The end of a CRD


async def run(cluster: Cluster, context: Context) -> None:
    """Deletes the objects of each CRD that is being deleted, then lets it go."""
    cleaning: dict[str, asyncio.Task[None]] = {}
    async for event in cluster.watch(CRDS):
        metadata = event.object["metadata"]
        name = metadata["name"]
        if event.type == "DELETED" or not metadata.get("deletionTimestamp") or name in cleaning:
            continue
        if FINALIZER in (metadata.get("finalizers") or []):
            cleaning[name] = asyncio.create_task(_clean(cluster, name))
            cleaning[name].add_done_callback(lambda _, name=name: cleaning.pop(name, None))  # type: ignore[misc]


async def _clean(cluster: Cluster, name: str) -> None:
    store = cluster.verbs.store
    subscription = store.subscribe(name, limit=None)
    try:
        for entry in list(store.scan(name)):
            try:
                cluster.delete(name, entry.name, entry.namespace)
            except ApiError:
                continue
        while store.count(name):
            await subscription.next()
        _release(cluster, name)
    finally:
        subscription.close()


def _release(cluster: Cluster, name: str) -> None:
    try:
        crd: dict[str, Any] = cluster.get(CRDS, name)
        left = [item for item in crd["metadata"].get("finalizers") or [] if item != FINALIZER]
        cluster.patch(CRDS, name, {"metadata": {"finalizers": left or None}})
    except NotFound:
        return
