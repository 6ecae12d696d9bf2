"""Brings a database to what its spec asks for, in one pass that can be repeated at any time.

Called when the SampleDB changes and when one of its StatefulSets or Jobs does. Nothing is remembered between two calls:
which version is deployed stands in the connection ConfigMap, what the Jobs did stands in the Jobs.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from typing import Protocol

from operators.kubeapi import Api

from . import connection, jobs, records, workload
from .database import Database, Object
from .status import Observed, status

log = logging.getLogger("sampledb.reconcile")

_locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)


class Tell(Protocol):
    """Records an event on the database."""

    def __call__(self, body: Object, *, type: str, reason: str, message: str) -> None: ...


async def reconcile(api: Api, namespace: str, name: str, tell: Tell) -> None:
    """One pass for one database; passes for the same one never overlap. A database that is being deleted is left alone."""
    async with _locks[f"{namespace}/{name}"]:
        body = await api.get("SampleDB", namespace, name)
        if body is None or body["metadata"].get("deletionTimestamp"):
            return
        db = Database(body)
        seen = await _apply(api, db, tell)
        await _publish(api, db, seen, tell)


async def _apply(api: Api, db: Database, tell: Tell) -> Observed:
    """Makes every object of the database; returns what is there now."""
    deployed, upgraded = await _version(api, db, tell)
    await api.ensure(connection.secret(db, await api.get("Secret", db.namespace, db.credentials)))
    await api.ensure(connection.config_map(db, deployed))
    for service in connection.services(db):
        await api.ensure(service)
    for claim in workload.claims(db):
        if await api.get("PersistentVolumeClaim", db.namespace, claim["metadata"]["name"]) is None:
            await api.create(claim)
    wanted = workload.stateful_set(db, deployed)
    if await api.get("StatefulSet", db.namespace, db.name) is None:
        tell(
            db.body,
            type="Normal",
            reason="Provisioning",
            message=f"Making {db.replicas} Pod(s) of {db.spec['engine']} {deployed} with {db.spec.get('storage')} each",
        )
    else:
        wanted["spec"].pop("volumeClaimTemplates")  # can not be changed, and the server has filled in its defaults
    found = await api.ensure(wanted)
    init, running = await _set_up(api, db, deployed)
    await _backups(api, db, deployed)
    return Observed(found, init, upgraded, deployed, running)


async def _version(api: Api, db: Database, tell: Tell) -> tuple[str, str]:
    """The version to run now, and how the upgrade Job ended if there is one."""
    present = await api.get("ConfigMap", db.namespace, db.connection)
    deployed = ((present or {}).get("data") or {}).get("version", db.version)
    if deployed == db.version:
        return deployed, ""
    if _parts(db.version) < _parts(deployed):
        tell(
            db.body,
            type="Warning",
            reason="Downgrade",
            message=f"Going back from {deployed} to {db.version}: data written by the newer engine may not be readable",
        )
        return db.version, ""
    name = jobs.upgrade_name(db)
    job = await api.get("Job", db.namespace, name)
    if job is None:
        tell(db.body, type="Normal", reason="Upgrading", message=f"Preparing the data of {deployed} for {db.version}")
        job = await api.create(jobs.upgrade(db, deployed))
    outcome = jobs.finished(job)
    return (db.version if outcome == "Complete" else deployed), outcome


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


async def _set_up(api: Api, db: Database, version: str) -> tuple[str, str]:
    """The set-up Job's outcome, and the engine's own version that it found. It runs again for another version or script."""
    name = f"{db.name}-init"
    job = await api.get("Job", db.namespace, name)
    if job and (job["metadata"].get("annotations") or {}).get(jobs.HASH_ANNOTATION) != db.set_up_hash:
        await api.delete("Job", db.namespace, name)
        job = await api.get("Job", db.namespace, name)
    if job is None and db.replicas:
        job = await api.create(jobs.init(db, version))
    outcome = jobs.finished(job)
    if outcome != "Complete":
        return outcome, ""
    return outcome, str((await records.of_job(api, db, name)).get("version") or version)


async def _backups(api: Api, db: Database, version: str) -> None:
    if db.backup.get("enabled"):
        await api.ensure(jobs.snapshot_claim(db))
        await api.ensure(jobs.backup(db, version))
    else:
        await api.delete("CronJob", db.namespace, f"{db.name}-backup")


async def _publish(api: Api, db: Database, seen: Observed, tell: Tell) -> None:
    """Writes the status where it differs, and tells people about a change of phase."""
    wanted = status(db, seen)
    if all(db.status.get(key) == value for key, value in wanted.items()):
        return
    await api.patch("SampleDB", db.namespace, db.name, {"status": wanted}, "status")
    word = wanted["phase"]
    if word != db.status.get("phase"):
        kind = "Warning" if word in ("Failed", "Degraded") else "Normal"
        tell(db.body, type=kind, reason=word, message=wanted["conditions"][0]["message"])
