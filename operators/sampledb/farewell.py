"""What happens before a database goes: its data is copied into the namespace's snapshot volume.

Only then is the finalizer released, and the StatefulSet, volumes and the rest go with their owner. While the copy can not
be made the database stays, and its status says what a person can do.
"""

from __future__ import annotations

import logging

from operators.kubeapi import Api, ApiError

from . import jobs, records
from .database import Database
from .reconcile import Tell

log = logging.getLogger("sampledb.farewell")


class NotYetError(Exception):
    """The snapshot is still being written; ask again soon."""


async def farewell(api: Api, db: Database, tell: Tell) -> None:
    """Returns when the database may go; raises NotYetError while its snapshot is being written."""
    if db.spec.get("deletionPolicy", "Snapshot") == "Snapshot" and _has_data(db):
        try:
            await _snapshot(api, db, tell)
        except ApiError as refused:
            if refused.code != 403 or "being terminated" not in str(refused):
                raise
            tell(
                db.body,
                type="Warning",
                reason="SnapshotSkipped",
                message="The namespace is being deleted, so no snapshot could be written",
            )
    await _say(api, db, "Deleting")
    await api.delete("CronJob", db.namespace, f"{db.name}-backup")
    await api.delete("StatefulSet", db.namespace, db.name)
    tell(db.body, type="Normal", reason="Deleting", message="Removing the StatefulSet, the volumes and everything else")


def _has_data(db: Database) -> bool:
    """A database that never came up has nothing to copy, and one that is stopped can not be copied."""
    return bool(db.status.get("version")) and db.replicas > 0


async def _snapshot(api: Api, db: Database, tell: Tell) -> None:
    name = jobs.snapshot_name(db)
    job = await api.get("Job", db.namespace, name)
    if job is None:
        await _say(api, db, "Snapshotting")
        await api.ensure(jobs.snapshot_claim(db))
        present = await api.get("ConfigMap", db.namespace, db.connection)
        version = ((present or {}).get("data") or {}).get("version", db.version)
        await api.create(jobs.snapshot(db, version))
        tell(db.body, type="Normal", reason="Snapshotting", message="Writing a snapshot before the database goes")
        raise NotYetError
    outcome = jobs.finished(job)
    if outcome == "Complete":
        record = await records.of_job(api, db, name)
        if record:
            await records.keep(api, db, record)
        written = f"Wrote {record.get('keys', '?')} keys to {record.get('name', 'the snapshot volume')}"
        tell(db.body, type="Normal", reason="SnapshotWritten", message=written)
        return
    if outcome == "Failed":
        tell(
            db.body,
            type="Warning",
            reason="SnapshotFailed",
            message=f"The Job {name} could not copy the data, so the database is kept. Read its log and delete the Job to try"
            " again, or set spec.deletionPolicy to Delete to go without a snapshot",
        )
        await _say(api, db, "Failed")
    raise NotYetError


async def _say(api: Api, db: Database, phase: str) -> None:
    if db.status.get("phase") != phase:
        await api.patch("SampleDB", db.namespace, db.name, {"status": {"phase": phase}}, "status")
