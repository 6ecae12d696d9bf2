"""Volumes as folders for a real cluster: claims of our StorageClass get one, which is resized and deleted with them.

The cluster's own controller binds claim and volume, and tells which provisioner a claim waits for.
"""

from __future__ import annotations

import contextlib
import re
import shutil
from pathlib import Path

from ..client import Client
from ..errors import AlreadyExists, NotFound
from ..objects import Object, dig
from ..quantity import amount
from ..runtime.recorder import EventRecorder

CLAIMS, VOLUMES, CLASSES = "persistentvolumeclaims", "persistentvolumes", "storageclasses.storage.k8s.io"
PROVISIONER = "operator-console.dev/folder"
CLASS = "standard"
#: On a claim, who is to make its volume; on a volume, who made it.
_WANTED, _MADE = "volume.kubernetes.io/storage-provisioner", "pv.kubernetes.io/provisioned-by"
_OURS = re.compile(r"^pvc-[0-9a-f-]{36}$")


class Provisioner:
    """Folders below ``data``."""

    def __init__(self, cluster: Client, data: Path):
        self._cluster = cluster.as_manager("folder-provisioner")
        self._recorder = EventRecorder(cluster, PROVISIONER)
        self._folder = data / "volumes"

    async def run(self) -> None:
        """Follows claims and volumes until cancelled."""
        self._make_class()
        async for event in self._cluster.watch(CLAIMS, VOLUMES):
            with contextlib.suppress(NotFound):  # it has gone meanwhile
                if event.resource == CLAIMS and event.type != "DELETED":
                    self._claim(event.object)
                elif event.resource == VOLUMES and event.type == "DELETED":
                    self._remove(event.object["metadata"]["name"])
                elif event.resource == VOLUMES:
                    self._volume(event.object)

    def _make_class(self) -> None:
        made: Object = {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": {"name": CLASS, "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
            "provisioner": PROVISIONER,
            "reclaimPolicy": "Delete",
            "volumeBindingMode": "Immediate",
            "allowVolumeExpansion": True,
        }
        with contextlib.suppress(AlreadyExists):
            self._cluster.create(CLASSES, made)

    def _claim(self, claim: Object) -> None:
        metadata = claim["metadata"]
        if metadata.get("deletionTimestamp") or (metadata.get("annotations") or {}).get(_WANTED) != PROVISIONER:
            return
        if name := dig(claim, "spec", "volumeName"):
            self._grow(claim, str(name))
        else:
            self._provision(claim)

    def _provision(self, claim: Object) -> None:
        metadata, spec = claim["metadata"], claim["spec"]
        storage = self._cluster.get(CLASSES, str(spec.get("storageClassName")))
        name = f"pvc-{metadata['uid']}"
        place = self._folder / name
        place.mkdir(parents=True, exist_ok=True)
        reference = {"apiVersion": "v1", "kind": "PersistentVolumeClaim"}
        reference |= {field: metadata[field] for field in ("namespace", "name", "uid", "resourceVersion")}
        volume: Object = {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": name, "annotations": {_MADE: PROVISIONER}},
            "spec": {
                "capacity": {"storage": dig(spec, "resources", "requests", "storage")},
                "accessModes": spec.get("accessModes") or ["ReadWriteOnce"],
                "persistentVolumeReclaimPolicy": storage.get("reclaimPolicy", "Delete"),
                "storageClassName": storage["metadata"]["name"],
                "volumeMode": spec.get("volumeMode", "Filesystem"),
                "claimRef": reference,
                "hostPath": {"path": str(place), "type": ""},
            },
        }
        try:
            self._cluster.create(VOLUMES, volume)
        except AlreadyExists:
            return
        self._recorder.normal(claim, "ProvisioningSucceeded", f"Successfully provisioned volume {name}")

    def _grow(self, claim: Object, name: str) -> None:
        """A folder grows as far as it is asked to."""
        wanted = dig(claim, "spec", "resources", "requests", "storage")
        capacity = dig(claim, "status", "capacity", "storage")
        if dig(claim, "status", "phase") != "Bound" or amount(wanted) <= amount(capacity):
            return
        metadata = claim["metadata"]
        self._cluster.patch(VOLUMES, name, {"spec": {"capacity": {"storage": wanted}}})
        status = {"capacity": {"storage": wanted}, "conditions": None}
        self._cluster.patch(CLAIMS, metadata["name"], {"status": status}, metadata["namespace"], "status")
        self._recorder.normal(claim, "VolumeResizeSuccessful", "Resize volume succeeded")

    def _volume(self, volume: Object) -> None:
        """The claim of a volume that is released is gone."""
        metadata = volume["metadata"]
        ours = (metadata.get("annotations") or {}).get(_MADE) == PROVISIONER
        if not ours or dig(volume, "status", "phase") != "Released" or metadata.get("deletionTimestamp"):
            return
        if dig(volume, "spec", "persistentVolumeReclaimPolicy") == "Delete":
            self._cluster.delete(VOLUMES, metadata["name"], uid=metadata["uid"])

    def _remove(self, name: str) -> None:
        if _OURS.match(name):
            shutil.rmtree(self._folder / name, ignore_errors=True)
