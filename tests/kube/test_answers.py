"""S10, S11: what stands at the cluster's address may answer anything, for as long as it likes."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web
from django.test import RequestFactory

from console.pages import health
from console.web.errors import explain
from kube import limits
from kube.client import ClusterClient
from kube.config import ClusterConfig
from kube.discovery import ResourceType
from kube.errors import InvalidAnswer, TooDeepAnswer, Unreachable, from_answer
from kube.requests import ApiRequest
from kube.transport import AsyncTransport, SyncTransport
from kube.watch import WatchEvent, decode, watch
from tests.kube.script_server import serving

DEEP = b'{"kind": "Pod", "spec": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
WRONG = {
    "a page": (200, "text/html; charset=utf-8", b"<!DOCTYPE html><title>Sign in</title>"),
    "a page that calls itself JSON": (200, "application/json", b"<html>"),
    "garbage": (200, "application/json", b"\xff\xfe\x00garbage"),
    "nothing": (200, "application/json", b""),
    "JSON of something else": (200, "application/json", b'{"hello": 1}'),
    "a list": (200, "application/json", b"[1, 2]"),
    "deep JSON": (200, "application/json", DEEP),
    "a redirect": (302, "text/html", b"<a href=/login>"),
    "another redirect": (307, "application/json", b""),
}
Ask = Callable[[ClusterClient], Any]
ASKED: dict[str, Ask] = {
    "version": lambda client: client.version(),
    "types": lambda client: client.types(),
    "whoami": lambda client: client.whoami(),
}
PODS = ResourceType(group="", version="v1", plural="pods", kind="Pod", namespaced=True)
GET = ApiRequest(method="GET", path="/api/v1/pods", ref="pods")


def answering(status: int, kind: str, body: bytes) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def handler(request: web.Request) -> web.Response:
        headers = {"Content-Type": kind, **({"Location": "/login"} if status in (302, 307) else {})}
        return web.Response(status=status, body=body, headers=headers)

    return handler


@pytest.mark.parametrize("wrong", WRONG)
async def test_s11_what_is_no_kubernetes_answer_is_the_clusters_fault(wrong: str) -> None:
    async with serving(answering(*WRONG[wrong])) as config:
        for ask in ASKED.values():
            with pytest.raises(InvalidAnswer) as found:
                await asyncio.to_thread(ask, ClusterClient(config))
            assert explain(found.value).status == 502


@pytest.mark.parametrize("wrong", ["a page", "a redirect", "another redirect"])
async def test_s11_a_watch_of_a_page_is_none(wrong: str) -> None:
    async with serving(answering(*WRONG[wrong])) as config, AsyncTransport(config) as transport:
        with pytest.raises(InvalidAnswer):
            async for _burst in watch(transport, GET):
                pass


@pytest.mark.parametrize("wrong", ["a page", "garbage", "a redirect"])
async def test_s11_readyz_says_it(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(answering(*WRONG[wrong])) as config:
        monkeypatch.setattr(health, "console_client", lambda: ClusterClient(config))
        answer = await asyncio.to_thread(health.readyz, RequestFactory().get("/readyz?only=cluster"))
    assert answer.status_code == 503
    assert b"isn't a Kubernetes API server" in answer.content


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"kind": "Status", "code": "x", "details": [1]}',
        b'{"kind": "Status", "details": {"causes": [1, {"field": 3}], "retryAfterSeconds": "\xc2\xb2"}}',
        b'{"kind": "Status", "metadata": 1, "code": {}}',
    ],
)
def test_s11_a_status_of_garbage_is_an_error_all_the_same(body: bytes) -> None:
    assert from_answer(410, body).code == 410
    assert from_answer(0, body).code == 500


async def test_s11_events_of_garbage_end_the_watch() -> None:
    for line in (
        b"{",
        b"[]",
        b'{"type": "ADDED"}',
        b'{"type": "ERROR", "object": 1}',
        b'{"type": "A", "object": ' + DEEP,
    ):
        with pytest.raises(InvalidAnswer):
            decode(line)
    with pytest.raises(InvalidAnswer):
        WatchEvent("ADDED", DEEP).document()


async def test_s10_a_deep_object_leaves_the_rest_of_its_list_readable() -> None:
    """Its row is there, its own page says why it isn't shown."""
    deep = "[" * limits.ANSWER_LEVELS.value + "]" * limits.ANSWER_LEVELS.value
    fields = f'{{"name": "deep", "uid": "1", "managedFields": [{{"fieldsV1": {deep}}}]}}'
    obj = f'{{"kind": "Pod", "metadata": {fields}, "spec": {{"any": {deep}}}, "status": {{"phase": "Running"}}}}'
    row = '{"cells": ["%s", "Running"], "object": %s}'
    other = '{"kind": "Pod", "metadata": {"name": "other"}, "spec": {"nodeName": "n"}}'
    rows = f"{row % ('deep', obj)}, {row % ('other', other)}"
    columns = '{"name": "Name", "type": "string"}, {"name": "Status", "type": "string"}'
    text = f'{{"kind": "Table", "metadata": {{}}, "columnDefinitions": [{columns}], "rows": [{rows}]}}'

    async with serving(answering(200, "application/json", text.encode())) as config:
        table = await asyncio.to_thread(ClusterClient(config).table, PODS)
    assert [row.cells for row in table.rows] == [("deep", "Running"), ("other", "Running")]
    metadata = table.rows[0].object["metadata"]
    assert (metadata["name"], metadata["uid"]) == ("deep", "1")
    assert table.rows[0].object["status"] == {"phase": "Running"}
    assert table.rows[1].object["spec"] == {"nodeName": "n"}
    assert WatchEvent("ADDED", text.encode()).table()["rows"][1]["cells"] == ["other", "Running"]

    # What may be written back is whole or not there at all.
    async with serving(answering(200, "application/json", obj.encode())) as config:
        with pytest.raises(TooDeepAnswer, match="too deep for the console") as found:
            await asyncio.to_thread(ClusterClient(config).get, PODS, "deep", "default")
        with pytest.raises(InvalidAnswer):
            WatchEvent("ADDED", obj.encode()).document()
    assert explain(found.value).status == 502
    assert explain(found.value).advice != explain(InvalidAnswer("a page")).advice, "no proxy stands in the way"


