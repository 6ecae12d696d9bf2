"""From the streams to the browsers of one web process: one reader for all topics, one bounded queue for each connection.

A browser that is too slow for its queue loses the queue and gets `resync` for all its topics: it lists again, it never shows a gap as
if it were the truth. What a row looks like is made once for all browsers that speak the same language.
"""

import asyncio
import contextlib
import logging
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from kube.discovery import ResourceType
from resources.changes import INTEREST_SECONDS, Change, ChangeLog, Entry, RedisError, order
from resources.stream.health import HealthWatch
from resources.stream.sse import encode

log = logging.getLogger(__name__)

# (type, name of the topic, columnDefinitions as JSON, change, language) → the row's HTML
RenderRow = Callable[[ResourceType, str, bytes, Change, str], str]
QUEUE_LENGTH = 500
_RENEW_SECONDS = INTEREST_SECONDS / 3
_PAUSE_SECONDS = 0.5
_STOP_SECONDS = 1.0
# What an overflow may not lose: nothing would tell it again.
_KEPT = (b"event: health", b"event: refused")
_EVENTS = {"ADDED": "added", "MODIFIED": "row", "DELETED": "gone", "RESYNC": "resync"}


@dataclass(eq=False, slots=True)
class Subscription:
    """One connection. `topics`: each with its type; `rows`: those of which it wants the row's HTML, not only the news; a topic may stand there
    with `?` and the columns to show behind it, and is then told under that name, too.

    `queue` holds encoded events; None says that the console ends.
    """

    topics: dict[str, ResourceType]
    rows: frozenset[str]
    language: str
    queue: "asyncio.Queue[bytes | None]" = field(default_factory=lambda: asyncio.Queue(QUEUE_LENGTH))
    start: float = math.inf  # milliseconds: what is older has been caught up, and does not come a second time
    told: set[str] = field(default_factory=set)  # the ids of that very millisecond that were caught up, too

    def names(self, topic: str) -> list[str]:
        """Under which its changes are told."""
        return [topic, *(name for name in self.rows if name.startswith(f"{topic}?"))]

    def wants(self, entry: Entry) -> bool:
        """Whether it comes after what was caught up."""
        return order(entry.id)[0] >= self.start and entry.id not in self.told

    def put(self, piece: bytes | None) -> None:
        """Never waits. An overflow empties the queue and asks the browser to list everything again."""
        try:
            self.queue.put_nowait(piece)
        except asyncio.QueueFull:
            waiting = [self.queue.get_nowait() for _ in range(self.queue.qsize())]
            kept = [one for one in waiting if one and one.startswith(_KEPT)]
            again = (encode("resync", {"topic": name}) for topic in self.topics for name in self.names(topic))
            for one in (*kept, b"".join(again), piece):
                self.queue.put_nowait(one)


def latest(entries: list[Entry]) -> list[Entry]:
    """Without changes that a later one of the same object makes needless. The busier it is, the more come together, the more is saved."""
    seen: set[tuple[str, str]] = set()
    kept: list[Entry] = []
    for entry in reversed(entries):
        key = (entry.topic, entry.change.uid)
        if entry.change.kind == "MODIFIED" and key in seen:
            continue
        if entry.change.kind in ("MODIFIED", "DELETED"):
            seen.add(key)
        else:
            seen.discard(key)
        kept.append(entry)
    return kept[::-1]


