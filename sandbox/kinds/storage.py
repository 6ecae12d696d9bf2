"""PersistentVolumeClaims, PersistentVolumes, StorageClasses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..objects import decode, now
from .checks import claim, storage_class
from .strategy import Object, Strategy

if TYPE_CHECKING:
    from ..store import Store


#: Data sources of a claim that are checked; others are ignored.
_SOURCES = (("", "PersistentVolumeClaim"), ("snapshot.storage.k8s.io", "VolumeSnapshot"))


def _claim(obj: Object) -> None:
    spec = obj.setdefault("spec", {})
    spec.setdefault("volumeMode", "Filesystem")
    source = spec.get("dataSource")
    if source is not None and (source.get("apiGroup") or "", source.get("kind")) not in _SOURCES:
        del spec["dataSource"]


def _claim_create(obj: Object, store: Store) -> None:
    obj["status"] = {"phase": "Pending"}
    finalizers = obj["metadata"].setdefault("finalizers", [])
    if "kubernetes.io/pvc-protection" not in finalizers:
        finalizers.append("kubernetes.io/pvc-protection")
    if "storageClassName" in obj["spec"]:
        return
    for entry in store.scan("storageclasses.storage.k8s.io"):
        notes = decode(entry.data)["metadata"].get("annotations") or {}
        if notes.get("storageclass.kubernetes.io/is-default-class") == "true":
            obj["spec"]["storageClassName"] = entry.name


def _volume(obj: Object) -> None:
    spec = obj.setdefault("spec", {})
    spec.setdefault("persistentVolumeReclaimPolicy", "Retain")
    spec.setdefault("volumeMode", "Filesystem")
    if isinstance(spec.get("hostPath"), dict):
        spec["hostPath"].setdefault("type", "")
    if isinstance(spec.get("claimRef"), dict):
        spec["claimRef"].setdefault("apiVersion", "v1")
        spec["claimRef"].setdefault("kind", "PersistentVolumeClaim")


def _volume_create(obj: Object, _: Any) -> None:
    obj["status"] = {"phase": "Pending", "lastPhaseTransitionTime": now()}
    finalizers = obj["metadata"].setdefault("finalizers", [])
    if "kubernetes.io/pv-protection" not in finalizers:
        finalizers.append("kubernetes.io/pv-protection")


def _class(obj: Object) -> None:
    obj.setdefault("reclaimPolicy", "Delete")
    obj.setdefault("volumeBindingMode", "Immediate")


STRATEGIES = {
    "persistentvolumeclaims": Strategy(defaults=_claim, create=_claim_create, validate=claim, returns_deleted=True),
    "persistentvolumes": Strategy(defaults=_volume, create=_volume_create, returns_deleted=True),
    "storageclasses.storage.k8s.io": Strategy(defaults=_class, validate=storage_class, returns_deleted=True),
}
