"""A server that asks for a moment gets it; one that asks for more is quoted."""

import asyncio
from collections.abc import Callable

import pytest
from aiohttp import web

from kube.errors import TooManyRequests
from kube.requests import ApiRequest
from kube.transport import SyncTransport
from tests.kube.script_server import serving, status


def _busy(times: int, seconds: str, seen: list[str]) -> Callable[[web.Request], web.Response]:
    """So many refusals, then an answer."""

    def respond(request: web.Request) -> web.Response:
        seen.append(request.method)
        if len(seen) > times:
            return web.json_response({"kind": "Fine"})
        refused = status(429, "TooManyRequests", "storage is (re)initializing")
        refused.headers["Retry-After"] = seconds
        return refused

    return respond


async def _ask(times: int, seconds: str, method: str = "GET") -> tuple[list[str], bytes]:
    seen: list[str] = []
    answer = _busy(times, seconds, seen)

    async def handler(request: web.Request) -> web.Response:
        return answer(request)

    async with serving(handler) as config:
        request = ApiRequest(
            method=method, path="/apis", query=(), body=None, content_type="", accept="application/json", ref="apis"
        )
        found = await asyncio.to_thread(SyncTransport(config).send, request)
        return seen, found.body


async def test_a_read_waits_for_a_moment() -> None:
    seen, body = await _ask(2, "1")
    assert seen == ["GET", "GET", "GET"]
    assert b"Fine" in body


async def test_three_refusals_are_one() -> None:
    with pytest.raises(TooManyRequests, match="storage is"):
        await _ask(3, "1")


async def test_nobody_waits_longer_unasked() -> None:
    with pytest.raises(TooManyRequests):
        await _ask(1, "9")


async def test_a_write_is_sent_once() -> None:
    with pytest.raises(TooManyRequests):
        await _ask(1, "1", "POST")
