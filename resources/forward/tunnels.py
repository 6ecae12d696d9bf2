"""Open port-forwards of this web process: one WebSocket through the API server for each connection.

They live as long as the process, like `kubectl port-forward` in a terminal, or as long as the session of the user who
opened them. Each connection looks the Pod up again and waits until there is one, so a forward survives its Pods.

A port of 127.0.0.1 is bound only on a console that only this machine reaches. On any other, no port is open, since
every program of the server could connect: the console's own pages lead there (resources/views/forward.py), by an
address that only its owner knows.

The Host of HTTP requests to a port of this machine is checked. A page of another site can lead its own name to
127.0.0.1 (DNS rebinding) and read what a forwarded port answers. Only the first request of a connection is checked: a
browser uses a connection for one name. TLS needs no check, for the Pod's certificate is of another name.
"""

import asyncio
import contextlib
import itertools
import re
import secrets
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from django.conf import settings
from django.http.request import split_domain_port, validate_host

from console.signin import clients, impersonation
from console.web import loop
from console.web.access import pod_permission, until_lost
from kube import limits
from kube.channels import ByteReader, port_forward, relay
from kube.client import ClusterClient
from kube.errors import BadRequest, Forbidden, KubeError, NotFound, TooManyRequests
from kube.transport import AsyncTransport
from resources.forward.targets import ForwardTarget, pod_and_port

HOST = "127.0.0.1"
# A connection waits for so long while its Pod is replaced.
_PATIENCE_SECONDS = 20.0
_AGAIN_SECONDS = 0.5
# Of the stream between this machine's program and us; the usual 64 KiB makes four times as many messages.
_BUFFER = 256 * 1024
# Binding a lower port takes CAP_NET_BIND_SERVICE.
LOWEST = 1024

_METHODS = (b"GET ", b"HEAD ", b"POST ", b"PUT ", b"PATCH ", b"DELETE ", b"OPTIONS ", b"TRACE ", b"CONNECT ")
# A page can send any method (RFC 9110, 9.1), and an address that is longer than every limit.
_METHOD = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}"
_REQUEST_LINE = re.compile(_METHOD + rb" \S+ HTTP/1\.[01]\r?\n")
_UNFINISHED_LINE = re.compile(_METHOD + rb" [/*Hh]\S*(?: [HTP/1.0]*\r?)?")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_HOST_HEADER = re.compile(rb"\n[Hh][Oo][Ss][Tt][ \t]*:[ \t]*([^\r\n]*)")
_LOOPBACK_NAMES = ["localhost", ".localhost", "127.0.0.1", "[::1]"]
_REFUSAL_TEXT = b"This forwarded port can be reached as localhost only.\n"
HOST_REFUSAL = (
    b"HTTP/1.1 421 Misdirected Request\r\ncontent-type: text/plain; charset=utf-8\r\n"
    b"content-length: %d\r\nconnection: close\r\n\r\n%s" % (len(_REFUSAL_TEXT), _REFUSAL_TEXT)
)


