"""One topic of this process: who hears what of it.

An entry costs only the connections that want to know, not all that look at the topic.

What a browser asks of a stream, and how that is read: from the address (GET) or from a body of JSON (POST).
"""

import sys
from collections.abc import Iterable, Sequence
from typing import Annotated

import msgspec

from kube import limits
from kube.discovery import ResourceType
from kube.versions import newest
from resources.stream.line import BrowserConnection
from resources.stream.live_update import LiveUpdate

_Topic = Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]
# Names of objects have 253 characters at most, uids 36; those of some aggregated APIs are longer.
_Name = Annotated[str, msgspec.Meta(max_length=512)]


class TooManyTopics(ValueError):
    """More topics or rows than one connection may want."""


class RowsRequest(msgspec.Struct):
    """`uids`: only these rows, None all. `moves`: changes of others may change the list, too."""

    topic: _Topic
    uids: list[_Name] | None = None
    moves: bool = False


class NoticeRequest(msgspec.Struct):
    """`names`: only these objects matter, None all."""

    topic: _Topic
    names: list[_Name] | None = None


class SubscriptionBody(msgspec.Struct):
    """`since`: where to resume, a position or the last event's id.

    `language`: of the page, which a worker of the browser's does not know otherwise.
    """

    since: str | None = ""
    language: str | None = ""
    rows: list[RowsRequest] = []
    notices: list[NoticeRequest] = []


_decode = msgspec.json.Decoder(SubscriptionBody).decode


class TopicSubscription:
    """A subscription of one connection: a topic, perhaps with `?` and the columns of its rows.

    `html`: with rows, not only notices. `each`: every object's update is an event of its own; else they are combined
    into `changed`, except for the rows shown. `uids` None: every row is shown. `names` None: every object matters.
    """

    __slots__ = ("each", "html", "moves", "name", "names", "uids")

    def __init__(
        self,
        name: str,
        *,
        html: bool,
        each: bool,
        uids: set[str] | None = None,
        names: frozenset[str] | None = None,
        moves: bool = False,
    ) -> None:
        self.name, self.html, self.each, self.uids, self.names, self.moves = name, html, each, uids, names, moves

    @property
    def topic(self) -> str:
        return self.name.partition("?")[0]


def subscriptions_in_address(rows: Sequence[str], notices: Sequence[str]) -> list[TopicSubscription]:
    """Of GET: `topic=` with rows, `notice=` without, one event for each object. Raises TooMuch."""
    shown = dict.fromkeys(rows)
    found = [TopicSubscription(name, html=True, each=True) for name in shown]
    found += [TopicSubscription(name, html=False, each=True) for name in dict.fromkeys(notices) if name not in shown]
    return _bounded(found)


def subscriptions_in_body(text: bytes) -> tuple[list[TopicSubscription], str, str]:
    """Of POST: the wishes, those of one name together, `since` and `language`.

    Raises ValueError with a sentence that says what is wrong, and TooMuch.
    """
    body = _decode(text)
    found: dict[str, TopicSubscription] = {}
    notices: dict[str, TopicSubscription] = {}
    for rows in body.rows:
        uids = None if rows.uids is None else {sys.intern(uid) for uid in rows.uids}
        wish = found.setdefault(rows.topic, TopicSubscription(rows.topic, html=True, each=uids is None, uids=uids))
        wish.moves = wish.moves or rows.moves
        wish.uids = None if wish.uids is None or uids is None else wish.uids | uids
        wish.each = wish.uids is None
    for notice in body.notices:
        names = None if notice.names is None else frozenset(map(sys.intern, notice.names))
        if known := notices.get(notice.topic):
            known.names = None if known.names is None or names is None else known.names | names
        else:
            notices[notice.topic] = TopicSubscription(notice.topic, html=False, each=False, names=names)
    return _bounded([*found.values(), *notices.values()]), body.since or "", body.language or ""


def subscribed_topics(wishes: Iterable[TopicSubscription]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(wish.topic for wish in wishes))


def _bounded(wishes: list[TopicSubscription]) -> list[TopicSubscription]:
    if max(len(subscribed_topics(wishes)), sum(wish.html for wish in wishes)) > limits.STREAM_TOPICS.value:
        raise TooManyTopics(f"more than {limits.STREAM_TOPICS.value} topics on one connection")
    if sum(len(wish.uids or ()) + len(wish.names or ()) for wish in wishes) > limits.STREAM_ROWS.value:
        raise TooManyTopics(f"more than {limits.STREAM_ROWS.value} rows and names on one connection")
    return wishes


