"""The small pure functions of bench/live: a fault in them shows only as wrong figures."""

import asyncio
import json
from contextlib import AsyncExitStack
from urllib.parse import parse_qs, urlsplit

import pytest

from bench.live import sse
from bench.live.relay import Relay


def test_a_reader_asks_by_get_for_everything_and_by_post_for_the_rows_that_it_shows():
    get = sse.request("http://127.0.0.1:9000", ["c/g/v1/marks/-"], ["c/core/v1/pods/-"], since="5-0@e").decode()
    method, target, _ = get.split("\r\n")[0].split(" ")
    assert method == "GET"
    assert parse_qs(urlsplit(target).query) == {
        "topic": ["c/g/v1/marks/-"],
        "notice": ["c/core/v1/pods/-"],
        "since": ["5-0@e"],
    }
    head, _, body = sse.request("http://127.0.0.1:9000", ["c/g/v1/marks/-"], [], ["u1", "u2"]).partition(b"\r\n\r\n")
    assert head.startswith(b"POST /stream HTTP/1.1\r\n")
    assert f"Content-Length: {len(body)}".encode() in head
    assert json.loads(body)["rows"] == [{"topic": "c/g/v1/marks/-", "uids": ["u1", "u2"], "moves": False}]


def test_words_are_found_wherever_they_stand():
    assert sse.words(b'data: {"html":"<td>mark-12</td><td>mark-345</td>"}') == {"mark-12", "mark-345"}


def test_a_reader_has_begun_at_hello_though_it_comes_in_pieces():
    async def main() -> tuple[bool, bool, bytes]:
        received: list[bytes] = []
        reader = sse.Reader(b"", lambda data, _now: received.append(data))
        reader.data_received(b"HTTP/1.1 200 OK\r\n\r\nevent: hel")
        before = reader.begun.is_set()
        reader.data_received(b"lo\ndata: {}\n\n")
        return before, reader.begun.is_set(), b"".join(received)

    before, after, received = asyncio.run(main())
    assert (before, after) == (False, True)
    assert received.endswith(b"event: hello\ndata: {}\n\n")


def test_a_reader_that_is_refused_says_so():
    async def main() -> None:
        sse.Reader(b"", lambda _data, _now: None).data_received(b"HTTP/1.1 403 Forbidden\r\n\r\nyou may not")

    with pytest.raises(SystemExit, match="403 Forbidden"):
        asyncio.run(main())


async def test_a_relay_counts_keeps_silent_and_refuses():
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(100):
            writer.write(data * 2)
        writer.close()

    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(await asyncio.start_server(echo, "127.0.0.1", 0))
        relay = Relay("127.0.0.1", server.sockets[0].getsockname()[1])
        front = await stack.enter_async_context(await asyncio.start_server(relay.serve, "127.0.0.1", 0))

        async def connect(to: asyncio.Server) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
            found = await asyncio.open_connection("127.0.0.1", to.sockets[0].getsockname()[1])
            stack.callback(found[1].close)
            return found

        reader, writer = await connect(front)
        writer.write(b"abc")
        assert await reader.readexactly(6) == b"abcabc"
        assert (relay.up, relay.down) == (3, 6)

        relay.flowing.clear()
        writer.write(b"d")
        answer = asyncio.create_task(reader.readexactly(2))
        # Time enough for an answer, were it passed on: a whole round trip with the same server beside the relay.
        straight, way = await connect(server)
        way.write(b"x")
        assert await straight.readexactly(2) == b"xx"
        assert not answer.done()
        relay.flowing.set()
        assert await answer == b"dd"

        relay.refuse = True
        relay.cut()
        with pytest.raises((OSError, asyncio.IncompleteReadError)):
            await reader.readexactly(1)
        reader, _ = await connect(front)
        with pytest.raises((OSError, asyncio.IncompleteReadError)):
            await reader.readexactly(1)