@dataclass(slots=True, kw_only=True)
class Tunnel:
    """`remote`: the port of the target; `local`: of this machine, 0 where nothing listens.

    `error`: what the last failed connection met.
    """

    id: int
    client: ClusterClient
    target: ForwardTarget
    remote: int
    local: int
    opened: float
    secure: bool = False
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    connections: int = 0
    active: int = 0
    sent: int = 0
    received: int = 0
    error: str = ""
    server: asyncio.Server | None = None
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    forget: Callable[[], None] = field(default=lambda: None)

    @property
    def address(self) -> str:
        return f"localhost:{self.local}"

    @property
    def url(self) -> str:
        return f"{'https' if self.secure else 'http'}://{self.address}/"

    @property
    def proxied_url(self) -> str:
        """The same as a page of the console."""
        return f"/forwarded/{self.token}/"

    @property
    def since(self) -> str:
        return datetime.fromtimestamp(self.opened, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def count(self, sent: int, received: int) -> None:
        self.sent += sent
        self.received += received
        if received:
            self.error = ""


# Not from 1: each web process numbers its own tunnels, and "stop 1" must not end another user's tunnel there.
_numbers = itertools.count(secrets.randbelow(2**40))
_open: dict[int, Tunnel] = {}
_lock = threading.Lock()


def tunnels(client: ClusterClient, target: ForwardTarget | None = None) -> tuple[Tunnel, ...]:
    """This user's open ones, to `target` or to all."""
    with _lock:
        found = tuple(_open.values())
    return tuple(
        tunnel
        for tunnel in found
        if (tunnel.client.host, tunnel.client.who) == (client.host, client.who)
        and (target is None or tunnel.target == target)
    )


def by_token(token: str) -> Tunnel | None:
    """The one whose pages have this address."""
    with _lock:
        return next((tunnel for tunnel in _open.values() if secrets.compare_digest(tunnel.token, token)), None)


def open_tunnel(
    client: ClusterClient,
    target: ForwardTarget,
    remote: int,
    local: int = 0,
    *,
    secure: bool = False,
    listen: bool = True,
) -> Tunnel:
    """Listen on `local` (0: the same number where that is free, else any), or nowhere: then connect() leads there.

    Raises BadRequest when that port is taken or the Pod is not there.
    """
    limit = limits.PORT_FORWARDS.value
    if len(tunnels(client)) >= limit:
        raise TooManyRequests(f"{limit} port-forwards are open already; stop one of them first")
    # Looked up now, so that a wrong name or a missing permission fails here and not at the first connection.
    pod_and_port(client, target, remote)
    listener = _listen(remote, local) if listen else None
    port = int(listener.getsockname()[1]) if listener else 0
    tunnel = Tunnel(
        id=next(_numbers), client=client, target=target, remote=remote, local=port, opened=time.time(), secure=secure
    )
    if listener is not None:
        loop.run_on_loop(_serve(tunnel, listener))
    loop.submit(_end_without_permission(tunnel))
    with _lock:
        _open[tunnel.id] = tunnel
    # Its own process notices, whichever one the session ended in.
    tunnel.forget = clients.when_over(client.config.session, lambda: _close(tunnel.id))
    return tunnel


async def _end_without_permission(tunnel: Tunnel) -> None:
    """The API server judges each connection at its beginning only."""
    task = asyncio.current_task()
    assert task is not None
    tunnel.tasks.add(task)
    target = tunnel.target
    try:
        await until_lost(pod_permission(tunnel.client, "portforward", target.namespace, _pod_name(target)))
    finally:
        tunnel.tasks.discard(task)
    with _lock:
        _open.pop(tunnel.id, None)
    tunnel.forget()
    await _stop(tunnel)


def _pod_name(target: ForwardTarget) -> str:
    return target.name if target.kind == "Pod" else ""


def close_tunnel(client: ClusterClient, number: int) -> bool:
    """Stop one of this user's. False when there is none with that number."""
    if number not in {tunnel.id for tunnel in tunnels(client)}:
        return False
    return _close(number)


def _close(number: int) -> bool:
    with _lock:
        tunnel = _open.pop(number, None)
    if tunnel is not None:
        tunnel.forget()
        loop.run_on_loop(_stop(tunnel))
    return tunnel is not None


def owned(tunnel: Tunnel) -> bool:
    """Whether who opened it is still signed in. Asks the database."""
    session = tunnel.client.config.session
    return not session or impersonation.lives(session)


async def close_all() -> None:
    with _lock:
        found = tuple(_open.values())
        _open.clear()
    await asyncio.gather(*(_stop(tunnel) for tunnel in found), return_exceptions=True)


loop.at_end(close_all)


def _listen(remote: int, local: int) -> socket.socket:
    for port in (local,) if local else (remote if remote >= LOWEST else 0, 0):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, port))
        except OSError as error:
            listener.close()
            if local:
                raise BadRequest(
                    f"port {local} of this machine can't be used: {error.strerror or error}. Choose another, or leave"
                    " it empty"
                ) from error
            continue
        return listener
    raise BadRequest("no port of this machine is free")


async def connect(tunnel: Tunnel) -> socket.socket:
    """A connection of the console's own to the Pod's port: no other program can make one.

    On the server's event loop.
    """
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    reader, writer = await asyncio.open_connection(sock=theirs, limit=_BUFFER)
    task = asyncio.create_task(_tracked(tunnel, reader, writer))
    tunnel.tasks.add(task)
    return ours