class Broker:
    """Belongs to one event loop. Nothing runs until somebody subscribes."""

    def __init__(self, render: RenderRow) -> None:
        self._render = render
        self._log = ChangeLog()
        self._subscriptions: set[Subscription] = set()
        self._positions: dict[str, str] = {}
        self._columns: dict[str, tuple[str, bytes]] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._turn = asyncio.Event()  # set when the read that is under way has been delivered
        self._health = HealthWatch(self._log, self._tell_health)
        self.closed = False

    async def subscribe(
        self, topics: dict[str, ResourceType], rows: Iterable[str], language: str, since: str = ""
    ) -> Subscription:
        """What came after `since` (a position or the last event's id), and from then on everything; `resync` where that can't be told."""
        wanted = frozenset(name for name in rows if name.partition("?")[0] in topics)
        found = Subscription(dict(topics), wanted, language)
        self._start()
        try:
            start = f"{await self._log.now() - 1}"
            await self._log.renew_interest(topics)
            for topic in topics:
                self._positions.setdefault(topic, start)
            self._subscriptions.add(found)
            await self._next_turn()
            await self._catch_up(found, since)
        except RedisError:
            # The reader tells everybody to list again as soon as Redis is back.
            self._subscriptions.add(found)
            found.start = 0
            self._positions.update({topic: "" for topic in topics if topic not in self._positions})
        self._health.greet(found.put, language)
        return found

    def unsubscribe(self, subscription: Subscription) -> None:
        """Topics that nobody shows any more are no longer read; hubs go on with them for a while."""
        self._subscriptions.discard(subscription)
        shown = {topic for other in self._subscriptions for topic in other.topics}
        for topic in self._positions.keys() - shown:
            del self._positions[topic]
            self._columns.pop(topic, None)

    def close(self) -> None:
        """The console ends: every connection is told."""
        self.closed = True
        for subscription in self._subscriptions:
            subscription.put(None)

    async def stop(self) -> None:
        self.close()
        for task in self._tasks:
            task.cancel()
        with contextlib.suppress(RedisError):
            await self._log.poke()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_STOP_SECONDS)
        await self._log.close()

    def _start(self) -> None:
        if not self._tasks:
            work = (self._read(), self._renew(), self._health.run())
            self._tasks = [asyncio.create_task(job) for job in work]

    async def _next_turn(self) -> None:
        """Until the reader asks for all topics that are wanted now; so nothing of one overtakes what another held before."""
        turn = self._turn
        await self._log.poke()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PAUSE_SECONDS):
                await turn.wait()

    async def _catch_up(self, subscription: Subscription, since: str) -> None:
        """What the topics' streams hold up to now, then `hello` with that position; the reader brings everything later, once."""
        pieces: list[bytes] = []
        now = await self._log.now()
        subscription.start = now
        missed: list[Entry] = []
        for topic in subscription.topics:
            entries = await self._log.since(topic, since) if since else None
            if entries is None:
                pieces += (encode("resync", {"topic": name}) for name in subscription.names(topic))
            missed += entries or ()
        missed = [entry for entry in missed if order(entry.id)[0] <= now]
        subscription.told = {entry.id for entry in missed if order(entry.id)[0] == now}
        for entry in sorted(missed, key=lambda entry: order(entry.id)):
            await self._load_columns(entry)
            pieces.append(self._encode(entry, subscription, {}))
        arrived = [subscription.queue.get_nowait() for _ in range(subscription.queue.qsize())]
        pieces.append(encode("hello", {}, f"{now}-0@{self._log.epoch}"))
        for piece in (*pieces, *arrived):
            subscription.put(piece)

    async def _read(self) -> None:
        """For ever; when Redis comes back with another memory, everybody lists again."""
        broken = False
        while not self.closed:
            try:
                if broken:
                    await self._resume()
                    broken = False
                positions = {topic: id_ for topic, id_ in self._positions.items() if id_}
                for entry in latest(await self._log.read(positions)):
                    await self._load_columns(entry)
                    if entry.topic in self._positions:
                        self._positions[entry.topic] = entry.id
                        self._deliver(entry)
                self._turn.set()
                self._turn = asyncio.Event()
            except RedisError as error:
                if not broken:
                    log.warning("Redis does not answer: %s", error)
                broken = True
                await asyncio.sleep(_PAUSE_SECONDS)
            except Exception:
                log.exception("a change could not be delivered")
                await asyncio.sleep(_PAUSE_SECONDS)

    async def _resume(self) -> None:
        """After Redis was away: go on where it was, or from now with a resync when it forgot."""
        epoch, now = self._log.epoch, await self._log.now()
        for topic, id_ in self._positions.items():
            if not id_ or epoch != self._log.epoch:
                self._positions[topic] = f"{now - 1}"
                self._deliver(Entry(topic, f"{now}-0", Change("RESYNC")))
        await self._log.renew_interest(self._positions)

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(_RENEW_SECONDS)
            with contextlib.suppress(RedisError):
                await self._log.renew_interest(self._positions)

    async def _load_columns(self, entry: Entry) -> None:
        wanted = entry.change.columns
        if wanted and self._columns.get(entry.topic, ("", b""))[0] != wanted:
            self._columns[entry.topic] = await self._log.columns(entry.topic)

    def _deliver(self, entry: Entry) -> None:
        made: dict[tuple[str, str], str] = {}
        for subscription in self._subscriptions:
            if entry.topic in subscription.topics and subscription.wants(entry):
                subscription.put(self._encode(entry, subscription, made))

    def _encode(self, entry: Entry, subscription: Subscription, made: dict[tuple[str, str], str]) -> bytes:
        """`made`: rows rendered for this entry so far, by name and language."""
        change = entry.change
        event = _EVENTS[change.kind]
        pieces: list[bytes] = []
        for name in subscription.names(entry.topic):
            data = {"topic": name, "uid": change.uid, "name": change.name, "namespace": change.namespace}
            if event == "row" and name in subscription.rows:
                key = (name, subscription.language)
                if key not in made:
                    made[key] = self._row(entry, subscription, name)
                data["html"] = made[key]
            pieces.append(encode(event, data, f"{entry.id}@{self._log.epoch}"))
        return b"".join(pieces)

    def _row(self, entry: Entry, subscription: Subscription, name: str) -> str:
        """'' when the row can't be made (columns unknown, a template that fails): the page then lists again."""
        digest, columns = self._columns.get(entry.topic, ("", b""))
        if not entry.change.row or digest != entry.change.columns:
            return ""
        try:
            type_ = subscription.topics[entry.topic]
            return self._render(type_, name, columns, entry.change, subscription.language)
        except Exception:
            log.exception("the row of %s %s can't be rendered", entry.topic, entry.change.name)
            return ""

    def _tell_health(self, say: Callable[[str], bytes]) -> None:
        for subscription in self._subscriptions:
            subscription.put(say(subscription.language))
