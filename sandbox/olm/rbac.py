"""Permissions of an operator as RBAC objects. Pure functions.

Source of names, labels and of who gets what: operator-lifecycle-manager, pkg/controller/registry/resolver/rbac.go, and
pkg/controller/operators/olm/operatorgroup.go for namespaces other than the operator's own.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from .csv import owner_labels, owner_reference, strategy

Object = dict[str, Any]

API = "rbac.authorization.k8s.io/v1"


def service_accounts(csv: Object) -> list[Object]:
    """One for each name in the permissions; ``default`` exists already."""
    details = strategy(csv)
    names = {
        entry["serviceAccountName"] for key in ("permissions", "clusterPermissions") for entry in details.get(key) or []
    }
    names |= {
        ((one.get("spec") or {}).get("template") or {}).get("spec", {}).get("serviceAccountName")
        for one in details.get("deployments") or []
    }
    return [_owned(csv, "v1", "ServiceAccount", name) for name in sorted(filter(None, names)) if name != "default"]


def namespaced(csv: Object, namespace: str = "") -> list[Object]:
    """Roles and bindings for ``permissions``, in the operator's namespace or in another one that it watches."""
    found = []
    for permission in strategy(csv).get("permissions") or []:
        name = _name(f"{csv['metadata']['name']}-{permission['serviceAccountName']}", permission)
        role = _owned(csv, API, "Role", name, rules=permission["rules"])
        binding = _owned(csv, API, "RoleBinding", name, **_bound(csv, "Role", name, permission))
        found += [role, binding]
    if namespace and namespace != csv["metadata"]["namespace"]:
        for obj in found:
            obj["metadata"].pop("ownerReferences")
            obj["metadata"]["namespace"] = namespace
            obj["metadata"]["labels"]["olm.copiedFrom"] = csv["metadata"]["namespace"]
    return found


def cluster_wide(csv: Object) -> list[Object]:
    """ClusterRoles and bindings for ``clusterPermissions``."""
    return [obj for entry in strategy(csv).get("clusterPermissions") or [] for obj in _cluster(csv, entry)]


def promoted(csv: Object) -> list[Object]:
    """``permissions`` as ClusterRoles, for an operator that watches all namespaces."""
    return [obj for entry in strategy(csv).get("permissions") or [] for obj in _cluster(csv, entry)]


def _cluster(csv: Object, permission: Object) -> list[Object]:
    name = _name(csv["metadata"]["name"], {"namespace": csv["metadata"]["namespace"], **permission})
    meta = {"name": name, "labels": owner_labels(csv)}
    role = {"apiVersion": API, "kind": "ClusterRole", "metadata": meta, "rules": permission["rules"]}
    binding = {"apiVersion": API, "kind": "ClusterRoleBinding", "metadata": {**meta, "labels": owner_labels(csv)}}
    return [role, {**binding, **_bound(csv, "ClusterRole", name, permission)}]


def _bound(csv: Object, kind: str, name: str, permission: Object) -> Object:
    account = {
        "kind": "ServiceAccount",
        "name": permission["serviceAccountName"],
        "namespace": csv["metadata"]["namespace"],
    }
    return {"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name}, "subjects": [account]}


def _owned(csv: Object, api_version: str, kind: str, name: str, **rest: Any) -> Object:
    meta: Object = {"name": name, "namespace": csv["metadata"]["namespace"], "labels": owner_labels(csv)}
    if csv["metadata"].get("uid"):
        meta["ownerReferences"] = [owner_reference(csv)]
    return {"apiVersion": api_version, "kind": kind, "metadata": meta, **rest}


def _name(base: str, content: Object) -> str:
    """A name that says whose it is and changes with its content; at most 63 characters."""
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:10]
    return f"{base[: 63 - len(digest) - 1]}-{digest}"


def for_users(csv: Object) -> list[Object]:
    """What the admin, edit and view ClusterRoles gain for each kind that the operator owns."""
    found = []
    owned = ((csv.get("spec") or {}).get("customresourcedefinitions") or {}).get("owned") or []
    grants = {"admin": ["*"], "edit": ["create", "update", "patch", "delete"], "view": ["get", "list", "watch"]}
    for crd in owned:
        plural, _, group = crd["name"].partition(".")
        for role, verbs in grants.items():
            labels = {**owner_labels(csv), f"rbac.authorization.k8s.io/aggregate-to-{role}": "true"}
            meta = {"name": f"{crd['name']}-{crd['version']}-{role}", "labels": labels}
            rules = [{"apiGroups": [group], "resources": [plural], "verbs": verbs}]
            found.append({"apiVersion": API, "kind": "ClusterRole", "metadata": meta, "rules": rules})
    return found
