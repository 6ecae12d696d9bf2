"""Whether the accounts of an operator are there and have the rights that its CSV asks for, each rule with its own
status.

Source of the sentences: operator-lifecycle-manager, pkg/controller/operators/olm/requirements.go (permissionStatus).
"""

from __future__ import annotations

from itertools import product
from typing import Any

from ..cluster import Cluster
from ..errors import NotFound
from ..http import User
from ..rbac import Attributes, Authorizer, allowed_by
from .csv import owner_labels, strategy
from .digests import digest, go_json, rule
from .rbac import GROUP, HASH_LABEL

Object = dict[str, Any]


def permission_statuses(cluster: Cluster, csv: Object, authorizer: Authorizer) -> list[Object]:
    """One status for each account; none for one whose rights are all in its namespace and were given by OLM itself."""
    found: dict[str, Object] = {}
    details = strategy(csv)
    for key, scope in (("permissions", "namespaced"), ("clusterPermissions", "cluster")):
        for permission in details.get(key) or []:
            name = permission["serviceAccountName"]
            status = found.get(name) or _status(name)
            if problem := _account_problem(cluster, csv, name):
                found[name] = status | problem
            elif scope == "cluster" or not _given_by_olm(cluster, csv, permission):
                found[name] = _with_rules(status, csv, permission, scope, authorizer)
    return list(found.values())


def _status(name: str) -> Object:
    return {"group": "", "version": "v1", "kind": "ServiceAccount", "name": name, "status": "Present", "message": ""}


def _account_problem(cluster: Cluster, csv: Object, name: str) -> Object:
    try:
        account = cluster.get("serviceaccounts", name, csv["metadata"]["namespace"])
    except NotFound:
        return {"status": "NotPresent", "message": "Service account does not exist"}
    references = account["metadata"].get("ownerReferences") or []
    owners = [reference["uid"] for reference in references if reference["kind"] == "ClusterServiceVersion"]
    if owners and csv["metadata"]["uid"] not in owners:
        message = "Service account is owned by another ClusterServiceVersion"
        return {"status": "PresentNotSatisfied", "message": message}
    return {}


def _given_by_olm(cluster: Cluster, csv: Object, permission: Object) -> bool:
    """Whether OLM has made a role with these rules for the CSV."""
    labels = {key: value for key, value in owner_labels(csv).items() if key != "olm.managed"}
    labels[HASH_LABEL] = digest([rule(item) for item in permission.get("rules") or []])
    query = ",".join(f"{key}={value}" for key, value in labels.items())
    return bool(cluster.list(f"roles.{GROUP}", csv["metadata"]["namespace"], labels=query))


def _with_rules(status: Object, csv: Object, permission: Object, scope: str, authorizer: Authorizer) -> Object:
    namespace = csv["metadata"]["namespace"]
    name = f"system:serviceaccount:{namespace}:{permission['serviceAccountName']}"
    groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated")
    grants = list(authorizer.grants(User(name, groups)))
    found = {**status, "dependents": list(status.get("dependents") or [])}
    for item in permission.get("rules") or []:
        asked = _asked(item, namespace if scope == "namespaced" else "")
        satisfied = all(allowed_by(grants, attributes) is not None for attributes in asked)
        if not satisfied:
            found |= {"status": "PresentNotSatisfied", "message": "Policy rule not satisfied for service account"}
        dependent = {"group": GROUP, "version": "v1", "kind": "PolicyRule"}
        dependent["status"] = "Satisfied" if satisfied else "NotSatisfied"
        found["dependents"].append({**dependent, "message": f"{scope} rule:{go_json(rule(item))}"})
    return found


def _asked(item: Object, namespace: str) -> list[Attributes]:
    """Every request that a rule stands for."""
    verbs = item.get("verbs") or []
    found = [Attributes(verb, path=path) for verb, path in product(verbs, item.get("nonResourceURLs") or [])]
    names = item.get("resourceNames") or [""]
    for verb, group, text, name in product(verbs, item.get("apiGroups") or [], item.get("resources") or [], names):
        resource, _, subresource = text.partition("/")
        found.append(
            Attributes(
                verb=verb, group=group, resource=resource, subresource=subresource, namespace=namespace, name=name
            )
        )
    return found
