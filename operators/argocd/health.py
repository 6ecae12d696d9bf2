"""Answers the probes of the operator's Deployment: /healthz and /readyz at port 8081, where the real operator has them."""

from __future__ import annotations

import asyncio
import os

_PORT = 8081
_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
_SECONDS = 5.0


async def serve() -> asyncio.Server:
    """Listens where the embedded cluster says, else on every address of the Pod."""
    port = os.environ.get(f"SANDBOX_PORT_{_PORT}")
    host, number = ("127.0.0.1", int(port)) if port else (None, _PORT)
    return await asyncio.start_server(_answer, host, number)


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        async with asyncio.timeout(_SECONDS):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(_ANSWER)
            await writer.drain()
    except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        pass  # whoever asked has gone, or did not speak HTTP
    finally:
        writer.close()
