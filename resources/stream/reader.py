"""Reads all topics that pages of one web process show, over one connection to Redis, for their listeners.

Each topic has a Feed. Missing entries (a stream was trimmed, Redis lost its memory or was away) become a `resync`.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Iterable

from cachetools import LRUCache

from resources.changes import INTEREST_SECONDS, Change, ChangeLog, OutOfMemoryError, RedisError, StreamEntry, order
from resources.stream.counts import counts
from resources.stream.live_update import EVENTS, LiveUpdate, Order, RenderRow, encode_event, latest
from resources.stream.mailbox import LAST, Reach
from resources.stream.subscriptions import Feed, Listener

log = logging.getLogger(__name__)

RENEW_SECONDS = INTEREST_SECONDS / 3
_PAUSE_SECONDS = 0.5
# Changes of which the bytes are kept for who comes a little later.
_MADE = 1000


class Reader:
    """Belongs to one event loop."""

    def __init__(self, render: RenderRow) -> None:
        self._render = render
        self._log = ChangeLog()
        self.feeds: dict[str, Feed] = {}
        self._positions: dict[str, str] = {}  # '' where reading could not begin yet
        self._reach = Reach()
        self._made: LRUCache[tuple[str, str, str], LiveUpdate] = LRUCache(_MADE)
        self._unwanted = False  # interest could not be written
        self._clock = 0  # Redis' time in ms, at most about a second ago
        self._turn = asyncio.Event()  # set when the read that is under way has been delivered
        self.closed = False

    async def _next_turn(self) -> None:
        """Until the reader asks for all topics that are wanted now; so nothing of one overtakes what another held
        before.
        """
        turn = self._turn
        await self._log.poke()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PAUSE_SECONDS):
                await turn.wait()

    async def _read(self) -> None:
        """Reads until closed; when Redis comes back with another epoch, every topic is resynced."""
        broken = False
        while not self.closed:
            try:
                if broken:
                    await self._resume()
                    broken = False
                await self._read_once()
                self._turn.set()
                self._turn = asyncio.Event()
            except RedisError as error:
                if not broken:
                    log.warning("Redis does not answer: %s", error)
                broken = True
                await asyncio.sleep(_PAUSE_SECONDS)
            except Exception:
                log.exception("changes could not be read")
                await asyncio.sleep(_PAUSE_SECONDS)

    async def _read_once(self) -> None:
        clock = self._clock
        positions = {topic: id_ for topic, id_ in self._positions.items() if id_}
        entries = await self._log.read(positions)
        counts.entries += len(entries)
        for number, entry in enumerate(latest(self._without_gaps(entries))):
            await self._load_columns(entry)
            if entry.topic in self._positions:
                self._positions[entry.topic] = entry.id
                try:
                    self._deliver(entry)
                except Exception:
                    log.exception("an update could not be sent", extra={"topic": entry.topic})
                    if entry.topic in self.feeds:
                        self._resync(self.feeds[entry.topic], "told", order(entry.id))
            if number % 100 == 99:
                await asyncio.sleep(0)
        if positions.keys() != self._positions.keys():
            return  # of what was wanted meanwhile nothing was read yet
        if entries:
            self._reach.order = max(self._reach.order, order(entries[-1].id))
        else:
            self._reach.order = max(self._reach.order, (clock - 1, 0))

    def _without_gaps(self, entries: list[StreamEntry]) -> Iterable[StreamEntry]:
        """A number that is not the next: the stream was trimmed before it was read here."""
        for entry in entries:
            feed = self.feeds.get(entry.topic)
            if feed is None:
                continue
            if entry.number and feed.number and entry.number != feed.number + 1:
                log.warning(
                    "changes %s to %s were lost", feed.number + 1, entry.number - 1, extra={"topic": feed.topic}
                )
                yield StreamEntry(entry.topic, entry.id, Change(kind="RESYNC"))
            feed.number = entry.number
            yield entry

    def _deliver(self, entry: StreamEntry) -> None:
        if feed := self.feeds.get(entry.topic):
            self._tell(feed, entry)

    def _tell(self, feed: Feed, entry: StreamEntry) -> None:
        change = entry.change
        if change.kind in EVENTS:
            feed.publish(self._as_update(entry, feed))
        elif change.kind == "RESYNC":
            # Lower than a version sent before, if the cluster was restored from a backup.
            feed.version = change.version or feed.version
            self._resync(feed, "told" if entry.number else "gap", order(entry.id))
        else:
            for listener in feed.listeners:
                self._trouble(listener, change.text if change.kind == "PAUSED" else "", order(entry.id))

    def _as_update(self, entry: StreamEntry, feed: Feed) -> LiveUpdate:
        """The same for all, also for who catches up later: its row is drawn once."""
        key = (entry.topic, entry.id, self._log.epoch)
        found = self._made.get(key)
        if found is None:
            digest, columns = self.feeds[entry.topic].columns
            known = columns if entry.change.columns and digest == entry.change.columns else None
            found = self._made[key] = LiveUpdate(entry, self._log.epoch, self._render, feed.type, known)
        return found

    def _resync(self, feed: Feed, reason: str, first: Order = LAST) -> None:
        for listener in feed.listeners:
            listener.line.mailbox.resync(listener.subscription.name, reason, first, feed.version)
            listener.line.wake()

    def _trouble(self, listener: Listener, message: str, first: Order = LAST) -> None:
        name = listener.subscription.name
        piece = (
            encode_event("paused", {"topic": name, "message": message})
            if message
            else encode_event("resumed", {"topic": name})
        )
        listener.line.mailbox.control("trouble", name, piece, first)
        listener.line.wake()

    async def _load_columns(self, entry: StreamEntry) -> None:
        wanted, feed = entry.change.columns, self.feeds.get(entry.topic)
        if wanted and feed and feed.columns[0] != wanted:
            feed.columns = await self._log.columns(entry.topic)

    # Redis away, and back

    async def _want(self, topics: Iterable[str]) -> None:
        """Hubs are to watch these. While Redis is full that is asked again each second."""
        try:
            await self._log.renew_interest(topics)
            self._unwanted = False
        except OutOfMemoryError:
            self._unwanted = True

    async def _resume(self) -> None:
        """After Redis was away: continue from the last position, or from now with a resync if it lost its memory."""
        await self._look_at_epoch()
        await self._want(self._positions)

    async def _look_at_epoch(self) -> None:
        """Checks the epoch, once a second, since Redis doesn't report that it lost its memory. Raises RedisError."""
        before = time.time()
        now = await self._log.now()
        self._clock, counts.skew = now, now - (before + time.time()) * 500
        if self._reach.epoch and self._reach.epoch != self._log.epoch:
            log.warning("Redis lost what it held: all pages list again")
            self._reach.epoch, self._reach.order = self._log.epoch, (now - 1, 0)
            for topic, feed in self.feeds.items():
                self._positions[topic], feed.number, feed.columns = f"{now - 1}", 0, ("", b"")
                self._resync(feed, "epoch")
            self._unwanted = True
        self._reach.epoch = self._log.epoch
        # Connections that joined while Redis didn't answer got a resync, maybe before this reader listened.
        for topic in [topic for topic, id_ in self._positions.items() if not id_]:
            self._positions[topic], self._unwanted = f"{now - 1}", True
            if topic in self.feeds:
                self._resync(self.feeds[topic], "redis")
        if self._unwanted:
            await self._want(self._positions)
            await self._log.poke()

    async def _renew(self) -> None:
        await self._want(self._positions)


async def again_and_again(work: Callable[[], Awaitable[None]], seconds: Callable[[], float]) -> None:
    """Runs `work` periodically until cancelled; an error is logged, and the next run tries again."""
    while True:
        await asyncio.sleep(seconds())
        try:
            await work()
        except RedisError:
            log.debug("Redis does not answer")
        except Exception:
            log.exception("a periodic task failed")
