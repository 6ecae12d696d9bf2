"""What belongs to an operator: everything that one Subscription brought has a label, and is listed by an Operator
object.

Source: operator-lifecycle-manager, pkg/controller/operators/adoption_controller.go and decorators/operator.go.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..cluster import Cluster
from ..context import Context
from ..errors import ApiError, NotFound
from ..objects import decode
from ..outlines import metadata, outline_of, whole
from ..store import StoreChange, StoreEntry
from .csv import is_copy, outline
from .names import CRDS, CSVS, DEPLOYMENTS, GROUP, INSTALL_PLANS, OPERATOR_CONDITIONS, OPERATORS, PACE, SUBSCRIPTIONS
from .subscription_status import followers
from .workqueue import Workqueue

Object = dict[str, Any]

_RBAC = "rbac.authorization.k8s.io"
#: Kinds that belong to a CSV by reference or by label, as their resources.
OWNED = ("serviceaccounts", DEPLOYMENTS, OPERATOR_CONDITIONS, f"roles.{_RBAC}", f"rolebindings.{_RBAC}")
IN_CLUSTER = (f"clusterroles.{_RBAC}", f"clusterrolebindings.{_RBAC}")
EVERY = (SUBSCRIPTIONS, INSTALL_PLANS, CSVS, CRDS, *OWNED, *IN_CLUSTER)


def operator_name(package: str, namespace: str) -> str:
    """The name of the Operator; its label is this name in OLM's group."""
    return f"{package}.{namespace}"[:63].rstrip("-.")


def label_of(name: str) -> str:
    """By which the components of an Operator are found."""
    return f"{GROUP}/{name}"


class Components:
    """Labels what belongs to the Subscriptions and CSVs of a namespace, and tells it in the status of their
    Operators.
    """

    def __init__(self, cluster: Cluster):
        self._cluster = cluster.as_manager("olm")

    async def label_subscription(self, namespace: str, name: str) -> None:
        """Labels a Subscription, the CSV that it has installed and its plan; takes the label from its earlier plans."""
        try:
            subscription = self._cluster.outline(SUBSCRIPTIONS, whole, name, namespace)
        except NotFound:
            return
        label = label_of(operator_name(subscription["spec"]["name"], namespace))
        status = subscription.get("status") or {}
        self._label(SUBSCRIPTIONS, subscription, label)
        if csv := self._csv(namespace, status.get("installedCSV", "")):
            self._label(CSVS, csv, label)
        current = (status.get("installPlanRef") or {}).get("name")
        for plan in self._cluster.outlines(INSTALL_PLANS, metadata, namespace):
            self._label(INSTALL_PLANS, plan, label, has=plan["metadata"]["name"] == current)

    def _csv(self, namespace: str, name: str) -> Object | None:
        """The outline of a CSV; None when it doesn't exist or is a copy."""
        try:
            found: Object = self._cluster.outline(CSVS, outline, name, namespace)
        except NotFound:
            return None
        return None if is_copy(found) else found

    async def label_csv(self, namespace: str, name: str) -> None:
        """Copies the CSV's labels to the objects that belong to it."""
        csv = self._csv(namespace, name)
        if csv is None:
            return
        labels = [key for key in csv["metadata"].get("labels") or {} if key.startswith(f"{GROUP}/")]
        for resource, obj in self._owned(csv) if labels else ():
            for label in labels:
                self._label(resource, obj, label)
        for label in labels:
            self._label_definitions(csv, label)

    def _owned(self, csv: Object) -> Iterator[tuple[str, Object]]:
        """The objects with an ownerReference to a CSV, and by labels those without a namespace."""
        meta, store = csv["metadata"], self._cluster.verbs.store
        for resource in OWNED:
            for entry in store.indexed(resource, owners_of, meta["uid"], namespace=meta["namespace"]):
                yield resource, outline_of(store, resource, entry, metadata)
        owner = {"olm.owner.kind": "ClusterServiceVersion", "olm.owner": meta["name"]}
        for resource in IN_CLUSTER:
            for obj in self._cluster.labelled(resource, metadata, {**owner, "olm.owner.namespace": meta["namespace"]}):
                yield resource, obj

    def _label_definitions(self, csv: Object, label: str) -> None:
        """The kinds that it owns."""
        owned = {crd["name"] for crd in (csv["spec"].get("customresourcedefinitions") or {}).get("owned") or []}
        for name in sorted(owned):
            with contextlib.suppress(NotFound):
                self._label(CRDS, self._cluster.outline(CRDS, metadata, name), label)

    def _label(self, resource: str, obj: Object, label: str, *, has: bool = True) -> None:
        meta = obj["metadata"]
        if meta.get("deletionTimestamp") or has == (label in (meta.get("labels") or {})):
            return
        try:
            patch = {"metadata": {"labels": {label: "" if has else None}}}
            self._cluster.patch(resource, meta["name"], patch, meta.get("namespace", ""))
        except ApiError:
            return  # it is gone

    async def write_operator(self, _: str, name: str) -> None:
        """Writes an Operator's status; without components no new one is made."""
        label = label_of(name)
        refs = []
        for resource in EVERY:
            refs += [_reference(obj) for obj in self._cluster.labelled(resource, metadata, {label: None})]
        present = self._cluster.list(OPERATORS, fields=f"metadata.name={name}")
        if not present and not refs:
            return
        if not present:
            body = {"apiVersion": f"{GROUP}/v1", "kind": "Operator", "metadata": {"name": name}}
            present = [self._cluster.create(OPERATORS, body)]
        selector = {"matchExpressions": [{"key": label, "operator": "Exists"}]}
        components: Object = {"labelSelector": selector, **({"refs": refs} if refs else {})}
        if (present[0].get("status") or {}).get("components") != components:
            self._cluster.patch(OPERATORS, name, {"status": {"components": components}}, subresource="status")


