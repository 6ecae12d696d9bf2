"""Interest in topics, active clusters and living hubs, as Redis knows them.

Pages and streams renew interest in the topics that they show, and mark their cluster as active. Workers follow the
default cluster always, and any other while its mark lasts. Hubs, which watch a cluster for the pages, report themselves
with heartbeats. Every expiry is by Redis' own clock: those of hosts may be wrong.

Heartbeats is for an event loop; hub_states(), living_hubs() and is_redis_full() are for /readyz and /metrics.
"""

from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import msgspec
from redis.exceptions import OutOfMemoryError

from resources.changes.change import Topic
from resources.changes.connection import Connection, checked, has_no_room, hubs_of, key, sync_client

#: A worker follows a cluster for this long after its last page or stream.
ACTIVE_SECONDS = 1800
#: Topics are watched for so long after the last connection that showed them is gone, so that a reload finds them
#: running.
INTEREST_SECONDS = 45
#: A hub that did not beat for so long is dead, and others take its topics over.
HUB_SECONDS = 3.0
_INTEREST, _WAKE = "interest", "wake"


class HubState(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a hub reports about itself with each heartbeat.

    `problem`: why it can't watch the cluster, '' when all is well. `watches`: open now, of its `topics`. Since its
    start: `events` received, `relists` (pages had to list again), `resumes` (a watch continued where another
    ended), `errors` of requests, topics `lost` to another hub. `append_ms`: from the API server's bytes to Redis'
    answer, 99th percentile of the newest; `buffered`: events read and not yet written.
    """

    id: str
    topics: int = 0
    problem: str = ""
    watches: int = 0
    events: int = 0
    relists: int = 0
    resumes: int = 0
    errors: int = 0
    lost: int = 0
    append_ms: float = 0.0
    buffered: int = 0


@dataclass(frozen=True, slots=True)
class Census:
    """At one moment: the living hubs by id, topics with subscribers, the memory's epoch; `expiry`: seconds until the
    first heartbeat of another hub ends, unless it is renewed.
    """

    hubs: tuple[str, ...]
    interest: frozenset[str]
    epoch: str
    expiry: float


def mark_active(cluster: str) -> None:
    """A page or stream of the cluster was opened just now. Raises RedisError."""
    sync_client().set(_active_key(cluster), b"1", ex=ACTIVE_SECONDS)


def active_of(clusters: Iterable[str]) -> set[str]:
    """Those of the clusters that are active. Raises RedisError."""
    aliases = list(clusters)
    found: list[bytes | None] = sync_client().mget([_active_key(alias) for alias in aliases]) if aliases else []  # type: ignore[assignment]
    return {alias for alias, mark in zip(aliases, found, strict=True) if mark}


class Heartbeats(Connection):
    #: Whose hubs these are: '' is the default cluster (console/web/clusters.py, alias).
    cluster = ""

    @property
    def _hubs(self) -> str:
        return hubs_of(self.cluster)

    # Interest, from the pages to the hubs

    async def renew_interest(self, topics: Iterable[str]) -> None:
        """Marks topics as subscribed to; hubs hear of new ones at once. OutOfMemoryError: Redis is full, ask again."""
        now = await self.now() / 1000
        scores = dict.fromkeys(topics, now + INTEREST_SECONDS)
        if not scores:
            return
        await self._redis.zremrangebyscore(key(_INTEREST), "-inf", now)
        added = await self._redis.zadd(key(_INTEREST), scores)
        async with self._redis.pipeline(transaction=False) as pipe:
            for cluster in _clusters(scores):
                pipe.set(_active_key(cluster), b"1", ex=ACTIVE_SECONDS)
            checked(*await pipe.execute(raise_on_error=False))
        if added:
            await self._redis.publish(key(_WAKE), b"interest")

    async def interest(self) -> set[str]:
        """Topics with subscribers."""
        now = await self.now() / 1000
        return {item.decode() for item in await self._redis.zrangebyscore(key(_INTEREST), now, "+inf")}

    # Heartbeats of hubs

    async def beat(self, state: HubState) -> bool:
        """Marks this hub alive for HUB_SECONDS; the first beat of a hub makes the others redistribute topics.

        False if it was not alive: it is new, or was silent for so long that others may have taken its topics. In a full
        Redis a hub stays alive, with its previous state.
        """
        name, milliseconds = key("hub", state.id), int(HUB_SECONDS * 1000)
        async with self._redis.pipeline(transaction=False) as pipe:
            pipe.pexpire(name, milliseconds)
            pipe.sadd(self._hubs, state.id)
            pipe.set(name, msgspec.json.encode(state), px=milliseconds)
            lived, added, written = await pipe.execute(raise_on_error=False)
        if not (lived and isinstance(written, OutOfMemoryError)):
            checked(lived, added, written)
        if added == 1 or not lived:
            await self._redis.publish(key(_WAKE), b"hub")
        return bool(lived)

    async def leave(self, hub: str) -> None:
        """This hub ends; others take its topics over at once."""
        await self._redis.srem(self._hubs, hub)
        await self._redis.delete(key("hub", hub))
        await self._redis.publish(key(_WAKE), b"hub")

    async def hubs(self, cluster: str = "") -> list[HubState]:
        """All living hubs of a cluster and what they say, by id."""
        ids = sorted(item.decode() for item in await self._redis.smembers(hubs_of(cluster)))
        texts = await self._redis.mget([key("hub", id_) for id_ in ids]) if ids else []
        return [msgspec.json.decode(text, type=HubState) for text in texts if text]

    async def census(self, hub: str) -> Census:
        """All that `hub` has to know for its next share. The dead are taken off the list."""
        now = await self.now() / 1000
        ids = sorted(item.decode() for item in await self._redis.smembers(self._hubs))
        async with self._redis.pipeline(transaction=False) as pipe:
            pipe.zrangebyscore(key(_INTEREST), now, "+inf")
            for id_ in ids:
                pipe.pttl(key("hub", id_))
            interest, *left = await pipe.execute()
        ages = dict(zip(ids, left, strict=True))
        if dead := [id_ for id_, milliseconds in ages.items() if milliseconds < 0]:
            await self._redis.srem(self._hubs, *dead)
        living = tuple(id_ for id_ in ids if ages[id_] >= 0)
        expiry = min((ages[id_] / 1000 for id_ in living if id_ != hub), default=HUB_SECONDS)
        return Census(living, frozenset(item.decode() for item in interest), self.epoch, expiry)

    async def wakes(self) -> AsyncIterator[None]:
        """One item whenever hubs should check topics: new interest, a hub started or ended. Ends with RedisError."""
        async with self._redis.pubsub() as channel:
            await channel.subscribe(key(_WAKE))
            while True:
                if await channel.get_message(ignore_subscribe_messages=True, timeout=30.0) is not None:
                    yield


def hub_states(cluster: str = "") -> list[HubState]:
    """All living hubs of a cluster ('' is the default one) and what they say of themselves, by id.

    Raises RedisError.
    """
    members: Any = sync_client().smembers(hubs_of(cluster))
    ids = sorted(member.decode() for member in members)
    texts: Any = sync_client().mget([key("hub", id_) for id_ in ids]) if ids else []
    return [msgspec.json.decode(text, type=HubState) for text in texts if text]


def living_hubs() -> list[str]:
    """Their ids. Raises RedisError."""
    return [state.id for state in hub_states()]


def is_redis_full() -> bool:
    """Whether Redis refuses to remember more. Raises RedisError."""
    found: Any = sync_client().info("memory")
    return has_no_room(found)


def _clusters(topics: Iterable[str]) -> set[str]:
    """The clusters of those that are topics."""
    found = set()
    for topic in topics:
        with suppress(ValueError):
            found.add(Topic.parse(topic).cluster)
    return found


def _active_key(cluster: str) -> str:
    return key("looked", cluster)