class Listener:
    """One wish of one connection. Asleep, it is not asked for news any more until what it knows was sent."""

    __slots__ = ("_feed", "line", "wish")

    def __init__(self, line: BrowserConnection, wish: TopicSubscription, feed: "Feed") -> None:
        self.line, self.wish, self._feed = line, wish, feed

    def wake(self) -> None:
        self._feed.listen(self)

    def show(self, update: LiveUpdate, event: str = "") -> None:
        """Queues the object's own update."""
        wish = self.wish
        self.line.mailbox.put(wish.name, update, self.line.language if wish.html else "", event, shown=not wish.each)
        self.line.wake()

    def hear(self, update: LiveUpdate) -> None:
        """That it changed, together with others."""
        if not self.line.mailbox.news(self.wish.name, update, self):
            self._feed.rest(self)
        self.line.wake()


class Feed:
    """`version`: the newest that was seen in the stream.

    `columns`: (digest, JSON) of the rows' cells. `number`: of the last entry, 0 unknown.
    """

    __slots__ = (
        "_any",
        "_each",
        "_members",
        "_named",
        "_shown",
        "columns",
        "listeners",
        "number",
        "topic",
        "type",
        "version",
    )

    def __init__(self, topic: str, type_: ResourceType) -> None:
        self.topic, self.type = topic, type_
        self.version, self.number = "", 0
        self.columns: tuple[str, bytes] = ("", b"")
        self.listeners: dict[Listener, None] = {}
        self._each: dict[Listener, None] = {}
        self._any: dict[Listener, None] = {}  # hear of every change
        self._members: dict[Listener, None] = {}  # hear of what comes and goes
        self._shown: dict[str, dict[Listener, None]] = {}  # by uid
        self._named: dict[str, dict[Listener, None]] = {}  # by name

    @property
    def wants_rows(self) -> bool:
        return any(listener.wish.html for listener in self.listeners)

    def add(self, line: BrowserConnection, wish: TopicSubscription) -> Listener:
        found = Listener(line, wish, self)
        self.listeners[found] = None
        if wish.each:
            self._each[found] = None
        for uid in wish.uids or ():
            self._shown.setdefault(uid, {})[found] = None
        for name in wish.names or ():
            self._named.setdefault(name, {})[found] = None
        self.listen(found)
        return found

    def remove(self, listener: Listener) -> None:
        if listener not in self.listeners:
            return
        for group in (self.listeners, self._each, self._any, self._members):
            group.pop(listener, None)
        for uid in listener.wish.uids or ():
            _drop(self._shown, uid, listener)
        for name in listener.wish.names or ():
            _drop(self._named, name, listener)

    def listen(self, listener: Listener) -> None:
        """Registers for updates that are sent together."""
        wish = listener.wish
        if listener not in self.listeners or wish.each:
            return
        if wish.names is None:
            (self._any if wish.moves or not wish.html else self._members)[listener] = None

    def rest(self, listener: Listener) -> None:
        self._any.pop(listener, None)
        self._members.pop(listener, None)

    def publish(self, update: LiveUpdate) -> None:
        """A change of one object, to all who want to know."""
        change = update.change
        self.version = newest(self.version, change.version)
        for listener in self._each:
            listener.show(update)
        uid = change.uid
        shown = tuple(self._shown.get(uid, ()))
        for listener in shown:
            # It is on the page already: its row is sent, not that it was added.
            listener.show(update, "row" if update.event == "added" else "")
        for listener in tuple(self._named.get(change.name, ())):
            listener.hear(update)
        hearing = tuple(self._any) if update.event == "row" else (*self._any, *self._members)
        for listener in hearing:
            if not listener.wish.uids or uid not in listener.wish.uids:
                listener.hear(update)
        if update.event == "gone":
            # Should it come again, the page has to make room for it first.
            for listener in shown:
                self._shown.pop(uid, None)
                if listener.wish.uids:
                    listener.wish.uids.discard(uid)


def _drop(groups: dict[str, dict[Listener, None]], key: str, listener: Listener) -> None:
    if group := groups.get(key):
        group.pop(listener, None)
        if not group:
            del groups[key]
