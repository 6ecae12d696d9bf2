"""GET /stream as a browser sees it: the real application on a real Redis and the embedded cluster. The hub's part is played by hand."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import pytest
import redis

from kube.client import ClusterClient
from kube.discovery import ResourceType
from resources.changes import Change, ChangeLog, Entry, HubState, Topic, position
from resources.stream.broker import Broker, latest
from resources.views import stream as view
from resources.views.stream import StreamApp

COLUMNS = ("c1", b'[{"name":"Name","type":"string"}]')


def _row(name: str, kind: Any = "MODIFIED") -> Change:
    row = {"cells": [name], "object": {"metadata": {"name": name, "uid": f"uid-{name}", "namespace": "default"}}}
    return Change(kind, f"uid-{name}", name, "default", json.dumps(row).encode(), "c1")


def _render(type_: ResourceType, topic: str, columns: bytes, change: Change, language: str) -> str:
    return f"<tr>{type_.kind} {change.name} {language}</tr>"


@dataclass
class Browser:
    """One connection to the stream; `events` as (event, data, id) in the order they came."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    events: list[tuple[str, dict[str, Any], str]] = field(default_factory=list)
    comments: int = 0
    text: str = ""
    ended: bool = False
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            *parts, self.text = (self.text + message["body"].decode()).split("\n\n")
            for part in parts:
                self.comments += part.startswith(":")
                fields = dict(line.split(": ", 1) for line in part.split("\n") if not line.startswith(":"))
                if "data" in fields:
                    self.events.append((fields["event"], json.loads(fields["data"]), fields.get("id", "")))
            self.ended = not message.get("more_body")
        self.arrived.set()

    async def get(self, event: str, **wanted: Any) -> tuple[dict[str, Any], str]:
        """The first such event; it is taken off the list together with what came before."""
        async with asyncio.timeout(10):
            while True:
                for number, (kind, data, id_) in enumerate(self.events):
                    if kind == event and all(data.get(key) == value for key, value in wanted.items()):
                        del self.events[: number + 1]
                        return data, id_
                self.arrived.clear()
                await self.arrived.wait()


@pytest.fixture
async def app(pipe: redis.Redis) -> AsyncIterator[StreamApp]:
    broker = Broker(_render)
    yield StreamApp(broker)
    await broker.stop()


@pytest.fixture
async def log(pipe: redis.Redis) -> AsyncIterator[ChangeLog]:
    found = ChangeLog()
    yield found
    await found.close()


@asynccontextmanager
async def _open(app: StreamApp, query: list[tuple[str, str]], **headers: str) -> AsyncIterator[Browser]:
    browser, gone = Browser(), asyncio.Event()

    async def receive() -> dict[str, Any]:
        await gone.wait()
        return {"type": "http.disconnect"}

    pairs = {"host": "localhost:9000", **{key.replace("_", "-"): value for key, value in headers.items()}}
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/stream",
        "query_string": urlencode(query).encode(),
        "headers": [(key.encode(), value.encode()) for key, value in pairs.items()],
        "server": ("127.0.0.1", 9000),
        "client": ("127.0.0.1", 1),
        "scheme": "http",
    }
    task = asyncio.create_task(app(scope, receive, browser.send))
    try:
        async with asyncio.timeout(10):
            while not browser.status:
                browser.arrived.clear()
                await browser.arrived.wait()
        yield browser
    finally:
        gone.set()
        async with asyncio.timeout(10):
            await task


@pytest.fixture
def topic(client: ClusterClient) -> Topic:
    return Topic(client.name, "core", "v1", "configmaps", "default")


async def test_lists_of_one_topic_may_have_columns_of_their_own(app: StreamApp, log: ChangeLog, topic: Topic) -> None:
    mine = f"{topic}?state,label:a/b"
    async with _open(app, [("topic", mine), ("notice", str(topic)), ("since", position())]) as browser:
        await browser.get("hello")
        await log.append(topic, [_row("a")], "1", COLUMNS)
        news, _id = await browser.get("row", topic=str(topic))
        assert "html" not in news
        data, _id = await browser.get("row", topic=mine)
        assert data["html"] == "<tr>ConfigMap a en</tr>"
        await log.append(topic, [Change("RESYNC")], "2")
        await browser.get("resync", topic=mine)


