"""Open port-forwards of this web process: a listener on loopback each, one WebSocket through the API server for each connection.

They live as long as the process, like `kubectl port-forward` in a terminal. The Pod is looked up anew for each connection, so a
Service's forward survives its Pod. Only 127.0.0.1 is ever bound.
"""

import asyncio
import contextlib
import itertools
import socket
import threading
import time
from dataclasses import dataclass, field

from console.web import loop
from kube.channels import port_forward, relay
from kube.client import ClusterClient
from kube.errors import BadRequest, KubeError, TooManyRequests
from kube.transport import AsyncTransport
from resources.forward.targets import Target, pod_and_port

HOST = "127.0.0.1"
LIMIT = 50
# Below are ports of the system, which an ordinary user may not bind.
LOWEST = 1024


@dataclass(slots=True)
class Tunnel:
    """`remote`: the port of the target; `local`: of this machine. `error`: what the last failed connection met."""

    id: int
    client: ClusterClient
    target: Target
    remote: int
    local: int
    opened: float
    secure: bool = False
    connections: int = 0
    active: int = 0
    sent: int = 0
    received: int = 0
    error: str = ""
    server: asyncio.Server | None = None
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def address(self) -> str:
        return f"localhost:{self.local}"

    @property
    def url(self) -> str:
        return f"{'https' if self.secure else 'http'}://{self.address}/"

    def count(self, sent: int, received: int) -> None:
        self.sent += sent
        self.received += received


_numbers = itertools.count(1)
_open: dict[int, Tunnel] = {}
_lock = threading.Lock()


def tunnels(client: ClusterClient, target: Target | None = None) -> tuple[Tunnel, ...]:
    """This user's open ones, to `target` or to all."""
    with _lock:
        found = tuple(_open.values())
    return tuple(
        tunnel
        for tunnel in found
        if (tunnel.client.host, tunnel.client.user) == (client.host, client.user)
        and (target is None or tunnel.target == target)
    )


def open_tunnel(client: ClusterClient, target: Target, remote: int, local: int = 0, *, secure: bool = False) -> Tunnel:
    """Listen on `local` (0: the same number where that is free, else any). Raises BadRequest when that port is taken or the Pod is not there."""
    if len(tunnels(client)) >= LIMIT:
        raise TooManyRequests(f"{LIMIT} port-forwards are open already; stop one of them first")
    # Asked now, so that a wrong name or a missing right is said at once and not at the first connection.
    pod_and_port(client, target, remote)
    listener = _listen(remote, local)
    tunnel = Tunnel(next(_numbers), client, target, remote, int(listener.getsockname()[1]), time.time(), secure=secure)
    loop.run_on_loop(_serve(tunnel, listener))
    with _lock:
        _open[tunnel.id] = tunnel
    return tunnel


def close_tunnel(client: ClusterClient, number: int) -> bool:
    """Stop one of this user's. False when there is none with that number."""
    if number not in {tunnel.id for tunnel in tunnels(client)}:
        return False
    with _lock:
        tunnel = _open.pop(number, None)
    if tunnel is not None:
        loop.run_on_loop(_stop(tunnel))
    return tunnel is not None


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
                    f"port {local} of this machine can't be used: {error.strerror or error}. Choose another, or leave it empty"
                ) from error
            continue
        return listener
    raise BadRequest("no port of this machine is free")


async def _serve(tunnel: Tunnel, listener: socket.socket) -> None:
    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tunnel.tasks.add(task)
        try:
            await _carry(tunnel, reader, writer)
        finally:
            tunnel.tasks.discard(task)

    tunnel.server = await asyncio.start_server(connected, sock=listener)


async def _carry(tunnel: Tunnel, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    tunnel.connections += 1
    tunnel.active += 1
    try:
        pod, port = await asyncio.to_thread(pod_and_port, tunnel.client, tunnel.target, tunnel.remote)
        async with (
            AsyncTransport(tunnel.client.config) as transport,
            port_forward(transport, pod, tunnel.target.namespace, port) as channel,
        ):
            await relay(reader, writer, channel, tunnel.count)
        tunnel.error = ""
    except KubeError as error:
        tunnel.error = str(error)
    finally:
        tunnel.active -= 1
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def _stop(tunnel: Tunnel) -> None:
    if tunnel.server is not None:
        tunnel.server.close()
    for task in tuple(tunnel.tasks):
        task.cancel()
    await asyncio.gather(*tunnel.tasks, return_exceptions=True)
