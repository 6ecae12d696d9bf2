"""Redis killed, stopped or full, and topics that can't be watched: pages show it, nothing is lost silently, and it
recovers without help.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from kube.client import ClusterClient
from resources.changes import Change, ChangeLog, HubState, Topic, connection, position
from resources.stream import health
from resources.stream.broker import Broker
from resources.views.stream import StreamApp
from tests import processes
from tests.eventually import reached
from tests.resources.stream.browser import COLUMNS, Browser, opened, render, row_of


@pytest.fixture
def own_redis(tmp_path_factory: pytest.TempPathFactory, settings: Any) -> Iterator[Path]:
    """A Redis that may be harmed; its socket."""
    socket = tmp_path_factory.mktemp("r") / "redis.sock"
    settings.REDIS_URL = f"unix://{socket}"
    connection.sync_client.cache_clear()
    yield socket
    connection.sync_client.cache_clear()


@pytest.fixture
async def app(own_redis: Path, client: ClusterClient) -> AsyncIterator[StreamApp]:
    broker = Broker(render)
    found = StreamApp(broker)
    yield found
    await broker.stop()
    await found.stop()


@pytest.fixture
async def log(own_redis: Path) -> AsyncIterator[ChangeLog]:
    found = ChangeLog()
    yield found
    await found.close()


def _subscription(topic: Topic, since: str) -> dict[str, Any]:
    return {"since": since, "rows": [{"topic": str(topic), "uids": ["uid-a", "uid-b"]}]}


async def _follow(browser: Browser, log: ChangeLog, topic: Topic, name: str) -> None:
    """A change written now arrives."""
    await log.append(topic, [row_of(name, version="9")], "9", COLUMNS)
    await browser.get("row", name=name)


async def test_a_redis_that_is_killed_and_comes_back(
    app: StreamApp, log: ChangeLog, topic: Topic, own_redis: Path
) -> None:
    with processes.redis(own_redis) as process:
        async with opened(app, [], _subscription(topic, position())) as browser:
            await browser.get("health", part="redis", ready=True)
            await _follow(browser, log, topic, "a")
            process.kill()
            process.wait()
            data, _ = await browser.get("health", part="redis", ready=False)
            assert data["message"].startswith("Live updates are paused: Redis isn't responding")
            own_redis.unlink()
            # A page that connects while it is away gets the same, and is asked to list.
            async with opened(app, [], _subscription(topic, "")) as late:
                await late.get("resync", topic=str(topic))
                with processes.redis(own_redis):
                    await late.get("health", part="redis", ready=True)
                    await browser.get("resync", topic=str(topic))
                    await _follow(browser, log, topic, "b")
                    await late.get("row", name="b")
                    assert await log.interest() == {str(topic)}


async def test_a_redis_that_hangs_is_noticed_and_loses_nothing(
    app: StreamApp, log: ChangeLog, topic: Topic, own_redis: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "HANGS_SECONDS", 0.5)
    with processes.redis(own_redis) as process:
        async with opened(app, [], _subscription(topic, position())) as browser:
            await browser.get("health", part="redis", ready=True)
            await _follow(browser, log, topic, "a")
            os.kill(process.pid, signal.SIGSTOP)
            try:
                data, _ = await browser.get("health", part="redis", ready=False)
                assert "isn't responding" in data["message"]
            finally:
                os.kill(process.pid, signal.SIGCONT)
            await log.append(topic, [row_of("b", version="5")], "5", COLUMNS)
            async with asyncio.timeout(15):  # in whichever order
                while {("row", "b"), ("health", "redis")} - {
                    (kind, data.get("name") or data.get("part")) for kind, data, _ in browser.events
                }:
                    browser.arrived.clear()
                    await browser.arrived.wait()
            assert all(data["ready"] for kind, data, _ in browser.events if kind == "health")


async def test_a_full_redis_is_named_and_a_topic_that_was_asked_for_meanwhile_is_wanted_later(
    app: StreamApp, log: ChangeLog, topic: Topic, own_redis: Path
) -> None:
    with processes.redis(own_redis), redis.Redis(unix_socket_path=str(own_redis)) as direct:
        start = position()
        direct.config_set("maxmemory", 1)
        async with opened(app, [], _subscription(topic, start)) as browser:
            data, _ = await browser.get("health", part="redis", ready=False)
            assert data["message"].startswith("Live updates are paused: Redis is full")
            direct.config_set("maxmemory", 0)
            await browser.get("health", part="redis", ready=True)

            async def asked_for() -> bool:
                return await log.interest() == {str(topic)}

            await reached(asked_for)
            await _follow(browser, log, topic, "a")


async def test_a_topic_that_cannot_be_watched(app: StreamApp, log: ChangeLog, topic: Topic, own_redis: Path) -> None:
    with processes.redis(own_redis):
        await log.beat(HubState("one"))
        async with opened(app, [], _subscription(topic, position())) as browser:
            await browser.get("hello")
            await log.append(topic, [Change(kind="PAUSED", text="the type is not served any more")], "1")
            data, _ = await browser.get("paused")
            assert data == {"topic": str(topic), "message": "the type is not served any more"}
            async with opened(app, [("notice", str(topic)), ("since", position())]) as late:
                assert (await late.get("paused", topic=str(topic)))[0]["message"] == data["message"]
                await log.append(topic, [Change(kind="RESUMED"), Change(kind="RESYNC")], "2")
                for item in (browser, late):
                    # Both arrive, in either order.
                    kinds = {(await item.get("resumed"))[0]["topic"]} | {str(topic)}
                    assert kinds == {str(topic)}


async def test_what_redis_trimmed_before_it_was_read_is_told(
    app: StreamApp, log: ChangeLog, topic: Topic, own_redis: Path
) -> None:
    with processes.redis(own_redis), redis.Redis(unix_socket_path=str(own_redis)) as direct:
        async with opened(app, [], _subscription(topic, position())) as browser:
            await _follow(browser, log, topic, "a")
            # Numbers that are not the next ones: as if what lay between had been trimmed.
            direct.hincrby(f"test:topic:{topic}", "number", 5)
            found = direct.hgetall(f"test:topic:{topic}")
            assert found, "where entries are numbered has changed: this test has to follow"
            (_id, fields), *_others = direct.xrange(f"test:changes:{topic}")
            # Repeated, as a reader that has begun at "now" has no number before the first of these.
            for number in range(99, 1099, 100):
                direct.xadd(f"test:changes:{topic}", {**fields, b"i": str(number).encode()})
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(browser.get("resync", topic=str(topic)), 1)
                    return
            pytest.fail("no gap was told")
