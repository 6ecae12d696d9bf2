"""What clients need to reach a database: its Services, the ConfigMap with the address and the Secret with the
passwords.
"""

from __future__ import annotations

import base64
import secrets

from .database import Database, Object

#: The label that Kubernetes puts on each Pod of a StatefulSet; it picks the Pod that takes writes.
POD_NAME_LABEL = "statefulset.kubernetes.io/pod-name"


def services(db: Database) -> list[Object]:
    """The Service that clients use (the first Pod: it takes writes) and the headless one that names every Pod."""
    port = {"name": "db", "port": db.port, "targetPort": "db", "protocol": "TCP"}
    leader = {**db.selector(), POD_NAME_LABEL: f"{db.name}-0"}
    headless = {"clusterIP": "None", "selector": db.selector(), "publishNotReadyAddresses": True}
    return [
        db.owned("v1", "Service", db.name, "connection", spec={"selector": leader, "ports": [port]}),
        db.owned("v1", "Service", f"{db.name}-pods", "connection", spec={**headless, "ports": [port]}),
    ]


def config_map(db: Database, version: str) -> Object:
    """Address and engine, for applications and for the backup Pods. ``version`` is the one that is deployed."""
    data = {
        "host": f"{db.name}.{db.namespace}.svc",
        "port": str(db.port),
        "endpoint": db.endpoint,
        "engine": db.engine,
        "version": version,
        "credentialsSecret": db.password_key[0],
    }
    return db.owned("v1", "ConfigMap", db.connection, "connection", data=data)


def secret(db: Database, present: Object | None) -> Object:
    """Passwords of the administrator and of every user; those that exist stay, those of removed users go."""
    known = (present or {}).get("data") or {}
    wanted = [f"user-{user['name']}" for user in db.users]
    if db.password_key[0] == db.credentials:
        wanted.append("password")
    data: Object = {key: known.get(key) or _encoded(secrets.token_urlsafe(24)) for key in wanted}
    data["username"] = _encoded("default")
    data.update({key: None for key in known if key not in data})
    return db.owned("v1", "Secret", db.credentials, "connection", type="Opaque", data=data)


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
