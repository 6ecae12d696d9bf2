"""Brings a database to what its spec asks for, in one pass that can be repeated at any time.

Called when the SampleDB changes, when something that belongs to it does, and after a while anyway. Nothing is
remembered between two calls: which release is deployed stands in the connection ConfigMap, what the Jobs did stands in
the Jobs. So the operator can stop at any line here, and the next pass resumes from what it finds.
"""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary

from examples.operators.events import EventRecorder
from examples.operators.kubeapi import ApiError, KubeApi
from examples.operators.pod_problems import StatusProblem

from . import backups, connection, health, jobs, ownership, records, restore_job, rollout, storage, workload
from .database import DATABASE_LABEL, FINALIZER, PART_LABEL, Database, Object
from .observation import Fact, Observation, Release, Restore, Work
from .status import BAD, status

#: Seconds until a database is looked at again though nothing happened: one that is ready, and one that is not.
SETTLED, UNSETTLED = 20.0, 4.0

_locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()


def lock(namespace: str, name: str) -> asyncio.Lock:
    """Held by a pass and by the farewell, so that nothing is made while the database goes."""
    return _locks.setdefault((namespace, name), asyncio.Lock())


async def reconcile(api: KubeApi, namespace: str, name: str, record_event: EventRecorder) -> float | None:
    """One pass; returns the seconds until the next one. A database that is being deleted is left to the farewell."""
    async with lock(namespace, name):
        body = await api.get("SampleDB", namespace, name)
        if body is None or body["metadata"].get("deletionTimestamp"):
            return None
        if FINALIZER not in body["metadata"].get("finalizers", ()):
            return None  # kopf is about to add it; before that, what is made could be left over by a quick delete
        db = Database(body)
        try:
            seen = await _apply(api, db, record_event)
        except ownership.TakenError as taken:
            seen = await _refused(api, db, StatusProblem("NameTaken", str(taken)))
        except ApiError as refused:
            if refused.code not in (400, 403, 422) or "being terminated" in str(refused):
                raise
            seen = await _refused(api, db, StatusProblem("Refused", f"the API server refuses an object: {refused}"))
        return await _publish(api, db, seen, record_event)


async def _apply(api: KubeApi, db: Database, record_event: EventRecorder) -> Observation:
    """Makes every object of the database, as far as it may go now; returns what is there."""
    release = await rollout.release(api, db, record_event)
    await ownership.ensure(api, db, connection.secret(db, await api.get("Secret", db.namespace, db.credentials)))
    await ownership.ensure(api, db, connection.config_map(db, release.deployed))
    for service in connection.services(db):
        await ownership.ensure(api, db, service)
    volumes = await storage.volumes(api, db)
    restore = await restore_job.restore(api, db, release.deployed, record_event)
    if restore.outcome in ("Running", "Failed"):
        problem = await health.of_pods(api, db, f"job-name={jobs.restore_name(db)}")
        return Observation(release=release, restore=restore, problem=problem, facts=(volumes,))
    found = await _stateful_set(api, db, release.deployed, record_event)
    half = Observation(release=release, stateful_set=found)
    init, running = await _set_up(api, db, half)
    backed_up, backup = await backups.backups(api, db, release.deployed, record_event)
    problem = await _problem(api, db, half)
    if problem and problem.reason == "VolumeFull":
        volumes = Fact("StorageReady", False, *problem)
    facts = (volumes, backed_up) if backed_up else (volumes,)
    return Observation(
        release=release,
        stateful_set=found,
        init=init,
        running=running,
        restore=restore,
        problem=problem,
        facts=facts,
        backup=backup,
    )


async def _stateful_set(api: KubeApi, db: Database, version: str, record_event: EventRecorder) -> Object:
    wanted = workload.stateful_set(db, version)
    if await api.get("StatefulSet", db.namespace, db.name) is None:
        message = f"Making {db.replicas} Pod(s) of {db.engine} {version} with {db.storage} each"
        record_event(db.body, type="Normal", reason="Provisioning", message=message)
    else:
        for fixed in ("volumeClaimTemplates", "podManagementPolicy"):  # can not be changed once they are there
            wanted["spec"].pop(fixed)
    return await ownership.ensure(api, db, wanted)


