"""The pipe: topics, streams, positions, interest and heartbeats, on a real Redis."""

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import pytest
import redis

from resources import changes
from resources.changes import (
    Change,
    ChangeLog,
    HubState,
    Lost,
    OutOfMemoryError,
    Topic,
    connection,
    living_hubs,
    position,
    streams,
)
from tests import processes

TOPIC = Topic(cluster="here", group="apps", version="v1", plural="deployments", namespace="shop")
ROW = Change(kind="MODIFIED", uid="u1", name="web", namespace="shop", row=b'{"cells":["web"]}', columns="c1")


@pytest.fixture
async def log(pipe: redis.Redis) -> ChangeLog:
    return ChangeLog()


def test_topics_are_words() -> None:
    for topic in (
        TOPIC,
        Topic(cluster="arn:aws:eks:eu:1:cluster/x", group="core", version="v1", plural="pods"),
        Topic(cluster="my cluster", group="core", version="v1", plural="pods", namespace="a"),
    ):
        text = str(topic)
        assert " " not in text
        assert Topic.parse(text) == topic
    assert str(Topic(cluster="here", group="core", version="v1", plural="pods")) == "here/core/v1/pods/-"


@pytest.mark.parametrize("text", ["", "pods", "a/b/c/d", "a//v1/pods/-"])
def test_what_is_no_topic_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no topic"):
        Topic.parse(text)


async def test_changes_arrive_as_they_were_sent(log: ChangeLog) -> None:
    start = position()
    await log.append(TOPIC, [ROW, Change(kind="DELETED", uid="u1", name="web", namespace="shop")], "42", ("c1", b"[]"))
    entries = await log.since(str(TOPIC), start)
    assert entries is not None
    assert [entry.change for entry in entries] == [ROW, Change(kind="DELETED", uid="u1", name="web", namespace="shop")]
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
    monkeypatch.setattr(streams, "_READ", 3)
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
        await log.append(TOPIC, [ROW] * 200, "1")
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
    pipe.pexpire("test:hub:two", 1)
    await asyncio.sleep(0.05)
    assert await log.hubs() == []
    await log.close()


def test_without_redis_a_page_is_still_made(monkeypatch: pytest.MonkeyPatch) -> None:
    unreachable = redis.Redis.from_url("unix:///nowhere/redis.sock")
    monkeypatch.setattr(connection, "sync_client", lambda: unreachable)
    assert position() == ""


async def test_entries_are_numbered(log: ChangeLog) -> None:
    start = position(1)
    await log.append(TOPIC, [ROW, ROW], "1")
    await log.append(TOPIC, [], "2")
    await log.append(TOPIC, [ROW], "3")
    await log.append(replace(TOPIC, plural="pods"), [ROW], "3")
    entries = await log.since(str(TOPIC), start)
    assert entries is not None
    assert [entry.number for entry in entries] == [1, 2, 3]
    assert [entry.number for entry in await log.read({str(TOPIC): "0"})] == [1, 2, 3]
    await log.close()


async def test_who_claims_last_writes(log: ChangeLog) -> None:
    start, other = position(1), ChangeLog()
    assert await log.claim(TOPIC, "one") == ""
    await log.append(TOPIC, [ROW], "41", hub="one")
    assert await other.claim(TOPIC, "two") == "41"
    with pytest.raises(Lost) as lost:
        await log.append(TOPIC, [replace(ROW, name="late")], "42", ("c2", b"[]"), hub="one")
    assert lost.value.owner == "two"
    await other.append(TOPIC, [replace(ROW, name="right")], "43", hub="two")
    entries = await log.since(str(TOPIC), start)
    assert entries is not None
    assert [entry.change.name for entry in entries] == ["web", "right"]
    assert await log.version(TOPIC) == "43"
    assert await log.columns(str(TOPIC)) == ("", b"")
    assert await log.renew({TOPIC: ""}, "one") == [TOPIC]
    assert await log.renew({TOPIC: ""}, "two") == []
    await log.release([TOPIC], "one")
    assert await log.renew({TOPIC: ""}, "two") == [], "only the owner gives it back"
    await log.release([TOPIC], "two")
    assert await log.renew({TOPIC: ""}, "two") == [TOPIC]
    assert await log.claim(TOPIC, "one") == "43", "how far it is complete stays known"
    await other.close()
    await log.close()


