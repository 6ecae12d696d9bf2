"""The writers' side of a topic: who owns it, what is appended, how far it is complete, why it is paused."""

from collections.abc import Iterable, Mapping
from typing import Any

from resources.changes import scripts
from resources.changes.change import Change
from resources.changes.connection import Connection
from resources.changes.server import key
from resources.changes.topic import Topic

# Entries kept for each topic (about), and their size; a browser that missed more lists again.
KEEP_CHANGES = 2000
KEEP_BYTES = 1024 * 1024
# A position older than this is not looked up: the stream may have expired meanwhile.
KEEP_SECONDS = 1800
# A hub resumes from a resourceVersion for this long after it was written; later it lists again, with a resync.
VERSION_SECONDS = 180
_COLUMNS_SECONDS = 24 * 3600
# Entries of a stream that is not worth cutting.
_SHORT = 32
_HASH_SECONDS = KEEP_SECONDS * 2


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
        self._append = self._redis.register_script(scripts.APPEND)
        self._claim = self._redis.register_script(scripts.CLAIM)
        self._renew = self._redis.register_script(scripts.RENEW)
        self._release = self._redis.register_script(scripts.RELEASE)

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
            long = [(name, length) for name, length in zip(names, lengths, strict=True) if length > _SHORT]
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


def _hash(topic: str) -> str:
    return key("topic", topic)
