"""Answers at port 8081 of the operator: /healthz and /readyz, where the real operator has them, for the probes; /metrics for Prometheus."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

_PORT = 8081
_HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {}\r\nConnection: close\r\n\r\n"
_SECONDS = 5.0


async def serve(metrics: Callable[[], str]) -> asyncio.Server:
    """Listens where the embedded cluster says, else on every address of the Pod."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _answer(reader, writer, metrics)

    port = os.environ.get(f"SANDBOX_PORT_{_PORT}")
    host, number = ("127.0.0.1", int(port)) if port else (None, _PORT)
    return await asyncio.start_server(answer, host, number)


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, metrics: Callable[[], str]) -> None:
    try:
        async with asyncio.timeout(_SECONDS):
            asked = await reader.readuntil(b"\r\n\r\n")
            body = (metrics() if asked.startswith(b"GET /metrics ") else "ok").encode()
            writer.write(_HEAD.format(len(body)).encode() + body)
            await writer.drain()
    except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        pass  # whoever asked has gone, or did not speak HTTP
    finally:
        writer.close()
