"""The pipe between who watches the cluster and who shows it: Redis streams, and nothing else speaks to Redis.

Downstream: a hub appends what it saw to the stream of the topic, browsers' brokers follow. Upstream: interest, a sorted set of topics with
an expiry that open connections renew. Hubs keep a heartbeat and, for each topic, the last resourceVersion written, so that another hub can go on from there.

Ids are those of Redis streams: milliseconds and a number. One browser follows several streams over one connection, and ids of different
streams may be equal, so reading resumes one millisecond early: a change may come twice, and never not at all. Consumers don't mind.
The epoch is a word made with an empty Redis: positions of another epoch are unknown, and are answered with `resync`.
"""

import contextlib
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal
from urllib.parse import quote, unquote
from uuid import uuid4

import msgspec
import redis
import redis.asyncio
from django.conf import settings
from redis.exceptions import RedisError

__all__ = ["Change", "ChangeLog", "Entry", "HubState", "RedisError", "Topic", "living_hubs", "ping", "position"]

Kind = Literal["ADDED", "MODIFIED", "DELETED", "RESYNC"]

# Entries kept for each topic (about); a browser that missed more lists again.
KEEP_CHANGES = 1000
# A position older than this is not looked up: the stream may have expired meanwhile.
KEEP_SECONDS = 1800
# Topics are watched for so long after the last connection that showed them is gone, so that a reload finds them running.
INTEREST_SECONDS = 45
HUB_SECONDS = 4.0
# A new hub goes on from a resourceVersion for so long after it was written; later it starts anew, with a resync.
VERSION_SECONDS = 180
# Longer than any blocking read, so that a Redis that hangs is noticed.
_PATIENCE_SECONDS = 12.0
_COLUMNS_SECONDS = 24 * 3600
# Of one stream in one read.
_READ = 500


@dataclass(frozen=True, slots=True)
class Topic:
    """What may be followed: one type in one namespace ('' = all). `group` is 'core' for the empty one."""

    cluster: str
    group: str
    version: str
    plural: str
    namespace: str = ""

    def __str__(self) -> str:
        """'<cluster>/<group>/<version>/<plural>/<namespace or ->', without spaces, so that a page can list several."""
        return f"{quote(self.cluster, safe='/:@')}/{self.group}/{self.version}/{self.plural}/{self.namespace or '-'}"

    @classmethod
    def parse(cls, text: str) -> "Topic":
        """Raises ValueError. The cluster's name may hold slashes, the other parts can't."""
        parts = text.rsplit("/", 4)
        if len(parts) != 5 or not all(parts):
            raise ValueError(f"{text!r} is no topic: <cluster>/<group or core>/<version>/<plural>/<namespace or ->")
        cluster, group, version, plural, namespace = parts
        return cls(unquote(cluster), group, version, plural, "" if namespace == "-" else namespace)


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to one object; RESYNC: changes may have been missed, list again.

    `row`: JSON of a Table row, {"cells": […], "object": {"metadata": …}, "health": {language: [state, reason]}}; `health` only of kinds that
    have states. `columns`: digest of the columns the cells belong to.
    """

    kind: Kind
    uid: str = ""
    name: str = ""
    namespace: str = ""
    row: bytes = b""
    columns: str = ""

    def fields(self) -> dict[Any, Any]:
        found = {"k": self.kind, "u": self.uid, "n": self.name, "s": self.namespace, "r": self.row, "c": self.columns}
        return {key: value for key, value in found.items() if value}

    @classmethod
    def from_fields(cls, fields: Mapping[bytes, bytes]) -> "Change":
        text = {key: fields.get(key, b"").decode() for key in (b"k", b"u", b"n", b"s", b"c")}
        kind: Any = text[b"k"]
        return cls(kind, text[b"u"], text[b"n"], text[b"s"], fields.get(b"r", b""), text[b"c"])


@dataclass(frozen=True, slots=True)
class Entry:
    """A change as it stands in the stream."""

    topic: str
    id: str
    change: Change


class HubState(msgspec.Struct, frozen=True):
    """What a hub says about itself with each heartbeat. `problem`: why it can't watch the cluster, '' when all is well."""

    id: str
    topics: int = 0
    problem: str = ""


def _key(*parts: str) -> str:
    return ":".join((settings.REDIS_PREFIX, *parts))


@lru_cache(maxsize=1)
def _sync() -> "redis.Redis":
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=2.0, socket_connect_timeout=1.0)


def ping() -> None:
    """Raises RedisError when Redis does not answer."""
    _sync().ping()


