"""The arithmetic of a Deployment's rolling update. Pure functions (kubernetes/pkg/controller/deployment/util)."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import msgspec

from ..objects import Object, copy, dig

HASH_LABEL = "pod-template-hash"
REVISION = "deployment.kubernetes.io/revision"
HISTORY = "deployment.kubernetes.io/revision-history"
_LETTERS = "bcdfghjklmnpqrstvwxz2456789"


def without_hash(template: Any) -> Object:
    """A ReplicaSet's template as its Deployment has it."""
    found: Object = copy(template or {})
    labels = dig(found, "metadata", "labels")
    if isinstance(labels, dict):
        labels.pop(HASH_LABEL, None)
        if not labels:
            found["metadata"].pop("labels")
    return found


def template_hash(template: Any, collisions: int = 0) -> str:
    """Ten letters that stand for a template."""
    text = msgspec.json.encode(template, order="deterministic") + (str(collisions).encode() if collisions else b"")
    number = int.from_bytes(hashlib.sha256(text).digest()[:8], "big")
    letters = ""
    for _ in range(10):
        number, index = divmod(number, len(_LETTERS))
        letters += _LETTERS[index]
    return letters


def share(value: Any, whole: int, *, up: bool) -> int:
    """An int-or-percentage of ``whole``."""
    if isinstance(value, str) and value.endswith("%"):
        part = whole * int(value[:-1]) / 100
        return math.ceil(part) if up else math.floor(part)
    return int(value or 0)


def fenceposts(deployment: Object) -> tuple[int, int]:
    """(max surge, max unavailable) in Pods; never both 0."""
    spec = deployment["spec"]
    if dig(spec, "strategy", "type") == "Recreate":
        return 0, 0
    replicas = wanted_replicas(deployment)
    rolling = dig(spec, "strategy", "rollingUpdate") or {}
    surge = share(rolling.get("maxSurge"), replicas, up=True)
    unavailable = share(rolling.get("maxUnavailable"), replicas, up=False)
    if not surge and not unavailable:
        unavailable = 1
    return surge, min(unavailable, replicas)


def wanted_replicas(obj: Object) -> int:
    """spec.replicas, which is 1 when it is not given."""
    found = dig(obj, "spec", "replicas")
    return 1 if found is None else int(found)


def new_replicas(deployment: Object, present: int, total: int) -> int:
    """How many Pods the new ReplicaSet may have now. ``total``: of all ReplicaSets' specs."""
    replicas = wanted_replicas(deployment)
    if dig(deployment, "spec", "strategy", "type") == "Recreate":
        return replicas
    surge, _ = fenceposts(deployment)
    if total >= replicas + surge:
        return present
    return min(present + (replicas + surge - total), replicas)


def scale_down(deployment: Object, new: Object, old: list[Object]) -> dict[str, int]:
    """New sizes of old ReplicaSets by name: unhealthy Pods first, then as many as availability allows."""
    _, unavailable = fenceposts(deployment)
    sizes = {rs["metadata"]["name"]: wanted_replicas(rs) for rs in old if wanted_replicas(rs)}
    if not sizes:
        return {}
    total = sum(sizes.values()) + wanted_replicas(new)
    least = wanted_replicas(deployment) - unavailable
    new_missing = wanted_replicas(new) - int(dig(new, "status", "availableReplicas") or 0)
    budget = total - least - new_missing
    if budget <= 0:
        return {}
    ordered = sorted(old, key=lambda rs: str(rs["metadata"]["creationTimestamp"]))
    before = dict(sizes)
    for rs in ordered:
        name = rs["metadata"]["name"]
        if budget <= 0 or name not in sizes:
            continue
        unhealthy = sizes[name] - int(dig(rs, "status", "availableReplicas") or 0)
        fewer = max(0, min(budget, unhealthy))
        sizes[name] -= fewer
        budget -= fewer
    available = int(dig(new, "status", "availableReplicas") or 0)
    available += sum(int(dig(rs, "status", "availableReplicas") or 0) for rs in old)
    spare = available - least
    for rs in ordered:
        name = rs["metadata"]["name"]
        if spare <= 0 or not sizes.get(name):
            continue
        fewer = min(sizes[name], spare)
        sizes[name] -= fewer
        spare -= fewer
    return {name: size for name, size in sizes.items() if size != before[name]}


def proportional(deployment: Object, sets: list[Object]) -> dict[str, int]:
    """New sizes when a Deployment is scaled in the middle of a rollout: each ReplicaSet gets its share."""
    surge, _ = fenceposts(deployment)
    total = sum(map(wanted_replicas, sets))
    allowed = wanted_replicas(deployment) + surge
    left = allowed - total
    if not total or not left:
        return {}
    ordered = sorted(sets, key=lambda rs: (-wanted_replicas(rs), str(rs["metadata"]["creationTimestamp"])))
    sizes = {}
    for rs in ordered:
        size = wanted_replicas(rs)
        part = round(size * allowed / total) - size
        part = max(min(part, left), 0) if left > 0 else min(max(part, left), 0)
        sizes[rs["metadata"]["name"]] = size + part
        left -= part
    first = ordered[0]["metadata"]["name"]
    sizes[first] = max(0, sizes[first] + left)
    present = {rs["metadata"]["name"]: wanted_replicas(rs) for rs in sets}
    return {name: size for name, size in sizes.items() if size != present[name]}


def revision(obj: Object) -> int:
    """The revision annotation, 0 when there is none."""
    text = str((dig(obj, "metadata", "annotations") or {}).get(REVISION, "0"))
    return int(text) if text.isdigit() else 0
