"""A cluster with SampleDBs in it: how the tests make them, and talk to the database that really runs."""

import base64
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from examples.operators.sampledb import resp
from examples.operators.tests import places
from examples.operators.tests.places import Object, Place, phase
from tests.api import Answer, Api
from tests.eventually import until

GROUP = "samples.operator-console.dev"


class Databases(Place):
    """The SampleDBs of one namespace."""

    group, kind, plural = GROUP, "SampleDB", "sampledbs"

    def ask(self, name: str, **spec: Any) -> Answer:
        return super().ask(name, **{"engine": "redis", "storage": "64Mi", **spec})

    def ready(self, name: str) -> Object:
        return self.until(name, phase("Ready"))

    def left(self, name: str) -> list[str]:
        """What is still there of a database, whatever it is."""
        return [
            f"{plural}/{item['metadata']['name']}"
            for plural in (
                "statefulsets",
                "jobs",
                "cronjobs",
                "persistentvolumeclaims",
                "services",
                "configmaps",
                "secrets",
            )
            for item in self.listed(plural, f"{GROUP}/database={name}")
        ]

    def pods(self, name: str, part: str = "engine") -> list[Object]:
        return self.listed("pods", f"{GROUP}/database={name},{GROUP}/part={part}")

    def jobs(self, name: str, part: str = "init") -> list[Object]:
        return self.listed("jobs", f"{GROUP}/database={name},{GROUP}/part={part}")

    def volume(self, name: str) -> Path:
        """The folder of a database's first volume, which is one of this machine."""
        claim = self.api.get(self.path("persistentvolumeclaims", name)).json
        volume = self.api.get(f"/api/v1/persistentvolumes/{claim['spec']['volumeName']}").json
        return Path(volume["spec"]["hostPath"]["path"])

    def snapshots(self) -> dict[str, str]:
        """The list of what was written in this namespace: name and record."""
        answer = self.api.get(self.path("configmaps", "sampledb-snapshots"))
        return dict(answer.json.get("data") or {}) if answer.status == 200 else {}

    def connect(self, name: str, ordinal: int = 0) -> resp.RespConnection:
        """A connection to a Pod's engine; its port of this machine stands in its configuration."""
        secret = self.api.get(self.path("secrets", f"{name}-credentials")).json
        password = base64.b64decode(secret["data"]["password"]).decode()
        place = self.volume(f"data-{name}-{ordinal}") / "engine.conf"

        def tried() -> resp.RespConnection | None:
            port = re.search(r"^port (\d+)$", place.read_text(), re.MULTILINE) if place.exists() else None
            try:
                return resp.wait("127.0.0.1", int(port[1]), password, 0) if port else None
            except (OSError, resp.RefusedError):
                return None  # it is starting, and may get another port

        return until(tried)

    def call(self, name: str, *words: str) -> Any:
        with self.connect(name) as database:
            return database.call(*words)

    def clear(self) -> None:
        for obj in self.api.get(self.home).json["items"]:
            self.change(obj["metadata"]["name"], deletionPolicy="Delete")
        super().clear()

    def back_up(self, name: str) -> str:
        """What ``kubectl create job --from=cronjob/…`` does; the Job's name."""
        cron = self.api.get(self.path("cronjobs", f"{name}-backup")).json
        template = cron["spec"]["jobTemplate"]
        job = f"{name}-now-{uuid4().hex[:4]}"
        owner = {"apiVersion": "batch/v1", "kind": "CronJob", "name": cron["metadata"]["name"], "controller": True}
        meta = {"name": job, "labels": template["metadata"]["labels"]}
        meta |= {"ownerReferences": [{**owner, "uid": cron["metadata"]["uid"]}]}
        body = {"apiVersion": "batch/v1", "kind": "Job", "metadata": meta, "spec": template["spec"]}
        assert self.api.post(self.path("jobs"), body).status == 201
        return job


@contextmanager
def namespace(api: Api, prefix: str) -> Iterator[Databases]:
    """A namespace of its own."""
    with places.namespace(api, prefix) as name:
        yield Databases(api, name)
