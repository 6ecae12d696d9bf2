"""Streams from and to Pods: logs, exec and attach, port-forward."""

from __future__ import annotations

from ..runtime.node import Node
from .execution import Execution
from .logs import Logs
from .portforward import PortForward

_POD = "/api/v1/namespaces/{namespace}/pods/{name}"


def register(node: Node) -> None:
    """Adds the routes, instead of those of an earlier node: the kubelet may have been restarted."""
    routes = (
        (None, f"{_POD}/log", Logs(node).handle),
        (None, f"{_POD}/portforward", PortForward(node).handle),
        (None, f"{_POD}/exec", Execution(node).run),
        (None, f"{_POD}/attach", Execution(node).attach),
    )
    templates = {tuple(part for part in path.split("/") if part) for _, path, _ in routes}
    node.context.routes[:] = [route for route in node.context.routes if route.segments not in templates]
    for method, path, handler in routes:
        node.context.handle(method, path, handler)