async def test_what_pods_say_through_a_proxy_is_theirs() -> None:
    path = "/api/v1/namespaces/a/services/b:80/proxy/"
    for wrong in ("a page", "a redirect"):
        async with serving(answering(*WRONG[wrong])) as config:
            answer = await asyncio.to_thread(SyncTransport(config).send, ApiRequest(method="GET", path=path))
            assert answer.body == WRONG[wrong][2]


async def endless(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    while True:
        await response.write(b" " * 65536)
        await asyncio.sleep(0)


def lower(monkeypatch: pytest.MonkeyPatch, name: str, value: int) -> None:
    monkeypatch.setattr(limits, name, replace(getattr(limits, name), value=value))


async def both(config: ClusterConfig) -> None:
    with pytest.raises(Unreachable, match="larger than"):
        await asyncio.to_thread(SyncTransport(config).send, GET)
    async with AsyncTransport(config) as transport:
        with pytest.raises(Unreachable, match="larger than"):
            await transport.send(GET)


async def test_s10_an_endless_answer_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    lower(monkeypatch, "API_ANSWER", 4 * 2**20)
    async with serving(endless) as config:
        await both(config)


async def trickling(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    while True:
        await response.write(b" ")
        await asyncio.sleep(0.02)


async def test_s10_an_answer_that_trickles_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A byte at a time never fills a chunk, and is judged all the same."""
    lower(monkeypatch, "API_ANSWER_SECONDS", 0)
    async with serving(trickling) as config, asyncio.timeout(20):
        await both(config)


async def test_s10_a_watch_event_without_an_end_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    lower(monkeypatch, "WATCH_EVENT", 2**20)
    async with serving(endless) as config, AsyncTransport(config) as transport:
        with pytest.raises(InvalidAnswer, match="watch event is larger"):
            async for _burst in watch(transport, GET):
                pass
