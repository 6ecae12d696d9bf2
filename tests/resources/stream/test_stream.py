"""GET /stream as a browser sees it: the real application on a real Redis and the embedded cluster.

The hub's part is played by hand.
"""

import asyncio
import re
from dataclasses import replace
from typing import Any

import pytest
import redis

from kube import silence
from kube.client import ClusterClient
from resources.changes import Change, ChangeLog, HubState, StreamEntry, Topic, position
from resources.stream import broker as broker_module
from resources.stream.live_update import latest
from resources.views.stream import StreamApp
from tests.eventually import reached
from tests.resources.stream.browser import COLUMNS, opened, row_of


async def test_o16_pages_are_told_since_when_the_cluster_is_silent(
    app: StreamApp, topic: Topic, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Open lists stayed green while the API server hung; it is checked even if no page is loaded."""
    async with opened(app, [("topic", str(topic))]) as browser:
        await browser.get("health", part="api", ready=True)
        await reached(lambda: app._broker._probe._hosts)
        monkeypatch.setattr(silence, "seconds", lambda _host: 42.0)
        data, _ = await browser.get("health", part="api", ready=False)
        assert re.search(r"\d\d:\d\d:\d\d UTC", data["message"])
        async with opened(app, [("topic", str(topic))]) as late:
            again, _ = await late.get("health", part="api", ready=False)
            assert again["message"] == data["message"]
        monkeypatch.undo()
        await browser.get("health", part="api", ready=True)


async def test_lists_of_one_topic_may_have_columns_of_their_own(app: StreamApp, log: ChangeLog, topic: Topic) -> None:
    mine = f"{topic}?state,label:a/b"
    async with opened(app, [("topic", mine), ("notice", str(topic)), ("since", position())]) as browser:
        await browser.get("hello")
        await log.append(topic, [row_of("a")], "1", COLUMNS)
        data, _id = await browser.get("row", topic=mine)
        assert data["html"] == "<tr>ConfigMap a en</tr>"
        news, _id = await browser.get("row", topic=str(topic))
        assert "html" not in news
        await log.append(topic, [Change(kind="RESYNC")], "2")
        await browser.get("resync", topic=mine)


async def test_it_works(app: StreamApp, log: ChangeLog, topic: Topic) -> None:
    async with opened(app, [("topic", str(topic)), ("since", position())]) as browser:
        assert browser.status == 200
        assert browser.headers["content-type"].startswith("text/event-stream")
        assert browser.headers["x-accel-buffering"] == "no"
        await browser.get("hello")
        await log.append(topic, [row_of("a")], "1", COLUMNS)
        data, id_ = await browser.get("row")
        assert data == {
            "topic": str(topic),
            "uid": "uid-a",
            "name": "a",
            "namespace": "default",
            "version": "",
            "html": "<tr>ConfigMap a en</tr>",
        }
        assert "@" in id_
        await log.append(topic, [row_of("b", "ADDED")], "2")
        assert (await browser.get("added"))[0]["name"] == "b"
        await log.append(topic, [Change(kind="DELETED", uid="uid-b", name="b", namespace="default")], "3")
        assert (await browser.get("gone"))[0]["uid"] == "uid-b"
        await log.append(topic, [Change(kind="RESYNC")], "4")
        assert (await browser.get("resync"))[0]["topic"] == str(topic)


async def test_a_notice_comes_without_html(app: StreamApp, log: ChangeLog, topic: Topic) -> None:
    async with opened(app, [("notice", str(topic))]) as browser:
        await browser.get("hello")
        await log.append(topic, [row_of("a")], "1", COLUMNS)
        assert "html" not in (await browser.get("row"))[0]


async def test_each_reader_has_his_language(app: StreamApp, log: ChangeLog, topic: Topic) -> None:
    async with (
        opened(app, [("topic", str(topic))], cookie="console_language=ko") as korean,
        opened(app, [("topic", str(topic))]) as english,
    ):
        await korean.get("hello")
        await english.get("hello")
        await log.append(topic, [row_of("a")], "1", COLUMNS)
        assert (await korean.get("row"))[0]["html"].endswith("ko</tr>")
        assert (await english.get("row"))[0]["html"].endswith("en</tr>")


async def test_what_came_before_the_connection_is_caught_up(app: StreamApp, log: ChangeLog, topic: Topic) -> None:
    rendered = position()
    await log.append(topic, [row_of("early")], "1", COLUMNS)
    async with opened(app, [("topic", str(topic)), ("since", rendered)]) as browser:
        assert (await browser.get("row"))[0]["name"] == "early"
        _, last = await browser.get("hello")
    assert last


async def test_resuming_by_last_event_id_loses_nothing(app: StreamApp, log: ChangeLog, topic: Topic) -> None:
    """The connection drops at a random place between changes to two topics, again and again."""
    other = Topic(cluster=topic.cluster, group="core", version="v1", plural="secrets", namespace="default")
    query = [("topic", str(topic)), ("notice", str(other)), ("since", position())]
    wanted = [f"n{number}" for number in range(40)]
    seen: list[str] = []
    last = ""

    async def write() -> None:
        for number, name in enumerate(wanted):
            await log.append(topic if number % 2 else other, [row_of(name)], str(number), COLUMNS)
            await asyncio.sleep(0.005)

    writer = asyncio.create_task(write())
    async with asyncio.timeout(60):
        while not set(wanted) <= set(seen):
            headers = {"last_event_id": last} if last else {}
            async with opened(app, query, **headers) as browser:
                while not browser.events:
                    browser.arrived.clear()
                    await browser.arrived.wait()
                await asyncio.sleep(0.01)
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
    async with opened(app, [("topic", str(topic))]) as browser:
        await browser.get("resync", topic=str(topic))
    before = position()
    pipe.flushall()
    async with opened(app, [("topic", str(topic)), ("since", before)]) as browser:
        await browser.get("resync", topic=str(topic))


def test_only_the_last_of_many_changes_of_an_object_is_drawn() -> None:
    def entry(number: int, kind: Any, name: str, topic: str = "t") -> StreamEntry:
        return StreamEntry(topic, f"{number}-0", row_of(name, kind))

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
    assert [item.id for item in latest(entries)] == ["2-0", "3-0", "5-0", "6-0", "8-0"]


async def test_interest_is_told_to_the_hubs(app: StreamApp, log: ChangeLog, topic: Topic) -> None:
    async with opened(app, [("topic", str(topic))]) as browser:
        await browser.get("hello")
        assert await log.interest() == {str(topic)}


async def test_what_may_not_be_followed_is_refused(
    app: StreamApp, topic: Topic, client: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    stranger = ClusterClient(replace(client.config, user="stranger", headers=(("Impersonate-User", "stranger"),)))
    monkeypatch.setattr("console.web.request.console_client", lambda: stranger)
    async with opened(app, [("topic", str(topic))]) as browser:
        assert browser.status == 403
        assert "You don't have permission to list configmaps in the namespace “default”." in browser.text


async def test_one_refused_topic_does_not_cost_the_others(app: StreamApp, log: ChangeLog, topic: Topic) -> None:
    strange = [f"{topic.cluster}/x.example/v1/zebras/-", "elsewhere/core/v1/pods/-", "nonsense"]
    async with opened(app, [("topic", str(topic)), *(("notice", text) for text in strange)]) as browser:
        refused = [(await browser.get("refused"))[0] for _ in strange]
        assert [data["topic"] for data in refused] == strange
        assert [data["gone"] for data in refused] == [True, False, False], "a type that is not served is no refusal"
        await log.append(topic, [row_of("a")], "1", COLUMNS)
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
    async with opened(app, query, **headers) as browser:
        assert browser.status == status


async def test_silence_is_broken(app: StreamApp, topic: Topic, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker_module, "HEARTBEAT_SECONDS", 0.05)
    async with opened(app, [("topic", str(topic))]) as browser:
        async with asyncio.timeout(5):
            while not browser.comments:
                browser.arrived.clear()
                await browser.arrived.wait()


async def test_a_dead_worker_is_told_and_its_return_too(app: StreamApp, log: ChangeLog, client: ClusterClient) -> None:
    await log.beat(HubState("one"))
    async with opened(app, []) as browser:
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
    async with opened(app, [("topic", str(topic))]) as browser:
        await browser.get("hello")
        app._broker.close()
        async with asyncio.timeout(5):
            while not browser.ended:
                browser.arrived.clear()
                await browser.arrived.wait()
    async with opened(app, []) as late:
        assert late.status == 503
