"""PodDisruptionBudgets: how many Pods may be evicted now (kubernetes/pkg/controller/disruption)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..cluster import Cluster
from ..context import Context
from ..errors import NotFound
from ..kinds.checks import matches
from ..objects import Object, dig, now
from .owners import controller_of, is_going
from .pods import has_ended, is_ready
from .workqueue import Workqueue

RESOURCE = "poddisruptionbudgets.policy"
_OWNERS = {
    "ReplicaSet": "replicasets.apps",
    "StatefulSet": "statefulsets.apps",
    "ReplicationController": "replicationcontrollers",
}


class _Counted(NamedTuple):
    """A Pod as the budget counts it. ``owner``: kind and name."""

    labels: dict[str, str]
    healthy: bool
    owner: tuple[str, str]


def _counted(pod: Object) -> _Counted | None:
    """None for one that has ended."""
    if has_ended(pod):
        return None
    owner = controller_of(pod) or {"kind": "", "name": ""}
    healthy = is_ready(pod) and not is_going(pod)
    return _Counted(pod["metadata"].get("labels") or {}, healthy, (owner["kind"], owner["name"]))


def _replicas(owner: Object) -> int:
    return int(dig(owner, "spec", "replicas") or 0)


class Budgets:
    """One for a cluster."""

    def __init__(self, cluster: Cluster):
        self._cluster = cluster.as_manager("kube-controller-manager")
        self.queue = Workqueue("disruption", self.reconcile)

    def reconcile(self, namespace: str, name: str) -> None:
        """One pass for one budget."""
        try:
            budget = self._cluster.get(RESOURCE, name, namespace)
        except NotFound:
            return
        if is_going(budget):
            return
        selector = dig(budget, "spec", "selector")
        pods = [
            pod for pod in self._cluster.outlines("pods", _counted, namespace) if pod and matches(selector, pod.labels)
        ]
        expected, desired = self._wanted(namespace, budget["spec"], pods)
        healthy = sum(pod.healthy for pod in pods)
        self._publish(budget, expected, desired, healthy)

    def _wanted(self, namespace: str, spec: Object, pods: list[_Counted]) -> tuple[int, int]:
        """(Pods that there should be, Pods that must be healthy)."""
        unavailable, available = spec.get("maxUnavailable"), spec.get("minAvailable")
        if unavailable is None and isinstance(available, int):
            return len(pods), available
        expected = self._expected(namespace, pods)
        if unavailable is not None:
            return expected, max(0, expected - _part(unavailable, expected))
        return expected, _part(available if available is not None else 0, expected)

    def _expected(self, namespace: str, pods: list[_Counted]) -> int:
        """The number of Pods that their owners want."""
        expected = 0
        for kind, name in {pod.owner for pod in pods}:
            if kind not in _OWNERS:
                continue
            try:
                expected += int(self._cluster.outline(_OWNERS[kind], _replicas, name, namespace))
            except NotFound:
                continue
        return expected

    def _publish(self, budget: Object, expected: int, desired: int, healthy: int) -> None:
        allowed = max(0, healthy - desired) if expected > 0 else 0
        metadata, old = budget["metadata"], budget.get("status") or {}
        status: Object = {
            "currentHealthy": healthy,
            "desiredHealthy": desired,
            "disruptionsAllowed": allowed,
            "expectedPods": expected,
            "observedGeneration": metadata["generation"],
            "conditions": _conditions(old.get("conditions") or [], allowed, metadata["generation"]),
        }
        if {key: old.get(key) for key in status} != status:
            change: dict[str, Any] = {"status": status}
            self._cluster.patch(RESOURCE, metadata["name"], change, metadata["namespace"], subresource="status")


def _part(value: Any, whole: int) -> int:
    """A number, or a share that is rounded up."""
    return math.ceil(int(value[:-1]) * whole / 100) if isinstance(value, str) else int(value)


def _conditions(old: list[Object], allowed: int, generation: int) -> list[Object]:
    value, reason = ("True", "SufficientPods") if allowed else ("False", "InsufficientPods")
    present = next((item for item in old if item.get("type") == "DisruptionAllowed"), None)
    same = present is not None and present.get("status") == value
    condition = {
        "type": "DisruptionAllowed",
        "status": value,
        "observedGeneration": generation,
        "lastTransitionTime": present["lastTransitionTime"] if present is not None and same else now(),
        "reason": reason,
        "message": "",
    }
    return [*(item for item in old if item is not present), condition]


async def run(cluster: Cluster, context: Context) -> None:
    """Watches budgets and Pods."""
    budgets = Budgets(cluster)
    known: set[tuple[str, str]] = set()
    try:
        async for event in cluster.watch(RESOURCE, "pods"):
            metadata = event.object["metadata"]
            if event.resource == RESOURCE:
                key = (metadata["namespace"], metadata["name"])
                (known.discard if event.type == "DELETED" else known.add)(key)
                budgets.queue.add(*key)
                continue
            for namespace, name in known:
                if namespace == metadata["namespace"]:
                    budgets.queue.add(namespace, name)
    finally:
        budgets.queue.close()
