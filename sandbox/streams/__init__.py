"""Streams from and to Pods: logs, exec and attach, port-forward, proxies."""

from __future__ import annotations

from ..runtime.node import Node
from .execution import Execution
from .logs import Logs
from .portforward import PortForward
from .proxy import Proxy

_POD = "/api/v1/namespaces/{namespace}/pods/{name}"
_SERVICE = "/api/v1/namespaces/{namespace}/services/{name}"


def register(node: Node) -> None:
    """Adds the routes, instead of those of an earlier node: the kubelet may have been started anew."""
    routes = (
        (None, f"{_POD}/log", Logs(node).handle),
        (None, f"{_POD}/portforward", PortForward(node).handle),
        (None, f"{_POD}/exec", Execution(node).run),
        (None, f"{_POD}/attach", Execution(node).attach),
        (None, f"{_POD}/proxy/{{rest...}}", Proxy(node).to_pod),
        (None, f"{_SERVICE}/proxy/{{rest...}}", Proxy(node).to_service),
    )
    templates = {tuple(part for part in path.split("/") if part) for _, path, _ in routes}
    node.context.routes[:] = [route for route in node.context.routes if route.segments not in templates]
    for method, path, handler in routes:
        node.context.handle(method, path, handler)
