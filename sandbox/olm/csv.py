"""What the parts of OLM read out of a ClusterServiceVersion. Pure functions."""

from __future__ import annotations

import json
from typing import Any

from ..catalog.manifests import provided, required
from .resolution import Installed

Object = dict[str, Any]

TARGETS = "olm.targetNamespaces"
GROUP_NAME = "olm.operatorGroup"
GROUP_NAMESPACE = "olm.operatorNamespace"


def installed(csv: Object, *, subscribed: bool) -> Installed:
    """A CSV as the resolver sees it."""
    version = str((csv.get("spec") or {}).get("version", ""))
    return Installed(csv["metadata"]["name"], version, provided(csv), subscribed)


def phase(csv: Object) -> str:
    """Pending, InstallReady, Installing, Succeeded, Failed, Replacing, Deleting; empty before the first look."""
    return str((csv.get("status") or {}).get("phase", ""))


def strategy(csv: Object) -> Object:
    """The install strategy's details: deployments, permissions, clusterPermissions."""
    return dict(((csv.get("spec") or {}).get("install") or {}).get("spec") or {})


def targets(csv: Object) -> list[str] | None:
    """The namespaces that the operator watches; ``[""]`` is all; None before its group has been found."""
    text = (csv["metadata"].get("annotations") or {}).get(TARGETS)
    return None if text is None else text.split(",")


def owner_reference(csv: Object) -> Object:
    """For objects that go with the CSV."""
    return {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "name": csv["metadata"]["name"],
        "uid": csv["metadata"]["uid"],
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
    """The value of operatorframework.io/properties: what the bundle is and what it needs."""
    spec = csv.get("spec") or {}
    found = [_gvk("olm.gvk", api.group, api.kind, api.version) for api in sorted(provided(csv), key=str)]
    found += [_gvk("olm.gvk.required", api.group, api.kind, api.version) for api in sorted(required(csv), key=str)]
    found.append({"type": "olm.package", "value": {"packageName": package, "version": str(spec.get("version", ""))}})
    return json.dumps({"properties": found}, separators=(",", ":"))


def _gvk(kind: str, group: str, name: str, version: str) -> Object:
    return {"type": kind, "value": {"group": group, "kind": name, "version": version}}
