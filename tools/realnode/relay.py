"""Brings connections to loopback ports of this machine to the same ports inside a node's network, or to an address
there.

    python -m tools.realnode.relay PID PORT[=ADDRESS:PORT]…

Listens first, then joins the network namespace of PID: a socket stays in the network in which it was made.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import socket
import sys

_CLONE_NEWNET = 0x40000000
_CHUNK_BYTES = 64 * 1024


def _join_network(pid: str) -> None:
    """os.setns exists from Python 3.12 on."""
    namespace = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY)
    try:
        if ctypes.CDLL(None, use_errno=True).setns(namespace, _CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), f"setns to the network of {pid}")
    finally:
        os.close(namespace)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(_CHUNK_BYTES):
            writer.write(data)
            await writer.drain()
    with contextlib.suppress(OSError):
        if writer.can_write_eof():
            writer.write_eof()


async def _serve(listening: socket.socket, address: str, port: int) -> None:
    open_connections: set[asyncio.Task[None] | None] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # asyncio refers weakly to what waits for the other end of a connection that one end has closed.
        open_connections.add(asyncio.current_task())
        with contextlib.suppress(OSError), contextlib.closing(writer):
            inner_reader, inner_writer = await asyncio.open_connection(address, port)
            with contextlib.closing(inner_writer):
                await asyncio.gather(_copy(reader, inner_writer), _copy(inner_reader, writer))
        open_connections.discard(asyncio.current_task())

    server = await asyncio.start_server(serve, sock=listening)
    await server.serve_forever()


async def _serve_all(served: list[tuple[socket.socket, str, int]]) -> None:
    await asyncio.gather(*(_serve(*each) for each in served))


def main(pid: str, *ports: str) -> None:
    """Serves until it is ended."""
    served = []
    for given in ports:
        port, _, target = given.partition("=")
        address, _, inner = (target or f"127.0.0.1:{port}").rpartition(":")
        served.append((socket.create_server(("127.0.0.1", int(port))), address, int(inner)))
    _join_network(pid)
    asyncio.run(_serve_all(served))


if __name__ == "__main__":
    main(*sys.argv[1:])
