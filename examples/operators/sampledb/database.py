"""A SampleDB as the rest of the operator reads it: names, labels and the spec with its defaults in one place."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from examples.operators.body import Body

Object = dict[str, Any]

GROUP = "samples.operator-console.dev"
#: The label that says to which database an object belongs.
DATABASE_LABEL = f"{GROUP}/database"
#: What an object is for: engine, init, upgrade, backup or snapshot.
PART_LABEL = f"{GROUP}/part"
#: What keeps a database from vanishing before its farewell.
FINALIZER = f"{GROUP}/finalizer"
#: The claim and the ConfigMap that outlive a database.
SNAPSHOTS = "sampledb-snapshots"


@dataclass(frozen=True, slots=True)
class Database(Body):
    """One SampleDB."""

    @property
    def replicas(self) -> int:
        return int(self.spec.get("replicas", 1))

    @property
    def version(self) -> str:
        return str(self.spec.get("version", "7.2"))

    @property
    def port(self) -> int:
        """The Service's port; the engines' names mean their well-known port."""
        port = self.spec.get("port", 6379)
        return port if isinstance(port, int) else 6379

    @property
    def backup(self) -> Object:
        return dict(self.spec.get("backup") or {})

    @property
    def users(self) -> list[Object]:
        return list(self.spec.get("users") or [])

    @property
    def endpoint(self) -> str:
        return f"{self.name}.{self.namespace}.svc:{self.port}"

    @property
    def credentials(self) -> str:
        return f"{self.name}-credentials"

    @property
    def connection(self) -> str:
        return f"{self.name}-connection"

    @property
    def password_key(self) -> tuple[str, str]:
        """Secret and key of the administrator's password."""
        given = self.spec.get("passwordSecretRef") or {}
        return (given["name"], given.get("key", "password")) if given.get("name") else (self.credentials, "password")

    @property
    def engine(self) -> str:
        return str(self.spec.get("engine", "redis"))

    @property
    def storage(self) -> str:
        return str(self.spec.get("storage", "1Gi"))

    @property
    def restore_from(self) -> Object:
        """Where the data of a new database come from: ``snapshot``, a file's name, or ``database``, whose newest one
        is meant.
        """
        return dict(self.spec.get("restoreFrom") or {})

    def set_up_hash(self, version: str) -> str:
        """Changes when the database has to be set up again: another release is deployed, or the script is another."""
        facts = [version, self.spec.get("initScript", "")]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:12]

    def owns(self, obj: Object) -> bool:
        """Whether an object is this database's: by uid, since an earlier one may have had the same name."""
        return any(owner.get("uid") == self.uid for owner in obj["metadata"].get("ownerReferences") or [])

    def labels(self, part: str) -> dict[str, str]:
        """Labels of an object; the person's own labels never hide ours."""
        return {
            **(self.spec.get("labels") or {}),
            "app.kubernetes.io/name": "sampledb",
            "app.kubernetes.io/instance": self.name,
            "app.kubernetes.io/component": part,
            "app.kubernetes.io/managed-by": "sampledb-operator",
            DATABASE_LABEL: self.name,
            PART_LABEL: part,
        }

    def selector(self) -> dict[str, str]:
        """What selects the engine's Pods."""
        return {DATABASE_LABEL: self.name, PART_LABEL: "engine"}

    def owned(self, api_version: str, kind: str, name: str, part: str, **rest: Any) -> Object:
        """An object that goes when the database goes."""
        owner = {
            "apiVersion": f"{GROUP}/v1",
            "kind": "SampleDB",
            "name": self.name,
            "uid": self.uid,
            "controller": True,
            "blockOwnerDeletion": True,
        }
        meta = {"name": name, "namespace": self.namespace, "labels": self.labels(part), "ownerReferences": [owner]}
        return {"apiVersion": api_version, "kind": kind, "metadata": meta, **rest}
