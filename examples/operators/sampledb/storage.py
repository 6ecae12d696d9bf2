"""The volumes of a database: a claim for each Pod, grown when ``spec.storage`` does, and their condition."""

from __future__ import annotations

from examples.operators.kubeapi import ApiError, KubeApi

from . import ownership, workload
from .database import DATABASE_LABEL, Database, Object
from .observation import Fact


async def volumes(api: KubeApi, db: Database) -> Fact:
    """Makes and grows the claims; whether each has a volume of the size that is asked for."""
    found = [await _claim(api, db, wanted) for wanted in workload.claims(db)]
    return next((fact for fact in found if not fact.true), _all_there(db, len(found)))


def _all_there(db: Database, count: int) -> Fact:
    text = f"{count} volume(s) of {db.storage}" if count else "no volume is in use; those of removed Pods are kept"
    return Fact("StorageReady", True, "Bound", text)


async def _claim(api: KubeApi, db: Database, wanted: Object) -> Fact:
    name = wanted["metadata"]["name"]
    present = await api.get("PersistentVolumeClaim", db.namespace, name)
    if present is None:
        present = await api.create(wanted)
    elif not db.owns(present):
        present = await _adopt(api, db, present, wanted)
    asked = workload.bytes_of(present["spec"]["resources"]["requests"]["storage"])
    if workload.bytes_of(db.storage) > asked:
        try:
            present = await api.patch("PersistentVolumeClaim", db.namespace, name, _larger(db))
        except ApiError as refused:
            if refused.code not in (403, 422):
                raise
            return Fact(
                "StorageReady", False, "ResizeRefused", f"the claim {name} can not grow to {db.storage}: {refused}"
            )
    status = present.get("status") or {}
    if status.get("phase") != "Bound":
        text = f"the claim {name} has no volume yet; kubectl describe pvc {name} says why"
        return Fact("StorageReady", False, "Unbound", text)
    if workload.bytes_of((status.get("capacity") or {}).get("storage", 0)) < workload.bytes_of(db.storage):
        return Fact("StorageReady", False, "Growing", f"the volume of {name} is growing to {db.storage}")
    return Fact("StorageReady", True, "Bound", name)


async def _adopt(api: KubeApi, db: Database, present: Object, wanted: Object) -> Object:
    """A claim that the StatefulSet's controller was quicker to make has our label and no owner: it becomes ours."""
    meta = present["metadata"]
    if meta.get("ownerReferences") or (meta.get("labels") or {}).get(DATABASE_LABEL) != db.name:
        return await ownership.ensure(api, db, wanted)  # which says that the name is taken
    change = {"metadata": {key: wanted["metadata"][key] for key in ("labels", "ownerReferences")}}
    return await api.patch("PersistentVolumeClaim", db.namespace, meta["name"], change)


def _larger(db: Database) -> Object:
    return {"spec": {"resources": {"requests": {"storage": db.storage}}}}