async def test_it_works(app: StreamApp, log: ChangeLog, topic: Topic) -> None:
    async with _open(app, [("topic", str(topic)), ("since", position())]) as browser:
        assert browser.status == 200
        assert browser.headers["content-type"].startswith("text/event-stream")
        assert browser.headers["x-accel-buffering"] == "no"
        await browser.get("hello")
        await log.append(topic, [_row("a")], "1", COLUMNS)
        data, id_ = await browser.get("row")
        assert data == {
            "topic": str(topic),
            "uid": "uid-a",
            "name": "a",
            "namespace": "default",
            "html": "<tr>ConfigMap a en</tr>",
        }
        assert "@" in id_
        await log.append(topic, [_row("b", "ADDED"), Change("DELETED", "uid-b", "b", "default"), Change("RESYNC")], "2")
        assert (await browser.get("added"))[0]["name"] == "b"
        assert (await browser.get("gone"))[0]["uid"] == "uid-b"
        assert (await browser.get("resync"))[0]["topic"] == str(topic)


async def test_a_notice_comes_without_html(app: StreamApp, log: ChangeLog, topic: Topic) -> None:
    async with _open(app, [("notice", str(topic))]) as browser:
        await browser.get("hello")
        await log.append(topic, [_row("a")], "1", COLUMNS)
        assert "html" not in (await browser.get("row"))[0]


async def test_each_reader_has_his_language(app: StreamApp, log: ChangeLog, topic: Topic) -> None:
    async with (
        _open(app, [("topic", str(topic))], cookie="console_language=ko") as korean,
        _open(app, [("topic", str(topic))]) as english,
    ):
        await korean.get("hello")
        await english.get("hello")
        await log.append(topic, [_row("a")], "1", COLUMNS)
        assert (await korean.get("row"))[0]["html"].endswith("ko</tr>")
        assert (await english.get("row"))[0]["html"].endswith("en</tr>")


async def test_what_came_before_the_connection_is_caught_up(app: StreamApp, log: ChangeLog, topic: Topic) -> None:
    rendered = position()
    await log.append(topic, [_row("early")], "1", COLUMNS)
    async with _open(app, [("topic", str(topic)), ("since", rendered)]) as browser:
        assert (await browser.get("row"))[0]["name"] == "early"
        _, last = await browser.get("hello")
    assert last


async def test_resuming_by_last_event_id_loses_nothing(app: StreamApp, log: ChangeLog, topic: Topic) -> None:
    """The connection drops at a random place between changes to two topics, again and again."""
    other = Topic(topic.cluster, "core", "v1", "secrets", "default")
    query = [("topic", str(topic)), ("notice", str(other)), ("since", position())]
    wanted = [f"n{number}" for number in range(40)]
    seen: list[str] = []
    last = ""

    async def write() -> None:
        for number, name in enumerate(wanted):
            await log.append(topic if number % 2 else other, [_row(name)], str(number), COLUMNS)
            await asyncio.sleep(0.005)

    writer = asyncio.create_task(write())
    async with asyncio.timeout(20):
        while not set(wanted) <= set(seen):
            headers = {"last_event_id": last} if last else {}
            async with _open(app, query, **headers) as browser:
                await asyncio.sleep(0.03)
            assert not any(event == "resync" for event, _, _ in browser.events)
            seen += [data["name"] for event, data, _ in browser.events if event == "row"]
            last = next((id_ for _, _, id_ in reversed(browser.events) if id_), last)
    await writer
    order = list(dict.fromkeys(seen))
    assert [name for name in order if name in wanted[0::2]] == wanted[0::2]
    assert [name for name in order if name in wanted[1::2]] == wanted[1::2]


async def test_no_position_or_a_forgotten_one_means_list_again(
    app: StreamApp, log: ChangeLog, topic: Topic, pipe: redis.Redis
) -> None:
    async with _open(app, [("topic", str(topic))]) as browser:
        await browser.get("resync", topic=str(topic))
    before = position()
    pipe.flushall()
    async with _open(app, [("topic", str(topic)), ("since", before)]) as browser:
        await browser.get("resync", topic=str(topic))


async def test_a_slow_browser_lists_again_and_shows_no_gap(app: StreamApp, topic: Topic) -> None:
    broker = app._broker
    type_ = ResourceType("", "v1", "configmaps", "ConfigMap", True)
    subscription = await broker.subscribe({str(topic): type_}, [str(topic)], "en", position())
    for number in range(2000):
        subscription.put(b"event: row\ndata: {}\n\n" if number < 1999 else b"last")
    pieces = [subscription.queue.get_nowait() for _ in range(subscription.queue.qsize())]
    assert any(b"event: resync" in (piece or b"") for piece in pieces)
    assert pieces[-1] == b"last"
    broker.unsubscribe(subscription)


