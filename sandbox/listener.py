"""One port on 127.0.0.1 that speaks TLS and plain HTTP: the first byte of a connection tells which.

kubectl sends tokens over TLS only; programs that the sandbox starts save themselves the certificate. HTTP/1.1 and
WebSocket are uvicorn's protocols, without its server: nothing ticks while nothing happens.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from typing import Any, cast

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from .asgi import AsgiApplication

log = logging.getLogger("sandbox")

#: First byte of a TLS ClientHello.
_HANDSHAKE = b"\x16"
#: A connection that says nothing for so long is closed.
_SILENCE = 30.0
_CLOSING = 2.0


class Protocol(HttpToolsProtocol):
    """uvicorn's HTTP protocol, which can give its connection away (SPDY)."""

    def on_message_begin(self) -> None:
        super().on_message_begin()
        cast(dict[str, Any], self.scope)["sandbox.protocol"] = self

    def handle_websocket_upgrade(self) -> None:
        """kubectl names a subprotocol with a slash, which no parser of that header lets through: it comes as a dash."""
        self.scope["headers"] = [
            (name, value.replace(b"SPDY/3.1+", b"SPDY-3.1+") if name == b"sec-websocket-protocol" else value)
            for name, value in self.scope["headers"]
        ]
        super().handle_websocket_upgrade()

    def _unsupported_upgrade_warning(self) -> None:
        """No warning: the handler decides about an upgrade that isn't a WebSocket."""

    def release(self) -> asyncio.Transport:
        """Detaches HTTP from the connection: the caller owns the transport."""
        self.connections.discard(self)
        self._unset_keepalive_if_required()
        self.cycle.disconnected = True
        self.cycle.message_event.set()
        transport: asyncio.Transport = self.transport
        return transport


def _worth_saying(record: logging.LogRecord) -> bool:
    """uvicorn calls a WebSocket that was refused with a status and a body an error."""
    return record.levelno >= logging.WARNING and "without completing handshake" not in record.getMessage()


def listen(port: int) -> socket.socket:
    """A socket on 127.0.0.1; ``port`` 0 is any free one. OSError when the port is taken."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen(512)
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener


class Listener:
    """Accepts connections for an application until it is closed; those without TLS only when ``plain``."""

    def __init__(
        self, application: AsgiApplication, listener: socket.socket, tls: ssl.SSLContext, *, plain: bool = True
    ):
        self._application = application
        self._listener = listener
        self._tls = tls
        self._plain = plain
        self._config = uvicorn.Config(
            application,
            http=Protocol,
            ws="websockets-sansio",
            ws_per_message_deflate=False,
            lifespan="off",
            log_config=None,
            access_log=False,
            timeout_keep_alive=90,
        )
        self._config.load()
        logging.getLogger("uvicorn.error").addFilter(_worth_saying)
        self._state = ServerState()
        self._opening: set[asyncio.Task[None]] = set()

    def _protocol(self) -> asyncio.BaseProtocol:
        return Protocol(self._config, self._state, {})

    async def run(self) -> None:
        """Accepts connections until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, _ = await loop.sock_accept(self._listener)
            except OSError as problem:
                log.warning("a connection could not be accepted: %s", problem)
                await asyncio.sleep(0.1)
                continue
            task = loop.create_task(self._open(connection))
            self._opening.add(task)
            task.add_done_callback(self._opening.discard)

    async def _open(self, connection: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        try:
            connection.setblocking(False)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            async with asyncio.timeout(_SILENCE):
                first = await _peek(connection)
            tls = self._tls if first == _HANDSHAKE or not self._plain else None
            await loop.connect_accepted_socket(self._protocol, connection, ssl=tls)
        except (OSError, TimeoutError, ssl.SSLError):
            connection.close()
        except asyncio.CancelledError:
            connection.close()
            raise

    async def close(self) -> None:
        """No new connections; the open ones may finish what they do, for two seconds."""
        self._listener.close()
        for task in list(self._opening):
            task.cancel()
        self._application.stop()
        for connection in list(self._state.connections):
            connection.shutdown()
        try:
            async with asyncio.timeout(_CLOSING):
                while self._state.tasks:
                    await asyncio.wait(list(self._state.tasks))
        except TimeoutError:
            for task in list(self._state.tasks):
                task.cancel()
        for connection in list(self._state.connections):
            if connection.transport is not None:
                connection.transport.close()


async def _peek(connection: socket.socket) -> bytes:
    """The first byte, left where it is; empty when the peer went away."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()

    def readable() -> None:
        if not ready.done():
            ready.set_result(None)

    number = connection.fileno()
    loop.add_reader(number, readable)
    try:
        await ready
    finally:
        loop.remove_reader(number)
    return connection.recv(1, socket.MSG_PEEK)
