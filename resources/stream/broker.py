"""From the streams to the browsers of one web process: one reader for all topics, one mailbox for each connection.

A connection that joins first gets the entries since its page was made, and then every new one, once and in order. If
the entries since aren't known (no position, trimmed, Redis lost its memory or does not answer), it gets a `resync`:
gaps are never hidden. After a restart a thousand browsers come back at once, so what a stream holds since a position is
read once for all who ask for it at about the same time (Replay).

Clusters with open pages are asked for their version, so that a silent API server is noticed without page loads
(SilenceProbe).
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

from console.web import clusters
from console.web.asgi import Send
from kube import silence
from kube.discovery import ResourceType
from kube.errors import KubeError
from resources.changes import ChangeLog, RedisError, StreamEntry, milliseconds, order
from resources.stream.counts import counts
from resources.stream.health import HealthWatch, PartHealth
from resources.stream.line import BrowserConnection
from resources.stream.live_update import RenderRow, encode_event, unbroken
from resources.stream.reader import RENEW_SECONDS, Reader, again_and_again
from resources.stream.subscriptions import Feed, Listener, TopicSubscription, subscribed_topics

log = logging.getLogger(__name__)
HEARTBEAT_SECONDS = 15.0
# Whose connection takes nothing for so long is gone, or might as well be.
STUCK_SECONDS = 60.0
# A cluster with open pages is asked again so long after the last question.
PROBE_SECONDS = 5.0
_TICK_SECONDS = 1.0
_STOP_SECONDS = 1.0
# What Redis may take to tell what was missed; a connection that waited longer lists again.
_CATCH_UP_SECONDS = 4.0
# More changes than this while one catches up: list again.
_ARRIVED = 5000
# Read of one stream for a replay; what a page's subscription does not name costs it nothing.
_MAX_REPLAY_ENTRIES = 5000


class _Joining:
    """A connection that catches up; `arrived`: what was read meanwhile."""

    __slots__ = ("arrived", "line", "subscriptions")

    def __init__(self, line: BrowserConnection, subscriptions: list[TopicSubscription]) -> None:
        self.line, self.subscriptions = line, subscriptions
        self.arrived: list[StreamEntry] = []


class _Missed(NamedTuple):
    """`entries`: those of each topic's stream since then, None where they aren't known.

    `troubles`: why topics are paused. `now`: when it was asked, in ms on Redis' clock.
    """

    entries: dict[str, list[StreamEntry] | None]
    troubles: dict[str, str]
    now: int


class Broker(Reader):
    """Belongs to one event loop. Nothing runs until the first connection joins."""

    def __init__(self, render: RenderRow) -> None:
        super().__init__(render)
        self.lines: dict[BrowserConnection, list[Listener]] = {}
        self._replay = Replay(self._log)
        self._joining: dict[_Joining, None] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._probe = SilenceProbe()
        self._health = HealthWatch(
            self._log,
            self._tell_health,
            self._look_at_epoch,
            lambda: {line.cluster for line in self.lines},
            self._probe.seconds,
        )

    def open(self, send: Send, language: str, cluster: str = "") -> BrowserConnection:
        """A new connection, to which nothing is written before its begin().

        `cluster`: whose page it is, '' the default one's.
        """
        line = BrowserConnection(send, language, cluster)
        self.lines[line] = []
        self._start()
        return line

    async def join(
        self,
        line: BrowserConnection,
        subscriptions: list[TopicSubscription],
        types: Mapping[str, ResourceType],
        since: str = "",
    ) -> None:
        """Sends entries after `since` (a position or the last event's id), and then every new one; `resync` where they
        aren't known.
        """
        subscriptions = [subscription for subscription in subscriptions if subscription.topic in types]
        joining = _Joining(line, subscriptions)
        self._joining[joining] = None
        for topic in subscribed_topics(subscriptions):
            self.feeds.setdefault(topic, Feed(topic, types[topic])).type = types[topic]
        # Not cancelled in the middle of an answer: redis-py 8.1 was seen to swallow that.
        work = asyncio.ensure_future(self._catch_up(subscribed_topics(subscriptions), since))
        try:
            await asyncio.wait({work}, timeout=_CATCH_UP_SECONDS)
            missed = work.result() if work.done() else None
        except RedisError:
            missed = None
        except Exception:
            log.exception("reading the entries that a connection missed failed")
            missed = None
        finally:
            del self._joining[joining]
            work.add_done_callback(_heard)
        if line in self.lines:
            self._admit(joining, missed)
        else:
            self._forget_unwanted()

    def leave(self, line: BrowserConnection) -> None:
        """Removes a connection. Topics without connections are no longer read; hubs still watch them for a while."""
        line.close()
        for listener in self.lines.pop(line, ()):
            self.feeds[listener.subscription.topic].remove(listener)
        self._forget_unwanted()

    def refuse(self, line: BrowserConnection, topic: str, piece: bytes) -> None:
        """Nothing more of that topic on this connection, not even what waits."""
        for joining in self._joining:
            if joining.line is line:
                joining.subscriptions = [
                    subscription for subscription in joining.subscriptions if subscription.topic != topic
                ]
        remaining: list[Listener] = []
        for listener in self.lines.get(line, ()):
            if listener.subscription.topic == topic:
                self.feeds[topic].remove(listener)
                line.mailbox.forget(listener.subscription.name)
            else:
                remaining.append(listener)
        if line in self.lines:
            self.lines[line] = remaining
        counts.refused += 1
        line.mailbox.control("refused", topic, piece)
        line.wake()
        self._forget_unwanted()

    def close(self) -> None:
        """Ends every connection, on shutdown."""
        self.closed = True
        for line in tuple(self.lines):
            line.end()

    async def stop(self) -> None:
        self.close()
        for task in self._tasks:
            task.cancel()
        with contextlib.suppress(RedisError):
            await self._log.poke()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_STOP_SECONDS)
        await self._log.close()
        self._probe.stop()

    def _start(self) -> None:
        if not self._tasks:
            tick = again_and_again(self._tick, lambda: min(_TICK_SECONDS, HEARTBEAT_SECONDS))
            renew = again_and_again(self._renew, lambda: RENEW_SECONDS)
            work = (self._read(), renew, tick, self._health.run())
            self._tasks = [asyncio.create_task(job) for job in work]

    def _forget_unwanted(self) -> None:
        wanted = {topic for joining in self._joining for topic in subscribed_topics(joining.subscriptions)}
        for topic in [topic for topic, feed in self.feeds.items() if not feed.listeners and topic not in wanted]:
            del self.feeds[topic]
        for topic in [topic for topic in self._positions if topic not in self.feeds]:
            del self._positions[topic]

    # Joining

    async def _catch_up(self, topics: tuple[str, ...], since: str) -> _Missed:
        """Raises RedisError."""
        now = await self._log.now()
        if not self._positions:
            self._reach.order, self._reach.epoch = max(self._reach.order, (now - 1, 0)), self._log.epoch
        if fresh := [topic for topic in topics if topic not in self._positions]:
            for topic in fresh:
                self._positions.setdefault(topic, f"{now - 1}")
            await self._want(fresh)
            await self._next_turn()
        troubles = await self._log.troubles(topics) if topics else {}
        missed: dict[str, list[StreamEntry] | None] = {}
        for topic in topics:
            missed[topic] = await self._replay.since(topic, since) if since else None
            for entry in missed[topic] or ():
                await self._load_columns(entry)
        return _Missed(missed, troubles, now)

    def _admit(self, joining: _Joining, found: _Missed | None) -> None:
        """In one go, so that nothing comes between: what was missed, what arrived meanwhile, and from here on the
        reader.
        """
        line, mailbox = joining.line, joining.line.mailbox
        missed, troubles = (found.entries, found.troubles) if found else ({}, {})
        line.joined = found.now if found else 0
        aside = {topic: Feed(topic, self.feeds[topic].type) for topic in subscribed_topics(joining.subscriptions)}
        for subscription in joining.subscriptions:
            feed = aside[subscription.topic]
            feed.add(line, subscription)
            if missed.get(subscription.topic) is None or len(joining.arrived) >= _ARRIVED:
                reason = "redis" if found is None else "since"
                mailbox.resync(subscription.name, reason, version=self.feeds[subscription.topic].version)
        entries = [entry for found_ in missed.values() for entry in found_ or ()]
        sent = {(entry.topic, entry.id) for entry in entries}
        entries += [entry for entry in joining.arrived if (entry.topic, entry.id) not in sent]
        entries.sort(key=lambda entry: order(entry.id))
        for entry in entries:
            if entry.topic in aside:  # refused meanwhile
                self._tell(aside[entry.topic], entry)
        for subscription in joining.subscriptions:
            listener = self.feeds[subscription.topic].add(line, subscription)
            self.lines[line].append(listener)
            if message := troubles.get(subscription.topic):
                self._trouble(listener, message)
        if found is None:
            # The reader resyncs these topics as soon as Redis is back.
            self._positions.update({topic: "" for topic in aside if topic not in self._positions})
        mailbox.reach = self._reach
        mailbox.greeting = encode_event("hello", {})
        self._health.greet(mailbox, line.language, line.cluster)
        line.wake()

    def _deliver(self, entry: StreamEntry) -> None:
        for joining in self._joining:
            if len(joining.arrived) < _ARRIVED and any(
                subscription.topic == entry.topic for subscription in joining.subscriptions
            ):
                joining.arrived.append(entry)
        super()._deliver(entry)

    async def _tick(self) -> None:
        now = asyncio.get_running_loop().time()
        for line in tuple(self.lines):
            line.tick(now, HEARTBEAT_SECONDS, STUCK_SECONDS)

    def _tell_health(self, state: PartHealth) -> None:
        for line in self.lines:
            if state.cluster in (None, line.cluster):
                line.mailbox.control("health", state.part, state.encoded(line.language))
                line.wake()


def _heard(work: "asyncio.Task[_Missed]") -> None:
    """Its failure is known, or came too late to matter."""
    if not work.cancelled():
        work.exception()


class _SharedRead:
    """One that has not begun: those who come before it does join it. `position`: the earliest asked for."""

    __slots__ = ("position", "task")

    def __init__(self, position: str) -> None:
        self.position = position
        self.task: asyncio.Task[list[StreamEntry] | None]


class Replay:
    """What a stream holds since a position. Belongs to one event loop.

    At most one read of each stream at a time; those who come meanwhile share the next one.
    """

    def __init__(self, log: ChangeLog) -> None:
        self._log = log
        self._next: dict[tuple[str, str], _SharedRead] = {}
        self._under_way: dict[tuple[str, str], asyncio.Task[list[StreamEntry] | None]] = {}

    async def since(self, topic: str, position: str) -> list[StreamEntry] | None:
        """Entries, read after this call. None if they aren't known: list again. Raises RedisError."""
        key = (topic, position.partition("@")[2])
        read = self._next.get(key)
        if read is None:
            read = self._next[key] = _SharedRead(position)
            read.task = asyncio.create_task(self._run(key, read))
        start = milliseconds(position)
        if start < milliseconds(read.position):
            read.position = position
        found = await asyncio.shield(read.task)
        if found is None and start > milliseconds(read.position):
            # The shared read began at an older position, which was trimmed; this one's may be known still.
            found = await self._log.since(topic, position, _MAX_REPLAY_ENTRIES)
        if found is None or not unbroken(found):
            return None
        return [entry for entry in found if milliseconds(entry.id) >= start - 1]

    async def _run(self, key: tuple[str, str], read: _SharedRead) -> list[StreamEntry] | None:
        if before := self._under_way.get(key):
            await asyncio.wait({before})
        del self._next[key]
        self._under_way[key] = read.task
        try:
            return await self._log.since(key[0], read.position, _MAX_REPLAY_ENTRIES)
        finally:
            if self._under_way.get(key) is read.task:
                del self._under_way[key]


class SilenceProbe:
    """How long clusters have been silent. Belongs to one event loop, which it never holds up."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(2, thread_name_prefix="silence")
        self._probes: dict[str, tuple[float, Future[None]]] = {}
        self._hosts: dict[str, str] = {}

    def seconds(self, alias: str) -> float:
        """How long the cluster has been silent; asks it again where the last question is older than PROBE_SECONDS,
        and answered.
        """
        began, probe = self._probes.get(alias, (float("-inf"), None))
        if (probe is None or probe.done()) and time.monotonic() - began >= PROBE_SECONDS:
            self._probes[alias] = (time.monotonic(), self._pool.submit(self._ask, alias))
        host = self._hosts.get(alias)
        return silence.seconds(host) if host else 0.0

    def stop(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _ask(self, alias: str) -> None:
        place = next((offered for offered in clusters.offered() if offered.alias == alias), None)
        if place is None:
            return
        try:
            client = clusters.client_of(place)
            self._hosts[alias] = client.host
            client.version()
        except KubeError as error:
            # kube.silence counts what is not answered; any answer will do.
            log.debug("asked whether %s answers: %s", alias or "the cluster", error)
