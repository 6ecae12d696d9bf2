"""What waits to be sent on one connection: the newest of each object, bounded, in turn from each topic.

Not a queue: later news of an object take the place of earlier ones that were not sent yet, so a browser that is slow,
or paced, gets less and never something old. Over LIMIT_BYTES the topic that has most waiting becomes one `resync` and
rests: a browser that can't keep up lists again every REST_SECONDS, not all the time. Lanes are by the topic's name
(with `?` and columns), and each gives one piece in turn, so that a busy topic does not hold up a quiet one. Events
about the connection itself (health, refused, ended, resync, paused) go first, whatever the pace.

Ids: a client resumes from the last id it got, and everything after it is sent again. So an id is written only where
everything before it was sent: each piece remembers the lowest entry that went into it (`first`), and Last-Event-ID
never passes an unsent entry.
"""

from collections import OrderedDict
from typing import NamedTuple, Protocol

from kube.objects import newest, older
from resources.stream.counts import counts
from resources.stream.live_update import LiveUpdate, Order, encode_event

#: What may wait on one connection.
LIMIT_BYTES = 128 * 1024
# So a page of a busy cluster stays under the 50 KB/s that a tab may cost; short bursts (a page's catching up) go at
# once.
BYTES_PER_SECOND = 44 * 1024
BURST_BYTES = 64 * 1024
# Between two flushes of one connection: the first change goes at once, what follows within this goes together.
FLUSH_SECONDS = 0.04
# A flush is never delayed longer, however much was sent before.
LONGEST_PAUSE_SECONDS = 1.0
# News of a topic (`changed`) come at most so often on one connection.
NEWS_SECONDS = 0.25
# With more names than this a page has to look at everything anyway.
NEWS_NAMES = 20
LAST: Order = (1 << 62, 0)
# A topic that overflowed is listed again at most so often.
REST_SECONDS = 5.0
# A row's size before one of its topic was made.
_ROW_BYTES = 2500
_NEWS_BYTES = 150
# Of rows that a page shows there are only so many; they are made when they are sent, and waiting cost this.
_SHOWN_BYTES = 300


class _Item:
    """A piece of an object's news. `first`: the lowest entry that went into it; `update`: the newest."""

    __slots__ = ("event", "first", "language", "size", "update")

    def __init__(self, event: str, update: LiveUpdate, language: str, size: int) -> None:
        self.event, self.update, self.language, self.size, self.first = event, update, language, size, update.order


class Sleeper(Protocol):
    """Who brings news, and stops when enough is known."""

    def wake(self) -> None: ...


class _News:
    """Names of objects that changed.

    `names` None: so many that any may have changed; `asleep` are woken when it was sent.
    """

    __slots__ = ("asleep", "first", "names", "version")

    def __init__(self, first: Order) -> None:
        self.names: dict[tuple[str, str], None] | None = {}
        self.first, self.version = first, ""
        self.asleep: list[Sleeper] = []

    def wake(self) -> None:
        for sleeper in self.asleep:
            sleeper.wake()

    def encoded(self, name: str) -> bytes:
        data: dict[str, object] = {"topic": name, "version": self.version}
        if self.names is not None:
            data["names"] = [*self.names]
        return encode_event("changed", data)


class _Rest:
    """A topic whose updates came too fast.

    `first`: the lowest entry left out since the resync was sent, LAST for none. `until` 0: starts when the resync is
    sent.
    """

    __slots__ = ("first", "until", "version")

    def __init__(self, until: float = 0.0) -> None:
        self.until, self.first, self.version = until, LAST, ""


class _Ready(NamedTuple):
    """A piece to be sent now. `update`: the one whose id may be sent with it."""

    piece: bytes
    first: Order
    update: LiveUpdate | None = None


class Reach:
    """How far the streams were read: `order` of the last entry read, for all connections that share this; (-1, 0)
    unknown.
    """

    __slots__ = ("epoch", "order")

    def __init__(self, order: Order = (-1, 0), epoch: str = "") -> None:
        self.order, self.epoch = order, epoch


