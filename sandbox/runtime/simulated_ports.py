"""The server at the ports of simulated containers: a small page that says so, over HTTP and HTTPS."""

from __future__ import annotations

import asyncio
import html
import socket
from pathlib import Path

from .. import certificate

_WAIT_SECONDS = 60.0
_HANDSHAKE = b"\x16"
_METHODS = (b"GET ", b"HEAD", b"POST", b"PUT ", b"PATC", b"DELE", b"OPTI")
_PLAIN = b"This port is simulated by the embedded cluster.\r\n"


def page(pod: str, port: int) -> bytes:
    """The page."""
    name = html.escape(pod)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport"'
        f' content="width=device-width"><title>{name} (simulated)</title><body><main><h1>Simulated by the embedded'
        f" cluster</h1><p>You have reached port {port} of the Pod <strong>{name}</strong>. The embedded cluster has no"
        " containers: it shows this page where the program of the Pod's image would answer.</p><p>Run the console"
        " against a real cluster (<code>make run KUBECONFIG=…</code>) to reach the program"
        " itself.</p></main></body></html>\n"
    ).encode()


async def connect(data_dir: Path, pod: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Both ends of a connection to the page."""
    ours, theirs = socket.socketpair()
    task = asyncio.get_running_loop().create_task(_serve(theirs, data_dir, pod, port))
    _serving.add(task)
    task.add_done_callback(_serving.discard)
    return await asyncio.open_connection(sock=ours)


_serving: set[asyncio.Task[None]] = set()


async def _serve(peer: socket.socket, data_dir: Path, pod: str, port: int) -> None:
    try:
        async with asyncio.timeout(_WAIT_SECONDS):
            reader, writer = await _open(peer, data_dir)
            try:
                await _answer(reader, writer, pod, port)
            finally:
                writer.close()
    except (OSError, TimeoutError, asyncio.IncompleteReadError):
        peer.close()


async def _open(peer: socket.socket, data_dir: Path) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """With TLS when the client begins so."""
    loop = asyncio.get_running_loop()
    peer.setblocking(False)
    ready: asyncio.Future[None] = loop.create_future()

    def readable() -> None:
        if not ready.done():
            ready.set_result(None)

    loop.add_reader(peer, readable)
    try:
        await ready
    finally:
        loop.remove_reader(peer)
    context = certificate.context(data_dir)[0] if peer.recv(1, socket.MSG_PEEK) == _HANDSHAKE else None
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    transport, _ = await loop.connect_accepted_socket(lambda: protocol, peer, ssl=context)
    return reader, asyncio.StreamWriter(transport, protocol, reader, loop)


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, pod: str, port: int) -> None:
    """One request for each connection; what isn't HTTP is answered with a sentence."""
    first = await reader.read(4096)
    if not first:
        return
    if not first.startswith(_METHODS):
        writer.write(_PLAIN)
        await writer.drain()
        return
    while b"\r\n\r\n" not in first and len(first) < 65536:
        more = await reader.read(4096)
        if not more:
            return
        first += more
    body = page(pod, port)
    writer.write(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nCache-Control: no-store\r\nConnection: close\r\n"
        + f"Content-Length: {len(body)}\r\n\r\n".encode()
        + (b"" if first.startswith(b"HEAD") else body)
    )
    await writer.drain()
