"""Lists and watches as literal answers of an API server, and the batches that come of them."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from kube.discovery import ResourceType
from kube.errors import Forbidden, Unreachable
from kube.transport import AsyncTransport
from resources.changes import Topic
from resources.watch import reflector as module
from resources.watch.reflector import Batch, Reflector
from tests.kube.scripted import serving, status, stream

PODS = ResourceType("", "v1", "pods", "Pod", True, frozenset({"list", "watch"}))
TOPIC = Topic("scripted", "core", "v1", "pods", "shop")
COLUMNS = [{"name": "Name", "type": "string"}]


def _event(kind: str, name: str, version: str, columns: Any = None, **metadata: Any) -> bytes:
    metadata = {"name": name, "namespace": "shop", "uid": f"uid-{name}", "resourceVersion": version, **metadata}
    table = {
        "kind": "Table",
        "columnDefinitions": columns,
        "rows": [{"cells": [name], "object": {"metadata": metadata}}],
    }
    return json.dumps({"type": kind, "object": table}).encode() + b"\n"


FIRST = _event("ADDED", "a", "11", COLUMNS, managedFields=[{"manager": "x" * 900}])
SECOND = _event("MODIFIED", "a", "12")
BOOKMARK = _event("BOOKMARK", "", "20")
GONE = b'{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}}\n'

Answer = Callable[[web.Request], Any]


@asynccontextmanager
async def _watching(
    *watches: Answer, version: str = "", listed: str = "10"
) -> AsyncIterator[tuple[Reflector, list[str]]]:
    """A reflector of a server that answers its watches one after the other, and the versions it was asked to begin from."""
    asked: list[str] = []
    left = list(watches)

    async def answer(request: web.Request) -> web.StreamResponse:
        if "watch" not in request.query:
            asked.append("list")
            return web.json_response({"kind": "Table", "metadata": {"resourceVersion": listed}, "rows": []})
        asked.append(request.query["resourceVersion"])
        if left:
            found: web.StreamResponse = await left.pop(0)(request)
            return found
        await asyncio.sleep(60)
        return web.Response()

    async with serving(answer) as config, AsyncTransport(config) as transport:
        yield Reflector(transport, PODS, TOPIC, version), asked


def _says(*pieces: bytes) -> Answer:
    return lambda request: stream(request, *pieces)


async def _take(reflector: Reflector, count: int) -> list[Batch]:
    found: list[Batch] = []
    async with aclosing(reflector.batches()) as batches:
        async with asyncio.timeout(10):
            async for batch in batches:
                found.append(batch)
                if len(found) == count:
                    break
    return found


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FIRST_PAUSE", 0.01)


async def test_a_first_start_tells_pages_to_list_and_watches_from_there() -> None:
    async with _watching(_says(FIRST)) as (reflector, asked):
        start, batch = await _take(reflector, 2)
    assert [change.kind for change in start.changes] == ["RESYNC"]
    assert asked == ["list", "10"]
    (change,) = batch.changes
    assert (change.kind, change.uid, change.name, change.namespace) == ("ADDED", "uid-a", "a", "shop")
    assert batch.version == "11"
    assert batch.columns is not None
    assert (change.columns, json.loads(batch.columns[1])) == (batch.columns[0], COLUMNS)
    assert json.loads(change.row)["cells"] == ["a"]
    assert b"managedFields" not in change.row


async def test_another_hub_goes_on_without_a_list() -> None:
    async with _watching(_says(FIRST, SECOND), version="7") as (reflector, asked):
        batches = await _take(reflector, 1)
    assert asked == ["7"]
    assert batches[0].changes[0].kind == "ADDED"


async def test_columns_of_the_first_event_hold_for_the_watch() -> None:
    async with _watching(_says(FIRST + SECOND), version="7") as (reflector, _):
        (batch,) = await _take(reflector, 1)
    assert [change.kind for change in batch.changes] == ["ADDED", "MODIFIED"]
    assert batch.changes[0].columns == batch.changes[1].columns != ""


async def test_a_watch_that_ends_is_resumed_from_the_last_bookmark() -> None:
    async with _watching(_says(FIRST, BOOKMARK), _says(SECOND), version="7") as (reflector, asked):
        found: list[Batch] = []
        async with aclosing(reflector.batches()) as batches:
            async for batch in batches:
                found.append(batch)
                if any(change.kind == "MODIFIED" for change in batch.changes):
                    break
    assert asked == ["7", "20"]
    assert not any(change.kind == "RESYNC" for batch in found for change in batch.changes)


async def test_a_version_that_is_too_old_starts_anew() -> None:
    async with _watching(_says(GONE), version="3") as (reflector, asked):
        (batch,) = await _take(reflector, 1)
        assert asked == ["3", "list"]
    assert [change.kind for change in batch.changes] == ["RESYNC"]
    assert batch.version == "10"


async def test_a_broken_connection_is_resumed_and_said_meanwhile() -> None:
    async def breaks(request: web.Request) -> web.StreamResponse:
        response = await stream(request, FIRST)
        assert request.transport is not None
        request.transport.abort()
        return response

    seen: list[Any] = []

    async def looks(request: web.Request) -> web.StreamResponse:
        seen.append(reflector.problem)
        return await stream(request, SECOND)

    async with _watching(breaks, looks, version="7") as (reflector, asked):
        batches = await _take(reflector, 2)
        assert reflector.problem is None
    assert asked == ["7", "11"]
    assert isinstance(seen[0], Unreachable)
    assert batches[1].changes[0].kind == "MODIFIED"


async def test_a_refusal_is_kept_and_tried_again() -> None:
    async def refuses(request: web.Request) -> web.StreamResponse:
        return status(403, "Forbidden", "no")

    seen: list[Any] = []

    async def allows(request: web.Request) -> web.StreamResponse:
        seen.append(reflector.problem)
        return await stream(request, FIRST)

    async with _watching(refuses, allows, version="7") as (reflector, _):
        await _take(reflector, 1)
    assert isinstance(seen[0], Forbidden)


async def test_a_server_without_tables_makes_pages_list_again() -> None:
    plain = {
        "type": "MODIFIED",
        "object": {"kind": "Pod", "metadata": {"name": "a", "uid": "u", "resourceVersion": "8"}},
    }
    async with _watching(_says(json.dumps(plain).encode() + b"\n"), version="7") as (reflector, _):
        (batch,) = await _take(reflector, 1)
    assert (batch.changes[0].name, batch.changes[0].row, batch.version) == ("a", b"", "8")
