"""S12: a forwarded port of this machine answers requests for this machine alone, and everything that isn't HTTP."""

import asyncio
from typing import Any

import pytest

from resources.forward.tunnels import HostCheckedReader, is_allowed_host, is_complete_head


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("localhost:8080", True),
        ("127.0.0.1", True),
        ("[::1]:8080", True),
        ("argocd.localhost:8080", True),
        ("evil.example", False),
        ("localhost.evil.example:8080", False),
        ("10.0.0.1", False),
        ("", False),
    ],
)
def test_s12_a_name_that_leads_here_by_dns_rebinding_is_refused(host: str, allowed: bool) -> None:
    for name in ("Host", "host", "HOST"):
        assert is_allowed_host(f"GET / HTTP/1.1\r\nAccept: */*\r\n{name}: {host}\r\n\r\n".encode()) is allowed
    assert not is_allowed_host(f"GET / HTTP/1.1\r\nHost: {host}\r\nHost: evil.example\r\n\r\n".encode())


@pytest.mark.parametrize(
    "first", [b"\x16\x03\x01\x02\x00", b"*1\r\n$4\r\nPING\r\n", b"PING\r\n", b"GET key\r\n", b"\x00\x00\x00\x08"]
)
def test_what_is_not_http_is_let_through_at_once(first: bytes) -> None:
    assert is_complete_head(first) and is_allowed_host(first)


@pytest.mark.parametrize("line", [b"GET /", b"get /", b"PROPFIND /", b"My-Method /", b"GET http://evil.example/"])
def test_s12_no_method_and_no_length_of_an_address_passes_unseen(line: bytes) -> None:
    """Scripts choose the method, and an address longer than what is read of a head hid the Host behind it."""
    assert not is_allowed_host(line + b" HTTP/1.1\r\nHost: evil.example\r\n\r\n")
    long = line + b"a" * 70_000
    assert is_complete_head(long) and not is_allowed_host(long)
    assert not is_complete_head(line), "the rest is waited for"


class Writer:
    """What a reader needs of a StreamWriter."""

    def __init__(self) -> None:
        self.sent, self.closed = b"", False

    def write(self, data: bytes) -> None:
        self.sent += data

    def close(self) -> None:
        self.closed = True


async def read_all(*pieces: bytes) -> tuple[bytes, Writer]:
    source, writer = asyncio.StreamReader(), Writer()
    sink: Any = writer
    reader, found = HostCheckedReader(source, sink), b""

    async def feed() -> None:
        for piece in pieces:
            source.feed_data(piece)
            await asyncio.sleep(0)
        source.feed_eof()

    feeding = asyncio.create_task(feed())
    async with asyncio.timeout(5):
        while piece := await reader.read(1024):
            found += piece
        await feeding
    return found, writer


async def test_s12_a_request_is_judged_however_it_is_cut() -> None:
    good, evil = b"POST / HTTP/1.1\r\nHost: localhost:1\r\n\r\nbody", b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"
    for step in (1, 3, 1000):
        found, writer = await read_all(*(good[at : at + step] for at in range(0, len(good), step)))
        assert found == good and not writer.closed
        found, writer = await read_all(*(evil[at : at + step] for at in range(0, len(evil), step)))
        assert found == b"" and writer.closed and writer.sent.startswith(b"HTTP/1.1 421 ")
        assert writer.sent.partition(b"\r\n\r\n")[2].endswith(b".\n")
