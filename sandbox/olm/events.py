"""Events on OLM's objects, as the API server keeps them for `kubectl describe`."""

from __future__ import annotations

import time
from typing import Any

from ..cluster import Cluster
from ..errors import ApiError
from .names import now

Object = dict[str, Any]


def record(cluster: Cluster, about: Object, reason: str, message: str, *, warning: bool = False) -> None:
    """Creates an Event. A refusal (the namespace is terminating) is ignored."""
    meta = about["metadata"]
    namespace = meta.get("namespace") or "default"
    involved = {
        "apiVersion": about["apiVersion"],
        "kind": about["kind"],
        "name": meta["name"],
        "namespace": meta.get("namespace"),
        "uid": meta.get("uid"),
        "resourceVersion": meta.get("resourceVersion"),
    }
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        # As client-go names them: the object, and the moment in hexadecimal.
        "metadata": {"name": f"{meta['name'][:230]}.{time.time_ns():x}", "namespace": namespace},
        "involvedObject": {key: value for key, value in involved.items() if value},
        "reason": reason,
        "message": message[:1024],
        "type": "Warning" if warning else "Normal",
        "source": {"component": "operator-lifecycle-manager"},
        "reportingComponent": "operator-lifecycle-manager",
        "reportingInstance": "",
        "firstTimestamp": now(),
        "lastTimestamp": now(),
        "count": 1,
    }
    try:
        cluster.create("events", event, namespace)
    except ApiError:
        return
