"""Lists and watches as literal answers of an API server, and the batches that come of them."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from kube.discovery import ResourceType
from kube.errors import Forbidden, NotFound, Unreachable
from kube.transport import AsyncTransport
from resources.changes import Topic
from resources.watch import reflector as module
from resources.watch.reflector import Batch, Reflector, Rows, Start, Turnstile
from tests.kube.script_server import serving, status, stream

PODS = ResourceType(
    group="", version="v1", plural="pods", kind="Pod", namespaced=True, verbs=frozenset({"list", "watch"})
)
TOPIC = Topic(cluster="scripted", group="core", version="v1", plural="pods", namespace="shop")
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
    *watches: Answer,
    version: str = "",
    listed: str = "30",
    columns: str = "",
    trouble: str = "",
    definitions: Any = None,
    types: list[Any] | None = None,
) -> AsyncIterator[tuple[Reflector, list[str]]]:
    """A reflector of a server that answers its watches one after the other, and the versions it was asked to begin
    from.
    """
    asked: list[str] = []
    left = list(watches)

    async def respond(request: web.Request) -> web.StreamResponse:
        if "watch" not in request.query:
            asked.append("list")
            answered = {"kind": "Table", "metadata": {"resourceVersion": listed}, "rows": []}
            return web.json_response(answered | ({"columnDefinitions": definitions} if definitions else {}))
        asked.append(request.query["resourceVersion"])
        if left:
            found: web.StreamResponse = await left.pop(0)(request)
            return found
        await asyncio.sleep(60)
        return web.Response()

    async def find(anew: bool) -> ResourceType:
        asked.append("find anew" if anew else "find")
        if types:
            found = types.pop(0)
            if isinstance(found, Exception):
                raise found
        return PODS

    async with serving(respond) as config, AsyncTransport(config) as transport:
        yield Reflector(transport, find, TOPIC, Start(version, columns, trouble)), asked


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
    monkeypatch.setattr(module, "REFUSED_PAUSE", 0.05)


async def test_a_first_start_tells_pages_to_list_and_watches_from_there() -> None:
    async with _watching(_says(FIRST)) as (reflector, asked):
        start, batch = await _take(reflector, 2)
    assert [change.kind for change in start.changes] == ["RESYNC"]
    assert asked == ["find", "list", "30"]
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
    assert asked == ["find", "list", "7"]
    assert batches[0].changes[0].kind == "ADDED"


async def test_columns_of_the_first_event_hold_for_the_watch() -> None:
    other = _event("MODIFIED", "b", "12")
    async with _watching(_says(FIRST + other), version="7") as (reflector, _):
        (batch,) = await _take(reflector, 1)
    assert [change.kind for change in batch.changes] == ["ADDED", "MODIFIED"]
    assert batch.changes[0].columns == batch.changes[1].columns != ""


async def test_what_came_together_about_one_object_is_told_once() -> None:
    burst = FIRST + _event("MODIFIED", "b", "12") + _event("MODIFIED", "a", "13") + _event("MODIFIED", "b", "14")
    burst += _event("DELETED", "c", "15") + _event("MODIFIED", "a", "16") + _event("DELETED", "b", "17") + BOOKMARK
    async with _watching(_says(burst), version="7") as (reflector, _):
        (batch,) = await _take(reflector, 1)
    found = [(change.kind, change.name, change.version) for change in batch.changes]
    assert found == [("DELETED", "c", "15"), ("ADDED", "a", "16"), ("DELETED", "b", "17")]
    assert batch.version == "20"
    assert json.loads(batch.changes[1].row)["object"]["metadata"]["resourceVersion"] == "16"


async def test_a_watch_that_ends_is_resumed_from_the_last_bookmark() -> None:
    async with _watching(_says(FIRST, BOOKMARK), _says(SECOND), version="7") as (reflector, asked):
        found: list[Batch] = []
        async with aclosing(reflector.batches()) as batches:
            async for batch in batches:
                found.append(batch)
                if any(change.kind == "MODIFIED" for change in batch.changes):
                    break
    assert asked == ["find", "list", "7", "list", "20"]
    assert not any(change.kind == "RESYNC" for batch in found for change in batch.changes)


async def test_a_version_that_is_too_old_starts_anew() -> None:
    async with _watching(_says(GONE), version="3") as (reflector, asked):
        (batch,) = await _take(reflector, 1)
        assert asked == ["find", "list", "3", "list"]
    assert [change.kind for change in batch.changes] == ["RESYNC"]
    assert batch.version == "30"


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
    assert asked == ["find", "list", "7", "list", "11"]
    assert isinstance(seen[0], Unreachable)
    assert batches[1].changes[0].kind == "MODIFIED"


def _kinds(batches: list[Batch]) -> list[list[str]]:
    return [[change.kind for change in batch.changes] for batch in batches]


async def test_a_refusal_pauses_the_topic_until_it_is_allowed_again() -> None:
    async def refuses(request: web.Request) -> web.StreamResponse:
        return status(403, "Forbidden", 'pods is forbidden: User "x" cannot watch')

    seen: list[Any] = []

    async def allows(request: web.Request) -> web.StreamResponse:
        seen.append(reflector.problem)
        return await stream(request, FIRST)

    async with _watching(refuses, refuses, allows, version="7", columns="c0") as (reflector, _):
        paused, resumed, first = await _take(reflector, 3)
        assert reflector.problem is None
    assert isinstance(seen[0], Forbidden)
    assert _kinds([paused, resumed, first]) == [["PAUSED"], ["RESUMED", "RESYNC"], ["ADDED", "RESYNC"]]
    assert paused.changes[0].text == 'pods is forbidden: User "x" cannot watch'
    assert paused.version == resumed.version == "7", "what is written stays complete up to where it was"


async def test_who_is_not_known_any_more_is_told_and_goes_on_when_he_is() -> None:
    async def unknown(request: web.Request) -> web.StreamResponse:
        return status(401, "Unauthorized", "Unauthorized")

    async with _watching(unknown, unknown, _says(FIRST), version="7", columns="c0") as (reflector, _):
        paused, resumed = await _take(reflector, 2)
    assert _kinds([paused, resumed]) == [["PAUSED"], ["RESUMED", "RESYNC"]]


async def test_what_another_hub_said_is_taken_back() -> None:
    async with _watching(_says(FIRST), version="7", trouble="no rights") as (reflector, _):
        batches = await _take(reflector, 2)
    assert _kinds(batches) == [["RESUMED", "RESYNC"], ["ADDED"]]


async def test_a_type_that_is_gone_is_looked_for_until_it_is_served_again_with_other_columns() -> None:
    async def gone(request: web.Request) -> web.StreamResponse:
        return status(404, "NotFound", "the server could not find the requested resource")

    missing = NotFound("the cluster serves no resource 'pods'")
    other = [*COLUMNS, {"name": "Age", "type": "string"}]
    first = Rows(PODS)
    first.learn(COLUMNS)
    async with _watching(
        gone, _says(FIRST), version="7", columns=first.columns, definitions=other, types=[PODS, missing, missing]
    ) as (reflector, asked):
        batches = await _take(reflector, 3)
    assert asked[:7] == ["find", "list", "7", "find anew", "find anew", "find anew", "list"]
    assert _kinds(batches) == [["RESYNC"]] * 3, "pages list again when it is gone, once, and when it is back"
    assert batches[2].version == "30", "nothing of before holds"


async def test_a_refusal_is_over_when_the_type_is_gone() -> None:
    async def gone(request: web.Request) -> web.StreamResponse:
        return status(404, "NotFound", "the server could not find the requested resource")

    async with _watching(gone, _says(FIRST), version="7", trouble="no rights") as (reflector, _):
        batches = await _take(reflector, 2)
        assert reflector.trouble == ""
    assert _kinds(batches) == [["RESUMED", "RESYNC"], ["RESYNC"]]


async def test_other_columns_are_a_new_list() -> None:
    first = Rows(PODS)
    first.learn(COLUMNS)
    other = [*COLUMNS, {"name": "Age", "type": "string"}]
    later = _event("MODIFIED", "a", "12", other)
    async with _watching(_says(FIRST), _says(later), version="7", columns=first.columns) as (reflector, _):
        batches = await _take(reflector, 2)
    assert _kinds(batches) == [["ADDED"], ["MODIFIED", "RESYNC"]]
    assert batches[0].columns is None, "they are known"
    assert batches[1].columns is not None
    async with _watching(_says(FIRST), version="7", columns=first.columns, definitions=other) as (reflector, asked):
        (batch,) = await _take(reflector, 1)
        assert asked == ["find", "list"]
    assert (_kinds([batch]), batch.version) == ([["RESYNC"]], "7")


async def test_a_server_that_began_anew_is_noticed() -> None:
    """Its storage was reset: a watch from a version that it never had would bring nothing for long."""
    async with _watching(_says(FIRST), version="900", listed="10") as (reflector, asked):
        batches = await _take(reflector, 2)
    assert asked == ["find", "list", "10"]
    assert _kinds(batches) == [["RESYNC"], ["ADDED"]]

    async def later(request: web.Request) -> web.StreamResponse:
        return status(504, "Timeout", "Timeout: Too large resource version: 11, current: 10")

    async with _watching(_says(FIRST), later, _says(SECOND), version="7", listed="10") as (reflector, asked):
        batches = await _take(reflector, 3)
    assert asked == ["find", "list", "7", "list", "10"] or asked == ["find", "list", "7", "list", "10", "list", "10"]
    assert _kinds(batches) == [["ADDED"], ["RESYNC"], ["MODIFIED"]]


async def test_a_busy_server_is_left_alone_for_as_long_as_it_wants() -> None:
    async def busy(request: web.Request) -> web.StreamResponse:
        answer = status(429, "TooManyRequests", "later")
        answer.headers["Retry-After"] = "1"
        return answer

    began = time.monotonic()
    async with _watching(busy, _says(FIRST), version="7") as (reflector, _):
        batches = await _take(reflector, 1)
        assert time.monotonic() - began >= 1
    assert _kinds(batches) == [["ADDED"]], "nothing was missed, nobody needs to know"


async def test_a_server_that_fails_for_good_pauses_the_topic(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(request: web.Request) -> web.StreamResponse:
        return status(500, "InternalError", "conversion webhook failed")

    async with _watching(fails, fails, fails, _says(FIRST), version="7") as (reflector, _):
        assert _kinds(await _take(reflector, 1)) == [["ADDED"]], "it may just be restarting"
    monkeypatch.setattr(module, "FAILING_SECONDS", 0.02)
    async with _watching(fails, fails, fails, _says(FIRST), version="7") as (reflector, _):
        batches = await _take(reflector, 2)
    assert _kinds(batches) == [["PAUSED"], ["RESUMED", "RESYNC"]]
    assert batches[0].changes[0].text == "conversion webhook failed"


async def test_not_all_watches_begin_at_once() -> None:
    waiting, most = 0, 0
    let = asyncio.Event()

    async def slow(request: web.Request) -> web.StreamResponse:
        nonlocal waiting, most
        waiting += 1
        most = max(most, waiting)
        if waiting == 3:
            let.set()
        await let.wait()
        waiting -= 1
        return await stream(request, FIRST)

    async def find(anew: bool) -> ResourceType:
        return PODS

    async def respond(request: web.Request) -> web.StreamResponse:
        if "watch" not in request.query:
            return web.json_response({"kind": "Table", "metadata": {"resourceVersion": "10"}})
        return await slow(request)

    async with serving(respond) as config, AsyncTransport(config) as transport:
        turnstile = Turnstile(3)
        reflectors = [Reflector(transport, find, TOPIC, Start("7"), turnstile=turnstile) for _ in range(9)]
        await asyncio.gather(*(_take(reflector, 1) for reflector in reflectors))
    assert most == 3


async def test_a_server_without_tables_makes_pages_list_again() -> None:
    plain = {
        "type": "MODIFIED",
        "object": {"kind": "Pod", "metadata": {"name": "a", "uid": "u", "resourceVersion": "8"}},
    }
    async with _watching(_says(json.dumps(plain).encode() + b"\n"), version="7") as (reflector, _):
        (batch,) = await _take(reflector, 1)
    assert (batch.changes[0].name, batch.changes[0].row, batch.version) == ("a", b"", "8")
