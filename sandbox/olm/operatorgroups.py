"""Keeps OperatorGroups: which namespaces they mean (status.namespaces), that there is one in a namespace, what its operators provide.

Source of the rules: operator-lifecycle-manager, pkg/controller/operators/olm/operatorgroup.go.
"""

from __future__ import annotations

from typing import Any

from ..catalog.manifests import provided
from ..cluster import Cluster
from ..context import Context
from ..errors import NotFound
from ..labels import label_selector
from . import user_roles
from .csv import is_copy
from .names import CSVS, OPERATOR_GROUPS, PACE, now
from .workqueue import Workqueue

Object = dict[str, Any]

#: Condition of groups that are not alone in their namespace.
MULTIPLE = "MultipleOperatorGroup"
PROVIDED = "olm.providedAPIs"
ROLES = "clusterroles.rbac.authorization.k8s.io"


def targets(cluster: Cluster, group: Object) -> list[str]:
    """The namespaces that a group means; ``[""]`` is all of them, an empty list is none that exists."""
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
    try:
        async for event in cluster.watch(OPERATOR_GROUPS, "namespaces", CSVS):
            if event.resource == CSVS:
                if not is_copy(event.object):
                    queue.add(event.object["metadata"]["namespace"], after=PACE)
            elif event.resource == OPERATOR_GROUPS:
                queue.add(event.object["metadata"]["namespace"])
            elif event.type != "MODIFIED" or event.object["metadata"].get("labels"):
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


def _provide(cluster: Cluster, group: Object) -> None:
    """Names the kinds of its operators in an annotation, and gathers the rights on them in its ClusterRoles."""
    meta = group["metadata"]
    owned = [csv for csv in cluster.list(CSVS, meta["namespace"]) if not is_copy(csv) and not _is_going(csv)]
    apis = sorted({api for csv in owned for api in provided(csv)}, key=lambda api: (api.kind, api.version, api.group))
    for role in user_roles.for_group(group, apis):
        cluster.apply(ROLES, role, manager="olm")
    text = ",".join(f"{api.kind}.{api.version}.{api.group}" for api in apis)
    present = (meta.get("annotations") or {}).get(PROVIDED)
    if (present or "") != text:
        cluster.patch(OPERATOR_GROUPS, meta["name"], {"metadata": {"annotations": {PROVIDED: text}}}, meta["namespace"])


def _is_going(csv: Object) -> bool:
    return bool(csv["metadata"].get("deletionTimestamp"))


def _forget_roles(cluster: Cluster, namespace: str, present: set[str]) -> None:
    """The ClusterRoles of groups that are gone."""
    for role in cluster.list(ROLES, labels=f"olm.owner.kind=OperatorGroup,olm.owner.namespace={namespace}"):
        if role["metadata"]["labels"].get("olm.owner") not in present:
            cluster.delete(ROLES, role["metadata"]["name"])
