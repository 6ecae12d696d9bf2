"""SPDY/3.1 frames, the part of the protocol that kubectl speaks: streams, their headers and data
(draft-mbelshe-httpbis-spdy-00).

A session does not know what carries it: bytes come in by :meth:`Session.run`, frames go out by ``send``. Flow control
is left out as in spdystream, the Go side of all this: neither counts windows.
"""

from __future__ import annotations

import asyncio
import struct
import zlib
from collections.abc import Awaitable, Callable

SYN_STREAM, SYN_REPLY, RST_STREAM, SETTINGS, PING, GOAWAY, HEADERS, WINDOW_UPDATE = 1, 2, 3, 4, 6, 7, 8, 9
FIN = 1
_VERSION = 3
#: Larger frames are an attack or a fault: kubectl sends pieces of 32 KB.
LONGEST_FRAME = 4 * 1024 * 1024
_PROTOCOL_ERROR, _INVALID_STREAM, _REFUSED_STREAM, _CANCEL = 1, 2, 3, 5

#: Header names, each with its length in front, then words that are frequent in values (section 2.6.10.1).
_NAMES = [
    "options",
    "head",
    "post",
    "put",
    "delete",
    "trace",
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "accept-ranges",
    "age",
    "allow",
    "authorization",
    "cache-control",
    "connection",
    "content-base",
    "content-encoding",
    "content-language",
    "content-length",
    "content-location",
    "content-md5",
    "content-range",
    "content-type",
    "date",
    "etag",
    "expect",
    "expires",
    "from",
    "host",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "last-modified",
    "location",
    "max-forwards",
    "pragma",
    "proxy-authenticate",
    "proxy-authorization",
    "range",
    "referer",
    "retry-after",
    "server",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "vary",
    "via",
    "warning",
    "www-authenticate",
    "method",
    "get",
    "status",
]
_WORDS = (
    "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505"
    "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden"
    "404 Not Found500 Internal Server Error501 Not Implemented503 Service Unavailable"
    "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT"
    "chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,"
    "publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0."
)


def _sized(text: str) -> bytes:
    raw = text.encode("latin-1")
    return struct.pack(">I", len(raw)) + raw


DICTIONARY = (
    b"".join(map(_sized, _NAMES))
    + _sized("200 OK")
    + b"".join(map(_sized, ("version", "HTTP/1.1", "url", "public", "set-cookie", "keep-alive", "origin")))
    + _WORDS.encode()
)


class ProtocolError(Exception):
    """The peer does not speak SPDY/3.1."""


class SpdyStream:
    """One stream that the peer opened. Read data by :meth:`receive`; b"" is its end."""

    def __init__(self, session: Session, number: int, headers: dict[str, str]):
        self._session = session
        self.number = number
        self.headers = headers
        self._incoming: asyncio.Queue[bytes] = asyncio.Queue(maxsize=64)
        self._over = False
        self.closed = False

    async def receive(self) -> bytes:
        """The next piece; b"" when the peer has no more."""
        if self._over and self._incoming.empty():
            return b""
        data = await self._incoming.get()
        if not data:
            self._over = True
        return data

    async def deliver(self, data: bytes) -> None:
        """Called by the session; waits while the reader is behind."""
        await self._incoming.put(data)

    def abort(self) -> None:
        """Nothing more will come."""
        self._over = True
        if self._incoming.full():
            self._incoming.get_nowait()
        self._incoming.put_nowait(b"")

    async def write(self, data: bytes) -> None:
        """Sends data, if the stream is still open."""
        if data and not self.closed:
            await self._session.send_data(self.number, data)

    async def close(self) -> None:
        """No more data from here."""
        if not self.closed:
            self.closed = True
            await self._session.send_data(self.number, b"", FIN)


