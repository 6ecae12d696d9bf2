"""The stream under its real server: who leaves, who does not read, who is held back."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
import uvicorn

from kube.client import ClusterClient
from resources.changes import ChangeLog, Topic, position
from resources.stream import broker as broker_module
from resources.stream.counts import counts
from resources.stream.mailbox import BURST_BYTES, BYTES_PER_SECOND, LIMIT_BYTES
from resources.views.stream import StreamApp
from tests.eventually import reached
from tests.resources.stream.browser import COLUMNS, row_of


@pytest.fixture
async def port(app: StreamApp, client: ClusterClient) -> AsyncIterator[int]:
    async def routed(scope: dict[str, object], receive: object, send: object) -> None:
        await app(scope, receive, send)  # type: ignore[arg-type]

    server = uvicorn.Server(uvicorn.Config(routed, port=0, lifespan="off", log_level="error"))
    task = asyncio.create_task(server.serve())
    await reached(lambda: server.started)
    yield server.servers[0].sockets[0].getsockname()[1]
    app._broker.close()
    server.should_exit = True
    async with asyncio.timeout(5):
        await task


async def _ask(port: int, body: object) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 14)
    text = json.dumps(body).encode()
    head = f"POST /stream HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(text)}"
    writer.write(f"{head}\r\n\r\n".encode() + text)
    await reader.readuntil(b"event: hello")
    return reader, writer


async def _until(app: StreamApp, count: int) -> None:
    await reached(lambda: len(app._broker.lines) == count)


async def test_who_leaves_is_forgotten(app: StreamApp, port: int, topic: Topic) -> None:
    lines = [await _ask(port, {"rows": [{"topic": str(topic), "uids": ["u"]}]}) for _ in range(5)]
    assert len(app._broker.lines) == 5
    for _reader, writer in lines:
        writer.close()
    await _until(app, 0)
    assert not app._broker.feeds


async def test_who_does_not_read_is_bounded_and_then_cut(
    app: StreamApp, log: ChangeLog, port: int, topic: Topic, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broker_module, "STUCK_SECONDS", 3.0)
    before = counts.stuck
    names = [f"{'n' * 200}{number}" for number in range(200)]
    rows = [
        {"topic": str(topic), "uids": [f"uid-{name}" for name in names]},
        {"topic": f"{topic}?state"},  # all of it: more than it may hold
    ]
    _reader, writer = await _ask(port, {"since": position(), "rows": rows})
    (line,) = app._broker.lines
    most = 0
    async with asyncio.timeout(60):
        number = 0
        while app._broker.lines:
            number += 1
            changes = [row_of(names[(number * 50 + each) % 200], version=str(number)) for each in range(50)]
            changes += [row_of(f"{'x' * 200}{number}-{each}", version=str(number)) for each in range(50)]
            await log.append(topic, changes, str(number), COLUMNS)
            most = max(most, line.mailbox.bytes)
            await asyncio.sleep(0.05)
    assert counts.stuck == before + 1
    assert 0 < most <= LIMIT_BYTES
    writer.close()


async def test_a_busy_connection_is_held_to_its_pace(app: StreamApp, log: ChangeLog, port: int, topic: Topic) -> None:
    names = [f"{'n' * 200}{number}" for number in range(100)]
    rows = [{"topic": str(topic), "uids": [f"uid-{name}" for name in names]}]
    reader, writer = await _ask(port, {"since": position(), "rows": rows})
    began = asyncio.get_running_loop().time()
    size = number = 0

    async def read() -> None:
        nonlocal size
        while piece := await reader.read(1 << 16):
            size += len(piece)

    reading = asyncio.create_task(read())
    while (passed := asyncio.get_running_loop().time() - began) < 4:
        number += 1
        changes = [row_of(name, version=str(number)) for name in names]
        await log.append(topic, changes, str(number), COLUMNS)
        await asyncio.sleep(0.02)
    assert size <= (BURST_BYTES + passed * BYTES_PER_SECOND) * 1.15 + 16 * 1024
    assert size > passed * BYTES_PER_SECOND * 0.3
    writer.close()
    await reading


async def test_the_end_of_the_console_ends_all_streams(app: StreamApp, port: int, topic: Topic) -> None:
    lines = [await _ask(port, {"notices": [{"topic": str(topic)}]}) for _ in range(50)]
    app._broker.close()
    async with asyncio.timeout(5):
        for reader, writer in lines:
            await reader.readuntil(b"\r\n0\r\n\r\n")
            writer.close()
    await _until(app, 0)
