"""pods/proxy and services/proxy: one HTTP request to a port of a Pod, and its answer."""

from __future__ import annotations

import asyncio
from urllib.parse import quote

from ..errors import ApiError, BadRequest, NotFound, ServiceUnavailable
from ..http import Request, Response
from ..objects import Object, dig
from ..runtime.node import Node, Refused
from ..runtime.ports import target_port

_SECONDS = 30.0
_LIMIT = 32 * 1024 * 1024
#: Headers of one hop (RFC 9110, 7.6.1), and credentials, which are the API server's and not the Pod's.
_DROPPED = frozenset(
    [
        "connection",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "content-length",
        "host",
        "authorization",
        "accept-encoding",
    ]
)


class BadGateway(ApiError):
    """The Pod does not answer as it should."""

    code = 502
    reason = "BadGateway"


class Proxy:
    """The handlers."""

    def __init__(self, node: Node):
        self._node = node

    async def to_pod(self, request: Request) -> Response:
        """…/pods/{name[:port]}/proxy/…: port 80 or the first one when none is given."""
        name, port = _split(request.params["name"])
        pod = self._node.cluster.get("pods", name, request.params["namespace"])
        if not dig(pod, "status", "podIP"):
            raise BadRequest("address not allowed")
        if not port:
            listed = [one for container in pod["spec"]["containers"] for one in container.get("ports") or []]
            port = str(listed[0]["containerPort"]) if listed else "80"
        number = target_port({"targetPort": int(port) if port.isdigit() else port}, pod)
        if number is None:
            raise BadRequest(f'pod "{name}" has no port named "{port}"')
        return await self._pass_on(request, pod, number)

    async def to_service(self, request: Request) -> Response:
        """…/services/{name[:port]}/proxy/…: to one of its ready Pods."""
        name, port = _split(request.params["name"])
        namespace = request.params["namespace"]
        service = self._node.cluster.get("services", name, namespace)
        try:
            endpoints = self._node.cluster.get("endpoints", name, namespace)
        except NotFound:
            endpoints = {}
        if not endpoints.get("subsets"):
            raise ServiceUnavailable(f'no endpoints available for service "{name}"')
        ports = dig(service, "spec", "ports") or []
        chosen = [one for one in ports if not port or port in (one.get("name"), str(one.get("port")))]
        if not chosen:
            raise ServiceUnavailable(f'no service port "{port}" found for service "{name}"')
        for subset in endpoints.get("subsets") or []:
            for address in subset.get("addresses") or []:
                pod = self._node.cluster.get("pods", str(dig(address, "targetRef", "name")), namespace)
                number = target_port(chosen[0], pod)
                if number is not None:
                    return await self._pass_on(request, pod, number)
        raise ServiceUnavailable(f'no endpoints available for service "{name}"')

    async def _pass_on(self, request: Request, pod: Object, port: int) -> Response:
        if request.is_websocket:
            raise BadRequest("the embedded cluster proxies plain HTTP only; use port-forward for anything else")
        runner = self._node.pods.get(pod["metadata"]["uid"])
        body = await request.body()
        path = "/" + quote(request.params.get("rest", ""), safe="/:@!$&'()*+,;=~-._")
        pairs = "&".join(f"{quote(key)}={quote(value)}" for key, values in request.query.items() for value in values)
        headers = {key: value for key, value in request.headers.items() if key not in _DROPPED}
        headers |= {
            "host": f"{pod['metadata']['name']}:{port}",
            "connection": "close",
            "content-length": str(len(body)),
        }
        head = f"{request.method} {path}{'?' + pairs if pairs else ''} HTTP/1.1\r\n"
        head += "".join(f"{key}: {value}\r\n" for key, value in headers.items())
        try:
            if runner is None:
                raise Refused("the pod is not running")
            async with asyncio.timeout(_SECONDS):
                reader, writer = await self._node.connect(runner, port)
                try:
                    writer.write(head.encode("latin-1") + b"\r\n" + body)
                    await writer.drain()
                    return await _answer(reader)
                finally:
                    writer.close()
        except (OSError, TimeoutError, ValueError, asyncio.IncompleteReadError) as problem:
            raise BadGateway(f"error trying to reach service: {problem or 'timed out'}") from problem


def _split(name: str) -> tuple[str, str]:
    """``[scheme:]name[:port]``."""
    parts = name.split(":")
    if len(parts) == 3:
        return parts[1], parts[2]
    return parts[0], parts[1] if len(parts) == 2 else ""


async def _answer(reader: asyncio.StreamReader) -> Response:
    status = (await reader.readline()).split()
    if len(status) < 2:
        raise ValueError("EOF")
    headers: dict[str, str] = {}
    while (line := (await reader.readline()).rstrip(b"\r\n")) != b"":
        key, _, value = line.decode("latin-1").partition(":")
        headers[key.lower()] = value.strip()
    if "chunked" in headers.get("transfer-encoding", ""):
        body = await _chunks(reader)
    elif "content-length" in headers:
        body = await reader.readexactly(min(int(headers["content-length"]), _LIMIT))
    else:
        body = await reader.read(_LIMIT)
    kept = {key: value for key, value in headers.items() if key not in _DROPPED}
    content_type = kept.pop("content-type", "application/octet-stream")
    return Response(body, int(status[1]), content_type, kept)


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    parts, total = [], 0
    while size := int((await reader.readline()).split(b";")[0], 16):
        parts.append(await reader.readexactly(size))
        await reader.readline()
        total += size
        if total > _LIMIT:
            raise ValueError("the answer is too large")
    return b"".join(parts)