def _reference(obj: Object) -> Object:
    """An object as an Operator's status names it, with its conditions; of a CSV the newest one."""
    meta = obj["metadata"]
    found = {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "name": meta["name"]}
    if meta.get("namespace"):
        found["namespace"] = meta["namespace"]
    status = obj.get("status") or {}
    conditions: list[Object] = status.get("conditions") or []
    if obj["kind"] == "ClusterServiceVersion":
        conditions = [_phase(condition) for condition in conditions[-1:]]
    keys = ("lastTransitionTime", "lastUpdateTime", "message", "reason", "status", "type")
    shown = [{key: condition[key] for key in keys if key in condition} for condition in conditions]
    return {**found, "conditions": shown} if shown else found


def _phase(condition: Object) -> Object:
    return {**condition, "type": condition.get("phase", ""), "status": "True"}


def owners_of(entry: StoreEntry) -> list[str]:
    """Uids of the CSVs that own an object; an index (sandbox/store.py)."""
    return [owner.get("uid", "") for owner in _owners(entry)]


def _owners(entry: StoreEntry) -> list[Object]:
    if b'"ClusterServiceVersion"' not in entry.data:
        return []
    owners = decode(entry.data)["metadata"].get("ownerReferences") or []
    return [owner for owner in owners if owner["kind"] == "ClusterServiceVersion"]


def csvs_of(change: StoreChange) -> list[tuple[str, str]]:
    """The CSVs, by namespace and name, that a changed object belongs to; the object itself if it is one."""
    entry = change.entry
    if change.resource == CSVS:
        return [entry.key]
    if entry.labels.get("olm.owner.kind") == "ClusterServiceVersion":
        return [(entry.namespace or entry.labels.get("olm.owner.namespace", ""), entry.labels.get("olm.owner", ""))]
    return [(entry.namespace, owner["name"]) for owner in _owners(entry)] if entry.namespace else []


async def run(cluster: Cluster, context: Context) -> None:
    """Watches everything that can be a component until cancelled."""
    components = Components(cluster)
    subscriptions = Workqueue("components of subscription", components.label_subscription)
    csvs = Workqueue("components of clusterserviceversion", components.label_csv)
    operators = Workqueue("operator", components.write_operator)
    try:
        async for change in cluster.changes(*EVERY):
            if change.type != "DELETED":
                for csv in csvs_of(change):
                    csvs.add(*csv, after=PACE)
                if change.resource in (SUBSCRIPTIONS, CSVS):
                    for subscription in followers(cluster.verbs.store, change):
                        subscriptions.add(*subscription, after=PACE)
            for key in change.entry.labels:
                if key.startswith(f"{GROUP}/"):
                    operators.add("", key.removeprefix(f"{GROUP}/"), after=2 * PACE)
    finally:
        for queue in (subscriptions, csvs, operators):
            await queue.close()
