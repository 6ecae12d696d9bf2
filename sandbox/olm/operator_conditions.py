"""The OperatorCondition of a CSV, by which its operator can say that it must not be upgraded now, and the right to
say so.

Source: operator-lifecycle-manager, pkg/controller/operators/operatorcondition{generator,}_controller.go.
"""

from __future__ import annotations

from typing import Any

from ..cluster import Cluster
from .csv import owner_reference, strategy
from .names import GROUP, OPERATOR_CONDITIONS
from .rbac import API

Object = dict[str, Any]


def ensure(cluster: Cluster, csv: Object) -> None:
    """Creates the OperatorCondition and its role."""
    meta, details = csv["metadata"], strategy(csv)
    accounts = [
        item["serviceAccountName"] for key in ("clusterPermissions", "permissions") for item in details.get(key) or []
    ]
    spec = {
        "deployments": [deployment["name"] for deployment in details.get("deployments") or []],
        "serviceAccounts": accounts or ["default"],
    }
    head = {"name": meta["name"], "namespace": meta["namespace"]}
    body = {"apiVersion": f"{GROUP}/v2", "kind": "OperatorCondition", "spec": spec}
    owner = {**owner_reference(csv), "controller": True}
    made = cluster.apply(OPERATOR_CONDITIONS, {**body, "metadata": {**head, "ownerReferences": [owner]}}, manager="olm")
    for obj in _rights(made):
        cluster.apply(f"{obj['kind'].lower()}s.{API.partition('/')[0]}", obj, manager="olm")


def _rights(condition: Object) -> list[Object]:
    """A Role for this one object, bound to the operator's accounts."""
    meta = condition["metadata"]
    owner = {
        "apiVersion": f"{GROUP}/v2",
        "kind": "OperatorCondition",
        "name": meta["name"],
        "uid": meta["uid"],
        "controller": True,
        "blockOwnerDeletion": False,
    }
    head = {"name": meta["name"], "namespace": meta["namespace"], "labels": {"olm.managed": "true"}}
    head["ownerReferences"] = [owner]
    rule = {
        "verbs": ["get", "update", "patch"],
        "apiGroups": [GROUP],
        "resources": ["operatorconditions"],
        "resourceNames": [meta["name"]],
    }
    reference = {"apiGroup": API.partition("/")[0], "kind": "Role", "name": meta["name"]}
    subjects = [{"kind": "ServiceAccount", "name": name} for name in condition["spec"]["serviceAccounts"]]
    return [
        {"apiVersion": API, "kind": "Role", "metadata": head, "rules": [rule]},
        {"apiVersion": API, "kind": "RoleBinding", "metadata": head, "roleRef": reference, "subjects": subjects},
    ]
