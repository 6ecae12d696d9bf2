"""The channels of pods/exec and pods/attach, whatever carries them: messages of a WebSocket, or streams of SPDY.

0 is stdin, 1 stdout, 2 stderr, 3 how it ended (a Status), 4 the terminal's size. A WebSocket's message begins with that
number; with v5, 255 closes a channel. SPDY has a stream for each, which a header names.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Any, Protocol

import msgspec

from ..errors import BadRequest, Forbidden
from ..http import Disconnected, Request, WebSocket
from . import spdy
from .raw_connection import RawConnection, upgrade, wants_spdy

log = logging.getLogger("sandbox.streams")

STDIN, STDOUT, STDERR, ERROR, RESIZE, CLOSE = 0, 1, 2, 3, 4, 255
PROTOCOLS = ("v5.channel.k8s.io", "v4.channel.k8s.io")
#: How long a client may take to open its streams, and to disconnect after the last data.
_OPENING, _LEAVING = 30.0, 2.0
_STREAMS = {"stdin": STDIN, "stdout": STDOUT, "stderr": STDERR, "error": ERROR, "resize": RESIZE}


class Channels(Protocol):
    """One client."""

    async def receive(self) -> tuple[int, bytes]:
        """A channel and what came on it; b"" is its end. Disconnected when the client has gone."""
        ...

    async def send(self, channel: int, data: bytes) -> None:
        """Output; Disconnected when the client has gone."""
        ...

    async def finish(self, status: dict[str, Any]) -> None:
        """Says how it ended."""
        ...

    async def aclose(self) -> None:
        """Lets go of the client, also when it has gone."""
        ...


async def accept(request: Request) -> Channels:
    """The client's channels; BadRequest when it asks for something else."""
    if request.is_websocket:
        return await _accept_websocket(request)
    if wants_spdy(request):
        return await _accept_spdy(request)
    raise BadRequest("Upgrade request required")


async def _accept_websocket(request: Request) -> Channels:
    socket = request.websocket()
    chosen = next((protocol for protocol in PROTOCOLS if protocol in socket.subprotocols), None)
    if chosen is None:
        offered = " ".join(socket.subprotocols)
        raise BadRequest(
            f"unable to negotiate protocol: client supports [{offered}], server supports {list(PROTOCOLS)}"
        )
    await socket.accept(chosen)
    return WebSocketChannels(socket)


async def _accept_spdy(request: Request) -> Channels:
    offered = [part.strip() for text in request.header_values("X-Stream-Protocol-Version") for part in text.split(",")]
    chosen = next((protocol for protocol in offered if protocol in PROTOCOLS), None)
    if chosen is None:
        clients, servers = " ".join(offered), " ".join(PROTOCOLS)
        raise Forbidden(
            f"unable to upgrade: unable to negotiate protocol: client supports [{clients}], server accepts [{servers}]"
        )
    terminal = request.flag("tty")
    wanted = {ERROR} | {_STREAMS[name] for name in ("stdin", "stdout", "stderr") if request.flag(name)}
    wanted = (wanted - {STDERR}) | {RESIZE} if terminal else wanted
    channels = SpdyChannels(await upgrade(request, chosen))
    await channels.opened(wanted)
    return channels


class WebSocketChannels:
    """Messages with the channel's number in front."""

    def __init__(self, socket: WebSocket):
        self._socket = socket

    async def receive(self) -> tuple[int, bytes]:
        """Empty messages are how clients see whether the connection lives."""
        while True:
            message = await self._socket.receive()
            if len(message) > 1 and message[0] == CLOSE:
                return message[1], b""
            if len(message) > 1:
                return message[0], message[1:]

    async def send(self, channel: int, data: bytes) -> None:
        """One message."""
        try:
            await self._socket.send(bytes((channel,)) + data)
        except (RuntimeError, OSError):
            raise Disconnected from None

    async def finish(self, status: dict[str, Any]) -> None:
        """A last message."""
        with contextlib.suppress(Disconnected):
            await self.send(ERROR, msgspec.json.encode(status))

    async def aclose(self) -> None:
        """The closing handshake."""
        await self._socket.close()


class SpdyChannels:
    """A stream for each channel, which the client opens."""

    def __init__(self, connection: RawConnection):
        self._connection = connection
        self._streams: dict[int, spdy.SpdyStream] = {}
        self._changed = asyncio.Event()
        self._incoming: asyncio.Queue[tuple[int, bytes] | None] = asyncio.Queue(maxsize=16)
        self._session = asyncio.create_task(self._run(spdy.Session(connection.write, self._open)))
        self._pumps: list[asyncio.Task[None]] = []

    async def _run(self, session: spdy.Session) -> None:
        try:
            await session.run(self._connection.read)
        except spdy.ProtocolError as problem:
            log.warning("exec: %s", problem)
        finally:
            self._changed.set()

    def _open(self, stream: spdy.SpdyStream) -> None:
        channel = _STREAMS.get(stream.headers.get("streamtype", ""))
        if channel is not None:
            self._streams[channel] = stream
            self._changed.set()

    async def opened(self, wanted: set[int]) -> None:
        """Waits for the streams; Disconnected when they do not come."""
        try:
            async with asyncio.timeout(_OPENING):
                while not wanted <= self._streams.keys() and not self._session.done():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            self._session.cancel()
        if not wanted <= self._streams.keys():
            await self.aclose()
            raise Disconnected
        inputs = [channel for channel in (STDIN, RESIZE) if channel in self._streams]
        self._pumps = [asyncio.create_task(self._pump(channel)) for channel in inputs]
        self._pumps.append(asyncio.create_task(self._leave()))

    async def _pump(self, channel: int) -> None:
        data = b"-"
        while data:
            data = await self._streams[channel].receive()
            await self._incoming.put((channel, data))

    async def _leave(self) -> None:
        await asyncio.wait([self._session])
        await self._incoming.put(None)

    async def receive(self) -> tuple[int, bytes]:
        """From any stream of the client's."""
        found = await self._incoming.get()
        if found is None:
            raise Disconnected
        return found

    async def send(self, channel: int, data: bytes) -> None:
        """Nothing is sent on a stream that the client did not open."""
        stream = self._streams.get(channel)
        if stream is not None:
            await stream.write(data)

    async def finish(self, status: dict[str, Any]) -> None:
        """Output ends before the status; then the client closes the connection."""
        for channel, stream in self._streams.items():
            if channel != ERROR:
                await stream.close()
        await self.send(ERROR, msgspec.json.encode(status))
        await self._streams[ERROR].close()
        await asyncio.wait([self._session], timeout=_LEAVING)

    async def aclose(self) -> None:
        """Closes the connection."""
        for task in (*self._pumps, self._session):
            task.cancel()
        self._connection.close()
