"""pods/portforward in its three shapes: channels over WebSocket, SPDY in a WebSocket (kubectl), SPDY after an
upgrade.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable

from ..errors import BadRequest, NotFound
from ..http import Disconnected, Request, Response, WebSocket
from ..objects import dig
from ..runtime.node import Node, PortUnavailable
from ..runtime.pod import PodRunner
from . import spdy
from .raw_connection import upgrade, wants_spdy
from .targets import check_assigned, stored_pod

log = logging.getLogger("sandbox.streams")

#: kubectl's name of the tunnel, and how the listener lets it through.
TUNNEL, TUNNEL_OFFERED = "SPDY/3.1+portforward.k8s.io", "SPDY-3.1+portforward.k8s.io"
CHANNELS = ("v4.channel.k8s.io", "portforward.k8s.io")
SPDY_PROTOCOL = "portforward.k8s.io"
_CHUNK = 32 * 1024


class PortForward:
    """The handler."""

    def __init__(self, node: Node):
        self._node = node

    async def handle(self, request: Request) -> Response:
        """GET (WebSocket) or POST (SPDY) …/pods/{name}/portforward."""
        runner = self._runner(request)
        if request.is_websocket:
            socket = request.websocket()
            offered = socket.subprotocols
            if TUNNEL_OFFERED in offered:
                await socket.accept(TUNNEL)
                await self._tunnel(socket, runner)
                return Response.done()
            chosen = next((channel for channel in CHANNELS if channel in offered), "" if not offered else None)
            if chosen is None:
                raise BadRequest(
                    f"unable to negotiate protocol: client supports {offered}, server supports {list(CHANNELS)}"
                )
            ports = _ports(request)
            await socket.accept(chosen)
            await self._channels(socket, runner, ports)
            return Response.done()
        if wants_spdy(request):
            await self._upgraded(request, runner)
            return Response.done()
        raise BadRequest("Upgrade request required")

    def _runner(self, request: Request) -> PodRunner:
        pod = stored_pod(self._node, request)
        for text in request.query.get("ports") or []:
            if not all(part.isdigit() for part in text.split(",")):
                why = f'strconv.ParseUint: parsing "{text}": invalid syntax'
                raise BadRequest(f"cannot convert to []int32: {why}")
        check_assigned(pod)
        if dig(pod, "status", "phase") != "Running":
            phase = dig(pod, "status", "phase")
            raise BadRequest(f"unable to forward port because pod is not running. Current status={phase}")
        runner = self._node.pods.get(pod["metadata"]["uid"])
        if runner is None:
            raise NotFound("pods", request.params["name"])
        return runner

    # Channels: two for each port

    async def _channels(self, socket: WebSocket, runner: PodRunner, ports: list[int]) -> None:
        for index, port in enumerate(ports):
            for channel in (2 * index, 2 * index + 1):
                await socket.send(bytes((channel,)) + port.to_bytes(2, "little"))
        pipes: dict[int, asyncio.StreamWriter] = {}
        tasks = []
        for index, port in enumerate(ports):
            try:
                reader, writer = await self._node.connect(runner, port)
            except PortUnavailable as problem:
                await socket.send(bytes((2 * index + 1,)) + _refusal(runner, port, problem).encode())
                continue
            pipes[2 * index] = writer
            tasks.append(asyncio.create_task(self._from_pod(socket, 2 * index, reader)))
        client = asyncio.create_task(self._from_client(socket, pipes))
        try:
            if tasks:
                outputs = asyncio.create_task(_all(tasks))
                await asyncio.wait([client, outputs], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (client, *tasks):
                task.cancel()
            for writer in pipes.values():
                writer.close()
            await asyncio.gather(client, *tasks, return_exceptions=True)
            await socket.close()

    async def _from_pod(self, socket: WebSocket, channel: int, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(ConnectionError, RuntimeError):
            while data := await reader.read(_CHUNK):
                await socket.send(bytes((channel,)) + data)

    async def _from_client(self, socket: WebSocket, pipes: dict[int, asyncio.StreamWriter]) -> None:
        with contextlib.suppress(Disconnected, ConnectionError):
            while True:
                message = await socket.receive()
                writer = pipes.get(message[0]) if message else None
                if writer is not None and len(message) > 1:
                    writer.write(message[1:])
                    await writer.drain()

    # SPDY

    async def _tunnel(self, socket: WebSocket, runner: PodRunner) -> None:
        async def receive() -> bytes:
            while True:
                try:
                    if data := await socket.receive():
                        return data
                except Disconnected:
                    return b""

        async def send(data: bytes) -> None:
            with contextlib.suppress(RuntimeError):  # the client has gone
                await socket.send(data)

        await self._session(runner, send, receive)
        await socket.close()

    async def _upgraded(self, request: Request, runner: PodRunner) -> None:
        connection = await upgrade(request, SPDY_PROTOCOL)
        try:
            await self._session(runner, connection.write, connection.read)
        finally:
            connection.close()

    async def _session(
        self, runner: PodRunner, send: Callable[[bytes], Awaitable[None]], receive: Callable[[], Awaitable[bytes]]
    ) -> None:
        forwards: set[asyncio.Task[None]] = set()
        waiting: dict[str, spdy.SpdyStream] = {}

        def opened(stream: spdy.SpdyStream) -> None:
            """Two streams with the same request id are one connection."""
            request_id = stream.headers.get("requestid", "")
            other = waiting.pop(request_id, None)
            if other is None:
                waiting[request_id] = stream
                return
            pair = {part.headers.get("streamtype"): part for part in (stream, other)}
            if set(pair) == {"data", "error"}:
                task = asyncio.create_task(self._forward(runner, session, pair["data"], pair["error"]))
                forwards.add(task)
                task.add_done_callback(forwards.discard)

        session = spdy.Session(send, opened)
        try:
            await session.run(receive)
        except spdy.ProtocolError as problem:
            log.warning("port-forward to %s/%s: %s", runner.namespace, runner.name, problem)
        finally:
            for task in list(forwards):
                task.cancel()
            await asyncio.gather(*forwards, return_exceptions=True)

    async def _forward(
        self, runner: PodRunner, session: spdy.Session, data: spdy.SpdyStream, error: spdy.SpdyStream
    ) -> None:
        """One connection."""
        text = data.headers.get("port", "")
        port = int(text) if text.isdigit() else 0
        try:
            reader, writer = await self._node.connect(runner, port)
        except PortUnavailable as problem:
            await error.write(_refusal(runner, port, problem).encode())
            await error.close()
            await data.close()
            session.forget(data, error)
            return
        up = asyncio.create_task(_to_pod(data, writer))
        try:
            with contextlib.suppress(ConnectionError):
                while piece := await reader.read(_CHUNK):
                    await data.write(piece)
            await data.close()
            await error.close()
        finally:
            up.cancel()
            writer.close()
            session.forget(data, error)


async def _all(tasks: list[asyncio.Task[None]]) -> None:
    await asyncio.gather(*tasks)


async def _to_pod(stream: spdy.SpdyStream, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while piece := await stream.receive():
            writer.write(piece)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
        else:  # TLS cannot be closed on one side
            writer.close()


def _ports(request: Request) -> list[int]:
    ports = [part for text in request.query.get("ports", []) for part in text.split(",") if part]
    if not ports:
        raise BadRequest('query parameter "ports" is required')
    for port in ports:
        if not port.isdigit() or not 0 < int(port) < 65536:
            raise BadRequest(f'unable to parse "{port}" as a port: it must be a number between 1 and 65535')
    return [int(port) for port in ports]


def _refusal(runner: PodRunner, port: int, problem: PortUnavailable) -> str:
    return (
        f"error forwarding port {port} to pod {runner.uid}, uid : failed to execute portforward: failed to connect to "
        f'localhost:{port} inside namespace "{runner.namespace}": {problem}'
    )
