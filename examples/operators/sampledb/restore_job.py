"""Where the data of a new database come from: a Job fills its first volume from the snapshot volume, before the
engine starts.
"""

from __future__ import annotations

from examples.operators.events import EventRecorder
from examples.operators.kubeapi import KubeApi

from . import jobs, ownership, records
from .database import SNAPSHOTS, Database
from .observation import Restore


async def restore(api: KubeApi, db: Database, version: str, record_event: EventRecorder) -> Restore:
    """Starts the Job, or tells how far it is.

    What has been restored is never restored again: it would lose what came after.
    """
    if not db.restore_from:
        return Restore()
    if done := db.status.get("restoredFrom"):
        return Restore("Complete", str(done))
    name = jobs.restore_name(db)
    job = await ownership.find(api, db, "Job", name)
    if job is None and await ownership.find(api, db, "StatefulSet", db.name):
        return Restore("Complete")  # the engine was started, so the Job had completed before it was deleted
    if job is None:
        if await api.get("PersistentVolumeClaim", db.namespace, SNAPSHOTS) is None:
            await api.create(jobs.snapshot_claim(db))  # empty: the Job says that there is no snapshot
        wanted = db.restore_from.get("snapshot") or f"the newest backup of {db.restore_from.get('database')}"
        record_event(db.body, type="Normal", reason="RestoreStarted", message=f"Filling the volume from {wanted}")
        job = await api.create(jobs.restore(db, version))
    outcome = jobs.finished(job)
    if outcome == "Complete":
        record = await records.of_job(api, db, name)
        taken = str(record.get("name") or db.restore_from.get("snapshot") or db.restore_from.get("database"))
        return Restore("Complete", taken)
    words = await records.last_words(api, db, name) if jobs.has_failed_once(job) else ""
    return Restore(outcome or "Running", words=words)
