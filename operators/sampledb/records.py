"""What Jobs report: the JSON record in the last line of their Pod's log, and the list of snapshots that outlives databases."""

from __future__ import annotations

import json

from operators.kubeapi import Api

from .database import PART_LABEL, SNAPSHOTS, Database, Object


async def of_job(api: Api, db: Database, job: str) -> Object:
    """The record of a finished Job; empty when its Pod or its log is gone."""
    pods = await api.list("Pod", db.namespace, f"job-name={job}")
    for pod in pods:
        if (pod.get("status") or {}).get("phase") != "Succeeded":
            continue
        for line in reversed((await api.log(db.namespace, pod["metadata"]["name"])).splitlines()):
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict):
                return record
    return {}


async def keep(api: Api, db: Database, record: Object) -> None:
    """Adds a snapshot's record to the namespace's list, a ConfigMap with one key for each file."""
    meta = {
        "name": SNAPSHOTS,
        "namespace": db.namespace,
        "labels": {"app.kubernetes.io/name": "sampledb", PART_LABEL: "snapshots"},
    }
    data = {record["name"]: json.dumps(record, sort_keys=True)}
    await api.ensure({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data})
