"""Hubs on a real Redis and the embedded cluster: what is watched, by whom, and who takes over."""

import asyncio
import time
from pathlib import Path

import pytest
import redis

from kube.client import ClusterClient
from kube.config import load
from resources.changes import ChangeLog, HubState, Topic, position
from resources.watch.hub import WatchHub, owner
from tests import processes
from tests.eventually import reached
from tests.resources.watch.hubs import config_maps, make_map, next_change, running_hub


def test_a_topic_has_one_owner_and_only_a_dead_hubs_topics_move() -> None:
    topics = [f"t{number}" for number in range(300)]
    three = {topic: owner(topic, ["a", "b", "c"]) for topic in topics}
    two = {topic: owner(topic, ["a", "c"]) for topic in topics}
    assert {three[topic] for topic in topics} == {"a", "b", "c"}
    assert all(two[topic] == three[topic] for topic in topics if three[topic] != "b")
    assert owner("t1", ["c", "a", "b"]) == three["t1"], "the order does not matter"


async def test_what_the_console_needs_is_watched_unasked(pipe: redis.Redis, client: ClusterClient) -> None:
    log = ChangeLog()
    async with running_hub(client, "one"):
        await next_change(
            log, Topic(cluster=client.name, group="core", version="v1", plural="namespaces"), position(60), "RESYNC"
        )
        hubs = await log.hubs()
    assert [hub.id for hub in hubs] == ["one"]
    assert await log.hubs() == [], "a hub that ends says so"
    await log.close()


async def test_interest_is_followed_and_ends(pipe: redis.Redis, client: ClusterClient) -> None:
    log, topic, start = ChangeLog(), config_maps(client), position(1)
    async with running_hub(client, "one"):
        await log.renew_interest([str(topic), "other/core/v1/pods/-", "nonsense"])
        await next_change(log, topic, start, "RESYNC")
        await asyncio.to_thread(make_map, client, "followed")
        change = await next_change(log, topic, start, "ADDED")
        assert (change.name, change.namespace) == ("followed", "default")
        assert change.columns
        pipe.zrem("test:interest", str(topic))
        await reached(lambda: not any(task.get_name() == str(topic) for task in asyncio.all_tasks()))
    await log.close()


async def test_another_hub_takes_over_and_nothing_is_lost(pipe: redis.Redis, client: ClusterClient) -> None:
    log, topic, start = ChangeLog(), config_maps(client), position(1)
    await log.renew_interest([str(topic)])
    async with running_hub(client, "one") as first:
        await next_change(log, topic, start, "RESYNC")
        await asyncio.to_thread(make_map, client, "before")
        await next_change(log, topic, start, "ADDED")
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
    await asyncio.to_thread(make_map, client, "between")
    middle = position()
    async with running_hub(client, "two"):
        change = await next_change(log, topic, middle, "ADDED")
        assert change.name == "between"
        entries = await log.since(str(topic), middle)
        assert entries is not None
        assert all(entry.change.kind != "RESYNC" for entry in entries), (
            "it went on from the version the first had written"
        )
    await log.close()


async def test_topics_are_shared_among_living_hubs(pipe: redis.Redis, client: ClusterClient) -> None:
    log = ChangeLog()
    topics = [
        Topic(cluster=client.name, group="core", version="v1", plural="configmaps", namespace=f"space-{number}")
        for number in range(12)
    ]
    await log.renew_interest([str(topic) for topic in topics])
    async with running_hub(client, "one"), running_hub(client, "two"):

        async def shared() -> bool:
            shares = [hub.topics for hub in await log.hubs()]
            return len(shares) == 2 and min(shares) > 0 and sum(shares) >= 12

        await reached(shared, "both have a share")
    await log.close()


async def test_a_hub_ends_though_a_cancellation_was_swallowed(
    pipe: redis.Redis, client: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As redis-py does it when the cancellation comes while it connects."""
    asked, beat = asyncio.Event(), ChangeLog.beat

    async def deaf(log: ChangeLog, state: HubState) -> None:
        asked.set()
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            await beat(log, state)

    monkeypatch.setattr(ChangeLog, "beat", deaf)
    task = asyncio.create_task(WatchHub(client, "one").run())
    await asked.wait()
    task.cancel()
    async with asyncio.timeout(10):
        await asyncio.gather(task, return_exceptions=True)


async def test_the_hub_outlives_its_redis(
    client: ClusterClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: object
) -> None:
    socket = tmp_path / "redis.sock"
    settings.REDIS_URL = f"unix://{socket}"  # type: ignore[attr-defined]
    topic, name = config_maps(client), f"outlived-{time.time_ns()}"
    with processes.redis(socket):
        log = ChangeLog()
        hub = asyncio.create_task(WatchHub(client, "one").run())
        await log.renew_interest([str(topic)])
        await next_change(log, topic, "1", "RESYNC")
        await log.close()
    await asyncio.to_thread(make_map, client, f"{name}-away")
    with processes.redis(socket):
        log = ChangeLog()
        await log.renew_interest([str(topic)])
        await next_change(log, topic, "1", "RESYNC")
        await asyncio.to_thread(make_map, client, f"{name}-again")
        await next_change(log, topic, "1", "ADDED", f"{name}-again")
        assert not hub.done()
        hub.cancel()
        await asyncio.gather(hub, return_exceptions=True)
        await log.close()


async def test_a_cluster_that_goes_away_is_said_and_its_return_too(pipe: redis.Redis, tmp_path: Path) -> None:
    log = ChangeLog()

    async def problem(wanted: bool) -> str:
        async def hubs_with_problem() -> list[str]:
            hubs = await log.hubs()
            return [hub.problem for hub in hubs[:1] if bool(hub.problem) is wanted and (wanted or hub.topics)]

        return (await reached(hubs_with_problem, f"a problem: {wanted}"))[0]

    with processes.sandbox(tmp_path):
        client = ClusterClient(load(str(tmp_path / "kubeconfig")))
        task = asyncio.create_task(WatchHub(client, "one").run())
        assert await problem(False) == ""
    problem_text = await problem(True)
    assert problem_text.startswith(f"The API server at {client.host} does not answer: ")
    port = int(client.host.rpartition(":")[2])
    with processes.sandbox(tmp_path, port=port):
        assert await problem(False) == ""
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await log.close()
