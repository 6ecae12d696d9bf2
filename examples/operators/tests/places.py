"""Where an operator's tests play: a namespace with the objects of one kind in it, its operator through OLM, or as a
process to kill.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar
from uuid import uuid4

from console.processes.parts import free_port
from console.processes.supervisor import die_with_parent
from tests.api import Answer, Api

ROOT = Path(__file__).resolve().parents[3]
OLM = "/apis/operators.coreos.com"
SECONDS = 90.0
Object = dict[str, Any]
Wanted = Callable[[Object], Any]

#: The API version and the kind of what tests make beside the objects of their own kind.
KINDS = {
    "configmaps": ("v1", "ConfigMap"),
    "events": ("v1", "Event"),
    "persistentvolumeclaims": ("v1", "PersistentVolumeClaim"),
    "pods": ("v1", "Pod"),
    "resourcequotas": ("v1", "ResourceQuota"),
    "secrets": ("v1", "Secret"),
    "serviceaccounts": ("v1", "ServiceAccount"),
    "services": ("v1", "Service"),
    "deployments": ("apps/v1", "Deployment"),
    "replicasets": ("apps/v1", "ReplicaSet"),
    "statefulsets": ("apps/v1", "StatefulSet"),
    "cronjobs": ("batch/v1", "CronJob"),
    "jobs": ("batch/v1", "Job"),
}


def condition(found: Object, type_: str) -> Object:
    """A condition of an object; empty when there is none."""
    conditions = (found.get("status") or {}).get("conditions") or []
    return next((condition for condition in conditions if condition["type"] == type_), {})


def says(type_: str, reason: str) -> Wanted:
    """Whether a condition has this reason."""
    return lambda found: condition(found, type_).get("reason") == reason


def phase(*words: str) -> Wanted:
    """Whether the newest spec has come to this phase."""

    def holds(found: Object) -> bool:
        status = found.get("status") or {}
        return status.get("phase") in words and status.get("observedGeneration") == found["metadata"]["generation"]

    return holds


class Place:
    """The objects of one kind in one namespace, and what belongs to them.

    A class of its own for each kind says which.
    """

    group: ClassVar[str]
    version: ClassVar[str] = "v1"
    kind: ClassVar[str]
    plural: ClassVar[str]

    def __init__(self, api: Api, namespace: str):
        self.api = api
        self.namespace = namespace
        self.home = f"/apis/{self.group}/{self.version}/namespaces/{namespace}/{self.plural}"

    def path(self, plural: str, name: str = "") -> str:
        """Where objects of another kind are, in this namespace."""
        version = KINDS[plural][0]
        prefix = "api" if version == "v1" else "apis"
        place = f"/{prefix}/{version}/namespaces/{self.namespace}/{plural}"
        return f"{place}/{name}" if name else place

    def ask(self, name: str, **spec: Any) -> Answer:
        """The API server's answer to a new object."""
        meta = {"name": name, "namespace": self.namespace}
        body = {"apiVersion": f"{self.group}/{self.version}", "kind": self.kind, "metadata": meta, "spec": spec}
        return self.api.post(self.home, body)

    def create(self, name: str, **spec: Any) -> Object:
        answer = self.ask(name, **spec)
        assert answer.status == 201, answer.raw
        return dict(answer.json)

    def make(self, plural: str, name: str, **rest: Any) -> Object:
        """An object of another kind."""
        version, kind = KINDS[plural]
        answer = self.api.post(
            self.path(plural), {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **rest}
        )
        assert answer.status == 201, answer.raw
        return dict(answer.json)

    def change(self, name: str, **spec: Any) -> Answer:
        return self.api.patch(f"{self.home}/{name}", {"spec": spec})

    def get(self, name: str) -> Object:
        return dict(self.api.get(f"{self.home}/{name}").json)

    def until(self, name: str, wanted: Wanted, seconds: float = SECONDS) -> Object:
        return dict(self.api.until(f"{self.home}/{name}", wanted, seconds))

    def delete(self, name: str) -> None:
        assert self.api.delete(f"{self.home}/{name}").status == 200

    def gone(self, name: str) -> None:
        self.api.until_gone(f"{self.home}/{name}", SECONDS)

    def listed(self, plural: str, selector: str = "") -> list[Object]:
        """The objects of another kind that these labels select."""
        query = f"?labelSelector={selector.replace('/', '%2F').replace('=', '%3D')}" if selector else ""
        return list(self.api.get(self.path(plural) + query).json["items"])

    def owned(self, uid: str, *plurals: str) -> list[str]:
        """What is there of these kinds and belongs to the object, or did."""
        return [
            f"{plural}/{item['metadata']['name']}"
            for plural in plurals
            for item in self.listed(plural)
            if uid in [owner["uid"] for owner in item["metadata"].get("ownerReferences", ())]
        ]

    def kill_pod(self, name: str) -> None:
        """Deletes it without a grace period, as for a lost node."""
        self.api.delete(self.path("pods", name), {"gracePeriodSeconds": 0})

    def events(self, uid: str, *reasons: str) -> dict[str, str]:
        """The events of an object by their reasons, as soon as these are among them."""
        path = self.path("events") + f"?fieldSelector=involvedObject.uid%3D{uid}"
        found = self.api.until(path, lambda body: set(reasons) <= {event["reason"] for event in body["items"]}, SECONDS)
        return {event["reason"]: event["message"] for event in found["items"]}

    def table(self) -> tuple[list[Object], dict[str, list[Any]]]:
        """What ``kubectl get`` prints: the columns, and the cells of each object by its name."""
        found = self.api.get(self.home, accept="application/json;as=Table;v=v1;g=meta.k8s.io").json
        return found["columnDefinitions"], {row["cells"][0]: row["cells"] for row in found["rows"]}

    def clear(self) -> None:
        """Deletes every object of the kind, and waits: one with a finalizer would hold the namespace without its
        operator.
        """
        names = [obj["metadata"]["name"] for obj in self.api.get(self.home).json["items"]]
        for name in names:
            self.api.delete(f"{self.home}/{name}")
        for name in names:
            self.gone(name)


