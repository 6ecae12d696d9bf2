"""Claims and volumes: a claim gets a volume of its own, a folder under data_dir/volumes, which is deleted with it.

Volumes that people make themselves are bound too. Worded as kubernetes/pkg/controller/volume/persistentvolume; the
protection finalizers keep a claim that a Pod uses, and a volume that a claim uses.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from ..cluster import Cluster
from ..context import Context
from ..errors import NotFound
from ..objects import Object, dig, now
from ..quantity import amount
from ..runtime.recorder import EventRecorder
from .owners import annotation, is_going
from .pods import has_ended
from .volume_index import matching, requested
from .workqueue import Workqueue

CLAIMS, VOLUMES, CLASSES = "persistentvolumeclaims", "persistentvolumes", "storageclasses.storage.k8s.io"
PROVISIONER = "sandbox.operator-console.dev/folder"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
STORAGE_PROVISIONER = "volume.kubernetes.io/storage-provisioner"
CLAIM_FINALIZER, VOLUME_FINALIZER = "kubernetes.io/pvc-protection", "kubernetes.io/pv-protection"
_OURS = re.compile(r"^pvc-[0-9a-f-]{36}$")


def folder(data_dir: Path, volume: str) -> Path:
    """The folder of a provisioned volume's files."""
    return data_dir / "volumes" / volume


