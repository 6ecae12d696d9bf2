"""What a stream holds since a position, read once for all who ask for it at about the same time: after a restart a
thousand browsers come back at once.
"""

import asyncio

from resources.changes import ChangeLog, StreamEntry, milliseconds
from resources.stream.entries import unbroken

# Of one stream; what a page's wish does not name costs it nothing.
_MOST = 5000


class _Read:
    """One that has not begun: who comes before it does may join. `position`: the earliest asked for."""

    __slots__ = ("position", "task")

    def __init__(self, position: str) -> None:
        self.position = position
        self.task: asyncio.Task[list[StreamEntry] | None]


class Missed:
    """Belongs to one event loop.

    At most one read of each stream at a time; those who come meanwhile share the next one.
    """

    def __init__(self, log: ChangeLog) -> None:
        self._log = log
        self._next: dict[tuple[str, str], _Read] = {}
        self._under_way: dict[tuple[str, str], asyncio.Task[list[StreamEntry] | None]] = {}

    async def since(self, topic: str, position: str) -> list[StreamEntry] | None:
        """Entries, read after this call. None if they aren't known: list again. Raises RedisError."""
        key = (topic, position.partition("@")[2])
        read = self._next.get(key)
        if read is None:
            read = self._next[key] = _Read(position)
            read.task = asyncio.create_task(self._run(key, read))
        start = milliseconds(position)
        if start < milliseconds(read.position):
            read.position = position
        found = await asyncio.shield(read.task)
        if found is None and start > milliseconds(read.position):
            # The shared read began at an older position, which was trimmed; this one's may be known still.
            found = await self._log.since(topic, position, _MOST)
        if found is None or not unbroken(found):
            return None
        return [entry for entry in found if milliseconds(entry.id) >= start - 1]

    async def _run(self, key: tuple[str, str], read: _Read) -> list[StreamEntry] | None:
        if before := self._under_way.get(key):
            await asyncio.wait({before})
        del self._next[key]
        self._under_way[key] = read.task
        try:
            return await self._log.since(key[0], read.position, _MOST)
        finally:
            if self._under_way.get(key) is read.task:
                del self._under_way[key]
