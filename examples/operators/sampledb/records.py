"""What Jobs say: the JSON record in the last line of their Pod's log, their last words when they fail, and the list of
snapshots that outlives databases."""

from __future__ import annotations

import json
import re

from examples.operators.kubeapi import KubeApi

from .database import PART_LABEL, SNAPSHOTS, Database, Object

#: What stands in the list of a snapshot.
SHOWN = ("bytes", "database", "keys", "kind", "name", "sha256", "time", "version")
#: How the Jobs' log lines begin (logging's asctime).
_TIME = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+ ")


async def of_job(api: KubeApi, db: Database, job: str) -> Object:
    """The record of a finished Job; empty when its Pod or its log is gone."""
    for pod in reversed(await _pods(api, db, job, "Succeeded")):
        for line in reversed((await api.log(db.namespace, pod["metadata"]["name"])).splitlines()):
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict):
                return record
    return {}


async def last_words(api: KubeApi, db: Database, job: str) -> str:
    """What the newest failed Pod of a Job said at last, without the time; empty when there is none, or it was
    killed.
    """
    for pod in reversed(await _pods(api, db, job, "Failed")):
        lines = [line for line in (await api.log(db.namespace, pod["metadata"]["name"])).splitlines() if line.strip()]
        if lines:
            return _TIME.sub("", lines[-1])
    return ""


async def _pods(api: KubeApi, db: Database, job: str, phase: str) -> list[Object]:
    found = await api.list("Pod", db.namespace, f"job-name={job}")
    found.sort(key=lambda pod: str(pod["metadata"].get("creationTimestamp", "")))
    return [pod for pod in found if (pod.get("status") or {}).get("phase") == phase]


async def keep(api: KubeApi, db: Database, record: Object) -> None:
    """Adds a snapshot's record to the namespace's list, a ConfigMap with one key for each file, and takes off those
    that are gone.

    A record also lists which backups of its database the volume holds. So the list is right again after a Pod whose
    log couldn't be read.
    """
    meta = {
        "name": SNAPSHOTS,
        "namespace": db.namespace,
        "labels": {"app.kubernetes.io/name": "sampledb", PART_LABEL: "snapshots"},
    }
    present = await api.get("ConfigMap", db.namespace, SNAPSHOTS)
    data = changes((present or {}).get("data") or {}, record)
    if present is None:
        data = {name: text for name, text in data.items() if text is not None}
        await api.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data})
    else:
        await api.patch("ConfigMap", db.namespace, SNAPSHOTS, {"data": data})


def changes(listed: dict[str, str], record: Object) -> dict[str, str | None]:
    """What a record changes in the list: None for what is gone."""
    backups = {backup["name"]: backup for backup in record.get("backups") or []}
    data: dict[str, str | None] = dict.fromkeys(record.get("removed") or [])
    if "backups" in record:
        data |= {name: None for name, text in listed.items() if name not in backups and _is_older(text, record)}
    for item in (*backups.values(), record):
        data[item["name"]] = json.dumps({key: item[key] for key in SHOWN if key in item}, sort_keys=True)
    return data


def _is_older(text: str, record: Object) -> bool:
    """Whether an entry of the list is a backup of the same database, from before the record's look at the volume."""
    try:
        entry = json.loads(text)
    except ValueError:
        return False
    if not isinstance(entry, dict) or (entry.get("kind"), entry.get("database")) != ("backup", record["database"]):
        return False
    return str(entry.get("time", "")) < str(record["time"])