@contextmanager
def namespace(api: Api, prefix: str) -> Iterator[str]:
    """The name of a namespace of its own."""
    name = f"{prefix}-{uuid4().hex[:6]}"
    assert api.post("/api/v1/namespaces", {"metadata": {"name": name}}).status == 201
    yield name
    api.delete(f"/api/v1/namespaces/{name}")


def install(api: Api, namespace: str, package: str, csv: str) -> None:
    """An operator of ours through a Subscription, for its own namespace: it has the rights that its bundle asks for,
    and no others.
    """
    group = {"targetNamespaces": [namespace]}
    about = json.loads((ROOT / "examples" / "operators" / "packages" / package / "package.json").read_text())
    # Without a channel OLM installs the default channel's head, and then upgrades to any version that replaces it.
    wanted = {
        "name": package,
        "channel": about["defaultChannel"],
        "source": "samples-catalog",
        "sourceNamespace": "olm",
    }
    for version, kind, plural, spec in (
        ("v1", "OperatorGroup", "operatorgroups", group),
        ("v1alpha1", "Subscription", "subscriptions", wanted),
    ):
        body = {"apiVersion": f"operators.coreos.com/{version}", "kind": kind, "metadata": {"name": "ours"}}
        answer = api.post(f"{OLM}/{version}/namespaces/{namespace}/{plural}", {**body, "spec": spec})
        assert answer.status == 201, answer.raw
    path = f"{OLM}/v1alpha1/namespaces/{namespace}/clusterserviceversions/{csv}"
    api.until(path, lambda found: found.get("status", {}).get("phase") == "Succeeded", 2 * SECONDS)


#: As in its image, where the official client is not installed; kopf would import it, which takes longer than all the
#: rest.
_PROGRAM = "import sys; sys.modules['kubernetes'] = None; from {} import main; main()"


class Operator:
    """An operator as a process of this machine, which may be killed at any moment. ``module`` has its ``main``."""

    def __init__(self, module: str, api: Api, log: Path, *namespaces: str):
        self._command = [sys.executable, "-c", _PROGRAM.format(module)]
        self._log = log
        self._environment = {
            **os.environ,
            "KUBECONFIG": str(api.kubeconfig),
            "WATCH_NAMESPACE": ",".join(namespaces),
            "SANDBOX_PORT_8080": str(free_port()),
        }
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, **environment: str) -> None:
        """``environment`` is for this once."""
        env = self._environment | environment
        with self._log.open("ab") as sink:
            self._process = subprocess.Popen(
                self._command, cwd=ROOT, env=env, stdout=sink, stderr=sink, preexec_fn=die_with_parent
            )

    def kill(self) -> None:
        """As a node that loses its power does it."""
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None

    def restart(self, **environment: str) -> None:
        self.kill()
        self.start(**environment)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stops the process (SIGSTOP) for the duration of the block."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)
