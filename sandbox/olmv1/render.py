"""A registry+v1 bundle as plain objects for the whole cluster. Pure.

Source: operator-controller, internal/operator-controller/rukpak/render/registryv1/generators (for target namespaces
[""]).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from ..olm.csv import strategy
from ..olm.digests import go_json, rule
from ..olm.rbac import SEES_NAMESPACES

Object = dict[str, Any]

_RBAC = "rbac.authorization.k8s.io"
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_CLUSTER_WIDE = ("ClusterRole", "ClusterRoleBinding", "PriorityClass")
_ORDER = ["CustomResourceDefinition", "ServiceAccount", "ClusterRole", "Role", "ClusterRoleBinding", "RoleBinding"]


class Unsupported(Exception):
    """A bundle that OLM v1 does not install."""


def render(objects: list[Object], namespace: str) -> list[Object]:
    """The objects in the order in which they are applied. Raises Unsupported."""
    csv = next((obj for obj in objects if obj["kind"] == "ClusterServiceVersion"), None)
    if csv is None:
        raise Unsupported("bundle contains no ClusterServiceVersion")
    modes = {mode["type"] for mode in csv["spec"].get("installModes") or [] if mode.get("supported")}
    if "AllNamespaces" not in modes:
        raise Unsupported("unsupported bundle: bundle does not support AllNamespaces install mode")
    if csv["spec"].get("webhookdefinitions"):
        raise Unsupported("unsupported bundle: webhookDefinitions are not supported")
    if (csv["spec"].get("apiservicedefinitions") or {}).get("owned"):
        raise Unsupported("unsupported bundle: apiServiceDefintions are not supported")
    found = [
        *_own(objects, namespace),
        *_accounts(csv, namespace),
        *_rights(csv, namespace),
        *_deployments(csv, namespace),
    ]
    return sorted(found, key=lambda item: _ORDER.index(item["kind"]) if item["kind"] in _ORDER else len(_ORDER))


def _own(objects: list[Object], namespace: str) -> Iterator[Object]:
    for obj in objects:
        if obj["kind"] == "ClusterServiceVersion":
            continue
        meta = {key: value for key, value in obj["metadata"].items() if key not in ("namespace", "creationTimestamp")}
        placed = obj["kind"] not in (*_CLUSTER_WIDE, "CustomResourceDefinition")
        stored = {key: value for key, value in obj.items() if key != "status"}
        yield {**stored, "metadata": {**meta, "namespace": namespace} if placed else meta}


def _accounts(csv: Object, namespace: str) -> Iterator[Object]:
    details = strategy(csv)
    lists = [*(details.get("permissions") or []), *(details.get("clusterPermissions") or [])]
    for name in dict.fromkeys(list_.get("serviceAccountName") or "default" for list_ in lists):
        if name != "default":
            yield {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": namespace}}


def _rights(csv: Object, namespace: str) -> Iterator[Object]:
    """Everything as ClusterRoles, since the operator watches all namespaces."""
    details = strategy(csv)
    lists = list(details.get("clusterPermissions") or [])
    lists += [
        {**permission, "rules": [*permission["rules"], SEES_NAMESPACES]}
        for permission in details.get("permissions") or []
    ]
    for list_ in lists:
        account = list_.get("serviceAccountName") or "default"
        rules = [rule(each) for each in list_["rules"]]
        name = _unique(f"{csv['metadata']['name']}-{account}", {"serviceAccountName": account, "rules": rules})
        yield {"apiVersion": f"{_RBAC}/v1", "kind": "ClusterRole", "metadata": {"name": name}, "rules": rules}
        yield {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": name},
            "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": namespace}],
            "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": name},
        }


def _unique(base: str, content: Object) -> str:
    """The name and a digest of the content in base 36, 63 characters at most."""
    number, found = int.from_bytes(hashlib.sha224((go_json(content) + "\n").encode()).digest(), "big"), ""
    while number:
        number, rest = divmod(number, 36)
        found = _DIGITS[rest] + found
    return f"{base[: 63 - len(found) - 1] if len(base) + len(found) > 62 else base}-{found}"


def _deployments(csv: Object, namespace: str) -> Iterator[Object]:
    for deployment in strategy(csv).get("deployments") or []:
        spec: Object = json.loads(json.dumps(deployment["spec"]))
        template = spec.setdefault("template", {}).setdefault("metadata", {})
        annotations = {key: str(value) for key, value in (csv["metadata"].get("annotations") or {}).items()}
        scope = {"olm.targetNamespaces": "", "olm.operatorNamespace": namespace}
        template["annotations"] = {**annotations, **(template.get("annotations") or {}), **scope}
        spec["revisionHistoryLimit"] = 1
        meta = {"name": deployment["name"], "namespace": namespace, "labels": dict(deployment.get("label") or {})}
        yield {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": spec}
