"""Takes each ClusterServiceVersion from its first look to Succeeded, and clears up after it.

One step of its life a pass; the write of its status leads to the next pass. What is in no namespace (ClusterRoles) has
no owner, so it is found by its labels when the CSV is gone.
"""

from __future__ import annotations

import logging
from typing import Any

from ..cluster import Cluster
from ..context import Context
from ..errors import ApiError, NotFound
from ..rbac import Authorizer
from .csv import is_copy, outline
from .csv_lifecycle import Lifecycle
from .names import CRDS, CSVS, DEPLOYMENTS, FINALIZER, OPERATOR_GROUPS, PACE, SUBSCRIPTIONS
from .workqueue import Workqueue

Object = dict[str, Any]

log = logging.getLogger("sandbox.olm.csvs")

#: Kinds that can belong to a CSV without an owner reference.
BY_LABEL = [
    f"{plural}.rbac.authorization.k8s.io" for plural in ("clusterrolebindings", "clusterroles", "rolebindings", "roles")
]


async def run(cluster: Cluster, context: Context) -> None:
    """Watches CSVs and what they depend on until cancelled."""

    down_since: dict[str, float] = {}
    authorizer = Authorizer(cluster.verbs.store)

    async def reconcile(namespace: str, name: str) -> None:
        try:
            csv = cluster.get(CSVS, name, namespace)
        except NotFound:
            _clear_up(cluster, namespace, name)
            return
        if is_copy(csv):
            return
        if csv["metadata"].get("deletionTimestamp"):
            _clear_up(cluster, namespace, name)
            _let_go(cluster, csv)
            return
        after = Lifecycle(cluster, csv, down_since, authorizer).step()
        if after:
            queue.add(namespace, name, after=after)

    queue = Workqueue("clusterserviceversion", reconcile)
    groups: dict[str, Object | None] = {}
    _sweep(cluster)
    try:
        async for event in cluster.watch(CSVS, OPERATOR_GROUPS, DEPLOYMENTS, SUBSCRIPTIONS, CRDS):
            meta = event.object["metadata"]
            if event.resource == CSVS:
                queue.add(meta["namespace"], meta["name"], after=PACE)
                _add_replaced(cluster, queue, event.object)
                if event.type == "DELETED":
                    _add_all(cluster, queue, meta["namespace"])
                    _add_rivals(cluster, queue)
            elif event.resource == DEPLOYMENTS:
                labels = meta.get("labels") or {}
                if labels.get("olm.owner.kind") == "ClusterServiceVersion":
                    queue.add(labels["olm.owner.namespace"], labels["olm.owner"])
            elif event.resource == CRDS:
                if event.type == "DELETED":
                    _add_users(cluster, queue, meta["name"])
            elif event.resource == OPERATOR_GROUPS:
                # What its operators provide, in an annotation, changes with each install, and concerns none of them.
                found = None if event.type == "DELETED" else _targeting(event.object)
                if found is None or groups.get(meta["uid"]) != found:
                    groups[meta["uid"]] = found
                    _add_all(cluster, queue, meta["namespace"])
            elif event.object["spec"].get("config"):
                _add_all(cluster, queue, meta["namespace"])
    finally:
        await queue.close()


def _targeting(group: Object) -> Object:
    """The fields of an OperatorGroup that its operators follow."""
    return {"spec": group.get("spec"), "namespaces": (group.get("status") or {}).get("namespaces")}


def _add_all(cluster: Cluster, queue: Workqueue, namespace: str) -> None:
    for csv in cluster.outlines(CSVS, outline, namespace):
        queue.add(namespace, csv["metadata"]["name"], after=PACE)


def _add_replaced(cluster: Cluster, queue: Workqueue, csv: Object) -> None:
    """Deletes the version that this one replaces, when this one is healthy."""
    namespace, name = csv["metadata"]["namespace"], str(csv["spec"].get("replaces") or "")
    if name and cluster.verbs.store.get(CSVS, namespace, name) is not None:
        queue.add(namespace, name, after=PACE)


def _add_rivals(cluster: Cluster, queue: Workqueue) -> None:
    """Those that had to stay back for one of another namespace that provides the same kinds: it may be the one that
    is gone.
    """
    for csv in cluster.outlines(CSVS, outline):
        if (csv.get("status") or {}).get("reason") == "InterOperatorGroupOwnerConflict":
            queue.add(csv["metadata"]["namespace"], csv["metadata"]["name"], after=PACE)


def _add_users(cluster: Cluster, queue: Workqueue, crd: str) -> None:
    """The CSVs that own or require a kind."""
    for csv in cluster.outlines(CSVS, outline):
        described = csv["spec"].get("customresourcedefinitions") or {}
        if any(item["name"] == crd for item in [*(described.get("owned") or []), *(described.get("required") or [])]):
            queue.add(csv["metadata"]["namespace"], csv["metadata"]["name"])


def _clear_up(cluster: Cluster, namespace: str, name: str) -> None:
    """Removes what a deleted CSV leaves behind."""
    labels = f"olm.owner.kind=ClusterServiceVersion,olm.owner={name},olm.owner.namespace={namespace}"
    for resource in BY_LABEL:
        for obj in cluster.list(resource, labels=labels):
            _delete(cluster, resource, obj)


def _let_go(cluster: Cluster, csv: Object) -> None:
    """Removes our finalizer, so that a deleted CSV is removed."""
    meta = csv["metadata"]
    others = [finalizer for finalizer in meta.get("finalizers") or [] if finalizer != FINALIZER]
    if len(others) != len(meta.get("finalizers") or []):
        cluster.patch(CSVS, meta["name"], {"metadata": {"finalizers": others or None}}, meta["namespace"])


def _sweep(cluster: Cluster) -> None:
    """At the start: CSVs may have been deleted while no controller watched."""
    present = {(csv["metadata"]["namespace"], csv["metadata"]["name"]) for csv in cluster.outlines(CSVS, outline)}
    for resource in BY_LABEL:
        for obj in cluster.list(resource, labels="olm.owner.kind=ClusterServiceVersion"):
            labels = obj["metadata"]["labels"]
            if (labels.get("olm.owner.namespace"), labels.get("olm.owner")) not in present:
                _delete(cluster, resource, obj)


def _delete(cluster: Cluster, resource: str, obj: Object) -> None:
    try:
        cluster.delete(resource, obj["metadata"]["name"], obj["metadata"].get("namespace", ""))
    except ApiError as error:
        log.debug("could not remove %s: %s", resource, error)