class Mailbox:
    """Times are given, so that it can be tried without a clock. `reach`: up to where entries were put in here."""

    __slots__ = ("_controls", "_lanes", "_news", "_news_sent", "_rests", "_sizes", "bytes", "greeting", "pace", "reach")

    def __init__(self) -> None:
        self._controls: dict[tuple[str, str], tuple[bytes, Order]] = {}
        self._lanes: OrderedDict[str, OrderedDict[str, _Item]] = OrderedDict()
        self._news: dict[str, _News] = {}
        self._news_sent: dict[str, float] = {}
        self._rests: dict[str, _Rest] = {}
        self._sizes: dict[str, int] = {}
        self.bytes = 0
        self.pace = Pace()
        self.reach = Reach()
        self.greeting = b""  # goes at the end of the first flush

    def __bool__(self) -> bool:
        return bool(self._controls or self._lanes or self._news or self.greeting or self._late())

    # What comes in

    def control(self, kind: str, about: str, piece: bytes, first: Order = LAST) -> None:
        """The latest of (kind, about) counts. Never lost, never held up."""
        before = self._controls.pop((kind, about), None)
        self._controls[kind, about] = (piece, min(first, before[1]) if before else first)

    def resync(self, name: str, reason: str, first: Order = LAST, version: str = "") -> None:
        """List again: what waits of that topic is not worth sending any more.

        `version`: the newest that was sent, '' unknown.
        """
        lowest, latest = self._drop(name)
        first, version = min(first, lowest), newest(version, latest)
        counts.resyncs[reason] += 1
        data = {"topic": name, "version": version} if version else {"topic": name}
        self.control("resync", name, encode_event("resync", data), first)

    def forget(self, name: str) -> None:
        """Nothing more of a topic: it is refused now."""
        self._rests.pop(name, None)
        self._drop(name)
        for kind in ("resync", "trouble"):
            self._controls.pop((kind, name), None)

    def _drop(self, name: str) -> tuple[Order, str]:
        """What waits of a topic, gone: the lowest entry (LAST for none) and the newest version that were in it."""
        first, version = LAST, ""
        for item in self._lanes.pop(name, {}).values():
            first, version = min(first, item.first), newest(version, item.update.change.version)
            self.bytes -= item.size
        if news := self._news.pop(name, None):
            first, version = min(first, news.first), newest(version, news.version)
            news.wake()
        return first, version

    def clear(self) -> None:
        """Nothing that waits may be sent any more."""
        for name in {*self._lanes, *self._news, *self._rests}:
            self.forget(name)
        self._controls.clear()
        self.greeting = b""

    def put(self, name: str, update: LiveUpdate, language: str, event: str = "", *, shown: bool = False) -> None:
        """`language`: of the row's HTML, '' for none.

        Takes the place of what waits of the same object, unless that is newer. `shown`: one of
        the rows that a page names.
        """
        event = event or update.event
        if rest := self._rests.get(name):
            rest.first, rest.version = min(rest.first, update.order), newest(rest.version, update.change.version)
            return
        lane = self._lanes.get(name)
        if lane is None:
            lane = self._lanes[name] = OrderedDict()
        uid = update.change.uid
        waiting = lane.get(uid)
        if waiting is None:
            size = _SHOWN_BYTES if shown else _NEWS_BYTES
            if language and event == "row" and not shown:
                size = self._sizes.get(name, _ROW_BYTES)
            lane[uid] = _Item(event, update, language, size)
            self.bytes += size
            if self.bytes > LIMIT_BYTES:
                self._make_room()
            return
        counts.merged += 1
        if older(update.change.version, waiting.update.change.version):
            return
        # A browser that doesn't have the object yet needs `added`, not only its newest row.
        waiting.event = "added" if waiting.event == "added" and event == "row" else event
        waiting.update, waiting.language = update, language

    def news(self, name: str, update: LiveUpdate, teller: Sleeper) -> bool:
        """An object of the topic changed. False: enough is known, nothing more is needed until `teller` is woken."""
        news = self._news.get(name)
        if news is None:
            news = self._news[name] = _News(update.order)
        else:
            counts.merged += 1
        news.version = newest(news.version, update.change.version)
        if news.names is not None:
            news.names[update.change.namespace, update.change.name] = None
            if len(news.names) <= NEWS_NAMES:
                return True
            news.names = None
        news.asleep.append(teller)
        return False

    def _make_room(self) -> None:
        """The topic that has most waiting is listed again."""
        weights = {name: sum(item.size for item in lane.values()) for name, lane in self._lanes.items()}
        name = max(weights, key=lambda name: weights[name])
        self.resync(name, "overflow")
        self._rests[name] = _Rest()

    # What goes out

    def due(self, now: float) -> float | None:
        """When there is something to take, None while there is nothing."""
        if self._controls or self.greeting:
            return now
        times = [self._news_sent.get(name, 0.0) + NEWS_SECONDS for name in self._news] if self._news else []
        if self._rests:
            times += (rest.until for rest in self._late())
        if self._lanes:
            times.append(now)
        return max(min(times), self.pace.next(now)) if times else None

    def _late(self) -> list[_Rest]:
        """Topics that rest and of which something was left out."""
        return [rest for rest in self._rests.values() if rest.first != LAST]

    def take(self, now: float) -> tuple[bytes, list[int]]:
        """What may be sent now, and the times (ms) of the changes in it; (b'', []) when nothing may."""
        if self._rests:
            self._awaken(now)
        ready = [_Ready(piece, first) for piece, first in self._controls.values()]
        self._controls.clear()
        budget = self.pace.left(now) - sum(len(entry.piece) for entry in ready)
        for name in [name for name in self._news if self._news_sent.get(name, 0.0) + NEWS_SECONDS <= now]:
            if budget > 0:
                ready.append(self._take_news(name, now))
                budget -= len(ready[-1].piece)
        while self._lanes and budget > 0:
            ready.append(self._take_next())
            budget -= len(ready[-1].piece)
        if self.greeting:
            ready.append(_Ready(self.greeting, LAST))
            self.greeting = b""
        if not ready:
            return b"", []
        body = self._with_ids(ready)
        self.pace.spend(len(body), now)
        return body, [entry.first[0] for entry in ready if entry.first != LAST]

    def _awaken(self, now: float) -> None:
        """Topics that have rested: what was left out is one more `resync`, and then another rest."""
        for name, rest in [*self._rests.items()]:
            rest.until = rest.until or now + REST_SECONDS
            if rest.until <= now:
                del self._rests[name]
                if rest.first != LAST:
                    self.resync(name, "overflow", rest.first, rest.version)
                    self._rests[name] = _Rest(now + REST_SECONDS)

    def _take_news(self, name: str, now: float) -> _Ready:
        news = self._news.pop(name)
        self._news_sent[name] = now
        news.wake()
        return _Ready(news.encoded(name), news.first)

    def _take_next(self) -> _Ready:
        """One piece of the next topic in turn."""
        name, lane = self._lanes.popitem(last=False)
        _, item = lane.popitem(last=False)
        if lane:
            self._lanes[name] = lane
        self.bytes -= item.size
        piece = item.update.encoded(item.event, name, item.language)
        if item.language and item.event == "row":
            self._sizes[name] = len(piece)
        return _Ready(piece, item.first, item.update)

    def resume(self) -> str:
        """The position from which a client misses nothing that it was not sent; '' unknown."""
        return self._written(self._lowest())

    def _lowest(self) -> Order:
        """Of all that waits; all before it was sent. That is the last entry looked at when nothing waits."""
        lowest = self.reach.order
        for _, first in self._controls.values():
            lowest = min(lowest, first)
        for rest in self._rests.values():
            lowest = min(lowest, rest.first)
        for news in self._news.values():
            lowest = min(lowest, news.first)
        for lane in self._lanes.values():
            for item in lane.values():
                lowest = min(lowest, item.first)
        return lowest

    def _written(self, position: Order) -> str:
        return f"{position[0]}-{position[1]}@{self.reach.epoch}" if position[0] >= 0 and self.reach.epoch else ""

    def _with_ids(self, ready: list[_Ready]) -> bytes:
        floor = self._lowest()
        parts: list[bytes] = []
        for number, (piece, first, update) in enumerate(reversed(ready)):
            parts.append(piece)
            if update is not None and update.order <= floor:
                parts.append(update.id_line)
            elif number == 0 and (position := self._written(floor)):
                parts.append(f"id: {position}\n".encode())
            floor = min(floor, first)
        return b"".join(reversed(parts))


class Pace:
    """How fast one connection is written to: a token bucket of bytes, and a pause between two flushes, in which what
    waits is merged.

    Times are the event loop's, in seconds.
    """

    __slots__ = ("_at", "_tokens", "flushed")

    def __init__(self) -> None:
        self._tokens, self._at, self.flushed = float(BURST_BYTES), 0.0, float("-inf")

    def left(self, now: float) -> float:
        """Bytes that may be sent now; at 0 or below none, unless the last flush is LONGEST_PAUSE_SECONDS ago."""
        self._tokens = min(BURST_BYTES, self._tokens + (now - self._at) * BYTES_PER_SECOND)
        self._at = now
        if self._tokens <= 0 and now - self.flushed >= LONGEST_PAUSE_SECONDS:
            return 1.0
        return self._tokens

    def spend(self, count: int, now: float) -> None:
        self.left(now)
        self._tokens -= count
        self.flushed = now

    def next(self, now: float) -> float:
        """When something may be sent, `now` or later."""
        left = self.left(now)
        pause = 0.0 if left > 0 else min(LONGEST_PAUSE_SECONDS, (2048 - left) / BYTES_PER_SECOND)
        return max(now + pause, self.flushed + FLUSH_SECONDS)