async def _set_up(api: KubeApi, db: Database, seen: Observation) -> tuple[Work, str]:
    """The set-up Job, and the engine's own version that it found. It runs again for another release or script."""
    name = f"{db.name}-init"
    wanted = jobs.init(db, seen.release.deployed)
    job = await ownership.find(api, db, "Job", name)
    if job and _hash(job) != _hash(wanted):
        await api.delete("Job", db.namespace, name)
        job = await ownership.find(api, db, "Job", name)
    if job is None and seen.ready and seen.is_current:
        job = await api.create(wanted)
    if job is None or _hash(job) != _hash(wanted):
        # A database that is stopped has been set up before; one whose Pods are coming will be.
        return Work("Complete" if db.status.get("version") and not db.replicas else ""), ""
    outcome = jobs.finished(job)
    if outcome == "Complete":
        return Work(outcome), await _running(api, db, name, seen.release.deployed)
    return Work(outcome, await records.last_words(api, db, name) if jobs.has_failed_once(job) else ""), ""


def _hash(job: Object) -> str:
    return str((job["metadata"].get("annotations") or {}).get(jobs.HASH_ANNOTATION, ""))


async def _running(api: KubeApi, db: Database, job: str, deployed: str) -> str:
    """The version that the set-up Job found, read once, as its log may be deleted."""
    known = str(db.status.get("version") or "")
    if known and db.status.get("phase") == "Ready":
        return known
    return str((await records.of_job(api, db, job)).get("version") or known or deployed)


async def _problem(api: KubeApi, db: Database, seen: Observation) -> StatusProblem | None:
    """What keeps the database from working; Pods are only asked when one of them is missing."""
    if found := await health.password_missing(api, db):
        return found
    if not db.replicas:
        return None
    if seen.ready < db.replicas:
        return await health.of_pods(api, db, f"{DATABASE_LABEL}={db.name},{PART_LABEL}=engine")
    return await health.volume_full(api, db)


async def _refused(api: KubeApi, db: Database, problem: StatusProblem) -> Observation:
    """What there is of a database that can not be made as it should be: it may run as it did before."""
    found = await api.get("StatefulSet", db.namespace, db.name)
    ours = found if found and db.owns(found) else None
    present = await api.get("ConfigMap", db.namespace, db.connection)
    deployed = ((present or {}).get("data") or {}).get("version") if present and db.owns(present) else None
    init = Work("Complete" if db.status.get("version") else "")
    return Observation(
        release=Release(deployed or db.version), stateful_set=ours, init=init, refused=problem, restore=Restore()
    )


async def _publish(api: KubeApi, db: Database, seen: Observation, record_event: EventRecorder) -> float:
    """Writes the status where it differs, and tells people what has changed."""
    wanted = status(db, seen)
    if any(db.status.get(key) != value for key, value in wanted.items()):
        await api.patch("SampleDB", db.namespace, db.name, {"status": wanted}, "status")
        _record_events(db, wanted, record_event)
    return SETTLED if wanted["phase"] in ("Ready", "Stopped") else UNSETTLED


def _record_events(db: Database, wanted: Object, record_event: EventRecorder) -> None:
    if wanted.get("restoredFrom") and not db.status.get("restoredFrom"):
        record_event(db.body, type="Normal", reason="Restored", message=f"The data come from {wanted['restoredFrom']}")
    before = {condition["type"]: condition["reason"] for condition in db.status.get("conditions") or []}
    progress = wanted["conditions"][1]
    word = wanted["phase"]
    if word != db.status.get("phase") or (word in BAD and progress["reason"] != before.get("Progressing")):
        condition = wanted["conditions"][0] if word in ("Ready", "Stopped") else progress
        reason = str(progress["reason"]) if word in BAD else word
        record_event(db.body, type="Warning" if word in BAD else "Normal", reason=reason, message=condition["message"])
    for item in wanted["conditions"][3:]:
        # A new claim is always unbound for a moment.
        if item["status"] == "False" and item["reason"] not in (before.get(item["type"]), "Unbound"):
            kind = "Normal" if item["reason"] == "Growing" else "Warning"
            record_event(db.body, type=kind, reason=item["reason"], message=item["message"])
