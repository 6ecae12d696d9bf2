"""Keeps OperatorGroups: which namespaces they mean (status.namespaces), that there is one in a namespace, what its
operators provide.

Source of the rules: operator-lifecycle-manager, pkg/controller/operators/olm/operatorgroup.go.
"""

from __future__ import annotations

from typing import Any

import msgspec

from ..catalog.manifests import Api, provided
from ..cluster import Cluster
from ..context import Context
from ..errors import NotFound
from ..labels import label_selector
from ..outlines import outline_of
from ..store import Key, StoreEntry
from ..stored_fields import replace_field
from . import user_roles
from .csv import is_copy
from .names import CSVS, OPERATOR_GROUPS, PACE, now
from .workqueue import Workqueue

Object = dict[str, Any]

#: Condition of groups that are not alone in their namespace.
MULTIPLE = "MultipleOperatorGroup"
PROVIDED = "olm.providedAPIs"
NO_APIS: frozenset[Api] = frozenset()
ROLES = "clusterroles.rbac.authorization.k8s.io"


def targets(cluster: Cluster, group: Object) -> list[str]:
    """The namespaces that a group means; ``[""]``: all of them, an empty list: no existing one."""
    spec = group.get("spec") or {}
    if names := spec.get("targetNamespaces"):
        return sorted(names)
    selector = spec.get("selector") or {}
    if not selector.get("matchLabels") and not selector.get("matchExpressions"):
        return [""]
    matches = label_selector(selector_text(selector))
    found = cluster.list("namespaces")
    return sorted(
        namespace["metadata"]["name"]
        for namespace in found
        if matches is None or matches(namespace["metadata"].get("labels") or {})
    )


def selector_text(selector: Object) -> str:
    """A LabelSelector as a query parameter would write it."""
    parts = [f"{key}={value}" for key, value in (selector.get("matchLabels") or {}).items()]
    for term in selector.get("matchExpressions") or []:
        key, values = term["key"], ",".join(term.get("values") or [])
        words = {
            "In": f"{key} in ({values})",
            "NotIn": f"{key} notin ({values})",
            "Exists": key,
            "DoesNotExist": f"!{key}",
        }
        parts.append(words[term["operator"]])
    return ",".join(parts)


async def run(cluster: Cluster, context: Context) -> None:
    """Watches groups and namespaces until cancelled."""

    async def reconcile(namespace: str, _: str) -> None:
        groups = [g for g in cluster.list(OPERATOR_GROUPS, namespace) if not g["metadata"].get("deletionTimestamp")]
        for group in groups:
            _publish(cluster, group, alone=len(groups) == 1)
            _provide(cluster, group)
        _forget_roles(cluster, namespace, {group["metadata"]["name"] for group in groups})

    queue = Workqueue("operatorgroup", reconcile)
    known: dict[Key, frozenset[Api]] = {}
    try:
        async for change in cluster.changes(OPERATOR_GROUPS, "namespaces", CSVS):
            if change.resource == CSVS:
                # The phases of a CSV alter nothing of what its group provides.
                entry = change.entry
                gone = change.type == "DELETED"
                apis = NO_APIS if gone else outline_of(cluster.verbs.store, CSVS, entry, provided_apis)
                if known.get(entry.key, NO_APIS) != apis:
                    queue.add(entry.namespace, after=PACE)
                    known[entry.key] = apis
                if gone:
                    known.pop(entry.key, None)
            elif change.resource == OPERATOR_GROUPS:
                queue.add(change.entry.namespace)
            elif change.type != "MODIFIED" or change.entry.labels:
                for group in cluster.list(OPERATOR_GROUPS):
                    if (group.get("spec") or {}).get("selector"):
                        queue.add(group["metadata"]["namespace"])
    finally:
        await queue.close()


def _publish(cluster: Cluster, group: Object, *, alone: bool) -> None:
    status = group.get("status") or {}
    conditions = [c for c in status.get("conditions") or [] if c["type"] != MULTIPLE]
    if not alone:
        conditions.append(
            {
                "type": MULTIPLE,
                "status": "True",
                "reason": "MultipleOperatorGroupsFound",
                "message": "Multiple OperatorGroup found in the same namespace",
            }
        )
    wanted = targets(cluster, group)
    if not wanted and "namespaces" not in status and not conditions:
        return
    known = [c["type"] for c in status.get("conditions") or []]
    if status.get("namespaces") == wanted and known == [c["type"] for c in conditions]:
        return
    for condition in conditions:
        condition.setdefault("lastTransitionTime", now())
    patch = {"namespaces": wanted or None, "lastUpdated": now(), "conditions": conditions or None}
    meta = group["metadata"]
    try:
        cluster.patch(OPERATOR_GROUPS, meta["name"], {"status": patch}, meta["namespace"], "status")
    except NotFound:
        return


def provided_apis(csv: Object) -> frozenset[Api]:
    """The kinds that an operator provides while it stays; an outline (sandbox/outlines.py)."""
    return NO_APIS if is_copy(csv) or csv["metadata"].get("deletionTimestamp") else provided(csv)


def _provide(cluster: Cluster, group: Object) -> None:
    """Lists the kinds of its operators in an annotation, and aggregates the permissions on them in its ClusterRoles."""
    meta = group["metadata"]
    apis: list[Api] = sorted(
        NO_APIS.union(*cluster.outlines(CSVS, provided_apis, meta["namespace"])),
        key=lambda api: (api.kind, api.version, api.group),
    )
    text = ",".join(f"{api.kind}.{api.version}.{api.group}" for api in apis)
    present = (meta.get("annotations") or {}).get(PROVIDED)
    roles = user_roles.for_group(group, apis) if (present or "") != text else []
    named = {role.labels.get("olm.owner") for role in _roles_of(cluster, meta["namespace"])}
    if not roles and meta["name"] not in named:
        roles = user_roles.for_group(group, apis)
    for role in roles:
        _write_role(cluster.as_manager("olm"), role)
    if (present or "") != text:
        cluster.patch(OPERATOR_GROUPS, meta["name"], {"metadata": {"annotations": {PROVIDED: text}}}, meta["namespace"])


def _write_role(cluster: Cluster, role: Object) -> None:
    """Of a role that is there only the selectors differ: hundreds, beside thousands of rules."""
    name, rule = role["metadata"]["name"], role["aggregationRule"]
    stored = cluster.verbs.store.get(ROLES, "", name)
    same_labels = stored is not None and role["metadata"]["labels"].items() <= stored.labels.items()
    written = None
    if rule and same_labels:
        written = replace_field(cluster, ROLES, name, "aggregationRule", msgspec.json.encode(rule))
    if written is None:
        cluster.apply(ROLES, role, manager=cluster.manager)


def _forget_roles(cluster: Cluster, namespace: str, present: set[str]) -> None:
    """The ClusterRoles of groups that are gone."""
    for role in _roles_of(cluster, namespace):
        if role.labels.get("olm.owner") not in present:
            cluster.delete(ROLES, role.name)


def _roles_of(cluster: Cluster, namespace: str) -> list[StoreEntry]:
    """The ClusterRoles of a namespace's groups, which are too large to be decoded for a look at their labels."""
    labels = {"olm.owner.kind": "OperatorGroup", "olm.owner.namespace": namespace}
    return cluster.verbs.store.labelled(ROLES, labels)
