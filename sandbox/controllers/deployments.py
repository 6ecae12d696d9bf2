"""Deployments: one ReplicaSet for each template, and the way from one to the next
(kubernetes/pkg/controller/deployment).
"""

from __future__ import annotations

from datetime import UTC, datetime

from ..cluster import Cluster
from ..context import Context
from ..errors import AlreadyExists, ApiError, NotFound
from ..objects import Object, copy, dig, parse_time
from ..runtime.recorder import EventRecorder
from . import deployment_status as status
from . import rollout
from .owners import children, controller_of, is_going, owned_by, owner_reference
from .rollout import HASH_LABEL, HISTORY, REVISION, wanted_replicas
from .workqueue import Workqueue

RESOURCE = "deployments.apps"
SETS = "replicasets.apps"
#: Annotations of a Deployment that its ReplicaSets do not get.
_DESIRED, _MAX = "deployment.kubernetes.io/desired-replicas", "deployment.kubernetes.io/max-replicas"
_OWN_ANNOTATIONS = (
    "kubectl.kubernetes.io/last-applied-configuration",
    "deprecated.deployment.rollback.to",
    REVISION,
    HISTORY,
    _DESIRED,
    _MAX,
)


class Deployments:
    """One for a cluster."""

    def __init__(self, cluster: Cluster):
        self._cluster = cluster.as_manager("kube-controller-manager")
        self._recorder = EventRecorder(cluster, "deployment-controller")
        self.queue = Workqueue("deployment", self.reconcile)

    def reconcile(self, namespace: str, name: str) -> None:
        """One pass for one Deployment."""
        try:
            deployment = self._cluster.get(RESOURCE, name, namespace)
        except NotFound:
            return
        new, old = self._sets(deployment)
        if not is_going(deployment):
            self._advance(deployment, new, old)
            new, old = self._sets(deployment)
        self._publish(deployment, new, old)

    def _sets(self, deployment: Object) -> tuple[Object | None, list[Object]]:
        """(the ReplicaSet of the present template, the others)."""
        found = children(self._cluster, SETS, deployment, deployment["spec"]["selector"])
        found.sort(key=lambda rs: (str(rs["metadata"]["creationTimestamp"]), rs["metadata"]["name"]))
        template = rollout.without_hash(deployment["spec"].get("template"))
        new = next((rs for rs in found if rollout.without_hash(rs["spec"].get("template")) == template), None)
        return new, [rs for rs in found if rs is not new]

    def _advance(self, deployment: Object, new: Object | None, old: list[Object]) -> None:
        self._mark_paused(deployment)
        if deployment["spec"].get("paused"):
            self._scale_all(deployment, new, old)
            return
        if new is not None and self._resized(deployment, new, old):
            self._scale_all(deployment, new, old)
            return
        if dig(deployment, "spec", "strategy", "type") == "Recreate":
            self._recreate(deployment, new, old)
        else:
            self._roll(deployment, new, old)
        self._clean_up(deployment, new)

    # Ways to get there

    def _roll(self, deployment: Object, new: Object | None, old: list[Object]) -> None:
        new = self._new_set(deployment, new, old)
        total = sum(map(wanted_replicas, [new, *old]))
        size = wanted_replicas(new)
        if size > wanted_replicas(deployment):
            new = self._scale(deployment, new, wanted_replicas(deployment))
        else:
            new = self._scale(deployment, new, rollout.new_replicas(deployment, size, total))
        by_name = {rs["metadata"]["name"]: rs for rs in old}
        for name, smaller in rollout.scale_down(deployment, new, old).items():
            self._scale(deployment, by_name[name], smaller)

    def _recreate(self, deployment: Object, new: Object | None, old: list[Object]) -> None:
        for rs in old:
            self._scale(deployment, rs, 0)
        uids = {rs["metadata"]["uid"] for rs in old}
        pods = self._cluster.list("pods", deployment["metadata"]["namespace"])
        owners = [controller_of(pod) for pod in pods if dig(pod, "status", "phase") not in ("Succeeded", "Failed")]
        if any(owner and owner["uid"] in uids for owner in owners):
            return
        self._scale(deployment, self._new_set(deployment, new, old), wanted_replicas(deployment))

    def _resized(self, deployment: Object, new: Object, old: list[Object]) -> bool:
        """Whether spec.replicas changed since the active ReplicaSets were last scaled."""
        for rs in [new, *old]:
            desired = (rs["metadata"].get("annotations") or {}).get(_DESIRED)
            if wanted_replicas(rs) and desired is not None and int(desired) != wanted_replicas(deployment):
                return True
        return False

    def _scale_all(self, deployment: Object, new: Object | None, old: list[Object]) -> None:
        active = [rs for rs in [*([new] if new else []), *old] if wanted_replicas(rs)]
        if len(active) <= 1:
            only = active[0] if active else new
            if only is not None:
                self._scale(deployment, only, wanted_replicas(deployment))
            return
        sizes = rollout.proportional(deployment, active)
        for rs in active:
            self._scale(deployment, rs, sizes.get(rs["metadata"]["name"], wanted_replicas(rs)))

    def _new_set(self, deployment: Object, new: Object | None, old: list[Object]) -> Object:
        """The ReplicaSet of the present template, made when there is none; with the newest revision."""
        number = str(max((rollout.revision(rs) for rs in old), default=0) + 1)
        if new is None:
            return self._make(deployment, old, number)
        annotations = new["metadata"].get("annotations") or {}
        wanted = self._handed_down(deployment)
        if rollout.revision(new) < int(number):
            wanted[REVISION] = number
            if before := annotations.get(REVISION):
                history = annotations.get(HISTORY)
                wanted[HISTORY] = f"{history},{before}" if history else before
        else:
            number = annotations.get(REVISION, number)
        if not wanted.items() <= annotations.items():
            change = {"metadata": {"annotations": wanted}}
            new = self._cluster.patch(SETS, new["metadata"]["name"], change, new["metadata"]["namespace"])
        self._remember_revision(deployment, number)
        return new

    def _make(self, deployment: Object, old: list[Object], number: str) -> Object:
        template = copy(deployment["spec"].get("template") or {})
        collisions = int(dig(deployment, "status", "collisionCount") or 0)
        digest = rollout.template_hash(template, collisions)
        labels = {**(dig(template, "metadata", "labels") or {}), HASH_LABEL: digest}
        template.setdefault("metadata", {})["labels"] = labels
        selector = copy(deployment["spec"]["selector"])
        selector["matchLabels"] = {**(selector.get("matchLabels") or {}), HASH_LABEL: digest}
        size = rollout.new_replicas(deployment, 0, sum(map(wanted_replicas, old)))
        metadata = deployment["metadata"]
        rs: Object = {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {
                "name": f"{metadata['name']}-{digest}",
                "namespace": metadata["namespace"],
                "labels": labels,
                "annotations": {**self._handed_down(deployment), REVISION: number, **self._sizes(deployment)},
                "ownerReferences": [owner_reference(deployment)],
            },
            "spec": {"replicas": size, "selector": selector, "template": template},
        }
        if deployment["spec"].get("minReadySeconds"):
            rs["spec"]["minReadySeconds"] = deployment["spec"]["minReadySeconds"]
        made = self._create(deployment, rs, collisions)
        if size:
            self._recorder.normal(
                deployment, "ScalingReplicaSet", f"Scaled up replica set {made['metadata']['name']} from 0 to {size}"
            )
        text = f'Created new replica set "{made["metadata"]["name"]}"'
        self._condition(deployment, "True", "NewReplicaSetCreated", text)
        self._remember_revision(deployment, number)
        return made

    def _create(self, deployment: Object, rs: Object, collisions: int) -> Object:
        try:
            return self._cluster.create(SETS, rs)
        except AlreadyExists:
            present = self._cluster.get(SETS, rs["metadata"]["name"], rs["metadata"]["namespace"])
            if owned_by(present, deployment):
                return present
            metadata = deployment["metadata"]
            change = {"status": {"collisionCount": collisions + 1}}
            self._cluster.patch(RESOURCE, metadata["name"], change, metadata["namespace"], subresource="status")
            raise
        except ApiError as refused:
            text = f'Failed to create new replica set "{rs["metadata"]["name"]}": {refused}'
            self._recorder.warning(deployment, "ReplicaSetCreateError", text)
            self._condition(deployment, "False", "ReplicaSetCreateError", text)
            raise

    def _handed_down(self, deployment: Object) -> dict[str, str]:
        found = deployment["metadata"].get("annotations") or {}
        return {key: value for key, value in found.items() if key not in _OWN_ANNOTATIONS}

    def _sizes(self, deployment: Object) -> dict[str, str]:
        surge, _ = rollout.fenceposts(deployment)
        replicas = wanted_replicas(deployment)
        return {_DESIRED: str(replicas), _MAX: str(replicas + surge)}

    def _scale(self, deployment: Object, rs: Object, size: int) -> Object:
        present, sizes = wanted_replicas(rs), self._sizes(deployment)
        annotations = rs["metadata"].get("annotations") or {}
        if present == size and (not size or sizes.items() <= annotations.items()):
            return rs
        change = {"metadata": {"annotations": sizes}, "spec": {"replicas": size}}
        name = rs["metadata"]["name"]
        found = self._cluster.patch(SETS, name, change, rs["metadata"]["namespace"])
        if present != size:
            way = "up" if size > present else "down"
            text = f"Scaled {way} replica set {name} from {present} to {size}"
            self._recorder.normal(deployment, "ScalingReplicaSet", text)
        return found

    def _clean_up(self, deployment: Object, new: Object | None) -> None:
        """Keeps only so many old ReplicaSets, once the rollout is complete."""
        if not status.complete(deployment):
            return
        _, old = self._sets(deployment)
        idle = [rs for rs in old if not wanted_replicas(rs) and not dig(rs, "status", "replicas") and not is_going(rs)]
        idle.sort(key=rollout.revision)
        limit = int(deployment["spec"].get("revisionHistoryLimit", 10))
        for rs in idle[: max(0, len(idle) - limit)]:
            self._cluster.delete(SETS, rs["metadata"]["name"], rs["metadata"]["namespace"])

    # What is written on the Deployment itself

    def _remember_revision(self, deployment: Object, number: str) -> None:
        if (deployment["metadata"].get("annotations") or {}).get(REVISION) != number:
            change = {"metadata": {"annotations": {REVISION: number}}}
            metadata = deployment["metadata"]
            self._cluster.patch(RESOURCE, metadata["name"], change, metadata["namespace"], subresource="status")
            metadata.setdefault("annotations", {})[REVISION] = number

    def _condition(self, deployment: Object, value: str, reason: str, message: str) -> None:
        deployment.setdefault("status", {})["conditions"] = status.progressing(deployment, value, reason, message)

    def _mark_paused(self, deployment: Object) -> None:
        reason = (status.progress(deployment) or {}).get("reason")
        if deployment["spec"].get("paused"):
            if reason not in ("DeploymentPaused", "ProgressDeadlineExceeded"):
                self._condition(deployment, "Unknown", "DeploymentPaused", "Deployment is paused")
        elif reason == "DeploymentPaused":
            self._condition(deployment, "Unknown", "DeploymentResumed", "Deployment is resumed")

    def _publish(self, deployment: Object, new: Object | None, old: list[Object]) -> None:
        metadata = deployment["metadata"]
        stored = self._cluster.get(RESOURCE, metadata["name"], metadata["namespace"]).get("status") or {}
        wanted = status.calculate(deployment, new, old, stored)
        if wanted != stored:
            change = {"status": {**dict.fromkeys(stored), **wanted}}
            self._cluster.patch(RESOURCE, metadata["name"], change, metadata["namespace"], subresource="status")
        self._watch_deadline(deployment, wanted)

    def _watch_deadline(self, deployment: Object, wanted: Object) -> None:
        found = status.progress({"status": wanted})
        limit = deployment["spec"].get("progressDeadlineSeconds")
        if (
            limit is None
            or found is None
            or found.get("reason") in ("NewReplicaSetAvailable", "ProgressDeadlineExceeded")
        ):
            return
        since = parse_time(str(found.get("lastUpdateTime"))) or datetime.now(UTC)
        left = int(limit) - (datetime.now(UTC) - since).total_seconds()
        metadata = deployment["metadata"]
        self.queue.add_after(max(1.0, left + 0.5), metadata["namespace"], metadata["name"])


async def run(cluster: Cluster, context: Context) -> None:
    """Watches Deployments, their ReplicaSets, and Pods that go (for the Recreate strategy)."""
    deployments = Deployments(cluster)
    try:
        async for event in cluster.watch(RESOURCE, SETS, "pods"):
            metadata = event.object["metadata"]
            if event.resource == RESOURCE:
                deployments.queue.add(metadata["namespace"], metadata["name"])
                continue
            owner = controller_of(event.object)
            if event.resource == SETS and owner and owner["kind"] == "Deployment":
                deployments.queue.add(metadata["namespace"], owner["name"])
            elif event.resource == "pods" and event.type == "DELETED" and owner and owner["kind"] == "ReplicaSet":
                deployments.queue.add(metadata["namespace"], owner["name"].rpartition("-")[0])
    finally:
        deployments.queue.close()
