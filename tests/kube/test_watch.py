"""One watch request: lines to events, and how it ends."""

from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from kube.errors import Forbidden, Gone, Unreachable
from kube.requests import ApiRequest
from kube.transport import AsyncTransport
from kube.watch import split_lines, watch

from .script_server import serving, status, stream

REQUEST = ApiRequest(method="GET", path="/api/v1/pods", query=(("watch", "true"),), ref="pods")
ADDED = b'{"type":"ADDED","object":{"a":1}}\n'
LONG = b'{"type":"MODIFIED","object":{"text":"' + b"x" * 2_000_000 + b'"}}\n'
TOO_OLD = (
    b'{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old resource version"}}\n'
)


async def _chunks(*pieces: bytes) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


async def test_lines_are_whole_however_they_are_cut() -> None:
    found = [
        line async for lines in split_lines(_chunks(b"a", b"b\nc", b"", b"d\ne\nf", b"\n", b"lost")) for line in lines
    ]
    assert found == [b"ab", b"cd", b"e", b"f"]


async def test_events_of_any_size_come_in_order() -> None:
    async def respond(request: web.Request) -> web.StreamResponse:
        assert request.query["watch"] == "true"
        return await stream(request, ADDED[:7], ADDED[7:] + LONG[:100], LONG[100:])

    async with serving(respond) as config, AsyncTransport(config) as transport:
        bursts = [burst async for burst in watch(transport, REQUEST)]
    assert bursts[0] == [], "the first, empty burst says that the watch stands"
    events = [event for burst in bursts for event in burst]
    assert [event.type for event in events] == ["ADDED", "MODIFIED"]
    assert events[0].document() == {"a": 1}
    assert len(events[1].raw) > 2_000_000


async def test_a_version_that_is_too_old() -> None:
    async def respond(request: web.Request) -> web.StreamResponse:
        return await stream(request, TOO_OLD)

    async with serving(respond) as config, AsyncTransport(config) as transport:
        with pytest.raises(Gone, match="too old"):
            [burst async for burst in watch(transport, REQUEST)]


async def test_a_refusal_keeps_the_servers_words() -> None:
    async def respond(request: web.Request) -> web.StreamResponse:
        return status(403, "Forbidden", 'pods is forbidden: User "x" cannot watch')

    async with serving(respond) as config, AsyncTransport(config) as transport:
        with pytest.raises(Forbidden, match="cannot watch"):
            [burst async for burst in watch(transport, REQUEST)]


async def test_a_connection_that_breaks_is_unreachable() -> None:
    async def respond(request: web.Request) -> web.StreamResponse:
        response = await stream(request, ADDED)
        assert request.transport is not None
        request.transport.abort()
        return response

    async with serving(respond) as config, AsyncTransport(config) as transport:
        with pytest.raises(Unreachable, match="does not answer"):
            [burst async for burst in watch(transport, REQUEST)]