async def _serve(tunnel: Tunnel, listener: socket.socket) -> None:
    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tunnel.tasks.add(task)
        await _tracked(tunnel, HostCheckedReader(reader, writer), writer)

    tunnel.server = await asyncio.start_server(connected, sock=listener, limit=_BUFFER)


async def _tracked(tunnel: Tunnel, reader: ByteReader, writer: asyncio.StreamWriter) -> None:
    """Carries one connection in a task of its own, which is in `tunnel.tasks` until it ends."""
    try:
        # asyncio's streams complain of a connection that was cancelled; here that is how one ends.
        with contextlib.suppress(asyncio.CancelledError):
            await _carry(tunnel, reader, writer)
    finally:
        task = asyncio.current_task()
        if task is not None:
            tunnel.tasks.discard(task)


async def _carry(tunnel: Tunnel, reader: ByteReader, writer: asyncio.StreamWriter) -> None:
    tunnel.connections += 1
    tunnel.active += 1
    try:
        pod, port = await _pod(tunnel)
        async with (
            AsyncTransport(tunnel.client.config) as transport,
            port_forward(transport, pod, tunnel.target.namespace, port) as channel,
        ):
            await relay(reader, writer, channel, tunnel.count)
        tunnel.error = ""
    except KubeError as error:
        tunnel.error = words(error, tunnel.remote)
    finally:
        tunnel.active -= 1
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def _pod(tunnel: Tunnel) -> tuple[str, int]:
    """The Pod that answers now. Between two Pods there is none for a while."""
    end = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            return await asyncio.to_thread(pod_and_port, tunnel.client, tunnel.target, tunnel.remote)
        except (BadRequest, NotFound) as error:
            tunnel.error = str(error)
            if time.monotonic() > end:
                raise
        await asyncio.sleep(_AGAIN_SECONDS)


def words(error: KubeError, port: int) -> str:
    """Why a connection failed. What a kubelet says when nothing listens is for those who know its inside."""
    text = str(error)
    if "connection refused" in text.lower():
        return (
            f"Nothing listens on port {port} of the Pod: the program in it may use another port, or not be ready yet."
            f" ({text})"
        )
    if isinstance(error, Forbidden):
        return (
            f'You don\'t have permission to forward ports: that needs the verb "create" on pods/portforward. ({text})'
        )
    return text


async def _stop(tunnel: Tunnel) -> None:
    if tunnel.server is not None:
        tunnel.server.close()
    for task in tuple(tunnel.tasks):
        task.cancel()
    await asyncio.gather(*tunnel.tasks, return_exceptions=True)


class HostCheckedReader:
    """Reads as `reader` does; HOST_REFUSAL answers a request for another host than this machine, and ends it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._checked = False

    async def read(self, n: int = -1, /) -> bytes:
        if self._checked:
            return await self._reader.read(n)
        head = await self._reader.read(n)
        while head and not is_complete_head(head):
            piece = await self._reader.read(n)
            if not piece:
                break
            head += piece
        self._checked = True
        if is_allowed_host(head):
            return head
        self._writer.write(HOST_REFUSAL)
        self._writer.close()
        return b""


def is_complete_head(head: bytes) -> bool:
    """Whether the first bytes of a connection are enough to be judged: the head of a request, or no HTTP at all."""
    if b"\n" not in head:
        is_begun = any(method.startswith(head) for method in _METHODS) or _UNFINISHED_LINE.fullmatch(head)
        return not is_begun or len(head) > limits.REQUEST_HEADER_BYTES.value
    return (
        not _REQUEST_LINE.match(head) or bool(_HEAD_END.search(head)) or len(head) > limits.REQUEST_HEADER_BYTES.value
    )


def is_allowed_host(head: bytes) -> bool:
    """Whether every Host of the request is this machine's. What isn't HTTP is allowed."""
    if not _REQUEST_LINE.match(head):
        return not _UNFINISHED_LINE.fullmatch(head)
    end = _HEAD_END.search(head)
    if end is None:
        return False
    hosts = [value.decode("latin-1").strip() for value in _HOST_HEADER.findall(head[: end.start()])]
    allowed = [*_LOOPBACK_NAMES, *settings.ALLOWED_HOSTS]
    return all(validate_host(split_domain_port(host)[0], allowed) for host in hosts)
