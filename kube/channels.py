"""Streams of Pods: port-forwards, commands and followed logs, and the lines of a log.

`v4.channel.k8s.io` frames begin with a channel's number. For port-forward: channel 0 carries data, 1 errors, and the
first frame of each only repeats the port (two bytes). One WebSocket for each TCP connection. v4 can't close one
direction alone: when the client ends its sending, the socket stays open until the Pod ends too.

Long lines of logs are cut while they are read: a Pod may write 300 MB without a line's end.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Protocol

import aiohttp

from kube import limits, requests
from kube.errors import ServerError
from kube.transport import AsyncTransport

PORT_FORWARD = ("v4.channel.k8s.io",)
EXEC = ("v5.channel.k8s.io", "v4.channel.k8s.io")
_DATA, _ERROR = 0, 1
_CHUNK = 256 * 1024
# How long the Pod's side can still send after the client closed its sending side.
_LINGER_SECONDS = 30.0


@contextlib.asynccontextmanager
async def port_forward(
    transport: AsyncTransport, pod: str, namespace: str, port: int
) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    """An open tunnel to `port` of the Pod. Raises KubeError when the API server refuses."""
    request = requests.port_forward(pod, namespace, port)
    channel = await transport.websocket(request, PORT_FORWARD)
    try:
        yield channel
    finally:
        await channel.close()


@contextlib.asynccontextmanager
async def exec_(
    transport: AsyncTransport, pod: str, namespace: str, container: str, command: tuple[str, ...]
) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    """A running command with a terminal.

    Frames begin with a channel: 0 to it, 1 from it, 3 its end as a Status, 4 the size as JSON.

    Raises KubeError when the API server refuses. https://kubernetes.io/docs/reference/kubectl/generated/kubectl_exec/
    """
    channel = await transport.websocket(requests.exec_(pod, namespace, container, command), EXEC)
    try:
        yield channel
    finally:
        await channel.close()


class ByteReader(Protocol):
    """What relay() needs of an asyncio.StreamReader."""

    async def read(self, n: int = -1, /) -> bytes: ...


async def relay(
    reader: ByteReader,
    writer: asyncio.StreamWriter,
    channel: aiohttp.ClientWebSocketResponse,
    count: Callable[[int, int], None] = lambda sent, received: None,
) -> None:
    """Carry bytes both ways until one side ends. `count(sent, received)` hears of every piece.

    Raises ServerError with the Pod's words when it can't be reached (nothing listens on the port).
    """
    down = asyncio.create_task(_from_pod(channel, writer, count))
    up = asyncio.create_task(_to_pod(reader, channel, count))
    try:
        await asyncio.wait((up, down), return_when=asyncio.FIRST_COMPLETED)
        if not down.done():
            await asyncio.wait((down,), timeout=_LINGER_SECONDS)
        if down.done():
            await down
    finally:
        for task in (up, down):
            task.cancel()
        await asyncio.gather(up, down, return_exceptions=True)


async def _to_pod(
    reader: ByteReader, channel: aiohttp.ClientWebSocketResponse, count: Callable[[int, int], None]
) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(_CHUNK):
            await channel.send_bytes(bytes((_DATA,)) + data)
            count(len(data), 0)


async def _from_pod(
    channel: aiohttp.ClientWebSocketResponse, writer: asyncio.StreamWriter, count: Callable[[int, int], None]
) -> None:
    seen: set[int] = set()
    async for message in channel:
        if message.type is not aiohttp.WSMsgType.BINARY or not message.data:
            continue
        number, data = message.data[0], message.data[1:]
        if number not in seen:
            seen.add(number)
            data = data[2:]
        if number == _ERROR and data:
            raise ServerError(data.decode("utf-8", "replace").strip())
        if number == _DATA and data:
            # Counted first: who reads the answer and hangs up at once is not to be missed.
            count(0, len(data))
            with contextlib.suppress(ConnectionError):
                writer.write(data)
                await writer.drain()


async def follow_log(
    transport: AsyncTransport,
    pod: str,
    namespace: str,
    *,
    container: str = "",
    tail: int = 0,
    previous: bool = False,
    timestamps: bool = False,
    since_seconds: int = 0,
    since_time: str = "",
    follow: bool = True,
) -> AsyncIterator[bytes]:
    """A container's log as pieces of bytes, followed by new output unless `follow` is False. Ends with the container.

    There is no timeout, since a container can be silent: only the container's end or closing the iterator ends it.
    """
    request = requests.pod_log(
        pod,
        namespace,
        container=container,
        tail=tail,
        previous=previous,
        timestamps=timestamps,
        since_seconds=since_seconds,
        since_time=since_time,
        follow=follow,
    )
    async with transport.open(request, silence=24 * 3600.0) as response:
        async for piece in response.content.iter_any():
            yield piece


#: What stands behind the part of a line that is shown.
CUT = f" … [cut here: the line is longer than {limits.LOG_LINE.value // 1024} KiB]".encode()


class LineCutter:
    """For one log, piece by piece.

    Of a line longer than `most` bytes its beginning is passed on, with CUT behind it.
    """

    def __init__(self, most: int = limits.LOG_LINE.value) -> None:
        self._most = most
        self._size = 0

    def feed(self, piece: bytes) -> bytes:
        """The piece without what is too much in its lines."""
        if self._size + len(piece) <= self._most:
            end = piece.rfind(b"\n")
            self._size = self._size + len(piece) if end < 0 else len(piece) - end - 1
            return piece
        first, *others = piece.split(b"\n")
        shown = [self._part(first)]
        for line in others:
            self._size = 0
            shown.append(self._part(line))
        return b"\n".join(shown)

    def _part(self, part: bytes) -> bytes:
        """The next part of the line that is being read."""
        room = self._most - self._size
        self._size += len(part)
        if len(part) <= room:
            return part
        return part[:room] + CUT if room >= 0 else b""


def log_page(text: bytes, most: int) -> str:
    """A log for a page: its lines cut, and a last line that says so where it has `most` bytes, which is all that was
    asked for.
    """
    shown = LineCutter().feed(text[:most]).decode("utf-8", "replace")
    if len(text) < most:
        return shown
    return (
        f"{shown}\n[cut here: a page begins with {most / 2**20:.3g} MiB of a log at most; the raw log has all of it]\n"
    )
