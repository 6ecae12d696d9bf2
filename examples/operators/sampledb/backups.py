"""Scheduled backups as the operator sees them: the CronJob, the list of what was written, and how the last one went."""

from __future__ import annotations

from examples.operators.events import EventRecorder
from examples.operators.kubeapi import ApiError, KubeApi

from . import jobs, ownership, records
from .database import DATABASE_LABEL, GROUP, PART_LABEL, SNAPSHOTS, Database, Object
from .observation import Fact

#: On a backup's Job: its record stands in the list.
ENTERED = f"{GROUP}/entered"


async def backups(
    api: KubeApi, db: Database, version: str, record_event: EventRecorder
) -> tuple[Fact | None, Object | None]:
    """Keeps the CronJob as the spec says; returns the condition of the backups, and the newest record if it is new."""
    name = f"{db.name}-backup"
    if not db.backup.get("enabled"):
        present = await api.get("CronJob", db.namespace, name)
        if present and db.owns(present):
            await api.delete("CronJob", db.namespace, name)
        return None, None
    if await api.get("PersistentVolumeClaim", db.namespace, SNAPSHOTS) is None:
        await api.create(jobs.snapshot_claim(db))
    try:
        await ownership.ensure(api, db, jobs.backup(db, version))
    except ApiError as refused:
        if refused.code != 422:
            raise
        return Fact("BackedUp", False, "ScheduleRefused", str(refused)), None
    found = await api.list("Job", db.namespace, f"{DATABASE_LABEL}={db.name},{PART_LABEL}=backup")
    found.sort(key=lambda job: str(job["metadata"].get("creationTimestamp")))
    newest = await _enter(api, db, found, record_event)
    return await _fact(api, db, found), newest


async def _enter(api: KubeApi, db: Database, found: list[Object], record_event: EventRecorder) -> Object | None:
    """Enters what was written and is not in the list yet, also while the operator was away; the newest record."""
    newest = None
    for job in found:
        meta = job["metadata"]
        if jobs.finished(job) != "Complete" or ENTERED in (meta.get("annotations") or {}):
            continue
        record = await records.of_job(api, db, meta["name"])
        if record:
            await records.keep(api, db, record)
            newest = {key: record[key] for key in ("name", "time", "keys", "bytes")}
            message = f"Wrote {record['keys']} keys to {record['name']}"
            record_event(db.body, type="Normal", reason="BackupWritten", message=message)
        note = {"metadata": {"annotations": {ENTERED: record.get("name", "")}}}
        await api.patch("Job", db.namespace, meta["name"], note)
    return newest


async def _fact(api: KubeApi, db: Database, found: list[Object]) -> Fact:
    newest = next((job for job in reversed(found) if jobs.finished(job) or jobs.has_failed_once(job)), None)
    if newest is None:
        text = f"no backup has been taken yet; the schedule is {db.backup['schedule']}"
        return Fact("BackedUp", None, "Scheduled", text)
    name, outcome = newest["metadata"]["name"], jobs.finished(newest)
    if outcome == "Complete":
        return Fact("BackedUp", True, "BackupWritten", f"the Job {name} wrote the last backup")
    words = await records.last_words(api, db, name) or "its Pods were killed"
    later = "" if outcome else "; it is tried again"
    return Fact("BackedUp", False, "BackupFailed", f"the Job {name} failed: {words}{later}")