class Session:
    """The server's side of one connection. ``opened`` is called with each new stream."""

    def __init__(self, send: Callable[[bytes], Awaitable[None]], opened: Callable[[SpdyStream], None]):
        self._send = send
        self._opened = opened
        self._streams: dict[int, SpdyStream] = {}
        self._inflate = zlib.decompressobj(zdict=DICTIONARY)
        self._deflate = zlib.compressobj(zdict=DICTIONARY)
        self._buffer = bytearray()
        self._sending = asyncio.Lock()

    async def run(self, receive: Callable[[], Awaitable[bytes]]) -> None:
        """Until ``receive`` returns b"" or the peer says goodbye; ProtocolError."""
        try:
            while data := await receive():
                self._buffer += data
                while (frame := self._next_frame()) is not None:
                    if not await self._handle(*frame):
                        return
        finally:
            for stream in self._streams.values():
                stream.abort()

    def _next_frame(self) -> tuple[bytes, bytes] | None:
        if len(self._buffer) < 8:
            return None
        size = int.from_bytes(self._buffer[5:8], "big")
        if size > LONGEST_FRAME:
            raise ProtocolError(f"a frame of {size} bytes")
        if len(self._buffer) < 8 + size:
            return None
        head, body = bytes(self._buffer[:8]), bytes(self._buffer[8 : 8 + size])
        del self._buffer[: 8 + size]
        return head, body

    async def _handle(self, head: bytes, body: bytes) -> bool:
        """Acts on a frame; False when it was the last."""
        first, flags = int.from_bytes(head[:4], "big"), head[4]
        if not first & 0x80000000:
            await self._data(first, flags, body)
            return True
        version, kind = first >> 16 & 0x7FFF, first & 0xFFFF
        if version != _VERSION:
            raise ProtocolError(f"SPDY version {version}")
        if kind == SYN_STREAM:
            await self._open(flags, body)
        elif kind == HEADERS:
            self._headers(body[4:])  # not needed, but the compression state depends on them
        elif kind == SYN_REPLY:
            self._headers(body[4:])
        elif kind == RST_STREAM:
            stream = self._streams.pop(_number(body), None)
            if stream is not None:
                stream.closed = True
                stream.abort()
        elif kind == PING:
            await self._frame(PING, body)
        return kind != GOAWAY

    async def _data(self, number: int, flags: int, body: bytes) -> None:
        stream = self._streams.get(number)
        if stream is None:
            await self._frame(RST_STREAM, struct.pack(">II", number, _INVALID_STREAM))
            return
        if body:
            await stream.deliver(body)
        if flags & FIN:
            await stream.deliver(b"")

    async def _open(self, flags: int, body: bytes) -> None:
        number = _number(body)
        headers = self._headers(body[10:])
        if not number & 1 or number in self._streams:
            await self._frame(RST_STREAM, struct.pack(">II", number, _PROTOCOL_ERROR))
            return
        stream = self._streams[number] = SpdyStream(self, number, headers)
        async with self._sending:  # compressed headers must leave in the order of their compression
            packed = self._deflate.compress(struct.pack(">I", 0)) + self._deflate.flush(zlib.Z_SYNC_FLUSH)
            await self._send(control(SYN_REPLY, struct.pack(">I", number) + packed))
        if flags & FIN:
            await stream.deliver(b"")
        self._opened(stream)

    def _headers(self, packed: bytes) -> dict[str, str]:
        try:
            return parse_headers(self._inflate.decompress(packed))
        except (zlib.error, struct.error) as problem:
            raise ProtocolError(f"headers that cannot be read: {problem}") from problem

    async def send_data(self, number: int, data: bytes, flags: int = 0) -> None:
        """One DATA frame."""
        async with self._sending:
            await self._send(struct.pack(">IB", number, flags) + len(data).to_bytes(3, "big") + data)

    def forget(self, *streams: SpdyStream) -> None:
        """These streams are done with."""
        for stream in streams:
            self._streams.pop(stream.number, None)

    async def _frame(self, kind: int, body: bytes) -> None:
        async with self._sending:
            await self._send(control(kind, body))


def _number(body: bytes) -> int:
    if len(body) < 4:
        raise ProtocolError("a frame that is too short")
    return int.from_bytes(body[:4], "big") & 0x7FFFFFFF


def control(kind: int, body: bytes, flags: int = 0) -> bytes:
    """A control frame."""
    return struct.pack(">HHB", 0x8000 | _VERSION, kind, flags) + len(body).to_bytes(3, "big") + body


def parse_headers(block: bytes) -> dict[str, str]:
    """Names (lower case) and values of a header block; several values are separated by NUL."""
    (count,) = struct.unpack_from(">I", block, 0)
    position, headers = 4, {}
    for _ in range(count):
        pair = []
        for _ in range(2):
            (size,) = struct.unpack_from(">I", block, position)
            pair.append(block[position + 4 : position + 4 + size].decode("latin-1"))
            position += 4 + size
        headers[pair[0].lower()] = pair[1]
    return headers


def header_block(headers: dict[str, str]) -> bytes:
    """The other way round, not yet compressed."""
    pairs = b"".join(_sized(name) + _sized(value) for name, value in headers.items())
    return struct.pack(">I", len(headers)) + pairs
