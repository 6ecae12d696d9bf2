"""The SampleDB operator: which changes lead to which work. Run as ``python -m operators.sampledb.operator``.

kopf watches, retries and holds the finalizer; reconcile.py and farewell.py do the work. WATCH_NAMESPACE lists the namespaces
to serve, separated by commas; empty means all of them (OLM sets it from the OperatorGroup).
"""

from __future__ import annotations

import logging
import os
from typing import Any, cast

import kopf

from operators.kubeapi import Access, Api
from operators.login import login

from . import records
from .database import DATABASE_LABEL, GROUP, PART_LABEL, Database, Object
from .farewell import NotYetError, farewell
from .jobs import finished
from .reconcile import reconcile

log = logging.getLogger("sampledb")

OURS = {DATABASE_LABEL: kopf.PRESENT}
RESOURCE = (GROUP, "v1", "sampledbs")


@kopf.on.startup()
async def start(settings: kopf.OperatorSettings, memo: kopf.Memo, **_: Any) -> None:
    """Settings of kopf, and the connection that all handlers share."""
    settings.persistence.finalizer = f"{GROUP}/finalizer"
    settings.persistence.progress_storage = kopf.AnnotationsProgressStorage(prefix=GROUP)
    settings.persistence.diffbase_storage = kopf.AnnotationsDiffBaseStorage(prefix=GROUP, key="last-handled")
    # Its own "handler succeeded" is of no use to the people who look at a database; ours is recorded by kopf.event.
    settings.posting.level = logging.ERROR
    settings.watching.server_timeout = 300
    memo.api = await Api(Access.find()).__aenter__()


@kopf.on.cleanup()
async def stop(memo: kopf.Memo, **_: Any) -> None:
    """Closes the connection."""
    await memo.api.__aexit__()


kopf.on.login()(login)


def tell(body: Object, *, type: str, reason: str, message: str) -> None:
    """Records an event on a database, and says it in the log."""
    meta = body["metadata"]
    log.log(
        logging.WARNING if type == "Warning" else logging.INFO, "%s/%s: %s", meta["namespace"], meta["name"], message
    )
    kopf.event(cast(kopf.Body, body), type=type, reason=reason, message=message)


@kopf.on.resume(*RESOURCE)
@kopf.on.create(*RESOURCE)
@kopf.on.update(*RESOURCE, field="spec")
async def changed(namespace: str | None, name: str, memo: kopf.Memo, **_: Any) -> None:
    """A database is new, has another spec, or is met again after a restart."""
    await reconcile(memo.api, namespace or "", name, tell)


@kopf.on.event("apps", "v1", "statefulsets", labels=OURS)
async def stateful_set_changed(namespace: str | None, labels: kopf.Labels, memo: kopf.Memo, **_: Any) -> None:
    """Pods came or went."""
    await reconcile(memo.api, namespace or "", labels[DATABASE_LABEL], tell)


@kopf.on.event("batch", "v1", "jobs", labels=OURS)
async def job_changed(
    namespace: str | None, name: str | None, labels: kopf.Labels, body: kopf.Body, memo: kopf.Memo, **_: Any
) -> None:
    """A Job went on; a finished backup is entered in the list of snapshots."""
    database, place = labels[DATABASE_LABEL], namespace or ""
    if labels.get(PART_LABEL) == "backup" and finished(dict(body)) == "Complete":
        await note_backup(memo.api, place, database, name or "")
    await reconcile(memo.api, place, database, tell)


async def note_backup(api: Api, namespace: str, database: str, job: str) -> None:
    """Keeps a backup's record and shows it in the status, once."""
    body = await api.get("SampleDB", namespace, database)
    if body is None:
        return
    db = Database(body)
    record: Object = await records.of_job(api, db, job)
    last = db.status.get("lastSnapshot") or {}
    if not record or record["time"] <= last.get("time", ""):
        return
    await records.keep(api, db, record)
    shown = {key: record[key] for key in ("name", "time", "keys", "bytes")}
    await api.patch("SampleDB", namespace, database, {"status": {"lastSnapshot": shown}}, "status")
    message = f"Wrote {record['keys']} keys to {record['name']}"
    tell(body, type="Normal", reason="BackupWritten", message=message)


@kopf.on.delete(*RESOURCE)
async def deleted(body: kopf.Body, memo: kopf.Memo, **_: Any) -> None:
    """The database is to go: first the snapshot."""
    try:
        await farewell(memo.api, Database(dict(body)), tell)
    except NotYetError:
        raise kopf.TemporaryError("the snapshot is being written", delay=1) from None


def main() -> None:
    """Runs until SIGTERM."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    # Each handler's success and each question about health would hide what happens to the databases.
    for name in ("kopf.objects", "aiohttp.access"):
        logging.getLogger(name).setLevel(logging.WARNING)
    namespaces = [name for name in os.environ.get("WATCH_NAMESPACE", "").split(",") if name]
    port = os.environ.get("SANDBOX_PORT_8080")
    health = f"http://127.0.0.1:{port}/healthz" if port else "http://0.0.0.0:8080/healthz"
    kopf.run(
        standalone=True,
        clusterwide=not namespaces,
        namespaces=namespaces,
        liveness_endpoint=health,
        memo=kopf.Memo(),
    )


if __name__ == "__main__":
    main()
