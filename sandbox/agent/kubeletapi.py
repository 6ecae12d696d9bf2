"""The kubelet's own API, for kube-apiserver: logs, exec, attach and port-forward of this node's Pods.

The handlers are those of the sandbox's Pods; only paths, names of parameters and the form of refusals are a kubelet's.
"""

from __future__ import annotations

from urllib.parse import unquote

from ..asgi import AsgiApplication
from ..context import Route
from ..errors import ApiError, NotFound
from ..http import Handler, Request, Response
from ..runtime.node import Node
from ..streams.execution import Execution
from ..streams.logs import Logs
from ..streams.portforward import PortForward

#: How the kubelet's parameters are called in the API server's requests of the same meaning.
_PARAMETERS = {"input": "stdin", "output": "stdout", "error": "stderr", "port": "ports"}


class KubeletApi(AsgiApplication):
    """The kubelet's HTTP API, without authorization: the listener admits only clients with a valid certificate."""

    def __init__(self, node: Node):
        super().__init__()
        self._node = node
        execution = Execution(node)
        container = "{namespace}/{name}/{container}"
        self._routes = [
            _route("GET", f"/containerLogs/{container}", Logs(node).handle),
            _route(None, f"/exec/{container}", execution.run),
            _route(None, f"/attach/{container}", execution.attach),
            _route(None, "/portForward/{namespace}/{name}", PortForward(node).handle),
            _route("GET", "/healthz", _health),
            _route("GET", "/pods", self._pods),
        ]

    async def respond(self, request: Request) -> Response:
        """The response of the first route that matches; NotFound."""
        parts = [unquote(part) for part in request.raw_path.split("/") if part]
        for route in self._routes:
            params = route.match(request.method, parts)
            if params is not None:
                request.params = params
                _rename(request)
                return await route.handler(request)
        raise NotFound()

    def refused(self, problem: ApiError) -> Response:
        """The sentence alone: kube-apiserver makes a Status of it."""
        return Response(problem.message.encode(), problem.code, "text/plain; charset=utf-8")

    async def _pods(self, _: Request) -> Response:
        items = [runner.pod for runner in self._node.pods.values()]
        return Response.json({"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": items})


def _route(method: str | None, template: str, handler: Handler) -> Route:
    return Route(method, tuple(part for part in template.split("/") if part), handler)


def _rename(request: Request) -> None:
    """Parameters as the handlers know them; the container is in the path."""
    for ours, theirs in _PARAMETERS.items():
        if ours in request.query:
            request.query.setdefault(theirs, request.query[ours])
    if container := request.params.get("container"):
        request.query["container"] = [container]


async def _health(_: Request) -> Response:
    return Response(b"ok", 200, "text/plain; charset=utf-8")
