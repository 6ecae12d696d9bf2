"""StatefulSets: Pods with numbers, one after the other, each with its claims
(kubernetes/pkg/controller/statefulset).
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from ..cluster import Cluster
from ..context import Context
from ..errors import ApiError, NotFound
from ..objects import Object, copy, dig
from ..runtime.recorder import EventRecorder
from . import revisions
from .owners import children, controller_of, is_going, owner_reference
from .pods import available_in, from_template, has_ended, is_ready
from .revisions import HASH_LABEL
from .rollout import wanted_replicas
from .workqueue import Workqueue

RESOURCE = "statefulsets.apps"
POD_NAME, POD_INDEX = "statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index"
CLAIMS = "persistentvolumeclaims"


@dataclass(frozen=True, slots=True)
class State:
    """The state of a StatefulSet in one pass. ``pods``: by ordinal."""

    owner: Object
    pods: dict[int, Object]
    current: Object
    update: Object

    @property
    def name(self) -> str:
        return str(self.owner["metadata"]["name"])

    @property
    def start(self) -> int:
        return int(dig(self.owner, "spec", "ordinals", "start") or 0)

    @property
    def ordinals(self) -> range:
        return range(self.start, self.start + wanted_replicas(self.owner))

    @property
    def ordered(self) -> bool:
        return bool(dig(self.owner, "spec", "podManagementPolicy") != "Parallel")

    @property
    def partition(self) -> int:
        return int(dig(self.owner, "spec", "updateStrategy", "rollingUpdate", "partition") or 0)

    @property
    def rolling(self) -> bool:
        return bool(dig(self.owner, "spec", "updateStrategy", "type") != "OnDelete")


class StatefulSets:
    """One for a cluster."""

    def __init__(self, cluster: Cluster):
        self._cluster = cluster.as_manager("kube-controller-manager")
        self._recorder = EventRecorder(cluster, "statefulset-controller")
        self.queue = Workqueue("statefulset", self.reconcile)

    def reconcile(self, namespace: str, name: str) -> None:
        """One pass for one StatefulSet."""
        try:
            owner = self._cluster.get(RESOURCE, name, namespace)
        except NotFound:
            return
        if is_going(owner):
            return
        update, known = revisions.ensure(self._cluster, owner)
        by_name = {item["metadata"]["name"]: item for item in known}
        current = by_name.get(str(dig(owner, "status", "currentRevision")), update)
        try:
            self._advance(State(owner, self._pods(owner), current, update))
        finally:
            state = State(owner, self._pods(owner), current, update)
            self._publish(state)
        used = {str((pod["metadata"].get("labels") or {}).get(HASH_LABEL)) for pod in state.pods.values()}
        used |= {current["metadata"]["name"], update["metadata"]["name"]}
        revisions.forget(self._cluster, owner, known, used)

    def _pods(self, owner: Object) -> dict[int, Object]:
        found = {}
        prefix = f"{owner['metadata']['name']}-"
        for pod in children(self._cluster, "pods", owner, owner["spec"]["selector"]):
            number = pod["metadata"]["name"].removeprefix(prefix)
            if number.isdigit():
                found[int(number)] = pod
        return found

    def _advance(self, state: State) -> None:
        """Creates, deletes and replaces Pods; with OrderedReady, one at a time."""
        for ordinal in state.ordinals:
            if not self._bring_up(state, ordinal) and state.ordered:
                return
        condemned = sorted((number for number in state.pods if number not in state.ordinals), reverse=True)
        for ordinal in condemned:
            pod = state.pods[ordinal]
            self._hand_over(state, ordinal, pod)
            if not is_going(pod):
                self._delete(state, pod)
            if state.ordered:
                return
        if state.rolling and not condemned:
            self._roll(state)

    def _bring_up(self, state: State, ordinal: int) -> bool:
        """Makes the Pod if it is missing; whether the next one may follow."""
        pod = state.pods.get(ordinal)
        if pod is not None and has_ended(pod):
            if not is_going(pod):
                self._cluster.delete("pods", pod["metadata"]["name"], pod["metadata"]["namespace"])
                text = (
                    f"StatefulSet {state.owner['metadata']['namespace']}/{state.name} is recreating failed Pod"
                    f" {pod['metadata']['name']}"
                )
                self._recorder.warning(state.owner, "RecreatingFailedPod", text)
            return False
        if pod is None:
            self._create(state, ordinal)
            return False
        if is_going(pod):
            return False
        self._claims(state, ordinal)
        wait = int(state.owner["spec"].get("minReadySeconds") or 0)
        return available_in(pod, wait) == 0

    def _create(self, state: State, ordinal: int) -> None:
        revision = state.current if ordinal - state.start < state.partition and state.rolling else state.update
        name = f"{state.name}-{ordinal}"
        labels = {HASH_LABEL: revision["metadata"]["name"], POD_NAME: name, POD_INDEX: str(ordinal)}
        pod = from_template(
            revisions.template_of(revision), state.owner, name=name, generateName=f"{state.name}-", labels=labels
        )
        pod["spec"]["hostname"] = name
        if service := state.owner["spec"].get("serviceName"):
            pod["spec"]["subdomain"] = service
        names = {dig(claim, "metadata", "name") for claim in state.owner["spec"].get("volumeClaimTemplates") or []}
        volumes = [volume for volume in pod["spec"].get("volumes") or [] if volume.get("name") not in names]
        volumes += [
            {"name": volume, "persistentVolumeClaim": {"claimName": f"{volume}-{name}"}}
            for volume in sorted(map(str, names))
        ]
        if volumes:
            pod["spec"]["volumes"] = volumes
        self._claims(state, ordinal)
        self._act("Create", state, name, lambda: self._cluster.create("pods", pod))

    def _delete(self, state: State, pod: Object) -> None:
        metadata = pod["metadata"]

        def delete() -> None:
            self._cluster.delete("pods", metadata["name"], metadata["namespace"], uid=metadata["uid"])

        self._act("Delete", state, metadata["name"], delete)

    def _act(self, verb: str, state: State, pod: str, act: object) -> None:
        """Runs ``act`` and records an Event about its outcome."""
        assert callable(act)
        subject = f"{verb} Pod {pod} in StatefulSet {state.name}"
        try:
            act()
        except ApiError as refused:
            self._recorder.warning(state.owner, f"Failed{verb}", f"{subject} failed error: {refused}")
            raise
        self._recorder.normal(state.owner, f"Successful{verb}", f"{subject} successful")

    def _claims(self, state: State, ordinal: int) -> None:
        """The claims of one Pod, made where they are missing."""
        namespace, pod = state.owner["metadata"]["namespace"], f"{state.name}-{ordinal}"
        for template in state.owner["spec"].get("volumeClaimTemplates") or []:
            name = f"{dig(template, 'metadata', 'name')}-{pod}"
            if self._cluster.verbs.store.get(CLAIMS, namespace, name) is not None:
                continue
            claim = copy(template)
            labels = {
                **(dig(claim, "metadata", "labels") or {}),
                **(dig(state.owner, "spec", "selector", "matchLabels") or {}),
            }
            claim["metadata"] = {**claim["metadata"], "name": name, "namespace": namespace, "labels": labels}
            claim.pop("status", None)
            if dig(state.owner, "spec", "persistentVolumeClaimRetentionPolicy", "whenDeleted") == "Delete":
                claim["metadata"]["ownerReferences"] = [owner_reference(state.owner)]
            subject = f"Create Claim {name} Pod {pod} in StatefulSet {state.name}"
            try:
                self._cluster.create(CLAIMS, claim)
            except ApiError as refused:
                text = f"Create Claim {name} for Pod {pod} in StatefulSet {state.name} failed error: {refused}"
                self._recorder.warning(state.owner, "FailedCreate", text)
                raise
            self._recorder.normal(state.owner, "SuccessfulCreate", f"{subject} success")

    def _hand_over(self, state: State, ordinal: int, pod: Object) -> None:
        """With whenScaled: Delete, the claims of a Pod that is one too many go with it."""
        if dig(state.owner, "spec", "persistentVolumeClaimRetentionPolicy", "whenScaled") != "Delete":
            return
        namespace = state.owner["metadata"]["namespace"]
        owners = [owner_reference(pod)]
        for template in state.owner["spec"].get("volumeClaimTemplates") or []:
            name = f"{dig(template, 'metadata', 'name')}-{state.name}-{ordinal}"
            with contextlib.suppress(NotFound):
                claim = self._cluster.get(CLAIMS, name, namespace)
                if claim["metadata"].get("ownerReferences") != owners:
                    self._cluster.patch(CLAIMS, name, {"metadata": {"ownerReferences": owners}}, namespace)

    def _roll(self, state: State) -> None:
        """Replaces the Pod with the highest number that is not of the newest revision; waits for each."""
        for ordinal in reversed(state.ordinals):
            if ordinal - state.start < state.partition:
                return
            pod = state.pods.get(ordinal)
            if pod is None or is_going(pod):
                return
            if self._revision(pod) != state.update["metadata"]["name"]:
                self._delete(state, pod)
                return
            if not is_ready(pod):
                return

    def _revision(self, pod: Object) -> str:
        return str((pod["metadata"].get("labels") or {}).get(HASH_LABEL, ""))

    def _publish(self, state: State) -> None:
        owner = state.owner
        current, update = state.current["metadata"]["name"], state.update["metadata"]["name"]
        wait = int(owner["spec"].get("minReadySeconds") or 0)
        pods = list(state.pods.values())
        living = [pod for pod in pods if not is_going(pod)]
        ready = [pod for pod in pods if is_ready(pod)]
        available = [pod for pod in ready if available_in(pod, wait) == 0]
        updated = sum(self._revision(pod) == update for pod in living)
        at_current = sum(self._revision(pod) == current for pod in living)
        if updated == len(pods) == wanted_replicas(owner) and len(ready) == len(pods) and not state.partition:
            current, at_current = update, updated
        status: Object = {
            "observedGeneration": owner["metadata"]["generation"],
            "replicas": len(pods),
            "availableReplicas": len(available),
            "currentRevision": current,
            "updateRevision": update,
            "collisionCount": 0,
        }
        counted = {"readyReplicas": len(ready), "currentReplicas": at_current, "updatedReplicas": updated}
        status |= {key: value for key, value in counted.items() if value}
        if status != (owner.get("status") or {}):
            metadata = owner["metadata"]
            change = {"status": {**dict.fromkeys(owner.get("status") or {}), **status}}
            self._cluster.patch(RESOURCE, metadata["name"], change, metadata["namespace"], subresource="status")
        soon = [seconds for pod in ready if (seconds := available_in(pod, wait))]
        if soon:
            self.queue.add_after(min(soon), owner["metadata"]["namespace"], owner["metadata"]["name"])


async def run(cluster: Cluster, context: Context) -> None:
    """Watches StatefulSets and Pods."""
    sets = StatefulSets(cluster)
    try:
        async for event in cluster.watch(RESOURCE, "pods"):
            metadata = event.object["metadata"]
            if event.resource == RESOURCE:
                sets.queue.add(metadata["namespace"], metadata["name"])
            elif (owner := controller_of(event.object)) and owner["kind"] == "StatefulSet":
                sets.queue.add(metadata["namespace"], owner["name"])
    finally:
        sets.queue.close()
