"""A cluster with ArgoCDs in it: how the tests make them, look at what belongs to them, and start the operator."""

import base64
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from console.processes.parts import free_port
from console.processes.supervisor import _die_with_parent
from operators.argocd.reconcile import KINDS
from operators.kubeapi import PATHS
from tests.api import Answer, Api

ROOT = Path(__file__).resolve().parents[3]
IMAGE = "operator-console.dev/argocd-tutorial:1.0.0"
DEX = {"provider": "dex", "dex": {"config": "connectors: []"}}
SECONDS = 90.0
Object = dict[str, Any]


def condition(found: Object, type_: str) -> Object:
    """A condition of an ArgoCD; empty when there is none."""
    conditions = (found.get("status") or {}).get("conditions") or []
    return next((one for one in conditions if one["type"] == type_), {})


def says(type_: str, reason: str) -> Callable[[Object], bool]:
    """Whether a condition says this of the newest spec."""

    def holds(found: Object) -> bool:
        one = condition(found, type_)
        return one.get("reason") == reason and one["observedGeneration"] == found["metadata"]["generation"]

    return holds


class ArgoCDs:
    """Those of one namespace."""

    def __init__(self, api: Api, namespace: str):
        self.api, self.namespace = api, namespace
        self.home = f"/apis/argoproj.io/v1beta1/namespaces/{namespace}/argocds"

    def path(self, kind: str, name: str = "") -> str:
        """Where objects of a kind are, in this namespace."""
        prefix, plural = PATHS[kind]
        return f"/{prefix}/namespaces/{self.namespace}/{plural}" + (f"/{name}" if name else "")

    def ask(self, name: str, **spec: Any) -> Answer:
        """The API server's answer to a new one."""
        body = {"apiVersion": "argoproj.io/v1beta1", "kind": "ArgoCD", "metadata": {"name": name}, "spec": spec}
        return self.api.post(self.home, body)

    def create(self, name: str, **spec: Any) -> Object:
        answer = self.ask(name, **spec)
        assert answer.status == 201, answer.raw
        return answer.json

    def change(self, name: str, **spec: Any) -> None:
        answer = self.api.patch(f"{self.home}/{name}", {"spec": spec})
        assert answer.status == 200, answer.raw

    def until(self, name: str, wanted: Callable[[Object], Any]) -> Object:
        return self.api.until(f"{self.home}/{name}", wanted, SECONDS)

    def available(self, name: str) -> Object:
        return self.until(name, says("Available", "ComponentsRunning"))

    def delete(self, name: str) -> None:
        assert self.api.delete(f"{self.home}/{name}").status == 200

    def objects(self, name: str) -> set[str]:
        """Everything that belongs to one: `Kind/name`."""
        selector = f"?labelSelector=app.kubernetes.io%2Fmanaged-by%3D{name}"
        return {
            f"{kind}/{one['metadata']['name']}"
            for kind in (*KINDS, "Pod")
            for one in self.api.get(self.path(kind) + selector).json["items"]
        }

    def events(self, uid: str, reason: str) -> list[str]:
        """The messages of an ArgoCD's events, as soon as there is one of this reason."""
        path = self.path("Event") + f"?fieldSelector=involvedObject.uid%3D{uid},reason%3D{reason}"
        return [one["message"] for one in self.api.until(path, lambda body: body["items"], SECONDS)["items"]]

    def secret(self, name: str) -> dict[str, bytes]:
        data = self.api.get(self.path("Secret", name)).json["data"]
        return {key: base64.b64decode(value) for key, value in data.items()}


@contextmanager
def namespace(api: Api, prefix: str) -> Iterator[ArgoCDs]:
    """A namespace of its own."""
    name = f"{prefix}-{uuid4().hex[:6]}"
    assert api.post("/api/v1/namespaces", {"metadata": {"name": name}}).status == 201
    yield ArgoCDs(api, name)
    api.delete(f"/api/v1/namespaces/{name}")


#: As in its image, where the official client is not installed; kopf would import it, which takes longer than all the rest.
_PROGRAM = "import sys; sys.modules['kubernetes'] = None; from operators.argocd.operator import main; main()"


class Operator:
    """The operator as a process of this machine, which may be killed at any moment."""

    def __init__(self, kubeconfig: Path, log: Path, *namespaces: str):
        self._log = log
        self._environment = {
            **os.environ,
            "KUBECONFIG": str(kubeconfig),
            "WATCH_NAMESPACE": ",".join(namespaces),
            "STAND_IN_IMAGE": IMAGE,
            "SANDBOX_PORT_8081": str(free_port()),
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
