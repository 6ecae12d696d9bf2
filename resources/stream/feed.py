"""One topic of this process: who hears what of it.

An entry costs only the connections that want to know, not all that look at the topic.
"""

from kube.discovery import ResourceType
from kube.versions import newest
from resources.stream.line import BrowserConnection
from resources.stream.live_update import LiveUpdate
from resources.stream.wishes import TopicSubscription


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
