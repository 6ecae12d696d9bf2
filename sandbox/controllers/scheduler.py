"""The scheduler of a cluster with one node: binds each Pod to it, or sets the reason in its PodScheduled condition."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..cluster import Cluster
from ..context import Context
from ..errors import NotFound
from ..objects import Object, dig
from ..runtime.recorder import EventRecorder
from .conditions import with_condition
from .workqueue import Workqueue

_AFFINITY = "node(s) didn't match Pod's node affinity/selector"


def mismatch(spec: Object, node: Object) -> str:
    """Why a Pod with this spec cannot be on the node; empty when it can. Worded as kube-scheduler words it."""
    labels = node["metadata"].get("labels") or {}
    if not (spec.get("nodeSelector") or {}).items() <= labels.items():
        return _AFFINITY
    required = dig(spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    terms = (required or {}).get("nodeSelectorTerms") or []
    if terms and not any(_term(term, node) for term in terms):
        return _AFFINITY
    tolerations = spec.get("tolerations") or []
    if dig(node, "spec", "unschedulable") and not any(
        _tolerates(toleration, "node.kubernetes.io/unschedulable") for toleration in tolerations
    ):
        return "node(s) were unschedulable"
    for taint in dig(node, "spec", "taints") or []:
        key, value = str(taint.get("key")), str(taint.get("value") or "")
        if taint.get("effect") in ("NoSchedule", "NoExecute") and not any(
            _tolerates(toleration, key, value) for toleration in tolerations
        ):
            return (
                f"node(s) had untolerated taint(s) {{{key}: {value}}}"
                if value
                else f"node(s) had untolerated taint {{{key}: }}"
            )
    return ""


def _tolerates(toleration: Object, key: str, value: str = "") -> bool:
    wanted = toleration.get("key")
    if toleration.get("operator") == "Exists":
        return not wanted or wanted == key
    return bool(wanted == key and str(toleration.get("value") or "") == value)


def _term(term: Object, node: Object) -> bool:
    labels = node["metadata"].get("labels") or {}
    fields = {"metadata.name": node["metadata"]["name"]}
    rules = [(rule, labels) for rule in term.get("matchExpressions") or []]
    rules += [(rule, fields) for rule in term.get("matchFields") or []]
    return bool(rules) and all(_rule(rule, values) for rule, values in rules)


def _rule(rule: Object, values: dict[str, str]) -> bool:
    found: Any = values.get(str(rule.get("key")))
    listed = rule.get("values") or []
    match rule.get("operator"):
        case "In":
            return found in listed
        case "NotIn":
            return found not in listed
        case "Exists":
            return found is not None
        case "DoesNotExist":
            return found is None
        case "Gt" | "Lt" as operator:
            if not (str(found).isdigit() and listed and str(listed[0]).isdigit()):
                return False
            return int(found) > int(listed[0]) if operator == "Gt" else int(found) < int(listed[0])
    return False


class Scheduler:
    """One for a cluster."""

    def __init__(self, cluster: Cluster):
        self._cluster = cluster.as_manager("kube-scheduler")
        self._recorder = EventRecorder(cluster, "default-scheduler", new=True)
        #: Pods that found no place: (namespace, name)
        self.stuck: set[tuple[str, str]] = set()
        self.queue = Workqueue("scheduler", self.reconcile)

    def reconcile(self, namespace: str, name: str) -> None:
        """Finds a place for one Pod."""
        self.stuck.discard((namespace, name))
        try:
            pod = self._cluster.get("pods", name, namespace)
        except NotFound:
            return
        spec = pod["spec"]
        if spec.get("nodeName") or pod["metadata"].get("deletionTimestamp") or spec.get("schedulingGates"):
            return
        if spec.get("schedulerName", "default-scheduler") != "default-scheduler":
            return
        nodes = self._cluster.list("nodes")
        mismatches = [mismatch(spec, node) for node in nodes]
        if trouble := self._claims(pod):
            self._refuse(pod, trouble, len(nodes))
        elif "" in mismatches:
            self._bind(pod, nodes[mismatches.index("")]["metadata"]["name"])
        else:
            counted = sorted(f"{count} {reason}" for reason, count in Counter(mismatches).items())
            self._refuse(pod, ", ".join(counted), len(nodes))

    def _claims(self, pod: Object) -> str:
        """Why the Pod's claims can't be used yet; empty if they can."""
        namespace = pod["metadata"]["namespace"]
        for volume in pod["spec"].get("volumes") or []:
            name = dig(volume, "persistentVolumeClaim", "claimName")
            if not name:
                continue
            try:
                claim = self._cluster.get("persistentvolumeclaims", name, namespace)
            except NotFound:
                return f'persistentvolumeclaim "{name}" not found'
            if claim["metadata"].get("deletionTimestamp"):
                return f'persistentvolumeclaim "{name}" is being deleted'
            if dig(claim, "status", "phase") != "Bound":
                if self._waits_for_consumer(claim):
                    self._choose_node(claim)
                return "pod has unbound immediate PersistentVolumeClaims"
        return ""

    def _waits_for_consumer(self, claim: Object) -> bool:
        name = dig(claim, "spec", "storageClassName")
        entry = self._cluster.verbs.store.get("storageclasses.storage.k8s.io", "", str(name))
        return entry is not None and b'"WaitForFirstConsumer"' in entry.data

    def _choose_node(self, claim: Object) -> None:
        """Notifies the volume controller that a Pod waits for this claim."""
        nodes = self._cluster.list("nodes")
        key = "volume.kubernetes.io/selected-node"
        if nodes and key not in (claim["metadata"].get("annotations") or {}):
            change = {"metadata": {"annotations": {key: nodes[0]["metadata"]["name"]}}}
            metadata = claim["metadata"]
            self._cluster.patch("persistentvolumeclaims", metadata["name"], change, metadata["namespace"])

    def _refuse(self, pod: Object, trouble: str, nodes: int) -> None:
        metadata = pod["metadata"]
        self.stuck.add((metadata["namespace"], metadata["name"]))
        none = f"0/{nodes} nodes are available:"
        suffix = f"no new claims to deallocate, preemption: {none} {nodes} Preemption is not helpful for scheduling."
        text = f"{none} {trouble}. {suffix}" if nodes else "no nodes available to schedule pods"
        conditions = with_condition(dig(pod, "status", "conditions"), "PodScheduled", "False", "Unschedulable", text)
        if conditions != dig(pod, "status", "conditions"):
            change = {"status": {"conditions": conditions}}
            self._cluster.patch("pods", metadata["name"], change, metadata["namespace"], subresource="status")
            self._recorder.warning(pod, "FailedScheduling", text, action="Scheduling")

    def _bind(self, pod: Object, node: str) -> None:
        namespace, name = pod["metadata"]["namespace"], pod["metadata"]["name"]
        self._cluster.patch("pods", name, {"spec": {"nodeName": node}}, namespace, subresource="binding")
        conditions = with_condition(dig(pod, "status", "conditions"), "PodScheduled", "True")
        self._cluster.patch("pods", name, {"status": {"conditions": conditions}}, namespace, subresource="status")
        self._recorder.normal(pod, "Scheduled", f"Successfully assigned {namespace}/{name} to {node}", action="Binding")


async def run(cluster: Cluster, context: Context) -> None:
    """Watches Pods, and what Pods without a place wait for."""
    scheduler = Scheduler(cluster)
    try:
        async for event in cluster.watch("nodes", "persistentvolumeclaims", "pods"):
            metadata = event.object["metadata"]
            if event.resource == "pods":
                if event.type != "DELETED" and not dig(event.object, "spec", "nodeName"):
                    scheduler.queue.add(metadata["namespace"], metadata["name"])
                continue
            for namespace, name in list(scheduler.stuck):
                if event.resource == "nodes" or namespace == metadata["namespace"]:
                    scheduler.queue.add(namespace, name)
    finally:
        scheduler.queue.close()
