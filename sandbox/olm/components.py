"""What belongs to an operator: everything that one Subscription brought has a label, and is listed by an Operator object.

Source: operator-lifecycle-manager, pkg/controller/operators/adoption_controller.go and decorators/operator.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..cluster import Cluster
from ..context import Context
from ..errors import ApiError
from .csv import is_copy
from .names import CRDS, CSVS, DEPLOYMENTS, GROUP, INSTALL_PLANS, OPERATOR_CONDITIONS, OPERATORS, PACE, SUBSCRIPTIONS
from .workqueue import Workqueue

Object = dict[str, Any]

_RBAC = "rbac.authorization.k8s.io"
#: Kinds that belong to a CSV by reference or by label, as their resources.
OWNED = ("serviceaccounts", DEPLOYMENTS, OPERATOR_CONDITIONS, f"roles.{_RBAC}", f"rolebindings.{_RBAC}")
IN_CLUSTER = (f"clusterroles.{_RBAC}", f"clusterrolebindings.{_RBAC}")
EVERY = (SUBSCRIPTIONS, INSTALL_PLANS, CSVS, CRDS, *OWNED, *IN_CLUSTER)


def operator_name(package: str, namespace: str) -> str:
    """Of the Operator; its label is this name in OLM's group."""
    return f"{package}.{namespace}"[:63].rstrip("-.")


def label_of(name: str) -> str:
    """By which the components of an Operator are found."""
    return f"{GROUP}/{name}"


class Components:
    """Labels what belongs to the Subscriptions and CSVs of a namespace, and tells it in the status of their Operators."""

    def __init__(self, cluster: Cluster):
        self._cluster = cluster.as_manager("olm")

    async def reconcile(self, namespace: str, name: str) -> None:
        """With a name: one Operator. Without: one namespace's labels."""
        if name:
            self._tell(name)
            return
        csvs = {csv["metadata"]["name"]: csv for csv in self._cluster.list(CSVS, namespace) if not is_copy(csv)}
        for subscription in self._cluster.list(SUBSCRIPTIONS, namespace):
            label = label_of(operator_name(subscription["spec"]["name"], namespace))
            status = subscription.get("status") or {}
            self._label(SUBSCRIPTIONS, subscription, label)
            if csv := csvs.get(status.get("installedCSV", "")):
                self._label(CSVS, csv, label)
                csv["metadata"].setdefault("labels", {})[label] = ""
            current = (status.get("installPlanRef") or {}).get("name")
            for plan in self._cluster.list(INSTALL_PLANS, namespace):
                self._label(INSTALL_PLANS, plan, label, has=plan["metadata"]["name"] == current)
        for csv in csvs.values():
            labels = [key for key in csv["metadata"].get("labels") or {} if key.startswith(f"{GROUP}/")]
            for resource, obj in self._owned(csv) if labels else ():
                for label in labels:
                    self._label(resource, obj, label)
            for label in labels:
                self._label_definitions(csv, label)

    def _owned(self, csv: Object) -> Iterator[tuple[str, Object]]:
        meta = csv["metadata"]
        for resource in OWNED:
            for obj in self._cluster.list(resource, meta["namespace"]):
                if any(one["uid"] == meta["uid"] for one in obj["metadata"].get("ownerReferences") or []):
                    yield resource, obj
        query = f"olm.owner.kind=ClusterServiceVersion,olm.owner={meta['name']},olm.owner.namespace={meta['namespace']}"
        for resource in IN_CLUSTER:
            for obj in self._cluster.list(resource, labels=query):
                yield resource, obj

    def _label_definitions(self, csv: Object, label: str) -> None:
        """The kinds that it owns. Asked for by the missing label, since a definition of 800 KB takes long to read."""
        owned = {one["name"] for one in (csv["spec"].get("customresourcedefinitions") or {}).get("owned") or []}
        for name in sorted(owned):
            for crd in self._cluster.list(CRDS, labels=f"!{label}", fields=f"metadata.name={name}"):
                self._label(CRDS, crd, label)

    def _label(self, resource: str, obj: Object, label: str, *, has: bool = True) -> None:
        meta = obj["metadata"]
        if meta.get("deletionTimestamp") or has == (label in (meta.get("labels") or {})):
            return
        try:
            patch = {"metadata": {"labels": {label: "" if has else None}}}
            self._cluster.patch(resource, meta["name"], patch, meta.get("namespace", ""))
        except ApiError:
            return  # it is gone

    def _tell(self, name: str) -> None:
        """Writes the Operator's status; without components no new one is made."""
        label = label_of(name)
        refs = []
        for resource in EVERY:
            refs += [_reference(obj) for obj in self._cluster.list(resource, labels=label)]
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
        conditions = [_phase(one) for one in conditions[-1:]]
    keys = ("lastTransitionTime", "lastUpdateTime", "message", "reason", "status", "type")
    told = [{key: one[key] for key in keys if key in one} for one in conditions]
    return {**found, "conditions": told} if told else found


def _phase(condition: Object) -> Object:
    return {**condition, "type": condition.get("phase", ""), "status": "True"}


async def run(cluster: Cluster, context: Context) -> None:
    """Watches everything that can be a component until cancelled."""
    queue = Workqueue("components", Components(cluster).reconcile)
    try:
        async for event in cluster.watch(*EVERY):
            meta = event.object["metadata"]
            labels = meta.get("labels") or {}
            home = meta.get("namespace") or labels.get("olm.owner.namespace", "")
            owned = event.resource in (SUBSCRIPTIONS, CSVS) or "olm.owner" in labels or meta.get("ownerReferences")
            if owned and home and event.type != "DELETED":
                queue.add(home, after=PACE)
            for key in labels:
                if key.startswith(f"{GROUP}/"):
                    queue.add("", key.removeprefix(f"{GROUP}/"), after=2 * PACE)
    finally:
        await queue.close()
