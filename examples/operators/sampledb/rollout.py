"""Which release a database runs: the one that is deployed, until an upgrade Job has prepared its data for the next."""

from __future__ import annotations

from examples.operators.events import EventRecorder
from examples.operators.kubeapi import KubeApi

from . import jobs, ownership, records
from .database import DATABASE_LABEL, PART_LABEL, Database
from .observation import Release, Work
from .versions import refusal


async def release(api: KubeApi, db: Database, record_event: EventRecorder) -> Release:
    """The release to run now.

    What is deployed stands in the connection ConfigMap, which is written when the Job is done.
    """
    present = await ownership.find(api, db, "ConfigMap", db.connection)
    deployed = str(((present or {}).get("data") or {}).get("version") or db.version)
    if deployed == db.version:
        await _forget(api, db)
        return Release(deployed)
    if reason := refusal(db.engine, deployed, db.version):
        return Release(deployed, refused=reason)
    if not db.replicas:
        return Release(deployed)  # no Pod could prepare the data; the upgrade begins when there are Pods again
    job = await ownership.find(api, db, "Job", jobs.upgrade_name(db))
    if job is None:
        record_event(
            db.body,
            type="Normal",
            reason="UpgradeStarted",
            message=f"Preparing the data of {deployed} for {db.version}",
        )
        job = await api.create(jobs.upgrade(db, deployed))
    outcome = jobs.finished(job)
    words = await records.last_words(api, db, job["metadata"]["name"]) if jobs.has_failed_once(job) else ""
    return Release(db.version if outcome == "Complete" else deployed, Work(outcome, words))


async def _forget(api: KubeApi, db: Database) -> None:
    """An upgrade that failed and is not wanted any more must not stand in the way of the next try."""
    for job in await api.list("Job", db.namespace, f"{DATABASE_LABEL}={db.name},{PART_LABEL}=upgrade"):
        if db.owns(job) and jobs.finished(job) == "Failed":
            await api.delete("Job", db.namespace, job["metadata"]["name"])
