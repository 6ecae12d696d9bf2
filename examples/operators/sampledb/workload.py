"""What runs a database: a StatefulSet of the engine, and a claim for each of its Pods.

The claims are made by the operator under the names that the StatefulSet expects, so that they carry its labels, belong
to the database and go with it. Scaling down keeps them: scaling up again finds the data.
"""

from __future__ import annotations

import hashlib
import json
import re

from .database import GROUP, Database, Object

#: What the Pod Security level "restricted" asks for. The group owns the files of the volumes.
POD_SECURITY = {
    "runAsNonRoot": True,
    "runAsUser": 10001,
    "fsGroup": 10001,
    "seccompProfile": {"type": "RuntimeDefault"},
}
CONTAINER_SECURITY = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
UNITS = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "": 1}


def image(engine: str, version: str) -> str:
    """The image of an engine's release, such as …:valkey-8.0; ``examples/operators/Containerfile`` builds it."""
    return f"operator-console.dev/sampledb-engine:{engine}-{version}"


def claims(db: Database) -> list[Object]:
    """One claim for each Pod; the first one also without a Pod, if there are data to restore."""
    count = max(db.replicas, 1 if db.restore_from else 0)
    return [
        db.owned("v1", "PersistentVolumeClaim", f"data-{db.name}-{i}", "data", spec=_claim(db)) for i in range(count)
    ]


def _claim(db: Database) -> Object:
    spec: Object = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": db.storage}},
    }
    if name := db.spec.get("storageClassName"):
        spec["storageClassName"] = name
    return spec


def bytes_of(quantity: str | int) -> int:
    """A memory quantity in bytes; 0 when it is not one."""
    found = re.fullmatch(r"([0-9.]+)([KMGT]i|[kMGT]|)", str(quantity))
    return int(float(found[1]) * UNITS[found[2]]) if found else 0


def password_variable(db: Database) -> Object:
    """The administrator's password, from its Secret."""
    name, key = db.password_key
    return {"name": "SAMPLEDB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": name, "key": key}}}


def target_variables(db: Database) -> list[Object]:
    """What target.py reads: the address from the ConfigMap, the password from the Secret."""
    port = {"configMapKeyRef": {"name": db.connection, "key": "port"}}
    return [
        {"name": "SAMPLEDB_SERVICE", "value": db.name},
        {"name": "SAMPLEDB_NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}},
        {"name": "SAMPLEDB_PORT", "valueFrom": port},
        password_variable(db),
    ]


def engine_variables(db: Database) -> list[Object]:
    """What engine.py reads."""
    users = [{key: user[key] for key in ("name", "role", "keys") if key in user} for user in db.users]
    variables = [
        *target_variables(db),
        {"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": "SAMPLEDB_ENGINE", "value": db.engine},
        {"name": "SAMPLEDB_APPEND_ONLY", "value": "yes" if db.spec.get("appendOnly", True) else "no"},
        {"name": "SAMPLEDB_CONFIG", "value": json.dumps(db.spec.get("config") or {}, sort_keys=True)},
        {"name": "SAMPLEDB_USERS", "value": json.dumps(users)},
    ]
    limits = (db.spec.get("resources") or {}).get("limits") or {}
    if limit := bytes_of(limits.get("memory", 0)):
        share = float(db.spec.get("memoryFraction", 0.75))
        variables.append({"name": "SAMPLEDB_MAX_MEMORY", "value": str(int(limit * share))})
    for user in db.users:
        reference = {"secretKeyRef": {"name": db.credentials, "key": f"user-{user['name']}"}}
        name = "SAMPLEDB_PASSWORD_" + user["name"].upper().replace("-", "_")
        variables.append({"name": name, "valueFrom": reference})
    return variables


def stateful_set(db: Database, version: str) -> Object:
    """The engine's Pods. ``version`` is the one to run, which is the old one until the upgrade Job is done."""
    probe = {"tcpSocket": {"port": "db"}, "periodSeconds": 2}
    container: Object = {
        "name": "engine",
        "image": image(db.engine, version),
        "args": ["engine"],
        "env": engine_variables(db),
        "ports": [{"name": "db", "containerPort": 6379, "protocol": "TCP"}],
        "volumeMounts": [{"name": "data", "mountPath": "/data"}],
        "readinessProbe": {**probe, "initialDelaySeconds": 0},
        "livenessProbe": {**probe, "initialDelaySeconds": 10},
        "securityContext": CONTAINER_SECURITY,
    }
    if resources := db.spec.get("resources"):
        container["resources"] = resources
    pod: Object = {"containers": [container], "terminationGracePeriodSeconds": 15, "securityContext": POD_SECURITY}
    pod["nodeSelector"] = db.spec.get("nodeSelector") or None
    template = {"metadata": {"name": "data", "labels": db.labels("data")}, "spec": _claim(db)}
    spec = {
        "replicas": db.replicas,
        "serviceName": f"{db.name}-pods",
        # OrderedReady would wait forever for a Pod whose configuration is wrong, even after it has been corrected.
        "podManagementPolicy": "Parallel",
        "selector": {"matchLabels": db.selector()},
        "template": {"metadata": {"labels": db.labels("engine")}, "spec": pod},
        "volumeClaimTemplates": [template],
    }
    found = db.owned("apps/v1", "StatefulSet", db.name, "engine", spec=spec)
    # What is no longer in the spec would look the same to api.ensure, which only compares what is wanted.
    digest = hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()[:16]
    found["metadata"]["annotations"] = {f"{GROUP}/spec-hash": digest}
    return found
