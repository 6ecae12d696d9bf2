"""DaemonSets: one Pod on each node, of which there is one (kubernetes/pkg/controller/daemon)."""

from __future__ import annotations

from ..cluster import Cluster
from ..context import Context
from ..errors import NotFound
from ..objects import Object, dig
from ..runtime.recorder import EventRecorder
from . import revisions
from .owners import annotation, children, controller_of, is_going
from .pods import available_in, create, delete, from_template, has_ended, is_ready
from .revisions import HASH_LABEL
from .scheduler import mismatch
from .workqueue import Workqueue

RESOURCE = "daemonsets.apps"
TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"
_TOLERATED = ("not-ready", "unreachable", "disk-pressure", "memory-pressure", "pid-pressure", "unschedulable")


class DaemonSets:
    """One for a cluster."""

    def __init__(self, cluster: Cluster):
        self._cluster = cluster.as_manager("kube-controller-manager")
        self._recorder = EventRecorder(cluster, "daemonset-controller")
        self.queue = Workqueue("daemonset", self.reconcile)

    def reconcile(self, namespace: str, name: str) -> None:
        """One pass for one DaemonSet."""
        try:
            owner = self._cluster.get(RESOURCE, name, namespace)
        except NotFound:
            return
        if is_going(owner):
            return
        revision, known = revisions.ensure(self._cluster, owner)
        digest = str(revision["metadata"]["labels"][HASH_LABEL])
        nodes = [node for node in self._cluster.list("nodes") if not self._excluded(owner, node)]
        for node in nodes:
            self._on_node(owner, node, digest)
        wanted = {node["metadata"]["name"] for node in nodes}
        pods = [pod for pod in self._pods(owner) if not has_ended(pod)]
        for pod in pods:
            if self._node(pod) not in wanted and not is_going(pod):
                delete(self._cluster, self._recorder, owner, pod)
        self._publish(owner, len(nodes), digest)
        revisions.forget(self._cluster, owner, known, {revision["metadata"]["name"]})

    def _pods(self, owner: Object) -> list[Object]:
        return children(self._cluster, "pods", owner, owner["spec"]["selector"])

    def _excluded(self, owner: Object, node: Object) -> bool:
        spec = dig(owner, "spec", "template", "spec") or {}
        return bool(mismatch({**spec, "tolerations": [{"operator": "Exists"}]}, node))

    def _node(self, pod: Object) -> str:
        """The node of the Pod, or the one that its affinity requires."""
        if dig(pod, "spec", "nodeName"):
            return str(pod["spec"]["nodeName"])
        terms = dig(pod, "spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution") or {}
        for term in terms.get("nodeSelectorTerms") or []:
            for rule in term.get("matchFields") or []:
                return str((rule.get("values") or [""])[0])
        return ""

    def _on_node(self, owner: Object, node: Object, digest: str) -> None:
        name = node["metadata"]["name"]
        pods = [pod for pod in self._pods(owner) if self._node(pod) == name]
        for pod in pods:
            outdated = (pod["metadata"].get("labels") or {}).get(HASH_LABEL) != digest
            rolling = dig(owner, "spec", "updateStrategy", "type") != "OnDelete"
            if (has_ended(pod) or (outdated and rolling)) and not is_going(pod):
                if has_ended(pod):
                    text = (
                        f"Found failed daemon pod {owner['metadata']['namespace']}/{pod['metadata']['name']} on node"
                        f" {name}, will try to kill it"
                    )
                    self._recorder.warning(owner, "FailedDaemonPod", text)
                delete(self._cluster, self._recorder, owner, pod)
        if any(self._node(pod) == name for pod in self._pods(owner)):
            return
        labels = {HASH_LABEL: digest, "pod-template-generation": annotation(owner, TEMPLATE_GENERATION) or "1"}
        pod = from_template(
            owner["spec"]["template"], owner, generateName=f"{owner['metadata']['name']}-", labels=labels
        )
        fields = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [name]}]}]
        required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": fields}}
        pod["spec"]["affinity"] = {**(pod["spec"].get("affinity") or {}), "nodeAffinity": required}
        tolerations = [
            {
                "key": f"node.kubernetes.io/{taint}",
                "operator": "Exists",
                "effect": "NoExecute" if taint in _TOLERATED[:2] else "NoSchedule",
            }
            for taint in _TOLERATED
        ]
        pod["spec"]["tolerations"] = [*(pod["spec"].get("tolerations") or []), *tolerations]
        create(self._cluster, self._recorder, owner, pod)

    def _publish(self, owner: Object, desired: int, digest: str) -> None:
        wait = int(owner["spec"].get("minReadySeconds") or 0)
        pods = [pod for pod in self._pods(owner) if not is_going(pod)]
        ready = [pod for pod in pods if is_ready(pod)]
        available = sum(available_in(pod, wait) == 0 for pod in ready)
        status: Object = {
            "currentNumberScheduled": min(len(pods), desired),
            "numberMisscheduled": 0,
            "desiredNumberScheduled": desired,
            "numberReady": len(ready),
            "observedGeneration": owner["metadata"]["generation"],
        }
        updated = sum((pod["metadata"].get("labels") or {}).get(HASH_LABEL) == digest for pod in pods)
        counted = {
            "updatedNumberScheduled": updated,
            "numberAvailable": available,
            "numberUnavailable": desired - available,
        }
        status |= {key: value for key, value in counted.items() if value}
        if status != (owner.get("status") or {}):
            metadata = owner["metadata"]
            change = {"status": {**dict.fromkeys(owner.get("status") or {}), **status}}
            self._cluster.patch(RESOURCE, metadata["name"], change, metadata["namespace"], subresource="status")


async def run(cluster: Cluster, context: Context) -> None:
    """Watches DaemonSets and Pods."""
    sets = DaemonSets(cluster)
    try:
        async for event in cluster.watch(RESOURCE, "pods"):
            metadata = event.object["metadata"]
            if event.resource == RESOURCE:
                sets.queue.add(metadata["namespace"], metadata["name"])
            elif (owner := controller_of(event.object)) and owner["kind"] == "DaemonSet":
                sets.queue.add(metadata["namespace"], owner["name"])
    finally:
        sets.queue.close()
