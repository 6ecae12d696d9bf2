"""An operator's Deployments: as OLM makes them from the CSV, and whether they are up.

Source: operator-lifecycle-manager, pkg/controller/install/deployment.go and status_viewer.go.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from .csv import owner_labels, owner_reference, strategy

Object = dict[str, Any]

HASH_LABEL = "olm.deployment-spec-hash"


def deployments(csv: Object, config: Object) -> list[Object]:
    """The Deployments of a CSV. ``config`` is the Subscription's spec.config."""
    return [_deployment(csv, deployment, config) for deployment in strategy(csv).get("deployments") or []]


def _deployment(csv: Object, described: Object, config: Object) -> Object:
    spec: Object = json.loads(json.dumps(described["spec"]))
    template = spec.setdefault("template", {})
    meta = template.setdefault("metadata", {})
    pod = template.setdefault("spec", {})
    annotations = {key: str(value) for key, value in (csv["metadata"].get("annotations") or {}).items()}
    meta["annotations"] = {**(meta.get("annotations") or {}), **annotations, **(config.get("annotations") or {})}
    for container in pod.get("containers") or []:
        _configure(container, config)
        _set_variable(container, {"name": "OPERATOR_CONDITION_NAME", "value": csv["metadata"]["name"]})
    for key in ("nodeSelector", "affinity"):
        if config.get(key) is not None:
            pod[key] = config[key]
    for key in ("tolerations", "volumes"):
        if config.get(key):
            pod[key] = [*(pod.get(key) or []), *config[key]]
    spec["revisionHistoryLimit"] = 1
    labels = {**(described.get("label") or {}), **owner_labels(csv)}
    digest = hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()[:22]
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": described["name"],
            "namespace": csv["metadata"]["namespace"],
            "labels": {**labels, HASH_LABEL: digest},
            "ownerReferences": [owner_reference(csv)],
        },
        "spec": spec,
    }


def _configure(container: Object, config: Object) -> None:
    for variable in config.get("env") or []:
        _set_variable(container, variable)
    for key in ("envFrom", "volumeMounts"):
        if config.get(key):
            container[key] = [*(container.get(key) or []), *config[key]]
    if config.get("resources"):
        container["resources"] = config["resources"]


def _set_variable(container: Object, variable: Object) -> None:
    others = [item for item in container.get("env") or [] if item["name"] != variable["name"]]
    container["env"] = [*others, variable]


def problem(wanted: list[Object], present: dict[str, Object]) -> tuple[str, bool]:
    """(what keeps the Deployments from being as wanted, whether they have to be written again); empty when all is
    well.
    """
    for deployment in wanted:
        name = deployment["metadata"]["name"]
        found = present.get(name)
        if found is None:
            return f"missing deployment with name={name}", True
        old = (found["metadata"].get("labels") or {}).get(HASH_LABEL)
        new = deployment["metadata"]["labels"][HASH_LABEL]
        if not old:
            return f"deployment {name} doesn't have a spec hash, update it", True
        if old != new:
            return f"deployment changed old hash={old}, new hash={new}", True
        if reason := _not_ready(found):
            return f"waiting for deployment {name} to become ready: {reason}", False
    return "", False


def _not_ready(deployment: Object) -> str:
    name, status = deployment["metadata"]["name"], deployment.get("status") or {}
    if deployment["metadata"].get("generation", 1) > status.get("observedGeneration", 0):
        return f'waiting for spec update of deployment "{name}" to be observed...'
    outdated = status.get("replicas", 0) - status.get("updatedReplicas", 0)
    if outdated > 0:
        return f'deployment "{name}" waiting for {outdated} outdated replica(s) to be terminated'
    available = next(
        (condition for condition in status.get("conditions") or [] if condition["type"] == "Available"), None
    )
    if available is None:
        return f'deployment "{name}" not available: missing condition "Available"'
    if available["status"] != "True":
        return f'deployment "{name}" not available: {available.get("message", "")}'
    return ""
