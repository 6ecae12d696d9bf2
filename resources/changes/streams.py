"""Redis streams: one for the changes of each topic, with its writers and readers, and one for sessions that ended.

ChangeLog is all that a process needs of topics: writing, reading, and the heartbeats of hubs (heartbeats.py).

Beside the stream of a topic there is a hash: `hub` that owns the topic, `version` up to which the stream is complete
and `at` when that was written (seconds on Redis' clock), `number` and `last` (id) of the newest entry, `bytes` ever
written and `from` how many of them came before what is kept, `trouble` why the topic is paused. The first three fields
of an entry belong to the stream itself: `i` its number, `p` the id before it, `o` the bytes before it.

What has to happen in Redis as one step is a Lua script (Redis 6.2 and later, valkey). Each script's first write is one
that a full Redis refuses, so that it happens whole or not at all.

Ended sessions are one bounded stream. Each web process reads it from its beginning, so that a process that starts later
knows them too.
"""

from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any
from uuid import uuid4

from redis.exceptions import OutOfMemoryError

from resources.changes.change import Change, StreamEntry, Topic, milliseconds, order
from resources.changes.connection import BLOCK_MILLISECONDS, Connection, key, sync_client
from resources.changes.heartbeats import Heartbeats

# Entries kept for each topic (about), and their size; a browser that missed more lists again.
KEEP_CHANGES = 2000
KEEP_BYTES = 1024 * 1024
# A position older than this is not looked up: the stream may have expired meanwhile.
KEEP_SECONDS = 1800
# A hub resumes from a resourceVersion for this long after it was written; later it lists again, with a resync.
VERSION_SECONDS = 180
_COLUMNS_SECONDS = 24 * 3600
# A stream of at most so many entries is not worth cutting.
_SHORT_STREAM = 32
_HASH_SECONDS = KEEP_SECONDS * 2

# Entries of one stream in one read.
_READ = 500

# Ids of sessions that ended most recently. An older one can't be taken up again after it expired (SESSION_COOKIE_AGE).
KEEP_ENDED_SESSIONS = 10_000
_ENDED_SESSIONS = "ended"

# KEYS: stream, hash, columns. ARGV: hub, version, columns or '', trouble or '-', entries to keep, bytes to keep,
# seconds to keep stream and hash, seconds to keep columns, and for each change the count of its strings and the
# strings. Answers the owner: another than `hub` when refused.
_APPEND_SCRIPT = """
local state = redis.call('HMGET', KEYS[2], 'hub', 'number', 'last', 'bytes', 'from')
local hub = ARGV[1]
if hub ~= '' and state[1] ~= hub then return {0, state[1] or ''} end
local number, last = tonumber(state[2] or 0), state[3] or ''
local bytes, from = tonumber(state[4] or 0), tonumber(state[5] or 0)
if ARGV[3] ~= '' then redis.call('SET', KEYS[3], ARGV[3], 'EX', ARGV[8]) end
local i, appended = 9, false
while ARGV[i] do
  local count, before = tonumber(ARGV[i]), bytes
  for j = i + 1, i + count do bytes = bytes + #ARGV[j] end
  number = number + 1
  last = redis.call('XADD', KEYS[1], '*', 'i', number, 'p', last, 'o', string.format('%.0f', before),
    unpack(ARGV, i + 1, i + count))
  i, appended = i + count + 1, true
end
if appended then
  redis.call('HSET', KEYS[2], 'number', number, 'last', last, 'bytes', string.format('%.0f', bytes))
  redis.call('XTRIM', KEYS[1], 'MAXLEN', '~', ARGV[5])
  local limit = tonumber(ARGV[6])
  while bytes - from > limit do
    from = tonumber(redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1][2][6])
    local length = redis.call('XLEN', KEYS[1])
    if bytes - from <= limit or length < 2 then break end
    redis.call('XTRIM', KEYS[1], 'MAXLEN', math.floor(length * 3 / 4))
  end
  redis.call('HSET', KEYS[2], 'from', string.format('%.0f', from))
  redis.call('EXPIRE', KEYS[1], ARGV[7])
end
if ARGV[2] ~= '' then redis.call('HSET', KEYS[2], 'version', ARGV[2], 'at', redis.call('TIME')[1]) end
if ARGV[4] == '' then redis.call('HDEL', KEYS[2], 'trouble')
elseif ARGV[4] ~= '-' then redis.call('HSET', KEYS[2], 'trouble', ARGV[4]) end
redis.call('EXPIRE', KEYS[2], ARGV[7])
return {1, last}
"""

# KEYS: hash. ARGV: hub, seconds for which a version is good, seconds to keep the hash. Answers the version or ''.
_CLAIM_SCRIPT = """
local state = redis.call('HMGET', KEYS[1], 'version', 'at')
redis.call('HSET', KEYS[1], 'hub', ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[3])
if state[1] and state[2] and redis.call('TIME')[1] - state[2] <= tonumber(ARGV[2]) then return state[1] end
return ''
"""

# KEYS: hashes. ARGV: hub, seconds to keep a hash, a version or '' for each. Answers the places (from 1) of those that
# belong to another.
_RENEW_SCRIPT = """
local now, lost = redis.call('TIME')[1], {}
for i, key in ipairs(KEYS) do
  if redis.call('HGET', key, 'hub') ~= ARGV[1] then lost[#lost + 1] = i
  else
    if ARGV[i + 2] ~= '' then redis.call('HSET', key, 'version', ARGV[i + 2], 'at', now) end
    redis.call('EXPIRE', key, ARGV[2])
  end
end
return lost
"""

# KEYS: hashes. ARGV: hub.
_RELEASE_SCRIPT = """
for _, key in ipairs(KEYS) do
  if redis.call('HGET', key, 'hub') == ARGV[1] then redis.call('HDEL', key, 'hub', 'trouble') end
end
"""


