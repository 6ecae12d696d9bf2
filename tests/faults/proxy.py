"""A TCP proxy that misbehaves when told to: it stands between two parts and is what the network does to them."""

import asyncio
import contextlib
import itertools
import socket
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field

_PIECE = 64 * 1024
# l_onoff, l_linger: with these a close is a reset, and the reader gets an error at once.
_RESET = struct.pack("ii", 1, 0)


@dataclass(eq=False, slots=True)
class _Line:
    """One connection: both its ends, and the tasks that carry bytes between them."""

    writers: list[asyncio.StreamWriter] = field(default_factory=list)
    tasks: list["asyncio.Task[None]"] = field(default_factory=list)

    def reset(self) -> None:
        for writer in self.writers:
            connection = writer.get_extra_info("socket")
            if connection is not None:
                with contextlib.suppress(OSError):
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            writer.transport.abort()


class Proxy:
    """Listens on a port of its own; a new connection goes to the next of `upstreams` (ports of 127.0.0.1) that
    accepts it.

    Like a load balancer without health checks: a target that refuses is skipped.
    """

    def __init__(self, name: str, upstreams: Iterable[int]) -> None:
        self.name = name
        self.upstreams = list(upstreams)
        self.port = 0
        self.carried = 0  # bytes
        self._next = itertools.count()
        self._lines: set[_Line] = set()
        self._open = asyncio.Event()
        self._open.set()
        self._refusing = False
        self._answer = b""
        self._delay = 0.0
        self._server: asyncio.Server | None = None

    async def start(self) -> "Proxy":
        self._server = await asyncio.start_server(self._take, "127.0.0.1", 0, backlog=512)
        self.port = int(self._server.sockets[0].getsockname()[1])
        return self

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
        tasks = [task for line in self._lines for task in line.tasks]
        self.cut()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def lines(self) -> int:
        """Open connections."""
        return len(self._lines)

    # What a network does

    def cut(self) -> int:
        """Reset every connection; how many there were."""
        found = list(self._lines)
        for line in found:
            line.reset()
        return len(found)

    def hold(self) -> None:
        """A partition: bytes are held back without an error, new connections are accepted and stay silent. release()
        lets the bytes pass.
        """
        self._open.clear()

    def release(self) -> None:
        self._open.set()

    def refuse(self, on: bool) -> None:
        """New connections are reset at once."""
        self._refusing = on

    def slow(self, seconds: float) -> None:
        """Each piece waits so long; 0 as usual."""
        self._delay = seconds

    def respond_with(self, raw: bytes) -> None:
        """New connections get this after their first bytes, and are closed: what an overloaded HTTP server does.

        Empty: as usual.
        """
        self._answer = raw

    # Carrying

    def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = _Line([writer])
        self._lines.add(line)
        line.tasks.append(asyncio.ensure_future(self._serve(line, reader, writer)))

    async def _serve(self, line: _Line, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if self._refusing:
                line.reset()
            elif self._answer:
                await reader.read(_PIECE)
                writer.write(self._answer)
                await writer.drain()
            else:
                await self._open.wait()
                await self._carry(line, reader, writer)
        except (OSError, EOFError):
            line.reset()
        finally:
            self._lines.discard(line)
            for item in line.writers:
                item.close()

    async def _carry(self, line: _Line, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await self._connect()
        line.writers.append(far_writer)
        ways = (self._pump(reader, far_writer), self._pump(far_reader, writer))
        pumps = [asyncio.ensure_future(way) for way in ways]
        line.tasks += pumps
        try:
            await asyncio.gather(*pumps)
        finally:
            for pump in pumps:
                pump.cancel()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """OSError when all refuse."""
        first = next(self._next)
        for number in range(len(self.upstreams)):
            port = self.upstreams[(first + number) % len(self.upstreams)]
            with contextlib.suppress(OSError):
                return await asyncio.open_connection("127.0.0.1", port)
        raise ConnectionRefusedError(f"nobody answers behind {self.name}")

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(_PIECE):
            await self._open.wait()
            if self._delay:
                await asyncio.sleep(self._delay)
            self.carried += len(piece)
            writer.write(piece)
            await writer.drain()
        await self._open.wait()
        with contextlib.suppress(OSError, RuntimeError):
            writer.write_eof()
