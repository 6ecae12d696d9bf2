"""ReplicaSets: so many Pods of a template, no more and no fewer (kubernetes/pkg/controller/replicaset)."""

from __future__ import annotations

from ..cluster import Cluster
from ..context import Context
from ..errors import ApiError, NotFound
from ..kinds.checks import matches
from ..objects import Object, dig
from ..runtime.recorder import EventRecorder
from .conditions import find, with_condition, without_condition
from .owners import children, controller_of, is_going
from .pods import available_in, create, delete, deletion_order, from_template, has_ended, is_active, is_ready
from .workqueue import Workqueue

RESOURCE = "replicasets.apps"
#: How many Pods one pass makes or deletes at most.
BURST = 500


class ReplicaSets:
    """One for a cluster."""

    def __init__(self, cluster: Cluster):
        self._cluster = cluster.as_manager("kube-controller-manager")
        self._recorder = EventRecorder(cluster, "replicaset-controller")
        self.queue = Workqueue("replicaset", self.reconcile)

    def reconcile(self, namespace: str, name: str) -> None:
        """One pass for one ReplicaSet."""
        try:
            owner = self._cluster.get(RESOURCE, name, namespace)
        except NotFound:
            return
        pods = [pod for pod in children(self._cluster, "pods", owner, owner["spec"]["selector"]) if not has_ended(pod)]
        active = [pod for pod in pods if is_active(pod)]
        failure = ""
        if not is_going(owner):
            failure = self._scale(owner, active)
        pods = children(self._cluster, "pods", owner, owner["spec"]["selector"])
        terminating = sum(is_going(pod) and not has_ended(pod) for pod in pods)
        self._publish(owner, [pod for pod in pods if is_active(pod)], terminating, failure)
        if failure:
            self.queue.add_after(5.0, namespace, name)

    def release(self, pod: Object, reference: Object) -> None:
        """Lets a Pod go that its ReplicaSet does not select any more."""
        metadata = pod["metadata"]
        try:
            owner = self._cluster.get(RESOURCE, reference["name"], metadata["namespace"])
        except NotFound:
            return
        if owner["metadata"]["uid"] != reference["uid"] or matches(owner["spec"]["selector"], metadata.get("labels")):
            return
        remaining = [item for item in metadata["ownerReferences"] if item["uid"] != reference["uid"]]
        change = {"metadata": {"ownerReferences": remaining or None}}
        self._cluster.patch("pods", metadata["name"], change, metadata["namespace"])

    def _scale(self, owner: Object, active: list[Object]) -> str:
        """Makes or deletes Pods; what refused it, if something did."""
        missing = int(owner["spec"].get("replicas", 1)) - len(active)
        try:
            for _ in range(min(missing, BURST)):
                base = f"{owner['metadata']['name']}-"
                pod = from_template(owner["spec"].get("template"), owner, generateName=base)
                create(self._cluster, self._recorder, owner, pod)
        except ApiError as refused:
            return str(refused)
        if missing < 0:
            for pod in sorted(active, key=deletion_order)[: min(-missing, BURST)]:
                delete(self._cluster, self._recorder, owner, pod)
        return ""

    def _publish(self, owner: Object, pods: list[Object], terminating: int, failure: str) -> None:
        spec, old = owner["spec"], owner.get("status") or {}
        wait = int(spec.get("minReadySeconds") or 0)
        soon = [seconds for pod in pods if (seconds := available_in(pod, wait)) is not None]
        labels = (dig(spec, "template", "metadata", "labels") or {}).items()
        status: Object = {
            "replicas": len(pods),
            "fullyLabeledReplicas": sum(labels <= (pod["metadata"].get("labels") or {}).items() for pod in pods),
            "readyReplicas": sum(map(is_ready, pods)),
            "availableReplicas": sum(seconds <= 0 for seconds in soon),
            "terminatingReplicas": terminating,
            "observedGeneration": owner["metadata"]["generation"],
        }
        conditions = without_condition(old.get("conditions"), "ReplicaFailure")
        if failure:
            known = find(old.get("conditions"), "ReplicaFailure")
            words = str(known["message"]) if known else failure  # each try has another name in it
            conditions = with_condition(old.get("conditions"), "ReplicaFailure", "True", "FailedCreate", words)
        # Counts that are zero are left out, as Go's omitempty does.
        wanted = {key: value for key, value in status.items() if value or key in ("replicas", "terminatingReplicas")}
        if conditions:
            wanted["conditions"] = conditions
        if wanted != old:
            change = {"status": {**dict.fromkeys(old), **wanted}}
            metadata = owner["metadata"]
            self._cluster.patch(RESOURCE, metadata["name"], change, metadata["namespace"], subresource="status")
        later = [seconds for seconds in soon if seconds > 0]
        if later:
            self.queue.add_after(min(later), owner["metadata"]["namespace"], owner["metadata"]["name"])


async def run(cluster: Cluster, context: Context) -> None:
    """Watches ReplicaSets and Pods."""
    sets = ReplicaSets(cluster)
    try:
        async for event in cluster.watch(RESOURCE, "pods"):
            metadata = event.object["metadata"]
            if event.resource == RESOURCE:
                sets.queue.add(metadata["namespace"], metadata["name"])
            elif (owner := controller_of(event.object)) and owner["kind"] == "ReplicaSet":
                if event.type == "MODIFIED" and not is_going(event.object):
                    sets.release(event.object, owner)
                sets.queue.add(metadata["namespace"], owner["name"])
            elif not metadata.get("ownerReferences") and event.type == "ADDED":
                for candidate in adopters(cluster, event.object):
                    sets.queue.add(*candidate)
    finally:
        sets.queue.close()


def adopters(cluster: Cluster, pod: Object) -> list[tuple[str, str]]:
    """ReplicaSets that may adopt a Pod without an owner."""
    namespace, labels = pod["metadata"]["namespace"], pod["metadata"].get("labels") or {}
    found = []
    for candidate in cluster.list(RESOURCE, namespace) if labels else []:
        wanted = dig(candidate, "spec", "selector", "matchLabels") or {}
        if wanted and wanted.items() <= labels.items():
            found.append((namespace, candidate["metadata"]["name"]))
    return found
