"""The one Node: its lease as heartbeat, and its status as a kubelet posts it."""

from __future__ import annotations

import asyncio
import contextlib

from ..cluster import Cluster
from ..context import Context
from ..errors import ApiError, NotFound
from ..objects import now, now_micro
from ..runtime.recorder import EventRecorder
from ..seed import NODE
from .conditions import find

LEASES = "leases.coordination.k8s.io"
#: A real kubelet renews every 10 s and reports every 5 minutes; no controller here depends on either.
HEARTBEAT_SECONDS = 300.0


def beat(cluster: Cluster) -> None:
    """Renews the lease and the conditions' heartbeat; the Node is Ready as long as the sandbox runs."""
    lease = {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": NODE, "namespace": "kube-node-lease"},
        "spec": {"holderIdentity": NODE, "leaseDurationSeconds": 600, "renewTime": now_micro()},
    }
    cluster.apply(LEASES, lease, manager="kubelet")
    node = cluster.get("nodes", NODE)
    moment = now()
    conditions = [
        {**condition, "lastHeartbeatTime": moment} for condition in (node.get("status") or {}).get("conditions") or []
    ]
    cluster.patch("nodes", NODE, {"status": {"conditions": conditions}}, subresource="status")


async def run(cluster: Cluster, context: Context) -> None:
    """Reports that the kubelet has started, then renews the Node and its lease."""
    kubelet = cluster.as_manager("kubelet")
    recorder = EventRecorder(cluster, "kubelet", NODE)
    try:
        node = kubelet.get("nodes", NODE)
    except NotFound:
        return
    recorder.normal(node, "Starting", "Starting kubelet.")
    ready = find((node.get("status") or {}).get("conditions"), "Ready")
    if ready is not None and ready.get("status") == "True":
        recorder.normal(node, "NodeReady", f"Node {NODE} status is now: NodeReady")
    while True:
        with contextlib.suppress(ApiError):  # the Node was deleted: the next beat tries again
            beat(kubelet)
        await asyncio.sleep(HEARTBEAT_SECONDS)