class Volumes:
    """Claims (namespace, name) and volumes ("", name) in one queue: they are bound to each other."""

    def __init__(self, cluster: Cluster, data_dir: Path):
        self._cluster = cluster.as_manager("kube-controller-manager")
        self._recorder = EventRecorder(cluster, "persistentvolume-controller")
        self._provisioner = EventRecorder(cluster, PROVISIONER)
        self._data = data_dir
        self.queue = Workqueue("volume", self.reconcile)

    def reconcile(self, namespace: str, name: str) -> None:
        """One pass for one claim or volume."""
        try:
            if namespace:
                self._claim(self._cluster.get(CLAIMS, name, namespace))
            else:
                self._volume(self._cluster.get(VOLUMES, name))
        except NotFound:
            return

    # Claims

    def _claim(self, claim: Object) -> None:
        if is_going(claim):
            self._release_claim(claim)
            return
        name = dig(claim, "spec", "volumeName")
        if not name:
            self._find_volume(claim)
        elif (volume := self._get(VOLUMES, name)) is None:
            if dig(claim, "status", "phase") == "Bound":
                self._status(claim, {"phase": "Lost"})
                self._recorder.warning(
                    claim, "ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!"
                )
        else:
            self._bind(claim, volume)

    def _release_claim(self, claim: Object) -> None:
        metadata = claim["metadata"]
        if CLAIM_FINALIZER not in (metadata.get("finalizers") or []):
            return
        for pod in self._cluster.list("pods", metadata["namespace"]):
            if not has_ended(pod) and any(name == metadata["name"] for name in claims_of(pod)):
                return
        remaining = [finalizer for finalizer in metadata["finalizers"] if finalizer != CLAIM_FINALIZER]
        change = {"metadata": {"finalizers": remaining or None}}
        self._cluster.patch(CLAIMS, metadata["name"], change, metadata["namespace"])

    def _find_volume(self, claim: Object) -> None:
        volume = matching(self._cluster.list(VOLUMES), claim)
        if volume is not None:
            self._bind(claim, volume)
            return
        name = str(dig(claim, "spec", "storageClassName") or "")
        if not name:
            text = "no persistent volumes available for this claim and no storage class is set"
            self._recorder.normal(claim, "FailedBinding", text)
            return
        storage = self._get(CLASSES, name)
        if storage is None:
            text = f'storageclass.storage.k8s.io "{name}" not found'
            self._recorder.warning(claim, "ProvisioningFailed", text)
            return
        if storage.get("volumeBindingMode") == "WaitForFirstConsumer" and not annotation(claim, SELECTED_NODE):
            text = "waiting for first consumer to be created before binding"
            self._recorder.normal(claim, "WaitForFirstConsumer", text)
            return
        if storage["provisioner"] == "kubernetes.io/no-provisioner":
            text = f"no volume plugin matched name: {storage['provisioner']}"
            self._recorder.warning(claim, "ProvisioningFailed", text)
            return
        if storage["provisioner"] == PROVISIONER:
            self._provision(claim, storage)
        else:
            self._wait_for(claim, storage["provisioner"])

    def _wait_for(self, claim: Object, provisioner: str) -> None:
        """Another provisioner creates this class's volumes; it watches for the annotation."""
        metadata = claim["metadata"]
        if annotation(claim, STORAGE_PROVISIONER) != provisioner:
            notes = {STORAGE_PROVISIONER: provisioner}
            change: Object = {"metadata": {"annotations": notes}}
            claim = self._cluster.patch(CLAIMS, metadata["name"], change, metadata["namespace"])
        text = (
            f"Waiting for a volume to be created either by the external provisioner '{provisioner}' or manually by the "
            "system administrator. If volume creation is delayed, please verify that the provisioner is running and "
            "correctly registered."
        )
        self._recorder.normal(claim, "ExternalProvisioning", text)

    def _provision(self, claim: Object, storage: Object) -> None:
        metadata = claim["metadata"]
        name = f"pvc-{metadata['uid']}"
        self._provisioner.normal(
            claim,
            "Provisioning",
            f'External provisioner is provisioning volume for claim "{metadata["namespace"]}/{metadata["name"]}"',
        )
        place = folder(self._data, name)
        place.mkdir(parents=True, exist_ok=True)
        volume = {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": name, "annotations": {"pv.kubernetes.io/provisioned-by": storage["provisioner"]}},
            "spec": {
                "capacity": {"storage": dig(claim, "spec", "resources", "requests", "storage")},
                "accessModes": claim["spec"].get("accessModes") or ["ReadWriteOnce"],
                "persistentVolumeReclaimPolicy": storage.get("reclaimPolicy", "Delete"),
                "storageClassName": storage["metadata"]["name"],
                "volumeMode": claim["spec"].get("volumeMode", "Filesystem"),
                "claimRef": self._reference(claim),
                "hostPath": {"path": str(place), "type": ""},
            },
        }
        made = self._cluster.create(VOLUMES, volume)
        self._provisioner.normal(claim, "ProvisioningSucceeded", f"Successfully provisioned volume {name}")
        self._bind(claim, made)

    def _reference(self, claim: Object) -> Object:
        metadata = claim["metadata"]
        return {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "namespace": metadata["namespace"],
            "name": metadata["name"],
            "uid": metadata["uid"],
            "resourceVersion": metadata["resourceVersion"],
        }

    def _bind(self, claim: Object, volume: Object) -> None:
        """Both sides know each other; the claim shows what it got."""
        metadata, name = claim["metadata"], volume["metadata"]["name"]
        reference = dig(volume, "spec", "claimRef") or {}
        if reference.get("uid") not in (None, "", metadata["uid"]):
            text = f'volume "{name}" already bound to a different claim.'
            self._recorder.warning(claim, "FailedBinding", text)
            return
        if not reference.get("uid"):
            change: Object = {"spec": {"claimRef": self._reference(claim)}}
            if not reference:
                change["metadata"] = {"annotations": {"pv.kubernetes.io/bound-by-controller": "yes"}}
            volume = self._cluster.patch(VOLUMES, name, change)
        if dig(claim, "spec", "volumeName") != name or not annotation(claim, "pv.kubernetes.io/bind-completed"):
            notes = {"pv.kubernetes.io/bind-completed": "yes"}
            if annotation(volume, "pv.kubernetes.io/provisioned-by"):
                notes[STORAGE_PROVISIONER] = annotation(volume, "pv.kubernetes.io/provisioned-by")
            if not dig(claim, "spec", "volumeName"):
                notes["pv.kubernetes.io/bound-by-controller"] = "yes"
            change = {"metadata": {"annotations": notes}, "spec": {"volumeName": name}}
            claim = self._cluster.patch(CLAIMS, metadata["name"], change, metadata["namespace"])
        capacity = self._grown(claim, volume)
        self._status(claim, {"phase": "Bound", "accessModes": volume["spec"]["accessModes"], "capacity": capacity})
        if dig(volume, "status", "phase") != "Bound":
            self._volume_phase(name, "Bound")

    def _grown(self, claim: Object, volume: Object) -> Object:
        """A folder grows as far as it is asked to."""
        capacity: Object = volume["spec"].get("capacity") or {}
        ours = annotation(volume, "pv.kubernetes.io/provisioned-by") == PROVISIONER
        if ours and requested(claim) > amount(capacity.get("storage")):
            wanted = dig(claim, "spec", "resources", "requests", "storage")
            self._cluster.patch(VOLUMES, volume["metadata"]["name"], {"spec": {"capacity": {"storage": wanted}}})
            return {**capacity, "storage": wanted}
        return capacity

    def _status(self, claim: Object, wanted: Object) -> None:
        old = claim.get("status") or {}
        if any(old.get(key) != value for key, value in wanted.items()):
            metadata = claim["metadata"]
            self._cluster.patch(
                CLAIMS, metadata["name"], {"status": wanted}, metadata["namespace"], subresource="status"
            )

    # Volumes

    def _volume(self, volume: Object) -> None:
        name = volume["metadata"]["name"]
        reference = dig(volume, "spec", "claimRef")
        claim = self._get(CLAIMS, reference["name"], reference["namespace"]) if reference else None
        lost = claim is None or (reference.get("uid") and claim["metadata"]["uid"] != reference["uid"])
        if is_going(volume):
            if not reference or lost:
                self._drop(volume)
        elif not reference:
            if dig(volume, "status", "phase") != "Available":
                self._volume_phase(name, "Available")
        elif not reference.get("uid"):
            if claim is not None:
                self.queue.add(reference["namespace"], reference["name"])
            elif dig(volume, "status", "phase") != "Available":
                self._volume_phase(name, "Available")
        elif lost:
            self._reclaim(volume)
        elif (
            claim is not None and dig(claim, "spec", "volumeName") == name and dig(volume, "status", "phase") != "Bound"
        ):
            self._volume_phase(name, "Bound")

    def _reclaim(self, volume: Object) -> None:
        name = volume["metadata"]["name"]
        if dig(volume, "status", "phase") != "Released":
            self._volume_phase(name, "Released")
        ours = annotation(volume, "pv.kubernetes.io/provisioned-by") == PROVISIONER
        if dig(volume, "spec", "persistentVolumeReclaimPolicy") == "Delete" and ours:
            self._cluster.delete(VOLUMES, name)
            self._drop(self._cluster.get(VOLUMES, name))

    def _drop(self, volume: Object) -> None:
        """Lets a volume go; its folder too, when it is one of ours and is not to be retained."""
        name, finalizers = volume["metadata"]["name"], volume["metadata"].get("finalizers") or []
        if _OURS.match(name) and dig(volume, "spec", "persistentVolumeReclaimPolicy") == "Delete":
            shutil.rmtree(folder(self._data, name), ignore_errors=True)
        remaining = [finalizer for finalizer in finalizers if finalizer != VOLUME_FINALIZER]
        if remaining != finalizers:
            self._cluster.patch(VOLUMES, name, {"metadata": {"finalizers": remaining or None}})

    def _volume_phase(self, name: str, phase: str) -> None:
        change = {"status": {"phase": phase, "lastPhaseTransitionTime": now()}}
        self._cluster.patch(VOLUMES, name, change, subresource="status")

    def _get(self, resource: str, name: str, namespace: str = "") -> Object | None:
        try:
            return self._cluster.get(resource, name, namespace)
        except NotFound:
            return None

    def pending(self, namespace: str = "") -> None:
        """Queues the claims that have no volume."""
        for claim in self._cluster.list(CLAIMS, namespace):
            if dig(claim, "status", "phase") != "Bound":
                self.queue.add(claim["metadata"]["namespace"], claim["metadata"]["name"])


def claims_of(pod: Object) -> list[str]:
    """The names of the claims that a Pod mounts."""
    found = [dig(volume, "persistentVolumeClaim", "claimName") for volume in dig(pod, "spec", "volumes") or []]
    return [str(name) for name in found if name]


async def run(cluster: Cluster, context: Context) -> None:
    """Watches claims, volumes, classes, and Pods that let go of claims."""
    volumes = Volumes(cluster, context.data_dir)
    try:
        async for event in cluster.watch(CLASSES, CLAIMS, VOLUMES, "pods"):
            metadata = event.object["metadata"]
            if event.resource == CLAIMS:
                volumes.queue.add(metadata["namespace"], metadata["name"])
                bound = dig(event.object, "spec", "volumeName")
                if event.type == "DELETED" and bound:
                    volumes.queue.add("", bound)
            elif event.resource == VOLUMES:
                volumes.queue.add("", metadata["name"])
                if event.type == "ADDED":
                    volumes.pending()
            elif event.resource == CLASSES:
                volumes.pending()
            elif event.type == "DELETED" or has_ended(event.object):
                for name in claims_of(event.object):
                    volumes.queue.add(metadata["namespace"], name)
    finally:
        volumes.queue.close()
