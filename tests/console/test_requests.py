"""Untrusted requests: headers, bodies, silent connections.

Beyond each limit they are refused, while other clients are served.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
import uvicorn
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from console.asgi import Console
from console.web import request_body
from console.web.asgi import Receive, Scope, Send
from console.web.http_protocol import BoundedProtocol
from console.web.request_body import BodyFirst
from kube import limits
from tests.eventually import reached

pytestmark = pytest.mark.django_db(transaction=True)


def set_limit(monkeypatch: pytest.MonkeyPatch, name: str, value: float) -> None:
    monkeypatch.setattr(limits, name, replace(getattr(limits, name), value=value))


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers how many bytes arrived; "/large" and "/one-piece" answer more than any socket's buffers hold.

    A WebSocket is answered how many bytes each message had.
    """
    size, more = 0, True
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            await send({"type": "websocket.send", "text": str(len(message["bytes"]))})
        return
    while more:
        message = await receive()
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for _piece in range(64 if scope["path"] == "/large" else 0):
        await send({"type": "http.response.body", "body": bytes(2**20), "more_body": True})
    if scope["path"] == "/one-piece":
        await send({"type": "http.response.body", "body": bytes(48 * 2**20), "more_body": True})
    await send({"type": "http.response.body", "body": str(size).encode()})


@pytest.fixture
async def port() -> AsyncIterator[int]:
    config = uvicorn.Config(BodyFirst(echo), http=BoundedProtocol, port=0, lifespan="off", log_level="error")
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    await reached(lambda: server.started)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = server.force_exit = True
    async with asyncio.timeout(20):
        await task


@asynccontextmanager
async def connection(port: int) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**14)
    async with asyncio.timeout(20):
        yield reader, writer
    writer.close()


async def status_of(reader: asyncio.StreamReader) -> int:
    return int((await reader.readuntil(b"\r\n")).split()[1])


async def answer_of(port: int, request: bytes) -> int:
    async with connection(port) as (reader, writer):
        writer.write(request)
        return await status_of(reader)


def post(length: int, kind: str = "text/plain") -> bytes:
    return f"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n".encode()


@pytest.mark.parametrize("shape", ["one long header", "many headers", "a long address", "one that never ends"])
async def test_s10_headers_over_the_limit_are_answered_431(
    port: int, monkeypatch: pytest.MonkeyPatch, shape: str
) -> None:
    set_limit(monkeypatch, "REQUEST_HEADER_BYTES", 8 * 1024)
    head = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
    text = {
        "one long header": head + b"X-Long: " + b"a" * 9000 + b"\r\n\r\n",
        "many headers": head + b"X-Many: a\r\n" * 1000 + b"\r\n",
        "a long address": b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "one that never ends": head + b"X-Long: " + b"a" * 9000,
    }[shape]
    assert await answer_of(port, text) == 431
    assert await answer_of(port, head + b"X-Long: " + b"a" * 7000 + b"\r\n\r\n") == 200


async def test_s10_the_second_request_of_a_connection_is_bounded_too(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_limit(monkeypatch, "REQUEST_HEADER_BYTES", 8 * 1024)
    async with connection(port) as (reader, writer):
        writer.write(post(20_000) + b"b" * 20_000)
        assert await status_of(reader) == 200
        await reader.readuntil(b"\r\n0\r\n\r\n")
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"a" * 9000)
        assert await status_of(reader) == 431


async def test_s3_headers_have_a_deadline(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, "REQUEST_HEADER_SECONDS", 0.2)
    assert await answer_of(port, b"GET / HTTP/1.1\r\nHost: loc") == 408
    async with connection(port) as (reader, _writer):
        assert await reader.read() == b"", "a connection without a request is closed"
    async with connection(port) as (reader, writer):
        # The deadline is for headers: a slow body has its own.
        writer.write(post(4) + b"ab")
        await asyncio.sleep(0.4)
        writer.write(b"cd")
        assert await status_of(reader) == 200


async def test_s3_a_body_has_a_deadline(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, "REQUEST_BODY_SECONDS", 0.2)
    async with connection(port) as (reader, writer):
        writer.write(post(100) + b"half")
        assert await status_of(reader) == 408
        assert b"connection: close" in (await reader.read()).lower()


async def test_s3_a_body_over_the_limit_is_answered_413(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, "REQUEST_BODY_BYTES", 100_000)
    set_limit(monkeypatch, "REQUEST_UPLOAD_BYTES", 200_000)
    assert await answer_of(port, post(100_001)) == 413, "by its Content-Length, before it is sent"
    assert await answer_of(port, post(100_000) + b"b" * 100_000) == 200
    assert await answer_of(port, post(200_001, "multipart/form-data; boundary=b")) == 413
    assert await answer_of(port, post(150_000, "multipart/form-data; boundary=b") + b"b" * 150_000) == 200
    chunked = b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert await answer_of(port, chunked + b"%x\r\n" % 100_001 + b"b" * 100_001) == 413


