"""The kubelet: hands the node's Pods to sandbox.runtime, serves streams of them (sandbox.streams) and their metrics."""

from __future__ import annotations

import asyncio
import contextlib

from .. import metrics
from ..cluster import Cluster
from ..context import Context
from ..errors import NotFound
from ..runtime.node import Node
from ..seed import NODE
from ..streams import register

#: Annotation of the Node: how the processes of its Pods are confined (sandbox/runtime/confinement.py).
CONFINEMENT = "sandbox.operator-console.dev/confinement"


async def run(cluster: Cluster, context: Context) -> None:
    """Follows Pods, and what they wait for, until the sandbox stops; then their processes end."""
    node = Node(cluster, context, NODE)
    node.start()
    note = {"metadata": {"annotations": {CONFINEMENT: node.confinement.description}}}
    with contextlib.suppress(NotFound):
        cluster.as_manager("kubelet").patch("nodes", NODE, note)
    register(node)
    measuring = asyncio.create_task(metrics.run(node))
    try:
        await node.follow()
    finally:
        measuring.cancel()
        await node.close()