def test_only_the_last_of_many_changes_of_an_object_is_drawn() -> None:
    def entry(number: int, kind: Any, name: str, topic: str = "t") -> Entry:
        return Entry(topic, f"{number}-0", _row(name, kind))

    entries = [
        entry(1, "MODIFIED", "a"),
        entry(2, "MODIFIED", "b"),
        entry(3, "MODIFIED", "a", "other"),
        entry(4, "MODIFIED", "a"),
        entry(5, "DELETED", "a"),
        entry(6, "ADDED", "a"),
        entry(7, "MODIFIED", "a"),
        entry(8, "MODIFIED", "a"),
    ]
    assert [one.id for one in latest(entries)] == ["2-0", "3-0", "5-0", "6-0", "8-0"]


async def test_interest_is_told_to_the_hubs(app: StreamApp, log: ChangeLog, topic: Topic) -> None:
    async with _open(app, [("topic", str(topic))]) as browser:
        await browser.get("hello")
        assert await log.interest() == {str(topic)}


async def test_what_may_not_be_followed_is_refused(
    app: StreamApp, topic: Topic, client: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    stranger = ClusterClient(
        type(client.config)(
            client.name,
            client.host,
            "stranger",
            client.config.token,
            client.config.tls,
            (("Impersonate-User", "stranger"),),
        )
    )
    monkeypatch.setattr("console.web.request.console_client", lambda: stranger)
    async with _open(app, [("topic", str(topic))]) as browser:
        assert browser.status == 403
        assert "you may not list configmaps in namespace default" in browser.text


async def test_one_refused_topic_does_not_cost_the_others(app: StreamApp, log: ChangeLog, topic: Topic) -> None:
    strange = [f"{topic.cluster}/x.example/v1/zebras/-", "elsewhere/core/v1/pods/-", "nonsense"]
    async with _open(app, [("topic", str(topic)), *(("notice", text) for text in strange)]) as browser:
        refused = [(await browser.get("refused"))[0]["topic"] for _ in strange]
        assert refused == strange
        await log.append(topic, [_row("a")], "1", COLUMNS)
        await browser.get("row")


@pytest.mark.parametrize(
    ("query", "headers", "status"),
    [
        ([("topic", "nonsense")], {}, 403),
        ([("topic", f"t{number}") for number in range(300)], {}, 400),
        ([], {"host": "evil.example"}, 400),
    ],
)
async def test_a_request_that_cannot_be_served(
    app: StreamApp, client: ClusterClient, query: Any, headers: Any, status: int
) -> None:
    async with _open(app, query, **headers) as browser:
        assert browser.status == status


async def test_silence_is_broken(app: StreamApp, topic: Topic, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view, "HEARTBEAT_SECONDS", 0.05)
    async with _open(app, [("topic", str(topic))]) as browser:
        async with asyncio.timeout(5):
            while not browser.comments:
                browser.arrived.clear()
                await browser.arrived.wait()


async def test_a_dead_worker_is_told_and_its_return_too(app: StreamApp, log: ChangeLog, client: ClusterClient) -> None:
    await log.beat(HubState("one"))
    async with _open(app, []) as browser:
        assert (await browser.get("health", part="worker"))[0]["ready"] is True
        await log.leave("one")
        data, _ = await browser.get("health", part="worker", ready=False)
        assert "no worker watches the cluster" in data["message"]
        await log.beat(HubState("two", 1, "The API server at X does not answer"))
        await browser.get("health", part="worker", ready=True)
        data, _ = await browser.get("health", part="cluster", ready=False)
        assert data["message"] == "The API server at X does not answer"
        await log.beat(HubState("two", 1))
        await browser.get("health", part="cluster", ready=True)


async def test_the_end_of_the_console_ends_the_stream(app: StreamApp, topic: Topic) -> None:
    async with _open(app, [("topic", str(topic))]) as browser:
        await browser.get("hello")
        app._broker.close()
        async with asyncio.timeout(5):
            while not browser.ended:
                browser.arrived.clear()
                await browser.arrived.wait()
    async with _open(app, []) as late:
        assert late.status == 503
