"""One topic of a hub: claimed, watched, and written into its stream, until another hub claims it or it has no
subscribers.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import TypeVar

from kube.errors import KubeError
from resources.changes import Change, ChangeLog, Lost, OutOfMemoryError, RedisError, Topic
from resources.watch.reflector import Batch, Counters, Reflector, Start

log = logging.getLogger(__name__)
T = TypeVar("T")

_REDIS_SECONDS = 0.3
# What has been read is written before the hub ends, if Redis takes it within so long.
_LAST_SECONDS = 1.0


class Watched:
    """`version`: the stream is complete up to here, whether or not Redis knows it yet; '' before anything was
    learnt.
    """

    def __init__(
        self,
        changes: ChangeLog,
        hub: str,
        topic: Topic,
        reflect: Callable[[Topic, Start], Reflector],
        counters: Counters,
        writers: asyncio.Semaphore,
    ) -> None:
        self.topic = topic
        self.version = ""
        self._changes = changes
        self._hub = hub
        self._reflect = reflect
        self._count = counters
        self._writers = writers
        self._reflector: Reflector | None = None
        self._columns: tuple[str, bytes] | None = None
        self._lock = asyncio.Lock()
        self._log = logging.LoggerAdapter(log, {"topic": str(topic)})

    @property
    def claimed(self) -> bool:
        return self._reflector is not None

    @property
    def problem(self) -> KubeError | None:
        return self._reflector.problem if self._reflector else None

    def nudge(self) -> None:
        """The API server is back: try now."""
        if self._reflector:
            self._reflector.nudge()

    async def run(self) -> None:
        """Until it is cancelled. Raises Lost when another hub has claimed the topic, or Redis forgot who had."""
        start = await self._patiently(self._claim)
        self.version = start.version
        self._reflector = self._reflect(self.topic, start)
        self._log.info("watching %s from %s", self.topic, start.version or "now")
        async with aclosing(self._reflector.batches()) as batches:
            async for batch in batches:
                await self._publish(batch)

    async def heal(self) -> None:
        """After Redis lost its memory or restored an older one: claims the topic again and makes pages list again.

        Raises RedisError.
        """
        if self._reflector is None:
            return
        announcements = [Change(kind="RESYNC", version=self.version)]
        if self._reflector.trouble:
            announcements.append(Change(kind="PAUSED", text=self._reflector.trouble))
        async with self._lock, self._writers:
            await self._changes.claim(self.topic, self._hub)
            await self._changes.append(self.topic, announcements, self.version, self._columns, hub=self._hub)
        self._count.relists += 1

    async def _claim(self) -> Start:
        name = str(self.topic)
        async with self._writers:
            version = await self._changes.claim(self.topic, self._hub)
            columns = await self._changes.columns(name)
            trouble = (await self._changes.troubles([name])).get(name, "")
        self._columns = columns if columns[0] else None
        return Start(version, columns[0], trouble)

    async def _publish(self, batch: Batch) -> None:
        """A batch that is being written when the hub ends is written to its end."""
        if not batch.changes and batch.columns is None:
            # Only a bookmark: the next renewal of all versions tells it.
            self.version = batch.version
            return
        writing = asyncio.ensure_future(self._patiently(lambda: self._append(batch)))
        self._count.buffered += len(batch.changes)
        try:
            await asyncio.shield(writing)
        except asyncio.CancelledError:
            await asyncio.wait({writing}, timeout=_LAST_SECONDS)
            if not writing.cancel():
                with contextlib.suppress(Lost):
                    writing.result()
            raise
        finally:
            self._count.buffered -= len(batch.changes)
        self._count.appended(time.monotonic() - batch.came)

    async def _append(self, batch: Batch) -> None:
        async with self._lock, self._writers:
            await self._changes.append(self.topic, batch.changes, batch.version, batch.columns, hub=self._hub)
            self.version = batch.version
            self._columns = batch.columns or self._columns

    async def _patiently(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Until Redis is back, or has room; the API server's connection holds what comes meanwhile."""
        logged = ""
        while True:
            try:
                return await ask()
            except RedisError as error:
                self._count.refused += isinstance(error, OutOfMemoryError)
                if str(error) != logged:
                    # One line for all topics is the hub's.
                    self._log.debug("%s waits for Redis: %s", self.topic, error)
                logged = str(error)
                await asyncio.sleep(_REDIS_SECONDS)
