"""The Jobs around a database: set-up, upgrade, the last snapshot, and the CronJob that takes backups.

Each runs the engine's image in another role and reads address and password from the ConfigMap and the Secret.
"""

from __future__ import annotations

import hashlib

from . import workload
from .database import GROUP, SNAPSHOTS, Database, Object

#: On the set-up Job: which version and script it was for.
HASH_ANNOTATION = f"{GROUP}/set-up-hash"

#: On a snapshot's Job: it is the second one, and there is no third.
AGAIN = f"{GROUP}/again"


def init(db: Database, version: str) -> Object:
    """The Job that sets the database up."""
    script = {"name": "SAMPLEDB_INIT_SCRIPT", "value": db.spec.get("initScript", "")}
    job = _job(db, f"{db.name}-init", "initjob", version, [script])
    job["metadata"]["annotations"] = {HASH_ANNOTATION: db.set_up_hash(version)}
    return job


def restore(db: Database, version: str) -> Object:
    """The Job that fills the first volume before the engine has ever run."""
    variables = [
        {"name": "SAMPLEDB_SNAPSHOT", "value": db.restore_from.get("snapshot", "")},
        {"name": "SAMPLEDB_SOURCE", "value": db.restore_from.get("database", "")},
        {"name": "SAMPLEDB_VERSION", "value": version},
    ]
    job = _with_snapshots(_job(db, restore_name(db), "restore", version, variables))
    return _with_volume(job, "data", f"data-{db.name}-0", "/data")


def restore_name(db: Database) -> str:
    """One restore in a database's life."""
    return f"{db.name}-restore"


def upgrade(db: Database, version: str) -> Object:
    """The Job that prepares the data, in the engine that runs (``version``), for the one that is asked for."""
    wanted = {"name": "SAMPLEDB_VERSION", "value": db.version}
    return _job(db, upgrade_name(db), "upgrade", version, [wanted])


def upgrade_name(db: Database) -> str:
    """One upgrade Job for each version."""
    return f"{db.name}-upgrade-{db.version.replace('.', '-')}"


def snapshot(db: Database, version: str, again: bool = False) -> Object:
    """The Job that copies the data out before the database goes.

    ``again``: the first one's words were lost with its Pod.
    """
    name = snapshot_name(db)
    job = _job(db, name, "backup", version, [*_copy("snapshot", version), {"name": "SAMPLEDB_LIFE", "value": name}])
    if again:
        job["metadata"]["annotations"] = {AGAIN: "true"}
    job["metadata"]["labels"] = job["spec"]["template"]["metadata"]["labels"] = db.labels("snapshot")
    return _with_snapshots(job)


def snapshot_name(db: Database) -> str:
    """One snapshot for each life of a database: the name may be used again."""
    return f"{db.name}-snapshot-{hashlib.sha256(db.uid.encode()).hexdigest()[:6]}"


def backup(db: Database, version: str) -> Object:
    """The CronJob that takes backups."""
    retention = {"name": "SAMPLEDB_RETENTION", "value": str(db.backup.get("retention", 3))}
    job = _with_snapshots(_job(db, "", "backup", version, [*_copy("backup", version), retention]))
    spec = {
        "schedule": db.backup["schedule"],
        "concurrencyPolicy": "Forbid",
        "successfulJobsHistoryLimit": 3,
        "failedJobsHistoryLimit": 1,
        "jobTemplate": {"metadata": {"labels": db.labels("backup")}, "spec": job["spec"]},
    }
    return db.owned("batch/v1", "CronJob", f"{db.name}-backup", "backup", spec=spec)


def snapshot_claim(db: Database) -> Object:
    """The volume of a namespace's snapshots and backups. It belongs to no database, so it outlives them all."""
    labels = {"app.kubernetes.io/name": "sampledb", "app.kubernetes.io/managed-by": "sampledb-operator"}
    meta = {"name": SNAPSHOTS, "namespace": db.namespace, "labels": labels}
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta, "spec": spec}


def finished(job: Object | None) -> str:
    """``Complete``, ``Failed`` or nothing yet."""
    for condition in ((job or {}).get("status") or {}).get("conditions") or []:
        if condition["type"] in ("Complete", "Failed") and condition["status"] == "True":
            return str(condition["type"])
    return ""


def has_failed_once(job: Object) -> bool:
    """Whether a Pod of the Job has failed; the Job itself may still try again."""
    return int((job.get("status") or {}).get("failed") or 0) > 0


def _copy(kind: str, version: str) -> list[Object]:
    return [{"name": "SAMPLEDB_COPY", "value": kind}, {"name": "SAMPLEDB_VERSION", "value": version}]


def _job(db: Database, name: str, role: str, version: str, variables: list[Object]) -> Object:
    container = {
        "name": role,
        "image": workload.image(db.engine, version),
        "args": [role],
        "env": [*workload.target_variables(db), *variables],
        "securityContext": workload.CONTAINER_SECURITY,
    }
    part = "init" if role == "initjob" else role
    pod = {"containers": [container], "restartPolicy": "Never", "securityContext": workload.POD_SECURITY}
    # Two more tries: a Pod may be killed with its node, but what is wrong in the spec will not get better.
    spec = {"backoffLimit": 2, "template": {"metadata": {"labels": db.labels(part)}, "spec": pod}}
    return db.owned("batch/v1", "Job", name, part, spec=spec)


def _with_snapshots(job: Object) -> Object:
    return _with_volume(job, "snapshots", SNAPSHOTS, "/snapshots")


def _with_volume(job: Object, name: str, claim: str, path: str) -> Object:
    pod = job["spec"]["template"]["spec"]
    pod.setdefault("volumes", []).append({"name": name, "persistentVolumeClaim": {"claimName": claim}})
    pod["containers"][0].setdefault("volumeMounts", []).append({"name": name, "mountPath": path})
    return job
