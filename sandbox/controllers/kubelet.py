"""The kubelet: hands the node's Pods to sandbox.runtime, and serves what is streamed from them (sandbox.streams)."""

from __future__ import annotations

from ..cluster import Cluster
from ..context import Context
from ..runtime.node import Node
from ..seed import NODE
from ..streams import register


async def run(cluster: Cluster, context: Context) -> None:
    """Follows Pods, and what they wait for, until the sandbox stops; then their processes end."""
    node = Node(cluster, context, NODE)
    node.start()
    register(node)
    try:
        await node.follow()
    finally:
        await node.close()
