"""ClusterRoles for users of an operator's kinds: those of each kind, and those of an OperatorGroup.

Pure functions.

Source: operator-lifecycle-manager, pkg/controller/operators/olm/operatorgroup.go.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from ..catalog.manifests import Api
from .digests import LONGEST, base62, fnv
from .rbac import API

Object = dict[str, Any]

VERBS = {"admin": ["*"], "edit": ["create", "update", "patch", "delete"], "view": ["get", "list", "watch"]}


@lru_cache(maxsize=8192)
def label_for(api: Api, role: str) -> str:
    """By which a group's ClusterRole finds those of a kind."""
    return f"olm.opgroup.permissions/aggregate-to-{fnv(f'{api.kind}.{api.version}.{api.group}'):x}-{role}"


def for_kind(crd: Object, owned: Object) -> list[Object]:
    """The admin, edit and view ClusterRoles for a kind that an operator owns; deleted with its CRD."""
    plural, _, group = owned["name"].partition(".")
    api = Api(group, owned["version"], owned["kind"])
    prefix = f"{owned['name']}-{owned['version']}-"
    found = []
    for role, verbs in VERBS.items():
        rules = [{"verbs": verbs, "apiGroups": [group], "resources": [plural]}]
        found.append(_role(crd, api, prefix + role, role, rules))
    rules = [
        {
            "verbs": ["get"],
            "apiGroups": ["apiextensions.k8s.io"],
            "resources": ["customresourcedefinitions"],
            "resourceNames": [owned["name"]],
        }
    ]
    return [*found, _role(crd, api, f"{prefix}crdview", "view", rules)]


def _role(crd: Object, api: Api, name: str, role: str, rules: list[Object]) -> Object:
    reference = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "customresourcedefinition",
        "name": crd["metadata"]["name"],
        "uid": crd["metadata"]["uid"],
        "controller": False,
        "blockOwnerDeletion": False,
    }
    labels = {f"rbac.authorization.k8s.io/aggregate-to-{role}": "true", label_for(api, role): "true"}
    meta = {"name": name, "labels": {**labels, "olm.managed": "true"}, "ownerReferences": [reference]}
    return {"apiVersion": API, "kind": "ClusterRole", "metadata": meta, "rules": rules}


def for_group(group: Object, apis: Iterable[Api]) -> list[Object]:
    """An OperatorGroup's three ClusterRoles, which aggregate those of the kinds that its operators provide."""
    meta = group["metadata"]
    labels = {"olm.managed": "true", "olm.owner": meta["name"], "olm.owner.kind": "OperatorGroup"}
    labels["olm.owner.namespace"] = meta["namespace"]
    found = []
    for role in VERBS:
        end = base62(hashlib.sha224(f"{meta['namespace']}/{meta['name']}/{role}".encode()).digest())
        room = LONGEST - len("olm.og..-") - len(role) - len(end)
        name = f"olm.og.{meta['name'][: max(room, 0)]}.{role}-{end}"
        selectors = [{"matchLabels": {label: "true"}} for label in sorted({label_for(api, role) for api in apis})]
        item: Object = {"apiVersion": API, "kind": "ClusterRole", "metadata": {"name": name, "labels": dict(labels)}}
        found.append({**item, "aggregationRule": {"clusterRoleSelectors": selectors} if selectors else None})
    return found
