"""The subscriptions of a connection to topics, and the feed of one topic to them.

Subscriptions are read from the address (GET) or from a body of JSON (POST). An entry of a topic costs only the
connections whose subscriptions it concerns, not all that look at the topic.
"""

import sys
from collections.abc import Iterable, Sequence
from typing import Annotated

import msgspec

from kube import limits
from kube.discovery import ResourceType
from kube.objects import newest
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
    """Of GET: `topic=` with rows, `notice=` without, one event for each object. Raises TooManyTopics."""
    shown = dict.fromkeys(rows)
    found = [TopicSubscription(name, html=True, each=True) for name in shown]
    found += [TopicSubscription(name, html=False, each=True) for name in dict.fromkeys(notices) if name not in shown]
    return _bounded(found)


def subscriptions_in_body(text: bytes) -> tuple[list[TopicSubscription], str, str]:
    """Of POST: the subscriptions, those of one name together, `since` and `language`.

    Raises ValueError with a sentence that says what is wrong, and TooManyTopics.
    """
    body = _decode(text)
    found: dict[str, TopicSubscription] = {}
    notices: dict[str, TopicSubscription] = {}
    for rows in body.rows:
        uids = None if rows.uids is None else {sys.intern(uid) for uid in rows.uids}
        subscription = found.setdefault(
            rows.topic, TopicSubscription(rows.topic, html=True, each=uids is None, uids=uids)
        )
        subscription.moves = subscription.moves or rows.moves
        subscription.uids = None if subscription.uids is None or uids is None else subscription.uids | uids
        subscription.each = subscription.uids is None
    for notice in body.notices:
        names = None if notice.names is None else frozenset(map(sys.intern, notice.names))
        if known := notices.get(notice.topic):
            known.names = None if known.names is None or names is None else known.names | names
        else:
            notices[notice.topic] = TopicSubscription(notice.topic, html=False, each=False, names=names)
    return _bounded([*found.values(), *notices.values()]), body.since or "", body.language or ""


def subscribed_topics(subscriptions: Iterable[TopicSubscription]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(subscription.topic for subscription in subscriptions))


def _bounded(subscriptions: list[TopicSubscription]) -> list[TopicSubscription]:
    if (
        max(len(subscribed_topics(subscriptions)), sum(subscription.html for subscription in subscriptions))
        > limits.STREAM_TOPICS.value
    ):
        raise TooManyTopics(f"more than {limits.STREAM_TOPICS.value} topics on one connection")
    if (
        sum(len(subscription.uids or ()) + len(subscription.names or ()) for subscription in subscriptions)
        > limits.STREAM_ROWS.value
    ):
        raise TooManyTopics(f"more than {limits.STREAM_ROWS.value} rows and names on one connection")
    return subscriptions


class Listener:
    """One subscription of one connection. Asleep, it is not asked for news any more until what it knows was sent."""

    __slots__ = ("_feed", "line", "subscription")

    def __init__(self, line: BrowserConnection, subscription: TopicSubscription, feed: "Feed") -> None:
        self.line, self.subscription, self._feed = line, subscription, feed

    def wake(self) -> None:
        self._feed.listen(self)

    def show(self, update: LiveUpdate, event: str = "") -> None:
        """Queues the object's own update."""
        subscription = self.subscription
        self.line.mailbox.put(
            subscription.name,
            update,
            self.line.language if subscription.html else "",
            event,
            shown=not subscription.each,
        )
        self.line.wake()

    def hear(self, update: LiveUpdate) -> None:
        """That it changed, together with others."""
        if not self.line.mailbox.news(self.subscription.name, update, self):
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
        return any(listener.subscription.html for listener in self.listeners)

    def add(self, line: BrowserConnection, subscription: TopicSubscription) -> Listener:
        found = Listener(line, subscription, self)
        self.listeners[found] = None
        if subscription.each:
            self._each[found] = None
        for uid in subscription.uids or ():
            self._shown.setdefault(uid, {})[found] = None
        for name in subscription.names or ():
            self._named.setdefault(name, {})[found] = None
        self.listen(found)
        return found

    def remove(self, listener: Listener) -> None:
        if listener not in self.listeners:
            return
        for group in (self.listeners, self._each, self._any, self._members):
            group.pop(listener, None)
        for uid in listener.subscription.uids or ():
            _drop(self._shown, uid, listener)
        for name in listener.subscription.names or ():
            _drop(self._named, name, listener)

    def listen(self, listener: Listener) -> None:
        """Registers for updates that are sent together."""
        subscription = listener.subscription
        if listener not in self.listeners or subscription.each:
            return
        if subscription.names is None:
            (self._any if subscription.moves or not subscription.html else self._members)[listener] = None

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
            if not listener.subscription.uids or uid not in listener.subscription.uids:
                listener.hear(update)
        if update.event == "gone":
            # Should it come again, the page has to make room for it first.
            for listener in shown:
                self._shown.pop(uid, None)
                if listener.subscription.uids:
                    listener.subscription.uids.discard(uid)


def _drop(groups: dict[str, dict[Listener, None]], key: str, listener: Listener) -> None:
    if group := groups.get(key):
        group.pop(listener, None)
        if not group:
            del groups[key]
