"""What happens before a database goes: its data are copied into the namespace's snapshot volume, then everything of
it goes.

Only then is the finalizer released. While the copy can't be made the database stays, and its status says what a user
can do. The state of each step is in the cluster, so the operator can stop anywhere and resume.
"""

from __future__ import annotations

from examples.operators.events import EventRecorder
from examples.operators.kubeapi import ApiError, KubeApi

from . import health, jobs, records, status
from .database import DATABASE_LABEL, SNAPSHOTS, Database, Object
from .reconcile import lock

#: In this order. Pods hold their claims, so when the claims are gone the Pods are too.
KINDS = ("StatefulSet", "CronJob", "Job", "Pod", "PersistentVolumeClaim", "Service", "ConfigMap", "Secret")
#: What may have no owner: claims that the StatefulSet's controller made, and Pods of a Job that was deleted without
#: them. Such a Pod has ended, but would hold its claim forever. A backup's Job belongs to its CronJob.
LOOSE = ("PersistentVolumeClaim", "Pod")


class NotYetError(Exception):
    """Something is still to be done, which the text says; ask again after so many seconds."""

    def __init__(self, text: str, seconds: float = 1.0):
        super().__init__(text)
        self.seconds = seconds


async def farewell(api: KubeApi, namespace: str, name: str, record_event: EventRecorder) -> None:
    """Returns when nothing is left of the database; raises NotYetError until then."""
    async with lock(namespace, name):
        body = await api.get("SampleDB", namespace, name)
        if body is None:
            return
        db = Database(body)
        if db.status.get("phase") != "Deleting":
            await _last_copy(api, db, record_event)
            message = "Removing the StatefulSet, the volumes and everything else"
            if await _say(api, db, "Deleting", "Deleting", message):
                record_event(db.body, type="Normal", reason="Deleting", message=message)
        if not await _at_rest(api, db):
            raise NotYetError("waiting for the StatefulSet's controller to make no more Pods", 0.2)
        if left := await _remove(api, db):
            raise NotYetError(f"waiting for {left} to go", 0.5)


async def _last_copy(api: KubeApi, db: Database, record_event: EventRecorder) -> None:
    """Returns when the data are safe, or need not be."""
    if db.spec.get("deletionPolicy", "Snapshot") != "Snapshot":
        return
    engine = await api.get("StatefulSet", db.namespace, db.name)
    if engine is None or not db.owns(engine) or not _has_data(db, engine):
        return
    try:
        await _snapshot(api, db, engine, record_event)
    except ApiError as refused:
        if refused.code != 403 or "being terminated" not in str(refused):
            raise
        message = "The namespace is being deleted, so no snapshot could be written"
        record_event(db.body, type="Warning", reason="SnapshotSkipped", message=message)


def _has_data(db: Database, engine: Object) -> bool:
    """A database that never came up has nothing to copy.

    One that is up may have been written to before it was set up.
    """
    known = db.status.get("version") or db.status.get("restoredFrom")
    return bool(known) or int((engine.get("status") or {}).get("readyReplicas", 0)) > 0


async def _snapshot(api: KubeApi, db: Database, engine: Object, record_event: EventRecorder) -> None:
    name = jobs.snapshot_name(db)
    job = await api.get("Job", db.namespace, name)
    if job is None:
        message = "Writing a snapshot before the database goes"
        if await _say(api, db, "Snapshotting", "Snapshotting", message):
            record_event(db.body, type="Normal", reason="Snapshotting", message=message)
        if not engine["spec"].get("replicas"):  # a stopped database has data too; a Pod must read it out
            await api.patch("StatefulSet", db.namespace, db.name, {"spec": {"replicas": 1}})
        if await api.get("PersistentVolumeClaim", db.namespace, SNAPSHOTS) is None:
            await api.create(jobs.snapshot_claim(db))
        await api.create(jobs.snapshot(db, await _version(api, db)))
        raise NotYetError("the snapshot is being written")
    outcome = jobs.finished(job)
    if outcome == "Complete":
        record = await records.of_job(api, db, name)
        if not record and jobs.AGAIN not in (job["metadata"].get("annotations") or {}):
            # Its Pod was killed when it was done, so what it wrote is not known; the data are still here.
            await api.delete("Job", db.namespace, name)
            await api.create(jobs.snapshot(db, await _version(api, db), again=True))
            raise NotYetError("the snapshot is being written once more")
        if record:
            await records.keep(api, db, record)
        written = f"Wrote {record.get('keys', '?')} keys to {record.get('name', 'the snapshot volume')}"
        record_event(db.body, type="Normal", reason="SnapshotWritten", message=written)
        return
    if outcome == "Failed":
        await _keep_it(api, db, name, record_event)
        raise NotYetError("the snapshot failed")
    if problem := await health.of_pods(api, db, f"job-name={name}"):
        message = f"The snapshot waits: {problem.message}"
        if await _say(api, db, "Snapshotting", problem.reason, message):
            record_event(db.body, type="Warning", reason=problem.reason, message=message)
    raise NotYetError("the snapshot is being written")


async def _version(api: KubeApi, db: Database) -> str:
    """The release that runs."""
    present = await api.get("ConfigMap", db.namespace, db.connection)
    return str(((present or {}).get("data") or {}).get("version", db.version))


async def _keep_it(api: KubeApi, db: Database, job: str, record_event: EventRecorder) -> None:
    words = await records.last_words(api, db, job) or "its Pods were killed"
    message = (
        f"The Job {job} could not copy the data, so the database is kept: {words}. Delete the Job to try again, "
        "or set spec.deletionPolicy to Delete to go without a snapshot"
    )
    if await _say(api, db, "Failed", "SnapshotFailed", message):
        record_event(db.body, type="Warning", reason="SnapshotFailed", message=message)


async def _at_rest(api: KubeApi, db: Database) -> bool:
    """Whether the StatefulSet's controller has observed the scaling to 0, or the StatefulSet is gone.

    The controller works from its cache: after a plain deletion it may create one more Pod and claim, and such a claim
    has no owner.
    """
    engine = await api.get("StatefulSet", db.namespace, db.name)
    if engine is None or not db.owns(engine) or engine["metadata"].get("deletionTimestamp"):
        return True
    if engine["spec"].get("replicas"):
        await api.patch("StatefulSet", db.namespace, db.name, {"spec": {"replicas": 0}})
        return False
    seen = int((engine.get("status") or {}).get("observedGeneration") or 0)
    return seen >= int(engine["metadata"]["generation"])


async def _remove(api: KubeApi, db: Database) -> str:
    """Deletes what belongs to the database; the name of something that is still there, or nothing.

    The garbage collector would do it too, but later: a database of the same name that is made at once must not find any
    of it.
    """
    left = ""
    for kind in KINDS:
        for obj in await api.list(kind, db.namespace, f"{DATABASE_LABEL}={db.name}"):
            meta = obj["metadata"]
            if db.owns(obj) or kind == "Job" or (kind in LOOSE and not meta.get("ownerReferences")):
                left = left or f"{kind} {meta['name']}"
                if not meta.get("deletionTimestamp"):
                    await api.delete(kind, db.namespace, meta["name"])
    return left


async def _say(api: KubeApi, db: Database, word: str, reason: str, message: str) -> bool:
    """Writes the status; whether that was news."""
    wanted = status.leaving(db, word, reason, message)
    if all(db.status.get(key) == value for key, value in wanted.items()):
        return False
    await api.patch("SampleDB", db.namespace, db.name, {"status": wanted}, "status")
    return True
