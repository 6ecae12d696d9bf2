"""Request, Response and WebSocket: the thin skin over raw ASGI that every handler of the sandbox sees.

A handler is ``async (Request) -> Response``. A WebSocket handler accepts ``request.websocket()`` and returns
``Response.done()``. ``request.hijack()`` gives the bare TCP transport to protocols that ASGI does not know (SPDY).
"""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import parse_qsl, unquote

import msgspec

from .errors import BadRequest

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

#: Larger bodies are refused with 413 by the real server; the limit of etcd requests there is 3 MB of JSON.
BODY_LIMIT = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class User:
    """Who is asking, after authentication and impersonation."""

    name: str
    groups: tuple[str, ...] = ()
    uid: str = ""
    extra: dict[str, list[str]] = field(default_factory=dict)


ANONYMOUS = User("system:anonymous", ("system:unauthenticated",))


class Response:
    """An answer: whole (``body``) or streamed (``chunks``, an async iterator of bytes)."""

    __slots__ = ("body", "chunks", "headers", "sent", "status")

    def __init__(
        self,
        body: bytes = b"",
        status: int = 200,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
        chunks: AsyncIterator[bytes] | None = None,
    ):
        self.body = body
        self.status = status
        self.headers = {**({"content-type": content_type} if content_type else {}), **(headers or {})}
        self.chunks = chunks
        self.sent = False

    @classmethod
    def json(cls, value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
        """``value`` as JSON."""
        return cls(msgspec.json.encode(value), status, headers=headers)

    @classmethod
    def done(cls) -> Response:
        """The handler has sent the response (WebSocket, hijacked transport): nothing more is sent."""
        response = cls()
        response.sent = True
        return response


class ByteProtocol(Protocol):
    """The protocol to which :meth:`Request.hijack` hands the connection."""

    def data_received(self, data: bytes) -> None: ...


class Request:
    """One request. ``params`` are the names of the matched path template, ``user`` is set before a handler runs."""

    __slots__ = ("_body", "_headers", "_query", "_receive", "_scope", "_send", "params", "path", "user", "warnings")

    def __init__(self, scope: Scope, receive: Receive, send: Send):
        self._scope = scope
        self._receive = receive
        self._send = send
        self._headers: dict[str, str] | None = None
        self._query: dict[str, list[str]] | None = None
        self._body: bytes | None = None
        self.path: str = scope["path"]
        self.params: dict[str, str] = {}
        self.user: User = ANONYMOUS
        self.warnings: list[str] = []

    @property
    def method(self) -> str:
        """GET, POST, …; a WebSocket handshake is a GET."""
        return str(self._scope.get("method", "GET"))

    @property
    def is_websocket(self) -> bool:
        return bool(self._scope["type"] == "websocket")

    @property
    def raw_path(self) -> str:
        """The path as sent, still percent-encoded (without the query)."""
        return bytes(self._scope.get("raw_path") or b"").decode("latin-1").partition("?")[0] or self.path

    @property
    def headers(self) -> dict[str, str]:
        """Lower-case names. A header sent several times is joined with commas."""
        if self._headers is None:
            headers: dict[str, str] = {}
            for raw, value in self._scope["headers"]:
                name, text = raw.decode("latin-1").lower(), value.decode("latin-1")
                headers[name] = f"{headers[name]},{text}" if name in headers else text
            self._headers = headers
        return self._headers

    def header_values(self, name: str) -> list[str]:
        """Every value of a header that may repeat (Impersonate-Group)."""
        wanted = name.lower().encode()
        return [value.decode("latin-1") for raw, value in self._scope["headers"] if raw.lower() == wanted]

    def headers_with_prefix(self, prefix: str) -> list[tuple[str, str]]:
        """(rest of the name, value) of each header that begins with ``prefix``."""
        wanted = prefix.lower()
        found = []
        for raw, value in self._scope["headers"]:
            name = raw.decode("latin-1").lower()
            if name.startswith(wanted):
                found.append((unquote(name[len(wanted) :]), value.decode("latin-1")))
        return found

    @property
    def query(self) -> dict[str, list[str]]:
        """Every value of each parameter."""
        if self._query is None:
            query: dict[str, list[str]] = {}
            for name, value in parse_qsl(
                self._scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True
            ):
                query.setdefault(name, []).append(value)
            self._query = query
        return self._query

    def arg(self, name: str, default: str = "") -> str:
        """The first value of a query parameter."""
        values = self.query.get(name)
        return values[0] if values else default

    def flag(self, name: str) -> bool:
        """A boolean query parameter, as the API server reads it: given, and not ``false`` or ``0``."""
        return name in self.query and self.arg(name).lower() not in ("false", "0")

    async def body(self) -> bytes:
        """The whole body (ungzipped); BadRequest above 8 MB."""
        if self._body is None:
            parts, size, more = [], 0, True
            while more:
                message = await self._receive()
                if message["type"] == "http.disconnect":
                    break
                chunk = message.get("body", b"")
                size += len(chunk)
                if size > BODY_LIMIT:
                    raise BadRequest(f"the request body is larger than {BODY_LIMIT} bytes: send a smaller object")
                parts.append(chunk)
                more = message.get("more_body", False)
            self._body = b"".join(parts)
            if self.headers.get("content-encoding") == "gzip":
                self._body = gzip.decompress(self._body)
        return self._body

    async def disconnected(self) -> None:
        """Returns when the client has gone. Only after :meth:`body` was read (or there is none)."""
        while (await self._receive())["type"] not in ("http.disconnect", "websocket.disconnect"):
            pass

    def websocket(self) -> WebSocket:
        """This request's WebSocket; call :meth:`WebSocket.accept` first."""
        return WebSocket(self._scope, self._receive, self._send)

    def hijack(self, protocol: asyncio.BaseProtocol) -> asyncio.Transport:
        """Takes the TCP connection away from HTTP: ``protocol`` gets the bytes from now on, the transport is returned.

        The caller writes the ``101 Switching Protocols`` itself and returns :meth:`Response.done`.
        """
        server = self._scope.get("sandbox.protocol")
        if server is None:
            raise BadRequest("this connection cannot be upgraded")
        transport: asyncio.Transport = server.release()
        transport.set_protocol(protocol)
        return transport


class Disconnected(Exception):
    """The peer closed its WebSocket."""


class WebSocket:
    """A server-side WebSocket."""

    __slots__ = ("_receive", "_scope", "_send", "subprotocol")

    def __init__(self, scope: Scope, receive: Receive, send: Send):
        self._scope = scope
        self._receive = receive
        self._send = send
        self.subprotocol = ""

    @property
    def subprotocols(self) -> list[str]:
        """The subprotocols that the client offers, best first."""
        return list(self._scope.get("subprotocols", []))

    async def accept(self, subprotocol: str = "") -> None:
        """Completes the handshake."""
        message = await self._receive()
        if message["type"] != "websocket.connect":
            raise Disconnected
        self.subprotocol = subprotocol
        await self._send({"type": "websocket.accept", "subprotocol": subprotocol or None})

    async def receive(self) -> bytes:
        """The next message as bytes; raises Disconnected at the end."""
        message = await self._receive()
        if message["type"] == "websocket.disconnect":
            raise Disconnected
        data = message.get("bytes")
        if data is None:
            return str(message.get("text") or "").encode()
        return bytes(data)

    async def send(self, data: bytes) -> None:
        """One binary message."""
        await self._send({"type": "websocket.send", "bytes": data})

    async def send_text(self, text: str) -> None:
        """One text message."""
        await self._send({"type": "websocket.send", "text": text})

    async def close(self, code: int = 1000, reason: str = "") -> None:
        """Ends the connection; harmless when it has ended already."""
        try:
            await self._send({"type": "websocket.close", "code": code, "reason": reason})
        except (RuntimeError, OSError):
            return


Handler = Callable[[Request], Awaitable[Response]]
