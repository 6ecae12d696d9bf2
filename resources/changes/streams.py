"""The readers' side of the streams: what came since a position, and what comes.

ChangeLog joins it with the writers' side (topics.py) and the heartbeats of hubs (heartbeats.py).
"""

from collections.abc import AsyncIterator, Iterable, Mapping
from uuid import uuid4

from redis.exceptions import OutOfMemoryError

from resources.changes.change import Change, StreamEntry, Topic, milliseconds, order
from resources.changes.connection import BLOCK_MILLISECONDS, Connection, key
from resources.changes.heartbeats import Heartbeats
from resources.changes.topics import KEEP_CHANGES, KEEP_SECONDS, Topics

# Of one stream in one read.
_READ = 500


class Streams(Connection):
    """Reads streams. Needs no write, so it works while Redis is full."""

    def __init__(self) -> None:
        super().__init__()
        self._poke_key = key("poke", uuid4().hex)
        self._poked = "0"

    async def since(self, topic: str, position: str, limit: int = KEEP_CHANGES) -> list[StreamEntry] | None:
        """Entries after `position` ('<id>@<epoch>'); None if they are incomplete or more than `limit`: list again.

        Exact: each entry names the one before it, so it shows when any of those wanted was trimmed.
        """
        start, epoch = milliseconds(position), position.partition("@")[2]
        now = await self.now()
        if not start or epoch != self.epoch or now - start > KEEP_SECONDS * 1000:
            return None
        # No transaction: a full Redis refuses any. The newest's id first, so that one which comes between does not seem
        # to be missing.
        async with self._redis.pipeline(transaction=False) as pipe:
            pipe.hget(key("topic", topic), "last")
            pipe.xrange(key("changes", topic), min=f"{start - 1}", count=limit + 1)
            last, found = await pipe.execute()
        before = found[0][1].get(b"p", b"") if found else last or b""
        if len(found) > limit or milliseconds(before.decode()) >= start - 1:
            return None
        return [StreamEntry.from_fields(topic, id_, fields) for id_, fields in found]

    async def read(
        self, positions: Mapping[str, str], block_milliseconds: int = BLOCK_MILLISECONDS
    ) -> list[StreamEntry]:
        """Wait for entries after `positions` (topic → id), or until poke(). One connection, however many topics.

        In the order of their ids over all topics: a reader that has seen one has seen all before it, so that one id is
        enough to resume from. A RESYNC (number 0) replaces entries that were trimmed before they could be read.
        """
        keys = {key("changes", topic): topic for topic in positions}
        after = {name: positions[topic] for name, topic in keys.items()}
        answer = await self._redis.xread({**after, self._poke_key: self._poked}, count=_READ, block=block_milliseconds)
        found: list[StreamEntry] = []
        whole = min(
            (order(entries[-1][0].decode()) for _, entries in answer or () if len(entries) == _READ), default=None
        )
        for name, entries in answer or ():
            if name.decode() == self._poke_key:
                self._poked = entries[-1][0].decode()
                continue
            topic = keys[name.decode()]
            before = entries[0][1].get(b"p", b"").decode()
            if before and order(before) > order(positions[topic]):
                found.append(StreamEntry(topic, before, Change(kind="RESYNC")))
            # Beyond the end of a stream that was not read to its end, another's entries would come too early: they are
            # read again.
            found += (
                StreamEntry.from_fields(topic, id_, fields)
                for id_, fields in entries
                if whole is None or order(id_.decode()) <= whole
            )
        if whole is not None:
            found = [entry for entry in found if order(entry.id) <= whole]
        return sorted(found, key=lambda entry: order(entry.id))

    async def poke(self) -> None:
        """Makes a waiting read() return, so that it can be called with other topics.

        In a full Redis this fails: the read then ends by its own timeout.

        A stream rather than task cancellation: redis-py 8.1 can swallow a cancellation and keep waiting.
        """
        try:
            await self._redis.xadd(self._poke_key, {"p": ""}, maxlen=1)
            await self._redis.expire(self._poke_key, 60)
        except OutOfMemoryError:
            pass

    async def follow(self, topics: Iterable[Topic], since: str = "") -> AsyncIterator[StreamEntry]:
        """Every entry from `since` (default: now) on, for tasks that wait for something. Ends only when cancelled."""
        start = milliseconds(since) or await self.now()
        positions = {str(topic): f"{start - 1}" for topic in topics}
        while True:
            for entry in await self.read(positions):
                positions[entry.topic] = entry.id
                yield entry


class ChangeLog(Topics, Streams, Heartbeats):
    """Streams, topics, interest and heartbeats over one pool of async connections; belongs to one event loop."""
