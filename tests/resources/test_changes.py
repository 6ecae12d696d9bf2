"""The pipe: topics, streams, positions, interest and heartbeats, on a real Redis."""

import asyncio
from dataclasses import replace

import pytest
import redis

from resources import changes
from resources.changes import Change, ChangeLog, HubState, Topic, living_hubs, position

TOPIC = Topic("here", "apps", "v1", "deployments", "shop")
ROW = Change("MODIFIED", "u1", "web", "shop", b'{"cells":["web"]}', "c1")


@pytest.fixture
async def log(pipe: redis.Redis) -> ChangeLog:
    return ChangeLog()


def test_topics_are_words() -> None:
    for topic in (
        TOPIC,
        Topic("arn:aws:eks:eu:1:cluster/x", "core", "v1", "pods"),
        Topic("my cluster", "core", "v1", "pods", "a"),
    ):
        text = str(topic)
        assert " " not in text
        assert Topic.parse(text) == topic
    assert str(Topic("here", "core", "v1", "pods")) == "here/core/v1/pods/-"


@pytest.mark.parametrize("text", ["", "pods", "a/b/c/d", "a//v1/pods/-"])
def test_what_is_no_topic_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no topic"):
        Topic.parse(text)


async def test_changes_arrive_as_they_were_sent(log: ChangeLog) -> None:
    start = position()
    await log.append(TOPIC, [ROW, Change("DELETED", "u1", "web", "shop")], "42", ("c1", b"[]"))
    entries = await log.since(str(TOPIC), start)
    assert entries is not None
    assert [entry.change for entry in entries] == [ROW, Change("DELETED", "u1", "web", "shop")]
    assert await log.version(TOPIC) == "42"
    assert await log.columns(str(TOPIC)) == ("c1", b"[]")
    await log.close()


async def test_reading_waits_for_what_comes(log: ChangeLog) -> None:
    now = f"{await log.now() - 1}"
    reading = asyncio.create_task(log.read({str(TOPIC): now, "here/core/v1/pods/-": now}))
    await asyncio.sleep(0)
    other = ChangeLog()
    await other.append(TOPIC, [ROW], "1")
    (entry,) = await asyncio.wait_for(reading, 5)
    assert (entry.topic, entry.change) == (str(TOPIC), ROW)
    await other.close()
    await log.close()


async def test_topics_are_read_in_one_order(log: ChangeLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a stream holds more than one read takes: nothing of another comes before what is left of it."""
    monkeypatch.setattr(changes, "_READ", 3)
    start = position().partition("@")[0]
    other = replace(TOPIC, plural="pods")
    for number in range(12):
        # The first stream is ahead, so that it has the older entries.
        await log.append(TOPIC if number < 8 else other, [replace(ROW, name=str(number))], str(number))
        await asyncio.sleep(0.002)
    positions, read = {str(TOPIC): start, str(other): start}, []
    while len(read) < 12:
        for entry in await log.read(positions, 1000):
            positions[entry.topic] = entry.id
            read.append(int(entry.change.name))
    assert read == list(range(12))


async def test_a_task_may_follow(log: ChangeLog) -> None:
    start = position()
    await log.append(TOPIC, [ROW], "1")
    async for entry in log.follow([TOPIC], start):
        assert entry.change == ROW
        break
    await log.close()


async def test_positions_that_are_not_known_are_said_to_be(log: ChangeLog, pipe: redis.Redis) -> None:
    await log.append(TOPIC, [ROW], "1")
    start = position()
    assert await log.since(str(TOPIC), "") is None
    assert await log.since(str(TOPIC), "nonsense") is None
    assert await log.since(str(TOPIC), start.replace("@", "@x")) is None, "another epoch"
    assert await log.since(str(TOPIC), position(changes.KEEP_SECONDS + 5)) is None, "too old"
    pipe.flushall()
    assert await log.since(str(TOPIC), start) is None, "Redis forgot everything"
    await log.close()


async def test_what_was_trimmed_is_not_a_silent_gap(log: ChangeLog) -> None:
    start = position(1)
    for _ in range(12):
        await log.append(TOPIC, [ROW] * 100, "1")
    assert await log.since(str(TOPIC), start, limit=10_000) is None
    middle = position()
    await log.append(TOPIC, [ROW], "2")
    entries = await log.since(str(TOPIC), middle)
    assert entries is not None
    assert len(entries) >= 1
    await log.close()


async def test_a_long_backlog_is_a_new_list(log: ChangeLog) -> None:
    start = position()
    await log.append(TOPIC, [ROW] * 20, "1")
    assert await log.since(str(TOPIC), start, limit=5) is None
    await log.close()


async def test_interest_wakes_the_hubs_once(log: ChangeLog, pipe: redis.Redis) -> None:
    listener = pipe.pubsub()
    listener.subscribe("test:wake")
    assert listener.get_message(timeout=5)["type"] == "subscribe"
    await log.renew_interest(["a", "b"])
    await log.renew_interest(["a"])
    await log.renew_interest([])
    assert await log.interest() == {"a", "b"}
    assert listener.get_message(timeout=5)["data"] == b"interest"
    assert listener.get_message(timeout=0.05) is None
    listener.close()
    await log.close()


async def test_interest_ends(log: ChangeLog, pipe: redis.Redis) -> None:
    await log.renew_interest(["a", "b"])
    pipe.zadd("test:interest", {"a": 1})
    assert await log.interest() == {"b"}
    await log.close()


async def test_hubs_live_as_long_as_they_say(log: ChangeLog, pipe: redis.Redis) -> None:
    await log.beat(HubState("one", 3, "no cluster"))
    await log.beat(HubState("two"))
    assert living_hubs() == ["one", "two"]
    assert await log.hubs() == [HubState("one", 3, "no cluster"), HubState("two")]
    await log.leave("one")
    assert living_hubs() == ["two"]
    pipe.zadd("test:hubs", {"two": 1})
    assert await log.hubs() == []
    await log.close()


def test_without_redis_a_page_is_still_made(monkeypatch: pytest.MonkeyPatch) -> None:
    unreachable = redis.Redis.from_url("unix:///nowhere/redis.sock")
    monkeypatch.setattr(changes, "_sync", lambda: unreachable)
    assert position() == ""
