"""ClusterRoles that gather the rules of others by label: admin, edit, view, and those that operators add to them."""

from __future__ import annotations

from typing import Any

from .cluster import Cluster
from .context import Context
from .controllers.workqueue import Workqueue
from .errors import ApiError
from .objects import Object, dig

CLUSTER_ROLES = "clusterroles.rbac.authorization.k8s.io"
#: Seconds in which changes are gathered.
_MOMENT = 0.02


async def run(cluster: Cluster, context: Context) -> None:
    """Keeps the rules of aggregating roles complete. An operator brings roles by the dozen: one pass answers all of a moment."""
    queue = Workqueue("roles", lambda *_: aggregate(cluster))
    try:
        async for event in cluster.watch(CLUSTER_ROLES):
            role = event.object
            if event.type == "DELETED" or role["metadata"].get("labels") or role.get("aggregationRule"):
                queue.add_after(_MOMENT, "", "")
    finally:
        queue.close()


def aggregate(cluster: Cluster) -> None:
    """One pass over all roles; a role that gathers from another gathering one is completed by the next pass."""
    roles = cluster.list(CLUSTER_ROLES)
    for role in roles:
        selectors = dig(role, "aggregationRule", "clusterRoleSelectors")
        if not selectors:
            continue
        rules: list[Any] = []
        for other in roles:
            if other is not role and any(_selects(selector, other) for selector in selectors):
                rules.extend(rule for rule in other.get("rules") or [] if rule not in rules)
        if rules != (role.get("rules") or []):
            role["rules"] = rules
            try:
                cluster.update(CLUSTER_ROLES, role)
            except ApiError:
                continue


def _selects(selector: Object, role: Object) -> bool:
    labels = role["metadata"].get("labels") or {}
    wanted = selector.get("matchLabels") or {}
    return bool(wanted) and all(labels.get(key) == value for key, value in wanted.items())
