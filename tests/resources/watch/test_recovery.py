"""What a hub does when Redis loses data, is full, or reports that another hub was faster; and at its end."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import redis

from kube.client import ClusterClient
from resources.changes import Change, ChangeLog, StreamEntry, Topic, living_hubs, position
from resources.watch import hub as hub_module
from tests.eventually import reached
from tests.resources.watch.hubs import after, config_maps, make_map, next_change, running_hub


@pytest.fixture
async def log(pipe: redis.Redis) -> AsyncIterator[ChangeLog]:
    found = ChangeLog()
    yield found
    await found.close()


@pytest.fixture
def name() -> str:
    """Of an object of this test alone, on whatever cluster."""
    return f"healing-{time.time_ns()}"


@pytest.fixture(autouse=True)
def _tidy(client: ClusterClient, name: str) -> Iterator[None]:
    yield
    type_ = client.find("", "v1", "configmaps")
    for obj in client.list(type_, "default").items:
        if obj["metadata"]["name"].startswith(name):
            client.delete(type_, obj["metadata"]["name"], "default")


async def _entries(log: ChangeLog, topic: Topic) -> list[StreamEntry]:
    return [entry for entry in await log.read({str(topic): "0"}, 10) if entry.topic == str(topic)]


async def test_a_flush_is_told_to_pages_of_quiet_and_busy_topics(
    pipe: redis.Redis, log: ChangeLog, client: ClusterClient, name: str
) -> None:
    maps = config_maps(client)
    quiet = Topic(cluster=client.name, group="core", version="v1", plural="secrets", namespace="default")
    async with running_hub(client, "one"):
        await log.renew_interest([str(maps), str(quiet)])
        await next_change(log, maps, "1", "RESYNC")
        await next_change(log, quiet, "1", "RESYNC")
        await asyncio.to_thread(make_map, client, f"{name}-1")
        await next_change(log, maps, "1", "ADDED", f"{name}-1")
        watching = [_task(maps), _task(quiet)]
        pipe.flushall()
        flushed = position(1)
        await asyncio.gather(next_change(log, maps, "1", "RESYNC"), next_change(log, quiet, "1", "RESYNC"))
        assert {str(maps), str(quiet)} <= await log.interest(), "what pages want is known again before they say it"
        assert await log.columns(str(maps)) != ("", b"")
        await asyncio.to_thread(make_map, client, f"{name}-2")
        await next_change(log, maps, flushed, "ADDED", f"{name}-2")
        assert [_task(maps), _task(quiet)] == watching, "neither was watched anew"
        found = await _entries(log, maps)
    assert [entry.number for entry in found] == list(range(1, len(found) + 1))
    assert sum(entry.change.kind == "RESYNC" for entry in found) == 1, "once"


async def test_a_full_redis_is_waited_for(pipe: redis.Redis, log: ChangeLog, client: ClusterClient, name: str) -> None:
    maps, start = config_maps(client), position(1)
    async with running_hub(client, "one"):
        await log.renew_interest([str(maps)])
        await next_change(log, maps, start, "RESYNC")
        since = await after()
        pipe.config_set("maxmemory", "100kb")
        try:
            for number in range(3):
                await asyncio.to_thread(make_map, client, f"{name}-{number}")
            # For longer than a heartbeat lasts.
            until_ = time.monotonic() + 4
            while time.monotonic() < until_:
                assert living_hubs() == ["one"]
                await asyncio.sleep(0.2)
            assert await log.since(str(maps), since) == []
        finally:
            pipe.config_set("maxmemory", 0)
        for number in range(3):
            await next_change(log, maps, since, "ADDED", f"{name}-{number}")
        assert not any(entry.change.kind == "RESYNC" for entry in await log.since(str(maps), since) or ())


async def test_a_topic_that_another_has_claimed_is_let_go_and_taken_again_from_there(
    pipe: redis.Redis, log: ChangeLog, client: ClusterClient, name: str
) -> None:
    """As after a SIGSTOP: nothing comes on a quiet topic, so only the heartbeat that was gone tells it."""
    maps, start = config_maps(client), position(1)
    other = ChangeLog()
    async with running_hub(client, "one"):
        await log.renew_interest([str(maps)])
        await next_change(log, maps, start, "RESYNC")
        task = _task(maps)
        version = await other.claim(maps, "two")
        await other.append(maps, [Change(kind="MODIFIED", name="by-two")], version, hub="two")
        pipe.delete("test:hub:one")
        await reached(lambda: task.done() and _task(maps) is not None)
        await asyncio.to_thread(make_map, client, name)
        await next_change(log, maps, start, "ADDED", name)
        # Its next heartbeat says so.

        async def is_loss_reported() -> bool:
            return [hub.lost for hub in await log.hubs()] == [1]

        await reached(is_loss_reported)
        found = await log.since(str(maps), start)
    await other.close()
    assert found is not None
    assert [entry.change.kind for entry in found if entry.change.kind == "RESYNC"] == ["RESYNC"], "only the first"


def _task(topic: Topic) -> Any:
    return next((task for task in asyncio.all_tasks() if task.get_name() == str(topic) and not task.done()), None)


async def test_a_busy_topic_that_another_has_claimed_stops_at_its_next_change(
    log: ChangeLog, client: ClusterClient, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "_RENEW_SECONDS", 600.0)
    maps, start = config_maps(client), position(1)
    other = ChangeLog()
    async with running_hub(client, "one"):
        await log.renew_interest([str(maps)])
        await next_change(log, maps, start, "RESYNC")
        await other.claim(maps, "two")
        await asyncio.to_thread(make_map, client, name)
        # The first hub's write is refused; it claims the topic again and resumes from the version before it.
        await next_change(log, maps, start, "ADDED", name)
        found = await log.since(str(maps), start)
    await other.close()
    assert found is not None
    assert [entry.change.name for entry in found if entry.change.kind == "ADDED"] == [name]


async def test_what_was_read_is_written_before_the_end(
    pipe: redis.Redis, log: ChangeLog, client: ClusterClient, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    maps, start, append = config_maps(client), position(1), ChangeLog.append
    writing = asyncio.Event()

    async def slow(self: ChangeLog, topic: Topic, changes: Any, *args: Any, **more: Any) -> None:
        if any(change.name == name for change in changes):
            writing.set()
            await asyncio.sleep(0.3)
        await append(self, topic, changes, *args, **more)

    monkeypatch.setattr(ChangeLog, "append", slow)
    async with running_hub(client, "one") as task:
        await log.renew_interest([str(maps)])
        await next_change(log, maps, start, "RESYNC")
        await asyncio.to_thread(make_map, client, name)
        await asyncio.wait_for(writing.wait(), 20)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    found = await log.since(str(maps), start)
    assert found is not None
    assert found[-1].change.name == name
    assert await log.version(maps) == found[-1].change.version
    assert living_hubs() == []


async def test_topics_that_nobody_wants_are_given_back(
    pipe: redis.Redis, log: ChangeLog, client: ClusterClient
) -> None:
    maps, start = config_maps(client), position(1)
    async with running_hub(client, "one"):
        await log.renew_interest([str(maps)])
        await next_change(log, maps, start, "RESYNC")
        assert pipe.hget(f"test:topic:{maps}", "hub") == b"one"
        pipe.zrem("test:interest", str(maps))
        await reached(lambda: pipe.hget(f"test:topic:{maps}", "hub") is None)
        assert await log.version(maps)


async def test_a_hub_makes_room_in_a_redis_that_is_full_of_old_changes(
    pipe: redis.Redis, log: ChangeLog, client: ClusterClient, name: str
) -> None:
    """Also for topics without subscribers: they would fill it for an hour.

    The hub itself is new, and not even known yet.
    """
    maps, start = config_maps(client), position(1)
    old = [
        Topic(cluster=client.name, group="core", version="v1", plural="pods", namespace=f"space-{number}")
        for number in range(8)
    ]
    big = Change(kind="MODIFIED", uid="u", name="n", row=b"x" * 30_000)
    await log.renew_interest([str(maps)])
    for topic in old:
        await log.append(topic, [big] * 33, "1")
    pipe.config_set("maxmemory", pipe.info("memory")["used_memory"] - 100_000)
    try:
        async with running_hub(client, "one"):
            await next_change(log, maps, start, "RESYNC")
            await asyncio.to_thread(make_map, client, name)
            await next_change(log, maps, start, "ADDED", name)
    finally:
        pipe.config_set("maxmemory", 0)
    assert all(pipe.xlen(f"test:changes:{topic}") < 33 for topic in old)