async def test_s3_bodies_of_all_requests_share_one_limit(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, "REQUEST_BODIES_BYTES", 150_000)
    large = request_body.IN_MEMORY_BYTES + 100_000
    async with connection(port) as (first, writer):
        writer.write(post(large) + b"b" * (large - 1))
        await writer.drain()
        # Until the first one's bytes are counted, the second one may still fit.
        async with asyncio.timeout(10):
            while await answer_of(port, post(large) + b"b" * large) != 503:
                pass
        assert await answer_of(port, post(100) + b"b" * 100) == 200, "small ones are still taken"
        writer.write(b"b")
        assert await status_of(first) == 200
    assert await answer_of(port, post(large) + b"b" * large) == 200, "all is given back"


async def test_s3_a_client_that_reads_nothing_is_disconnected(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, "RESPONSE_STALL_SECONDS", 0.3)
    async with connection(port) as (reader, writer):
        writer.write(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await asyncio.sleep(1)
        size = 0
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            while piece := await reader.read(2**20):
                size += len(piece)
            raise asyncio.IncompleteReadError(b"", None)
        assert size < 64 * 2**20


async def test_s3_a_client_that_reads_slowly_gets_all_of_it(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page is one piece, and more than a slow network takes within the limit."""
    set_limit(monkeypatch, "RESPONSE_STALL_SECONDS", 0.5)
    async with connection(port) as (reader, writer):
        writer.write(b"GET /one-piece HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        size = 0
        while piece := await reader.read(2**19):
            size += len(piece)
            await asyncio.sleep(0.01)
        assert size > 48 * 2**20


def scope_of(method: str, path: str, *headers: tuple[bytes, bytes]) -> Scope:
    return {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"host", b"localhost:9000"), *headers],
        "scheme": "http",
        "http_version": "1.1",
        "server": ("127.0.0.1", 9000),
        "client": ("127.0.0.1", 1),
    }


async def ask(console: Console, path: str) -> int:
    sent: list[dict[str, Any]] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    async with asyncio.timeout(20):
        await console(scope_of("GET", path), receive, send)
    return int(sent[0]["status"])


@pytest.mark.parametrize("count", [8, 40])
async def test_s3_slow_bodies_without_a_session_hold_up_nobody(settings: Any, redis_server: str, count: int) -> None:
    """Pages answered nothing at all while eight bodies were awaited."""
    settings.SIGN_IN = "token"
    console, forever = Console(), asyncio.Event()
    waiting = 0

    async def slowly() -> Any:
        nonlocal waiting
        waiting += 1
        await forever.wait()

    async def ignore(message: Any) -> None:
        pass

    scope = scope_of("POST", "/sign-in/", (b"content-length", b"1000"))
    posts = [asyncio.create_task(console(scope, slowly, ignore)) for _each in range(count)]
    try:
        async with asyncio.timeout(20):
            while waiting < count:
                await asyncio.sleep(0)
        assert await ask(console, "/sign-in/") == 200
        assert await ask(console, "/healthz") == 200
    finally:
        for task in posts:
            task.cancel()
        await asyncio.gather(*posts, return_exceptions=True)


async def test_s3_healthz_waits_for_no_page_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console()

    async def busy(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(console, "_pages", busy)
    assert await ask(console, "/healthz") == 200


@pytest.mark.parametrize("shape", ["one frame", "many frames", "packed"])
async def test_s10_a_websocket_message_over_the_limit_is_closed_1009(
    port: int, monkeypatch: pytest.MonkeyPatch, shape: str
) -> None:
    set_limit(monkeypatch, "WEBSOCKET_MESSAGE_BYTES", 64 * 1024)
    limit = limits.WEBSOCKET_MESSAGE_BYTES.value
    packing = "deflate" if shape == "packed" else None
    address = f"ws://127.0.0.1:{port}/"
    async with (
        asyncio.timeout(20),
        connect(address, compression=packing) as good,
        connect(address, compression=packing) as bad,
    ):
        await good.send(bytes(limit))
        assert await good.recv() == str(limit)
        await bad.send([bytes(limit // 2)] * 3 if shape == "many frames" else bytes(limit + 1))
        with pytest.raises(ConnectionClosed) as closed:
            await bad.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009
        # Others are served meanwhile.
        await good.send(b"more")
        assert await good.recv() == "4"
