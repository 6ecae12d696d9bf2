"""Fields of a ClusterServiceVersion that the parts of OLM read. Pure functions."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from ..catalog.manifests import provided, required
from .digests import go_json
from .names import COPIED
from .resolution import Installed

Object = dict[str, Any]

TARGETS = "olm.targetNamespaces"
GROUP_NAME = "olm.operatorGroup"
GROUP_NAMESPACE = "olm.operatorNamespace"
PROPERTIES = "operatorframework.io/properties"
_KEPT_ANNOTATIONS = (TARGETS, GROUP_NAME, GROUP_NAMESPACE, PROPERTIES)


def installed(csv: Object, *, subscription: str) -> Installed:
    """A CSV as the resolver sees it; ``subscription`` is the one that follows it."""
    return followed(as_installed(csv), subscription)


def as_installed(csv: Object) -> Installed:
    """The same without a Subscription; an outline (sandbox/outlines.py)."""
    meta = csv["metadata"]
    version = str((csv.get("spec") or {}).get("version", ""))
    found = Installed(name=meta["name"], version=version, provides=provided(csv), subscribed=False)
    return replace(found, namespace=meta.get("namespace", ""), package=_package(csv))


def followed(found: Installed, subscription: str) -> Installed:
    """The same, followed by a Subscription if there is one."""
    return replace(found, subscribed=bool(subscription), subscription=subscription)


def _package(csv: Object) -> str:
    """The package that a CSV is from, as its properties say; empty when a person made it."""
    text = (csv["metadata"].get("annotations") or {}).get(PROPERTIES)
    try:
        found = json.loads(text)["properties"] if text else []
        return next((item["value"]["packageName"] for item in found if item["type"] == "olm.package"), "")
    except (ValueError, KeyError, TypeError):
        return ""


def outline(csv: Object) -> Object:
    """A CSV without what takes room: descriptions, icons, examples, descriptors, deployments, requirements.

    See sandbox/outlines.py.
    """
    meta, spec, status = csv["metadata"], csv.get("spec") or {}, csv.get("status") or {}
    annotations = meta.get("annotations") or {}
    described = spec.get("customresourcedefinitions") or {}
    outlined_spec: Object = {key: spec[key] for key in ("version", "replaces", "apiservicedefinitions") if key in spec}
    outlined_spec["customresourcedefinitions"] = {
        which: [
            {key: crd[key] for key in ("name", "version", "kind") if key in crd} for crd in described.get(which) or []
        ]
        for which in ("owned", "required")
    }
    return {
        "apiVersion": csv["apiVersion"],
        "kind": csv["kind"],
        "metadata": {
            **{key: value for key, value in meta.items() if key not in ("annotations", "managedFields")},
            "annotations": {key: annotations[key] for key in _KEPT_ANNOTATIONS if key in annotations},
        },
        "spec": outlined_spec,
        "status": {key: value for key, value in status.items() if key not in ("conditions", "requirementStatus")},
    }


def phase(csv: Object) -> str:
    """Pending, InstallReady, Installing, Succeeded, Failed, Replacing, Deleting; empty before the first look."""
    return str((csv.get("status") or {}).get("phase", ""))


def is_copy(csv: Object) -> bool:
    """Whether it is a copy, which shows that an operator of another namespace watches this one."""
    return COPIED in (csv["metadata"].get("labels") or {})


def strategy(csv: Object) -> Object:
    """The install strategy's details: deployments, permissions, clusterPermissions."""
    return dict(((csv.get("spec") or {}).get("install") or {}).get("spec") or {})


def targets(csv: Object) -> list[str] | None:
    """The namespaces that the operator watches; ``[""]`` is all; None before its group has been found."""
    text = (csv["metadata"].get("annotations") or {}).get(TARGETS)
    return None if text is None else text.split(",")


def owner_reference(csv: Object) -> Object:
    """The ownerReference of objects that are deleted with the CSV."""
    return {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "name": csv["metadata"]["name"],
        "uid": csv["metadata"].get("uid", ""),
        "controller": False,
        "blockOwnerDeletion": False,
    }


def owner_labels(csv: Object) -> dict[str, str]:
    """By which OLM finds what belongs to a CSV where no owner reference can be (cluster scope, other namespaces)."""
    meta = csv["metadata"]
    return {
        "olm.managed": "true",
        "olm.owner": meta["name"],
        "olm.owner.namespace": meta["namespace"],
        "olm.owner.kind": "ClusterServiceVersion",
    }


def as_typed(spec: Object) -> Object:
    """A spec as OLM writes it back: what its Go types always have is there, empty."""
    always = {
        "apiservicedefinitions": {},
        "cleanup": {"enabled": False},
        "customresourcedefinitions": {},
        "provider": {},
    }
    found: Object = json.loads(json.dumps({**always, **spec}))
    for deployment in ((found.get("install") or {}).get("spec") or {}).get("deployments") or []:
        inner = deployment.setdefault("spec", {})
        inner.setdefault("strategy", {})
        pod = inner.setdefault("template", {}).setdefault("spec", {})
        for container in (pod.get("containers") or []) + (pod.get("initContainers") or []):
            container.setdefault("resources", {})
    return found


def unsupported(csv: Object, namespaces: list[str]) -> str:
    """Why the CSV's install modes do not allow these target namespaces; empty when they do."""
    modes = {
        mode.get("type"): bool(mode.get("supported")) for mode in (csv.get("spec") or {}).get("installModes") or []
    }
    own = csv["metadata"]["namespace"]
    if not namespaces:
        return "operatorgroup has invalid selected namespaces, cannot configure to watch zero namespaces"
    if len(namespaces) == 1:
        mode, what = "SingleNamespace", "one namespace"
        if namespaces[0] == own:
            mode, what = "OwnNamespace", "own namespace"
        elif namespaces[0] == "":
            mode, what = "AllNamespaces", "all namespaces"
        return "" if modes.get(mode) else f"{mode} InstallModeType not supported, cannot configure to watch {what}"
    if not modes.get("MultiNamespace"):
        return f"MultiNamespace InstallModeType not supported, cannot configure to watch {len(namespaces)} namespaces"
    if own in namespaces and not modes.get("OwnNamespace"):
        return "OwnNamespace InstallModeType not supported, cannot configure to watch own namespace"
    return ""


def properties(csv: Object, package: str) -> str:
    """The value of operatorframework.io/properties: what the bundle is, what it provides and what it needs."""
    version = str((csv.get("spec") or {}).get("version", ""))
    found: list[Object] = [{"type": "olm.package", "value": {"packageName": package, "version": version}}]
    found += [_gvk("olm.gvk", api.group, api.kind, api.version) for api in sorted(provided(csv), key=str)]
    found += [_gvk("olm.gvk.required", api.group, api.kind, api.version) for api in sorted(required(csv), key=str)]
    return go_json({"properties": found})


def _gvk(kind: str, group: str, name: str, version: str) -> Object:
    return {"type": kind, "value": {"group": group, "kind": name, "version": version}}
