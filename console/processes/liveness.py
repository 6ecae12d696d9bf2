"""Whether a running program answers: a web server at /healthz, Redis to PING, a worker by the age of the file that
it touches.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import urlsplit

Check = Callable[[], Awaitable[bool]]

#: A program that answers later than this hangs.
ANSWER_SECONDS = 15.0
#: A worker touches its file every five seconds; deploy/probe.py has the same limit.
FILE_AGE_SECONDS = 60.0


def http_check(port: int, path: str = "/healthz") -> Check:
    """Any answer to a GET at 127.0.0.1 counts: what it says is for others to judge."""
    request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
    return lambda: _answers(lambda: asyncio.open_connection("127.0.0.1", port), request, b"HTTP/1.")


def kubeconfig_check(path: Path) -> Check:
    """The API server that a kubeconfig with one cluster names. It speaks plain HTTP on its port, too."""

    async def check() -> bool:
        try:
            text = path.read_text()
        except OSError:
            return False
        server = next((line.partition("server:")[2].strip() for line in text.splitlines() if "server:" in line), "")
        port = urlsplit(server).port
        return port is not None and await http_check(port, "/livez")()

    return check


def redis_check(at: Path | int) -> Check:
    """At a unix socket, or a port of 127.0.0.1."""
    if isinstance(at, int):
        return lambda: _answers(lambda: asyncio.open_connection("127.0.0.1", at), b"PING\r\n", b"")
    return lambda: _answers(lambda: asyncio.open_unix_connection(str(at)), b"PING\r\n", b"")


def file_check(path: Path) -> Check:
    async def check() -> bool:
        try:
            return time.time() - path.stat().st_mtime < FILE_AGE_SECONDS
        except OSError:
            return False

    return check


def worker_check(file: Path, redis_url: str) -> Check:
    """By its file, which it can't touch while it waits for Redis: then, and for as long after that as it may take to
    connect, it lives.
    """
    fresh, redis = file_check(file), _url_check(redis_url)
    redis_was_silent = float("-inf")

    async def check() -> bool:
        nonlocal redis_was_silent
        if not await redis():
            redis_was_silent = time.monotonic()
        return await fresh() or time.monotonic() - redis_was_silent < FILE_AGE_SECONDS

    return check


def _url_check(redis_url: str) -> Check:
    parts = urlsplit(redis_url)
    if parts.scheme == "unix":
        return redis_check(Path(parts.path))
    host, port = parts.hostname or "127.0.0.1", parts.port or 6379
    return lambda: _answers(lambda: asyncio.open_connection(host, port), b"PING\r\n", b"")


Opened = Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]


async def _answers(connect: Callable[[], Opened], request: bytes, beginning: bytes) -> bool:
    writer: asyncio.StreamWriter | None = None
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            reader, writer = await connect()
            writer.write(request)
            line = await reader.readline()
            return bool(line) and line.startswith(beginning)
    except (OSError, TimeoutError, ValueError):
        return False
    finally:
        if writer is not None:
            with contextlib.suppress(OSError):
                writer.close()
