"""CustomResourceDefinitions: served versions, conditions, and the deletion with all objects.

The real server does this in controllers a moment later; here a CRD is established in the same step that stores it, so
its API is there when the answer to ``kubectl create`` arrives.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from structural.causes import FieldCause

from .cluster import Cluster
from .context import Context
from .crdnames import accepted_names, condition_of, immutable_causes, set_condition, settle
from .errors import ApiError, NotFound, Plain
from .kinds.strategy import Strategy
from .objects import Object, decode, dig
from .outlines import outlines
from .resources import ALL_VERBS, Registry, Resource, Scale
from .schemas import CRDS, schema
from .store import Store, StoreChange

FINALIZER = "customresourcecleanup.apiextensions.k8s.io"
#: What discovery still says of an API whose CRD is being deleted; updates work all the same, for finalizers.
_LEAVING = ("delete", "deletecollection", "get", "list", "watch")
_VERSION = re.compile(r"^v(\d+)(?:(alpha|beta)(\d+))?$")


def version_rank(version: str) -> tuple[int, int, int, str]:
    """Sorts versions as Kubernetes prefers them: v2, v1, v1beta2, v1alpha1, then the rest by name."""
    found = _VERSION.match(version)
    if found is None:
        return (3, 0, 0, version)
    major, stage, minor = found.groups()
    return ({None: 0, "beta": 1, "alpha": 2}[stage], -int(major), -int(minor or 0), version)


Reading = Callable[[Resource, Any], bytes]


def resources_of(
    crd: Object, since: int = 0, reading: Reading | None = None, store: Store | None = None
) -> list[Resource]:
    """One Resource for each served version, preferred first. Nothing for a CRD that is not established.

    Objects stored before version ``since`` possibly don't fit the schema; ``reading`` converts them.
    """
    conditions = {condition["type"]: condition.get("status") for condition in dig(crd, "status", "conditions") or []}
    if conditions.get("Established") != "True":
        return []
    spec = crd["spec"]
    names = dig(crd, "status", "acceptedNames") or spec["names"]
    storage = next((version["name"] for version in spec["versions"] if version.get("storage")), "")
    served = sorted((v for v in spec["versions"] if v.get("served")), key=lambda v: version_rank(v["name"]))
    verbs = _LEAVING if crd["metadata"].get("deletionTimestamp") else ALL_VERBS
    shape = next((version.get("schema") for version in spec["versions"] if version["name"] == storage), None)
    found = [
        _resource(name=crd["metadata"]["name"], spec=spec, names=names, version=version, storage=storage, verbs=verbs)
        for version in served
    ]
    return [
        replace(resource, since=since, reading=reading, reshaped=version.get("schema") != shape)
        for resource, version in zip(_converted(crd, found, store), served, strict=True)
    ]


def _converted(crd: Object, found: list[Resource], store: Store | None) -> list[Resource]:
    """Adds to versions that a webhook converts to the error for a webhook whose Service doesn't exist.

    The preferred one is left alone: the sandbox's own controllers read it.
    """
    service = dig(crd, "spec", "conversion", "webhook", "clientConfig", "service")
    if not isinstance(service, dict) or store is None:
        return found
    namespace, name = str(service.get("namespace") or ""), str(service.get("name") or "")
    address = f"https://{name}.{namespace}.svc:{service.get('port') or 443}{service.get('path') or '/'}?timeout=30s"
    kind = dig(crd, "spec", "names", "kind")

    def converting(version: str) -> None:
        if store.get("services", namespace, name) is None:
            raise Plain(
                f'conversion webhook for {version}, Kind={kind} failed: Post "{address}": service "{name}" not found'
            )

    return [
        replace(resource, converting=converting) if index and resource.version != resource.storage_version else resource
        for index, resource in enumerate(found)
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
        registry.replace_crd(entry.name, resources_of(decode(entry.data), entry.version, reading, store))


def hook(store: Store, registry: Registry, reading: Reading, change: StoreChange) -> None:
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
    registry.replace_crd(change.entry.name, resources_of(crd, since, reading, store))


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
    service = dig(spec, "conversion", "webhook", "clientConfig", "service")
    if isinstance(service, dict):
        service.setdefault("port", 443)


def _validate(crd: Object, old: Object | None) -> list[FieldCause]:
    causes = [FieldCause(*cause) for cause in schema.check_crd(crd, old)] if schema is not None else []
    return causes if old is None else causes + immutable_causes(crd, old)


def _create(crd: Object, store: Store) -> None:
    stored = [version.get("name") for version in dig(crd, "spec", "versions") or [] if version.get("storage")]
    crd["status"] = {"conditions": [], "acceptedNames": {}, "storedVersions": stored[:1]}
    crd["status"] = settle(crd, outlines(store, CRDS, accepted_names))


def _update(crd: Object, _: Object) -> None:
    status = crd.setdefault("status", {})
    stored = list(status.get("storedVersions") or [])
    for version in dig(crd, "spec", "versions") or []:
        if version.get("storage"):
            stored += [] if version.get("name") in stored else [version.get("name")]
            break
    status["storedVersions"] = stored


def _delete(crd: Object) -> None:
    finalizers = crd["metadata"].setdefault("finalizers", [])
    if crd["metadata"].get("deletionTimestamp"):
        return
    if FINALIZER not in finalizers:
        finalizers.append(FINALIZER)
    soon = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"
    set_condition(crd.setdefault("status", {}), "Terminating", True, "InstanceDeletionPending", soon)


STRATEGY = Strategy(delete=_delete, defaults=_defaults, create=_create, update=_update, validate=_validate)


# What happens a moment later


async def run(cluster: Cluster, context: Context) -> None:
    """Accepts names that become free; deletes the objects of each CRD that is being deleted, then lets it go."""
    cleaning: dict[str, asyncio.Task[None]] = {}
    async for event in cluster.watch(CRDS):
        crd = event.object
        name = crd["metadata"]["name"]
        if event.type == "DELETED":
            _settle_group(cluster, dig(crd, "spec", "group"))
        elif not crd["metadata"].get("deletionTimestamp"):
            _settle(cluster, name)
        elif name not in cleaning and FINALIZER in (crd["metadata"].get("finalizers") or []):
            cleaning[name] = asyncio.create_task(_clean(cluster, name))
            cleaning[name].add_done_callback(lambda _, name=name: cleaning.pop(name, None))  # type: ignore[misc]


def _settle_group(cluster: Cluster, group: str) -> None:
    """A CRD has left its names: others of the group may have waited for them."""
    for other in cluster.outlines(CRDS, accepted_names):
        if other.group == group:
            _settle(cluster, other.name)


def _settle(cluster: Cluster, name: str) -> None:
    try:
        crd = cluster.get(CRDS, name)
        if crd["metadata"].get("deletionTimestamp") or crd["spec"]["names"] == dig(crd, "status", "acceptedNames"):
            return
        status = settle(crd, (other for other in cluster.outlines(CRDS, accepted_names) if other.name != name))
        if status != crd.get("status"):
            cluster.update(CRDS, {**crd, "status": status}, subresource="status")
    except ApiError:
        return  # it changed meanwhile, and comes again


async def _clean(cluster: Cluster, name: str) -> None:
    store = cluster.verbs.store
    if condition_of(cluster.get(CRDS, name), "Established").get("status") != "True":
        _release(cluster, name, "NeverEstablished", "resource was never established")
        return
    _set_terminating(cluster, name, True, "InstanceDeletionInProgress", "CustomResource deletion is in progress")
    subscription = store.subscribe(name, limit=None)
    try:
        for entry in list(store.scan(name)):
            try:
                cluster.delete(name, entry.name, entry.namespace)
            except ApiError:
                continue
        while store.count(name):
            await subscription.next()
        _release(cluster, name, "InstanceDeletionCompleted", "removed all instances")
    finally:
        subscription.close()


def _set_terminating(cluster: Cluster, name: str, terminating: bool, reason: str, message: str) -> None:
    try:
        crd = cluster.get(CRDS, name)
        set_condition(crd["status"], "Terminating", terminating, reason, message)
        cluster.update(CRDS, crd, subresource="status")
    except NotFound:
        return


def _release(cluster: Cluster, name: str, reason: str, message: str) -> None:
    _set_terminating(cluster, name, False, reason, message)
    try:
        crd: dict[str, Any] = cluster.get(CRDS, name)
        left = [finalizer for finalizer in crd["metadata"].get("finalizers") or [] if finalizer != FINALIZER]
        cluster.patch(CRDS, name, {"metadata": {"finalizers": left or None}})
    except NotFound:
        return
