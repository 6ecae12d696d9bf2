"""Permissions of an operator as RBAC objects. Pure functions.

Source of names, labels and subjects: operator-lifecycle-manager, pkg/controller/registry/resolver/rbac.go, and
pkg/controller/operators/olm/operatorgroup.go for namespaces other than the operator's own.
"""

from __future__ import annotations

from typing import Any

from .csv import owner_labels, owner_reference, strategy
from .digests import digest, name_for, rule

Object = dict[str, Any]

GROUP = "rbac.authorization.k8s.io"
API = f"{GROUP}/v1"
#: The digest of a role's rules, or of a binding's two ends.
HASH_LABEL = "olm.permissions.hash"
#: What an operator of all namespaces may do beside its own permissions.
SEES_NAMESPACES = {"verbs": ["get", "list", "watch"], "apiGroups": [""], "resources": ["namespaces"]}


def service_accounts(csv: Object) -> list[Object]:
    """One for each name in the permissions; ``default`` exists already.

    Deployments can name others, which OLM doesn't create.
    """
    details = strategy(csv)
    names = [
        entry["serviceAccountName"] for key in ("permissions", "clusterPermissions") for entry in details.get(key) or []
    ]
    found = []
    for name in dict.fromkeys(names):
        meta = {"name": name, "namespace": csv["metadata"]["namespace"], "ownerReferences": [owner_reference(csv)]}
        if name != "default":
            found.append({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta})
    return found


def namespaced(csv: Object, namespace: str = "") -> list[Object]:
    """Roles and bindings for ``permissions``, in the operator's namespace or in another one that it watches."""
    found = []
    for permission in strategy(csv).get("permissions") or []:
        content = {"name": csv["metadata"]["name"], "permission": _content(permission)}
        name = name_for(f"{csv['metadata']['name']}-{permission['serviceAccountName']}", content)
        found += _pair(csv, "", name, permission)
    for obj in found:
        obj["metadata"] |= {"namespace": csv["metadata"]["namespace"], "ownerReferences": [owner_reference(csv)]}
    if namespace and namespace != csv["metadata"]["namespace"]:
        for obj in found:
            obj["metadata"].pop("ownerReferences")
            obj["metadata"]["namespace"] = namespace
            obj["metadata"]["labels"] |= {"olm.copiedFrom": csv["metadata"]["namespace"], "olm.managed": "true"}
    return found


def cluster_wide(csv: Object) -> list[Object]:
    """ClusterRoles and bindings for ``clusterPermissions``."""
    meta, found = csv["metadata"], []
    for permission in strategy(csv).get("clusterPermissions") or []:
        content = {"name": meta["name"], "namespace": meta["namespace"], "permission": _content(permission)}
        found += _pair(csv, "Cluster", name_for(meta["name"], content), permission)
    return found


def promoted(csv: Object) -> list[Object]:
    """``permissions`` as ClusterRoles of the same names, for an operator that watches all namespaces."""
    found = []
    for obj in namespaced(csv):
        meta = {"name": obj["metadata"]["name"], "labels": {**obj["metadata"]["labels"], "olm.managed": "true"}}
        lifted = {**obj, "kind": f"Cluster{obj['kind']}", "metadata": meta}
        if "rules" in obj:
            lifted["rules"] = [*obj["rules"], SEES_NAMESPACES]
        else:
            lifted["roleRef"] = {**obj["roleRef"], "kind": "ClusterRole"}
        found.append(lifted)
    return found


def _content(permission: Object) -> Object:
    return {
        "serviceAccountName": permission["serviceAccountName"],
        "rules": [rule(item) for item in permission["rules"]],
    }


def _pair(csv: Object, scope: str, name: str, permission: Object) -> list[Object]:
    """A role and its binding, both without a namespace. ``scope`` is empty or ``Cluster``."""
    rules = [rule(item) for item in permission["rules"]]
    account = {
        "kind": "ServiceAccount",
        "name": permission["serviceAccountName"],
        "namespace": csv["metadata"]["namespace"],
    }
    reference = {"apiGroup": GROUP, "kind": f"{scope}Role", "name": name}
    ends = {"RoleRef": reference, "Subjects": [account]}
    role = {"apiVersion": API, "kind": f"{scope}Role", "metadata": _meta(csv, name, digest(rules)), "rules": rules}
    binding = {"apiVersion": API, "kind": f"{scope}RoleBinding", "metadata": _meta(csv, name, digest(ends))}
    return [role, {**binding, "subjects": [account], "roleRef": reference}]


def _meta(csv: Object, name: str, content: str) -> Object:
    labels = {key: value for key, value in owner_labels(csv).items() if key != "olm.managed"}
    return {"name": name, "labels": {**labels, HASH_LABEL: content}}
