"""Instances of kudo.dev as the engine leaves them, without an engine: the kinds, an OperatorVersion, an Instance
with a status.
"""

from pathlib import Path
from typing import Any

import yaml

from kube.client import ClusterClient
from kube.errors import NotFound
from tests.resources.views import definitions

CRDS = Path(__file__).resolve().parents[3] / "examples" / "operators" / "packages" / "galera" / "1.0.0" / "crds"
KUDO = "kudo.dev/v1beta1"


def kinds(client: ClusterClient) -> list[dict[str, Any]]:
    """Makes those that are not there; returns what was made."""
    made = []
    for path in sorted(CRDS.glob("*.yaml")):
        body = yaml.safe_load(path.read_text())
        try:
            client.get(client.find(*definitions.CRDS), body["metadata"]["name"])
        except NotFound:
            made.append(definitions.create(client, body))
    return made


def phase(name: str, **steps: str) -> dict[str, Any]:
    found = [
        {"name": step, "status": word, "message": "2 of 3 Pods ready" if word == "IN_PROGRESS" else ""}
        for step, word in steps.items()
    ]
    words = set(steps.values())
    status = words.pop() if len(words) == 1 else "IN_PROGRESS"
    return {"name": name, "status": status, "message": "", "steps": found}


def plan(name: str, status: str, *phases: dict[str, Any], when: str | None = None, message: str = "") -> dict[str, Any]:
    return {
        "name": name,
        "status": status,
        "message": message,
        "lastUpdatedTimestamp": when,
        "uid": f"{name}-1" if when else "",
        "phases": list(phases),
    }


def status(deploy: str = "IN_PROGRESS", start: str = "IN_PROGRESS") -> dict[str, Any]:
    """A deploy of which the network is there and the nodes are as ``start`` says; backup and restore have never run."""
    phases = (
        phase("network", services="COMPLETE"),
        phase("nodes", start=start, check="PENDING" if start != "COMPLETE" else "COMPLETE"),
        phase(
            "extras",
            volume="COMPLETE" if deploy == "COMPLETE" else "PENDING",
            schedule="COMPLETE" if deploy == "COMPLETE" else "PENDING",
        ),
    )
    plans = (
        plan("deploy", deploy, *phases, when="2026-11-22T01:00:00Z"),
        *(plan(name, "NEVER_RUN", phase(name, copy="NEVER_RUN")) for name in ("backup", "restore", "cleanup")),
    )
    return {"planStatus": {item["name"]: item for item in plans}}


def create(client: ClusterClient, namespace: str, found: dict[str, Any], name: str = "galera") -> Any:
    """The Instance with its OperatorVersion; returns its kind."""
    strategies = {
        "deploy": {
            "strategy": "serial",
            "phases": [
                {"name": "nodes", "strategy": "serial", "steps": []},
                {"name": "extras", "strategy": "parallel", "steps": []},
            ],
        }
    }
    version = {
        "apiVersion": KUDO,
        "kind": "OperatorVersion",
        "metadata": {"name": "galera-9.0.0"},
        "spec": {"plans": strategies},
    }
    client.create(client.find("kudo.dev", "v1beta1", "operatorversions"), version, namespace)
    type_ = client.find("kudo.dev", "v1beta1", "instances")
    spec = {"operatorVersion": {"name": "galera-9.0.0"}}
    client.create(type_, {"apiVersion": KUDO, "kind": "Instance", "metadata": {"name": name}, "spec": spec}, namespace)
    client.patch(type_, name, {"status": found}, namespace, subresource="status")
    return type_
