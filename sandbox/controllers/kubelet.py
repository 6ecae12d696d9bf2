"""The kubelet: hands the node's Pods to sandbox.runtime, and serves what is streamed from them (sandbox.streams)."""

from __future__ import annotations

from ..cluster import Cluster
from ..context import Context
from ..objects import dig
from ..runtime.node import Node
from ..seed import NODE
from ..streams import register

#: Pods may wait for these.
_NEEDED = ("configmaps", "secrets", "persistentvolumeclaims", "serviceaccounts")


async def run(cluster: Cluster, context: Context) -> None:
    """Follows Pods, and what they wait for, until the sandbox stops; then their processes end."""
    node = Node(cluster, context)
    node.start()
    register(node)
    try:
        async for event in cluster.watch("services", *_NEEDED, "pods"):
            metadata = event.object["metadata"]
            if event.resource == "pods":
                if event.type == "DELETED":
                    node.gone(event.object)
                elif dig(event.object, "spec", "nodeName") == NODE:
                    node.seen(event.object)
            elif event.resource == "services":
                if event.type == "DELETED":
                    node.services.forget(metadata["namespace"], metadata["name"])
            else:
                for runner in list(node.pods.values()):
                    if runner.namespace == metadata["namespace"]:
                        runner.changed(event.resource, metadata["name"])
    finally:
        await node.close()