class Lost(Exception):
    """Another hub owns the topic now (`owner`), or none (''): Redis lost its memory, or the owner released it."""

    def __init__(self, topic: Topic, owner: str) -> None:
        super().__init__(f"{topic} belongs to {owner or 'nobody'}")
        self.owner = owner


class Topics(Connection):
    """Any of these may raise RedisError; the whole may then be repeated.

    OutOfMemoryError: Redis is full, nothing was written.
    """

    def __init__(self) -> None:
        super().__init__()
        self._append = self._redis.register_script(_APPEND_SCRIPT)
        self._claim = self._redis.register_script(_CLAIM_SCRIPT)
        self._renew = self._redis.register_script(_RENEW_SCRIPT)
        self._release = self._redis.register_script(_RELEASE_SCRIPT)

    async def claim(self, topic: Topic, hub: str) -> str:
        """Makes this hub the topic's owner: the previous owner can't write any more.

        Returns the resourceVersion up to which the stream is complete, '' when that is unknown or long ago.
        """
        found = await self._run(self._claim, [_hash(str(topic))], [hub, VERSION_SECONDS, _HASH_SECONDS])
        return str(found.decode())

    async def append(
        self,
        topic: Topic,
        changes: Iterable[Change],
        version: str,
        columns: tuple[str, bytes] | None = None,
        *,
        hub: str = "",
    ) -> None:
        """Add changes, and remember `version` as seen, as one step. PAUSED and RESUMED set and end the topic's trouble.

        `columns`: (digest, JSON) when they are new. Raises Lost, with nothing written, when `hub` is not the owner; ''
        asks for no owner.
        """
        trouble = "-"
        args: list[Any] = []
        for change in changes:
            strings = change.strings()
            args.append(len(strings))
            args += strings
            if change.kind in ("PAUSED", "RESUMED"):
                trouble = change.text
        text = columns[0].encode() + b"\n" + columns[1] if columns is not None else b""
        keys = [key("changes", str(topic)), _hash(str(topic)), key("columns", str(topic))]
        bounds = [KEEP_CHANGES, KEEP_BYTES, _HASH_SECONDS, _COLUMNS_SECONDS]
        written, owner = await self._run(self._append, keys, [hub, version, text, trouble, *bounds, *args])
        if not written:
            raise Lost(topic, owner.decode())

    async def renew(self, versions: Mapping[Topic, str], hub: str) -> list[Topic]:
        """Records up to which version quiet topics are complete; '' leaves the version as it is.

        Returns those that this hub does not own any more.
        """
        if not versions:
            return []
        topics = list(versions)
        args = [hub, _HASH_SECONDS, *versions.values()]
        places = await self._run(self._renew, [_hash(str(topic)) for topic in topics], args)
        return [topics[place - 1] for place in places]

    async def release(self, topics: Iterable[Topic], hub: str) -> None:
        """Gives up topics without subscribers. Up to which version they are complete stays known for a while."""
        if keys := [_hash(str(topic)) for topic in topics]:
            await self._run(self._release, keys, [hub])

    async def shrink(self) -> int:
        """Makes room in a full Redis: deletes the older half of every long stream, also of topics without subscribers.

        A reader that has not read it lists again. Returns how many entries were deleted.
        """
        names = [name async for name in self._redis.scan_iter(key("changes", "*"), count=1000)]
        async with self._redis.pipeline(transaction=False) as pipe:
            for name in names:
                pipe.xlen(name)
            lengths = await pipe.execute()
            long = [(name, length) for name, length in zip(names, lengths, strict=True) if length > _SHORT_STREAM]
            for name, length in long:
                pipe.xtrim(name, maxlen=length // 2, approximate=False)
            return sum(await pipe.execute())

    async def version(self, topic: Topic) -> str:
        """The resourceVersion last written, however long ago; '' when there is none."""
        found = await self._redis.hget(_hash(str(topic)), "version")
        return str(found.decode()) if found else ""

    async def columns(self, topic: str) -> tuple[str, bytes]:
        """(digest, JSON of columnDefinitions) as last written; ('', b'') when there are none."""
        found = await self._redis.get(key("columns", topic))
        digest, _, text = (found or b"").partition(b"\n")
        return digest.decode(), text

    async def troubles(self, topics: Iterable[str]) -> dict[str, str]:
        """Those of the topics that are paused now, and the sentence that says why."""
        wanted = list(topics)
        async with self._redis.pipeline(transaction=False) as pipe:
            for topic in wanted:
                pipe.hget(_hash(topic), "trouble")
            found = await pipe.execute()
        return {topic: text.decode() for topic, text in zip(wanted, found, strict=True) if text}


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
            pipe.hget(_hash(topic), "last")
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


def _hash(topic: str) -> str:
    return key("topic", topic)


def end_session(digest: str) -> None:
    """The session's streams are closed everywhere within a second, and none is opened for it again.

    Raises RedisError.
    """
    sync_client().xadd(key(_ENDED_SESSIONS), {"d": digest}, maxlen=KEEP_ENDED_SESSIONS, approximate=True)


class EndedSessions(Connection):
    """Belongs to one event loop."""

    def __init__(self) -> None:
        super().__init__()
        self._last = "0"

    async def follow(self) -> AsyncIterator[str]:
        """Digests, those of the past first. Ends with RedisError; called again it resumes where it was."""
        while True:
            answer = await self._redis.xread({key(_ENDED_SESSIONS): self._last}, count=1000, block=BLOCK_MILLISECONDS)
            for _, entries in answer or ():
                for id_, fields in entries:
                    self._last = id_.decode()
                    yield fields[b"d"].decode()
