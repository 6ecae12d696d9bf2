"""A TCP connection that HTTP has given away, as two coroutines: read and write."""

from __future__ import annotations

import asyncio

from ..http import Request


class RawConnection(asyncio.Protocol):
    """Buffers received bytes; both directions wait when the other side is slow."""

    _LIMIT = 1024 * 1024

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._over = False
        self._wake = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._wake.set()
        if len(self._buffer) > self._LIMIT and self._transport is not None:
            self._transport.pause_reading()

    def eof_received(self) -> bool:
        self._over = True
        self._wake.set()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self._over = True
        self._wake.set()
        self._writable.set()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    async def read(self) -> bytes:
        """The next bytes; b"" at the end."""
        while not self._buffer and not self._over:
            self._wake.clear()
            await self._wake.wait()
        data = bytes(self._buffer)
        self._buffer.clear()
        if self._transport is not None and not self._over:
            self._transport.resume_reading()
        return data

    async def write(self, data: bytes) -> None:
        """Sends; waits while the peer is behind."""
        assert self._transport is not None
        if not self._transport.is_closing():
            self._transport.write(data)
            await self._writable.wait()

    def close(self) -> None:
        """Closes the connection after all written bytes are sent."""
        if self._transport is not None:
            self._transport.close()


def wants_spdy(request: Request) -> bool:
    """Whether the client asks for SPDY instead of HTTP."""
    return "spdy/3.1" in request.headers.get("upgrade", "").lower()


async def upgrade(request: Request, protocol: str) -> RawConnection:
    """The connection, which speaks SPDY from now on; ``protocol`` is what is spoken inside it."""
    await request.body()
    connection = RawConnection()
    transport = request.hijack(connection)
    connection.connection_made(transport)
    transport.write(
        b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n"
        + f"X-Stream-Protocol-Version: {protocol}\r\n\r\n".encode()
    )
    return connection
