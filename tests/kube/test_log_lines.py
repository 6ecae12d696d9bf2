"""S5: a log may be of any size, and its lines without an end."""

import asyncio
import tracemalloc

import pytest
from aiohttp import web

from kube import limits
from kube.channels import CUT, LineCutter
from kube.client import ClusterClient
from resources.views.follow import _send_container_lines
from tests.kube.script_server import serving

MOST = limits.LOG_LINE.value


@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_lines_are_cut_wherever_the_pieces_end(size: int) -> None:
    text = b"short\n" + b"x" * 25 + b"\n\n" + b"y" * 10 + b"\n" + b"z" * 11 + b"\nlast" * 3
    cutter = LineCutter(10)
    found = b"".join(cutter.feed(text[at : at + size]) for at in range(0, len(text), size))
    assert found == b"short\n" + b"x" * 10 + CUT + b"\n\n" + b"y" * 10 + b"\n" + b"z" * 10 + CUT + b"\nlast" * 3


async def test_s5_a_line_without_an_end_takes_no_memory() -> None:
    """300 MB of one line took 1.5 GB of the web process."""
    queue: asyncio.Queue[bytes | None] = asyncio.Queue(maxsize=64)
    sent: list[int] = []

    async def send(message: object) -> None:
        assert isinstance(message, dict)
        sent.append(len(message["body"]))

    async def read() -> None:
        cutter, piece = LineCutter(), b"x" * 65536
        for _number in range(300 * 16):
            await queue.put(cutter.feed(piece))
        await queue.put(b"\nnext\n")
        await queue.put(None)

    tracemalloc.start()
    try:
        await asyncio.gather(read(), _send_container_lines(queue, send))  # type: ignore[arg-type]
        assert tracemalloc.get_traced_memory()[1] < 4 * 2**20
    finally:
        tracemalloc.stop()
    assert MOST < sum(sent) < MOST + 1000


async def test_s5_a_page_asks_for_so_much_and_no_more() -> None:
    asked: list[str] = []

    async def handler(request: web.Request) -> web.Response:
        asked.append(request.query["limitBytes"])
        size = int(request.query["limitBytes"]) if request.match_info["path"].endswith("big/log") else 0
        return web.Response(body=b"a line\n" + b"x" * size)

    async with serving(handler) as config:
        client = ClusterClient(config)
        big = await asyncio.to_thread(client.log, "big", "shop")
        small = await asyncio.to_thread(client.log, "small", "shop")
    assert asked == [str(limits.LOG_PAGE.value)] * 2
    assert small == "a line\n"
    assert MOST < len(big) < MOST + 1000
    assert CUT.decode() in big
    assert "raw log" in big
