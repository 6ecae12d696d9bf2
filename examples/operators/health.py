"""Answers to the kubelet's probes, and /metrics for Prometheus where an operator has some.

/healthz and /readyz answer 503, with the reason, once the API server has refused the operator for a minute: the restart
reads everything again, and until then the reason is visible.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

from examples.operators.access import process_access

PORT = 8080
_HEAD = "HTTP/1.1 {}\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {}\r\nConnection: close\r\n\r\n"
_SECONDS = 5.0


async def serve(
    port: int = PORT,
    *,
    metrics: Callable[[], str] | None = None,
    problem: Callable[[], str] = lambda: process_access().authorization.problem,
) -> asyncio.Server:
    """Listens where the embedded cluster says, else on every address of the Pod, IPv4's and IPv6's."""

    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _respond(reader, writer, metrics, problem)

    chosen = os.environ.get(f"SANDBOX_PORT_{port}")
    # No host: a socket for each family that the machine has. "::" alone would refuse IPv4.
    host, number = ("127.0.0.1", int(chosen)) if chosen else (None, port)
    return await asyncio.start_server(respond, host, number)


async def _respond(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    metrics: Callable[[], str] | None,
    problem: Callable[[], str],
) -> None:
    try:
        async with asyncio.timeout(_SECONDS):
            request = await reader.readuntil(b"\r\n\r\n")
            if metrics is not None and request.startswith(b"GET /metrics "):
                status, text = "200 OK", metrics()
            else:
                text = problem()
                status, text = ("503 Service Unavailable", text) if text else ("200 OK", "ok")
            body = text.encode()
            writer.write(_HEAD.format(status, len(body)).encode() + body)
            await writer.drain()
    except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        pass  # the client has gone, or didn't speak HTTP
    finally:
        writer.close()