async def test_a_version_is_good_for_some_minutes(log: ChangeLog, pipe: redis.Redis) -> None:
    await log.claim(TOPIC, "one")
    await log.append(TOPIC, [], "41", hub="one")
    name = f"test:topic:{TOPIC}"
    pipe.hincrby(name, "at", -changes.VERSION_SECONDS + 5)
    assert await log.claim(TOPIC, "two") == "41"
    await log.renew({TOPIC: "41"}, "two")
    pipe.hincrby(name, "at", -changes.VERSION_SECONDS + 5)
    assert await log.claim(TOPIC, "two") == "41", "it was renewed"
    pipe.hincrby(name, "at", -10)
    assert await log.claim(TOPIC, "two") == ""
    await log.close()


async def test_a_topics_trouble_is_kept_while_it_lasts(log: ChangeLog) -> None:
    await log.append(TOPIC, [Change(kind="PAUSED", text="no rights")], "")
    await log.append(TOPIC, [ROW], "1")
    names = [str(TOPIC), "other"]
    assert await log.troubles(names) == {str(TOPIC): "no rights"}
    await log.append(TOPIC, [Change(kind="RESUMED"), Change(kind="RESYNC")], "2")
    assert await log.troubles(names) == {}
    assert await log.troubles([]) == {}
    await log.close()


async def test_a_stream_is_bounded_in_bytes(log: ChangeLog, pipe: redis.Redis) -> None:
    big = replace(ROW, row=b"x" * 20_000)
    for _ in range(8):
        await log.append(TOPIC, [big] * 25, "1")
    length = pipe.xlen(f"test:changes:{TOPIC}")
    assert changes.KEEP_BYTES / 2 < length * 20_000 <= changes.KEEP_BYTES
    entries = await log.read({str(TOPIC): "0"})
    assert entries[0].change.kind == "RESYNC", "what was dropped before it could be read is said"
    assert [entry.number for entry in entries[1:]] == list(range(200 - length + 1, 201))
    await log.append(TOPIC, [replace(ROW, row=b"x" * 40_000)], "2")
    (entry,) = await log.read({str(TOPIC): entries[-1].id})
    assert (entry.change.row, entry.change.name, entry.number) == (b"", "web", 201), "a row that is too big is not sent"
    await log.close()