def living_hubs() -> list[str]:
    """Ids of the hubs with a heartbeat. Raises RedisError."""
    found: Any = _sync().zrangebyscore(_key("hubs"), time.time(), "+inf")
    return [item.decode() for item in found]


def position(seconds_ago: float = 0.0) -> str:
    """Where the streams stand now, or stood some seconds ago: '<id>@<epoch>'; '' when Redis does not answer."""
    try:
        with _sync().pipeline(transaction=False) as pipe:
            pipe.set(_key("epoch"), uuid4().hex[:8], nx=True)
            pipe.get(_key("epoch"))
            pipe.time()
            _, epoch, now = pipe.execute()
    except RedisError:
        return ""
    milliseconds = now[0] * 1000 + now[1] // 1000 - int(seconds_ago * 1000)
    return f"{milliseconds}-0@{epoch.decode()}"


def _milliseconds(id_: str) -> int:
    """Of '1700000000000-3' or '1700000000000-3@epoch'; 0 for anything else."""
    number = id_.partition("@")[0].partition("-")[0]
    return int(number) if number.isdigit() else 0


def order(id_: str) -> tuple[int, int]:
    """An entry's place among those of all streams."""
    milliseconds, _, number = id_.partition("-")
    return int(milliseconds), int(number)


class ChangeLog:
    """The streams, interest and heartbeats over one pool of async connections; belongs to one event loop."""

    def __init__(self) -> None:
        # Any: redis-py's annotations unite what all its decoders might return.
        self._redis: Any = redis.asyncio.Redis.from_url(
            settings.REDIS_URL, socket_connect_timeout=1.0, socket_timeout=_PATIENCE_SECONDS
        )
        self.epoch = ""
        self._poke_key = _key("poke", uuid4().hex)
        self._poked = "0"

    async def close(self) -> None:
        with contextlib.suppress(RedisError, OSError):
            await self._redis.aclose()

    # Streams

    async def append(
        self, topic: Topic, changes: Iterable[Change], version: str, columns: tuple[str, bytes] | None = None
    ) -> None:
        """Add changes and remember `version` as seen, in this order, so that a crash between repeats changes and loses none.

        `columns`: (digest, JSON) when they are new. Raises RedisError; the whole may then be repeated.
        """
        key = _key("changes", str(topic))
        async with self._redis.pipeline(transaction=True) as pipe:
            if columns is not None:
                pipe.set(_key("columns", str(topic)), columns[0].encode() + b"\n" + columns[1], ex=_COLUMNS_SECONDS)
            appended = False
            for change in changes:
                pipe.xadd(key, change.fields(), maxlen=KEEP_CHANGES, approximate=True)
                appended = True
            if appended:
                pipe.expire(key, KEEP_SECONDS * 2)
            if version:
                pipe.set(_key("version", str(topic)), version, ex=VERSION_SECONDS)
            await pipe.execute()

    async def version(self, topic: Topic) -> str:
        """The resourceVersion up to which the stream is complete, '' when that is unknown or long ago."""
        found = await self._redis.get(_key("version", str(topic)))
        return str(found.decode()) if found else ""

    async def columns(self, topic: str) -> tuple[str, bytes]:
        """(digest, JSON of columnDefinitions) as last written; ('', b'') when there are none."""
        found = await self._redis.get(_key("columns", topic))
        digest, _, text = (found or b"").partition(b"\n")
        return digest.decode(), text

    async def now(self) -> int:
        """Milliseconds on Redis' clock. Also learns the epoch, which changes when Redis lost its memory."""
        async with self._redis.pipeline(transaction=False) as pipe:
            pipe.set(_key("epoch"), uuid4().hex[:8], nx=True)
            pipe.get(_key("epoch"))
            pipe.time()
            _, epoch, now = await pipe.execute()
        self.epoch = epoch.decode()
        return int(now[0]) * 1000 + int(now[1]) // 1000

    async def since(self, topic: str, position: str, limit: int = 200) -> list[Entry] | None:
        """What came after `position` ('<id>@<epoch>'); None when that can't be told, or is too much: list again."""
        milliseconds, epoch = _milliseconds(position), position.partition("@")[2]
        now = await self.now()
        if not milliseconds or epoch != self.epoch or now - milliseconds > KEEP_SECONDS * 1000:
            return None
        key = _key("changes", topic)
        found = await self._redis.xrange(key, min=f"{milliseconds - 1}", count=limit + 1)
        if len(found) > limit:
            return None
        first = await self._redis.xrange(key, count=1)
        trimmed = first and _milliseconds(first[0][0].decode()) >= milliseconds
        if trimmed and await self._redis.xlen(key) >= KEEP_CHANGES:
            return None
        return [Entry(topic, id_.decode(), Change.from_fields(fields)) for id_, fields in found]

    async def read(self, positions: Mapping[str, str], block_milliseconds: int = 5000) -> list[Entry]:
        """Wait for entries after `positions` (topic → id), or until poke(). One connection, however many topics.

        In the order of their ids over all topics: whoever has seen one has seen all before it, so that one id is enough to resume by.
        """
        keys = {_key("changes", topic): topic for topic in positions}
        after = {key: positions[topic] for key, topic in keys.items()}
        answer = await self._redis.xread({**after, self._poke_key: self._poked}, count=_READ, block=block_milliseconds)
        found: list[Entry] = []
        whole = min(
            (order(entries[-1][0].decode()) for _, entries in answer or () if len(entries) == _READ), default=None
        )
        for key, entries in answer or ():
            if key.decode() == self._poke_key:
                self._poked = entries[-1][0].decode()
                continue
            # Beyond the end of a stream that was not read to its end, another's entries would come too early: they are read again.
            found += (
                Entry(keys[key.decode()], id_.decode(), Change.from_fields(fields))
                for id_, fields in entries
                if whole is None or order(id_.decode()) <= whole
            )
        return sorted(found, key=lambda entry: order(entry.id))

    async def poke(self) -> None:
        """Make a read() that waits return, since it has to wait for something else.

        By a stream of its own: redis-py 8.1 was seen to swallow a cancellation and go on waiting.
        """
        await self._redis.xadd(self._poke_key, {"p": ""}, maxlen=1)
        await self._redis.expire(self._poke_key, 60)

    async def follow(self, topics: Iterable[Topic], since: str = "") -> AsyncIterator[Entry]:
        """Every entry from `since` (default: now) on, for tasks that wait for something. Never ends by itself."""
        start = _milliseconds(since) or await self.now()
        positions = {str(topic): f"{start - 1}" for topic in topics}
        while True:
            for entry in await self.read(positions):
                positions[entry.topic] = entry.id
                yield entry

    # Interest, from the pages to the hubs

    async def renew_interest(self, topics: Iterable[str]) -> None:
        """Somebody looks at these. Hubs hear of new ones at once."""
        until = await self.now() / 1000 + INTEREST_SECONDS
        scores = dict.fromkeys(topics, until)
        if scores and await self._redis.zadd(_key("interest"), scores):
            await self._redis.publish(_key("wake"), b"interest")

    async def interest(self) -> set[str]:
        """Topics that somebody looks at."""
        now = await self.now() / 1000
        await self._redis.zremrangebyscore(_key("interest"), "-inf", now)
        return {item.decode() for item in await self._redis.zrange(_key("interest"), 0, -1)}

    # Heartbeats of hubs

    async def beat(self, state: HubState) -> None:
        """This hub lives, for HUB_SECONDS more; the first beat of a hub makes the others share topics anew."""
        until = time.time() + HUB_SECONDS
        async with self._redis.pipeline(transaction=True) as pipe:
            pipe.zadd(_key("hubs"), {state.id: until})
            pipe.zremrangebyscore(_key("hubs"), "-inf", time.time() - 60)
            pipe.set(_key("hub", state.id), msgspec.json.encode(state), px=int(HUB_SECONDS * 1000))
            added = (await pipe.execute())[0]
        if added:
            await self._redis.publish(_key("wake"), b"hub")

    async def leave(self, hub: str) -> None:
        """This hub ends; others take its topics over at once."""
        await self._redis.zrem(_key("hubs"), hub)
        await self._redis.delete(_key("hub", hub))
        await self._redis.publish(_key("wake"), b"hub")

    async def hubs(self) -> list[HubState]:
        """All living hubs and what they say, by id."""
        found = await self._redis.zrangebyscore(_key("hubs"), time.time(), "+inf")
        ids = sorted(item.decode() for item in found)
        texts = await self._redis.mget([_key("hub", id_) for id_ in ids]) if ids else []
        return [
            msgspec.json.decode(text, type=HubState) if text else HubState(id_)
            for id_, text in zip(ids, texts, strict=True)
        ]

    async def wakes(self) -> AsyncIterator[None]:
        """One item whenever hubs should look again: new interest, a hub that came or went. Ends with RedisError."""
        async with self._redis.pubsub() as channel:
            await channel.subscribe(_key("wake"))
            while True:
                if await channel.get_message(ignore_subscribe_messages=True, timeout=30.0) is not None:
                    yield
