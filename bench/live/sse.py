"""Many readers of /stream, cheap: a raw socket each, and no more parsing than counting and looking for the words
that matter.
"""

import asyncio
import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from urllib.parse import urlencode, urlsplit

_WORD = re.compile(rb"mark-\d+")
# (bytes that came, milliseconds since 1970)
OnData = Callable[[bytes, float], None]


def request(
    url: str,
    rows: Sequence[str] = (),
    notices: Sequence[str] = (),
    uids: Sequence[str] | None = None,
    since: str = "",
    cookie: str = "",
) -> bytes:
    """What a reader sends.

    With `uids` it asks as the page does, by POST, for those rows only; without, by GET for all. `cookie`: of who signed
    in.
    """
    host = urlsplit(url).netloc
    common = f"Host: {host}\r\nAccept: text/event-stream\r\n" + (f"Cookie: {cookie}\r\n" if cookie else "")
    if uids is None:
        asked = [("topic", row) for row in rows] + [("notice", notice) for notice in notices]
        query = urlencode([*asked, *([("since", since)] if since else [])])
        return f"GET /stream?{query} HTTP/1.1\r\n{common}\r\n".encode()
    subscription = {
        "since": since,
        "rows": [{"topic": row, "uids": list(uids), "moves": False} for row in rows],
        "notices": [{"topic": notice} for notice in notices],
    }
    body = json.dumps(subscription).encode()
    head = (
        f"POST /stream HTTP/1.1\r\n{common}Origin: {url}\r\nContent-Type: application/json\r\nContent-Length:"
        f" {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class Reader(asyncio.Protocol):
    """One connection. `begun` is set once the stream's `hello` came; `closed` when the server ended it."""

    def __init__(self, request_: bytes, on_data: OnData) -> None:
        self._request, self._on_data = request_, on_data
        self.begun, self.closed = asyncio.Event(), asyncio.Event()
        self.head = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        transport.write(self._request)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        now = time.time() * 1000
        if not self.begun.is_set():
            self.head += data
            if b"event: hello" in self.head:
                self.begun.set()
            elif not self.head.startswith(b"HTTP/1.1 200"[: len(self.head)]):
                raise SystemExit(f"bench: the stream was refused: {self.head[:300]!r}")
        self._on_data(data, now)

    def connection_lost(self, error: Exception | None) -> None:
        self.closed.set()


async def connect(url: str, request_: bytes, on_data: OnData, seconds: float = 60) -> Reader:
    """A reader whose stream has begun. Raises OSError or TimeoutError."""
    parts = urlsplit(url)
    loop = asyncio.get_running_loop()
    _, reader = await loop.create_connection(lambda: Reader(request_, on_data), parts.hostname, parts.port)
    async with asyncio.timeout(seconds):
        await reader.begun.wait()
    return reader


async def connect_all(
    url: str, request_: bytes, callbacks: Sequence[OnData], at_once: int = 20, seconds: float = 120
) -> list[Reader]:
    """One reader for each of `callbacks`."""
    gate = asyncio.Semaphore(at_once)

    async def connect_one(callback: OnData) -> Reader:
        async with gate:
            return await connect(url, request_, callback, seconds)

    return list(await asyncio.gather(*map(connect_one, callbacks)))


def words(data: bytes) -> set[str]:
    return {word.decode() for word in _WORD.findall(data)}


def posting(url: str) -> bool:
    """Whether this console takes POST /stream."""
    asked = urllib.request.Request(f"{url}/stream", b"{", {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(asked, timeout=10) as answer:
            return answer.status != 405
    except urllib.error.HTTPError as error:
        return error.code != 405


def shown(url: str, uids: Sequence[str]) -> list[str] | None:
    """The rows that a page shows, if the console takes them with POST."""
    return list(uids) if posting(url) else None
