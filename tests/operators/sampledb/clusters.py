"""A cluster with SampleDBs in it: how the tests make them, talk to the database that really runs, and start the operator."""

import base64
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from console.processes.parts import free_port
from console.processes.supervisor import _die_with_parent
from operators.sampledb import resp
from tests.api import Api

ROOT = Path(__file__).resolve().parents[3]
GROUP = "samples.operator-console.dev"
Object = dict[str, Any]

SECONDS = 90.0


def phase(*words: str) -> Callable[[Object], bool]:
    """Whether the newest spec has come to this phase."""

    def holds(found: Object) -> bool:
        status = found.get("status") or {}
        return status.get("phase") in words and status.get("observedGeneration") == found["metadata"]["generation"]

    return holds


def condition(found: Object, type_: str) -> Object:
    """A condition of an object; empty when there is none."""
    conditions = (found.get("status") or {}).get("conditions") or []
    return next((one for one in conditions if one["type"] == type_), {})


def says(type_: str, reason: str) -> Callable[[Object], bool]:
    """Whether a condition has this reason."""
    return lambda found: condition(found, type_).get("reason") == reason


class Databases:
    """The SampleDBs of one namespace."""

    def __init__(self, api: Api, namespace: str):
        self.api = api
        self.namespace = namespace
        self.home = f"/apis/{GROUP}/v1/namespaces/{namespace}/sampledbs"

    def path(self, plural: str, name: str = "") -> str:
        """Where objects of a kind are, in this namespace."""
        prefixes = {"statefulsets": "apis/apps/v1", "jobs": "apis/batch/v1", "cronjobs": "apis/batch/v1"}
        place = f"/{prefixes.get(plural, 'api/v1')}/namespaces/{self.namespace}/{plural}"
        return f"{place}/{name}" if name else place

    def ask(self, name: str, **spec: Any) -> Any:
        """The API server's answer to a new database."""
        filled = {"engine": "redis", "storage": "64Mi", **spec}
        meta = {"name": name, "namespace": self.namespace}
        return self.api.post(
            self.home, {"apiVersion": f"{GROUP}/v1", "kind": "SampleDB", "metadata": meta, "spec": filled}
        )

    def create(self, name: str, **spec: Any) -> Object:
        answer = self.ask(name, **spec)
        assert answer.status == 201, answer.raw
        return answer.json

    def make(self, kind: str, plural: str, name: str, **rest: Any) -> Object:
        """An object of another kind."""
        version = {"jobs": "batch/v1", "statefulsets": "apps/v1"}.get(plural, "v1")
        body = {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **rest}
        answer = self.api.post(self.path(plural), body)
        assert answer.status == 201, answer.raw
        return answer.json

    def change(self, name: str, **spec: Any) -> Any:
        return self.api.patch(f"{self.home}/{name}", {"spec": spec})

    def get(self, name: str) -> Object:
        return self.api.get(f"{self.home}/{name}").json

    def until(self, name: str, wanted: Callable[[Object], Any], seconds: float = SECONDS) -> Object:
        return self.api.until(f"{self.home}/{name}", wanted, seconds)

    def ready(self, name: str) -> Object:
        return self.until(name, phase("Ready"))

    def delete(self, name: str) -> None:
        assert self.api.delete(f"{self.home}/{name}").status == 200

    def gone(self, name: str) -> None:
        self.api.until_gone(f"{self.home}/{name}", SECONDS)

    def left(self, name: str) -> list[str]:
        """What is still there of a database, whatever it is."""
        found = []
        for plural in (
            "statefulsets",
            "jobs",
            "cronjobs",
            "persistentvolumeclaims",
            "services",
            "configmaps",
            "secrets",
        ):
            selector = f"?labelSelector={GROUP}%2Fdatabase%3D{name}"
            items = self.api.get(self.path(plural) + selector).json["items"]
            found += [f"{plural}/{one['metadata']['name']}" for one in items]
        return found

    def pods(self, name: str, part: str = "engine") -> list[Object]:
        selector = f"?labelSelector={GROUP}%2Fdatabase%3D{name},{GROUP}%2Fpart%3D{part}"
        return list(self.api.get(self.path("pods") + selector).json["items"])

    def jobs(self, name: str, part: str = "init") -> list[Object]:
        selector = f"?labelSelector={GROUP}%2Fdatabase%3D{name},{GROUP}%2Fpart%3D{part}"
        return list(self.api.get(self.path("jobs") + selector).json["items"])

    def kill_pod(self, name: str) -> None:
        self.api.delete(self.path("pods", name), {"gracePeriodSeconds": 0})

    def events(self, uid: str, *reasons: str) -> dict[str, str]:
        """The events of an object by their reasons, as soon as these are among them."""
        path = self.path("events") + f"?fieldSelector=involvedObject.uid%3D{uid}"
        found = self.api.until(path, lambda body: set(reasons) <= {one["reason"] for one in body["items"]}, SECONDS)
        return {one["reason"]: one["message"] for one in found["items"]}

    def volume(self, name: str) -> Path:
        """The folder of a database's first volume, which is one of this machine."""
        claim = self.api.get(self.path("persistentvolumeclaims", name)).json
        volume = self.api.get(f"/api/v1/persistentvolumes/{claim['spec']['volumeName']}").json
        return Path(volume["spec"]["hostPath"]["path"])

    def snapshots(self) -> dict[str, str]:
        """The list of what was written in this namespace: name and record."""
        answer = self.api.get(self.path("configmaps", "sampledb-snapshots"))
        return dict(answer.json.get("data") or {}) if answer.status == 200 else {}

    def connect(self, name: str, ordinal: int = 0) -> resp.Connection:
        """A connection to a Pod's engine; its port of this machine stands in its configuration."""
        secret = self.api.get(self.path("secrets", f"{name}-credentials")).json
        password = base64.b64decode(secret["data"]["password"]).decode()
        place = self.volume(f"data-{name}-{ordinal}") / "engine.conf"

        def tried() -> resp.Connection | None:
            port = re.search(r"^port (\d+)$", place.read_text(), re.MULTILINE) if place.exists() else None
            try:
                return resp.wait("127.0.0.1", int(port[1]), password, 0) if port else None
            except (OSError, resp.RefusedError):
                return None  # it is starting, and may get another port

        return eventually(tried)

    def call(self, name: str, *words: str) -> Any:
        with self.connect(name) as database:
            return database.call(*words)

    def clear(self) -> None:
        """Deletes every database, and waits: without their operator they would hold the namespace."""
        names = [one["metadata"]["name"] for one in self.api.get(self.home).json["items"]]
        for name in names:
            self.api.patch(f"{self.home}/{name}", {"spec": {"deletionPolicy": "Delete"}})
            self.api.delete(f"{self.home}/{name}")
        for name in names:
            self.gone(name)

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
    name = f"{prefix}-{uuid4().hex[:6]}"
    assert api.post("/api/v1/namespaces", {"metadata": {"name": name}}).status == 201
    yield Databases(api, name)
    api.delete(f"/api/v1/namespaces/{name}")


#: As in its image, where the official client is not installed; kopf would import it, which takes longer than all the rest.
_PROGRAM = "import sys; sys.modules['kubernetes'] = None; from operators.sampledb.operator import main; main()"


class Operator:
    """The operator as a process of this machine, which may be killed at any moment."""

    def __init__(self, kubeconfig: Path, log: Path, *namespaces: str):
        self._log = log
        self._environment = {
            **os.environ,
            "KUBECONFIG": str(kubeconfig),
            "WATCH_NAMESPACE": ",".join(namespaces),
            "SANDBOX_PORT_8080": str(free_port()),
        }
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-c", _PROGRAM]
        with self._log.open("ab") as sink:
            self._process = subprocess.Popen(
                command, cwd=ROOT, env=self._environment, stdout=sink, stderr=sink, preexec_fn=_die_with_parent
            )

    def kill(self) -> None:
        """As a node that loses its power does it."""
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None

    def restart(self) -> None:
        self.kill()
        self.start()

    @property
    def log(self) -> str:
        return self._log.read_text()


def eventually(wanted: Callable[[], Any], seconds: float = SECONDS) -> Any:
    """What ``wanted()`` returns as soon as it is something."""
    end = time.monotonic() + seconds
    while not (found := wanted()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)
    return found
