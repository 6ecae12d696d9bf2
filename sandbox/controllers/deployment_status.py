"""A Deployment's status from its ReplicaSets'.

Pure functions (kubernetes/pkg/controller/deployment/{sync,progress}.go).
"""

from __future__ import annotations

from datetime import UTC, datetime

from ..objects import Object, dig, now, parse_time
from .conditions import find, with_condition, without_condition
from .rollout import fenceposts, wanted_replicas

_AVAILABLE = ("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
_UNAVAILABLE = ("False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")


def progress(deployment: Object) -> Object | None:
    """The Progressing condition."""
    return find(dig(deployment, "status", "conditions"), "Progressing")


def progressing(deployment: Object, value: str, reason: str, message: str) -> list[Object]:
    """The conditions with Progressing set so."""
    return with_condition(dig(deployment, "status", "conditions"), "Progressing", value, reason, message, updates=True)


def complete(deployment: Object) -> bool:
    """All Pods are new and available, as the stored status says."""
    found = deployment.get("status") or {}
    replicas = wanted_replicas(deployment)
    return (
        int(found.get("updatedReplicas") or 0) == replicas
        and int(found.get("replicas") or 0) == replicas
        and int(found.get("availableReplicas") or 0) == replicas
        and int(found.get("observedGeneration") or 0) >= int(deployment["metadata"]["generation"])
    )


def calculate(deployment: Object, new: Object | None, old: list[Object], stored: Object) -> Object:
    """The status to write.

    ``deployment`` has the conditions as this pass left them, ``stored`` is the status before it.
    """
    sets = [*([new] if new else []), *old]
    numbers = {
        "replicas": _sum(sets, "replicas"),
        "updatedReplicas": _sum([new] if new else [], "replicas"),
        "readyReplicas": _sum(sets, "readyReplicas"),
        "availableReplicas": _sum(sets, "availableReplicas"),
        "unavailableReplicas": max(0, sum(map(wanted_replicas, sets)) - _sum(sets, "availableReplicas")),
    }
    status: Object = {"observedGeneration": deployment["metadata"]["generation"]}
    status |= {key: value for key, value in numbers.items() if value}
    status["terminatingReplicas"] = _sum(sets, "terminatingReplicas")
    if dig(deployment, "status", "collisionCount"):
        status["collisionCount"] = deployment["status"]["collisionCount"]
    _, unavailable = fenceposts(deployment)
    enough = numbers["availableReplicas"] >= wanted_replicas(deployment) - unavailable
    availability = _AVAILABLE if enough else _UNAVAILABLE
    conditions = with_condition(dig(deployment, "status", "conditions"), "Available", *availability, updates=True)
    status["conditions"] = conditions
    status["conditions"] = _failure(_progress({**deployment, "status": status}, new, stored), sets)
    return status


def _sum(sets: list[Object], field: str) -> int:
    return sum(int(dig(rs, "status", field) or 0) for rs in sets)


def _failure(conditions: list[Object], sets: list[Object]) -> list[Object]:
    """A ReplicaSet that cannot make its Pods is the Deployment's trouble too."""
    for rs in sets:
        trouble = find(dig(rs, "status", "conditions"), "ReplicaFailure")
        if trouble is not None:
            failure = (trouble["status"], trouble.get("reason", ""), trouble.get("message", ""))
            return with_condition(conditions, "ReplicaFailure", *failure, updates=True)
    return without_condition(conditions, "ReplicaFailure")


def _progress(deployment: Object, new: Object | None, stored: Object) -> list[Object]:
    """syncRolloutStatus: done, moving, or late."""
    conditions: list[Object] = deployment["status"]["conditions"]
    found = find(conditions, "Progressing")
    if deployment["spec"].get("progressDeadlineSeconds") is None:
        return without_condition(conditions, "Progressing")
    if (found or {}).get("reason") == "DeploymentPaused":
        return conditions
    now_old, was_old = _old_replicas(deployment["status"]), _old_replicas(stored)
    if not now_old and (found or {}).get("reason") == "NewReplicaSetAvailable":
        return conditions
    name = f'ReplicaSet "{new["metadata"]["name"]}"' if new else f'Deployment "{deployment["metadata"]["name"]}"'
    if complete(deployment):
        return progressing(deployment, "True", "NewReplicaSetAvailable", f"{name} has successfully progressed.")
    grew = any(
        int(deployment["status"].get(key) or 0) > int(stored.get(key) or 0)
        for key in ("updatedReplicas", "readyReplicas", "availableReplicas")
    )
    if grew or now_old < was_old:
        updated = progressing(deployment, "True", "ReplicaSetUpdated", f"{name} is progressing.")
        # Progress is news even when it has the same words: the deadline counts from lastUpdateTime.
        return [{**item, "lastUpdateTime": now()} if item["type"] == "Progressing" else item for item in updated]
    if found is not None and _late(deployment, found):
        return progressing(deployment, "False", "ProgressDeadlineExceeded", f"{name} has timed out progressing.")
    return conditions


def _old_replicas(status: Object) -> int:
    return int(status.get("replicas") or 0) - int(status.get("updatedReplicas") or 0)


def _late(deployment: Object, found: Object) -> bool:
    if found.get("reason") == "ProgressDeadlineExceeded":
        return True
    since = parse_time(str(found.get("lastUpdateTime")))
    limit = float(deployment["spec"]["progressDeadlineSeconds"])
    return since is not None and (datetime.now(UTC) - since).total_seconds() > limit