async def test_a_full_redis_is_made_room_in(log: ChangeLog, pipe: redis.Redis) -> None:
    big = replace(ROW, row=b"x" * 20_000)
    topics = [replace(TOPIC, namespace=f"n{number}") for number in range(12)]
    pipe.config_set("maxmemory", pipe.info("memory")["used_memory"] + 6_000_000)
    try:
        with pytest.raises(OutOfMemoryError):
            for topic in topics:
                await log.append(topic, [big] * 45, "1")
        length = pipe.xlen(f"test:changes:{topics[0]}")
        assert await log.shrink() > 0
        assert pipe.xlen(f"test:changes:{topics[0]}") == length // 2
        await log.append(topics[0], [big], "2")
    finally:
        pipe.config_set("maxmemory", 0)
    entries = await log.read({str(topics[0]): "0"})
    assert entries[0].change.kind == "RESYNC"
    assert [entry.number for entry in entries[1:]] == list(range(length - length // 2 + 1, 47))
    await log.close()


async def test_trimming_is_noticed_to_the_entry(log: ChangeLog, pipe: redis.Redis) -> None:
    stream, places = f"test:changes:{TOPIC}", []
    for number in range(6):
        places.append(position())
        await asyncio.sleep(0.003)
        await log.append(TOPIC, [replace(ROW, name=str(number))], "1")
        await asyncio.sleep(0.003)
    pipe.xtrim(stream, maxlen=3, approximate=False)
    assert await log.since(str(TOPIC), places[2]) is None
    entries = await log.since(str(TOPIC), places[3])
    assert entries is not None
    assert [entry.change.name for entry in entries] == ["3", "4", "5"]
    pipe.xtrim(stream, maxlen=0, approximate=False)
    assert await log.since(str(TOPIC), places[5]) is None
    assert await log.since(str(TOPIC), position()) == []
    await log.close()


@pytest.mark.parametrize("hours", [-1, 1])
async def test_clocks_of_hosts_do_not_matter(log: ChangeLog, monkeypatch: pytest.MonkeyPatch, hours: int) -> None:
    real, other = time.time, ChangeLog()
    start = position()
    await log.beat(HubState("one"))
    monkeypatch.setattr(time, "time", lambda: real() + hours * 3600)
    await other.beat(HubState("two"))
    assert living_hubs() == ["one", "two"]
    assert (await other.census("two")).hubs == ("one", "two")
    await log.renew_interest([str(TOPIC)])
    assert await other.interest() == {str(TOPIC)}
    await log.claim(TOPIC, "one")
    await log.append(TOPIC, [ROW], "7", hub="one")
    assert await other.claim(TOPIC, "two") == "7"
    assert len(await other.since(str(TOPIC), start) or ()) == 1
    assert await other.since(str(TOPIC), position()) is not None
    await other.close()
    await log.close()


async def test_a_hub_says_when_others_may_have_taken_over(log: ChangeLog, pipe: redis.Redis) -> None:
    assert not await log.beat(HubState("one"))
    assert await log.beat(HubState("one", watches=7))
    assert (await log.hubs())[0].watches == 7
    await log.beat(HubState("two"))
    census = await log.census("one")
    assert census.hubs == ("one", "two")
    assert 0 < census.expiry <= changes.HUB_SECONDS
    pipe.delete("test:hub:one")
    assert (await log.census("two")).hubs == ("two",)
    assert not await log.beat(HubState("one"))
    await log.close()


async def test_a_flush_and_a_restart_are_another_epoch(tmp_path: Path, settings: object) -> None:
    """Also where Redis brings an old memory back from its disk."""
    socket, epochs = tmp_path / "redis.sock", []
    settings.REDIS_URL = f"unix://{socket}"  # type: ignore[attr-defined]

    async def epoch() -> str:
        log = ChangeLog()
        await log.now()
        await log.close()
        return log.epoch

    with processes.redis(socket), redis.Redis(unix_socket_path=str(socket)) as direct:
        epochs += [await epoch(), await epoch()]
        direct.flushall()
        epochs.append(await epoch())
        direct.save()
    with processes.redis(socket), redis.Redis(unix_socket_path=str(socket)) as direct:
        assert direct.get("test:epoch"), "it has its memory back"
        epochs.append(await epoch())
    assert epochs[0] == epochs[1]
    assert len(set(epochs)) == 3


async def test_a_full_redis_refuses_writes_whole_and_is_read(log: ChangeLog, pipe: redis.Redis) -> None:
    await log.claim(TOPIC, "one")
    await log.append(TOPIC, [ROW], "1", hub="one")
    await log.beat(HubState("one"))
    start = position(1)
    await log.now()
    assert start.endswith(f"@{log.epoch}")
    assert not await log.full()
    pipe.config_set("maxmemory", "100kb")
    try:
        assert await log.full()
        assert position().partition("@")[2] == start.partition("@")[2]
        assert await log.now()
        assert len(await log.since(str(TOPIC), start) or ()) == 1
        for refused in (
            log.append(TOPIC, [ROW], "2", ("c1", b"[]"), hub="one"),
            log.append(TOPIC, [], "2", hub="one"),
            log.claim(TOPIC, "two"),
            log.renew_interest(["a"]),
            log.beat(HubState("two")),
        ):
            with pytest.raises(OutOfMemoryError):
                await refused
        await log.poke()
        pipe.pexpire("test:hub:one", 500)
        assert await log.beat(HubState("one", 5)), "a living hub lives on"
        assert pipe.pttl("test:hub:one") > 1000
        assert living_hubs() == ["one"]
    finally:
        pipe.config_set("maxmemory", 0)
    assert await log.claim(TOPIC, "one") == "1", "nothing of it was written"
    assert await log.columns(str(TOPIC)) == ("", b"")
    await log.append(TOPIC, [ROW], "2", hub="one")
    assert [entry.number for entry in await log.since(str(TOPIC), start) or ()] == [1, 2]
    await log.close()
