"""What a browser asks of a stream, and how that is read: from the address (GET) or from a body of JSON (POST)."""

import sys
from collections.abc import Iterable, Sequence
from typing import Annotated

import msgspec

from kube import limits

_Topic = Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]
# Names of objects have 253 characters at most, uids 36; those of some aggregated APIs are longer.
_Name = Annotated[str, msgspec.Meta(max_length=512)]


class TooMuch(ValueError):
    """More topics or rows than one connection may want."""


class RowsWish(msgspec.Struct):
    """`uids`: only these rows, None all. `moves`: changes of others may change the list, too."""

    topic: _Topic
    uids: list[_Name] | None = None
    moves: bool = False


class NoticeWish(msgspec.Struct):
    """`names`: only these objects matter, None all."""

    topic: _Topic
    names: list[_Name] | None = None


class Body(msgspec.Struct):
    """`since`: where to resume, a position or the last event's id.

    `language`: of the page, which a worker of the browser's does not know otherwise.
    """

    since: str | None = ""
    language: str | None = ""
    rows: list[RowsWish] = []
    notices: list[NoticeWish] = []


_decode = msgspec.json.Decoder(Body).decode


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


def from_address(rows: Sequence[str], notices: Sequence[str]) -> list[TopicSubscription]:
    """Of GET: `topic=` with rows, `notice=` without, one event for each object. Raises TooMuch."""
    shown = dict.fromkeys(rows)
    found = [TopicSubscription(name, html=True, each=True) for name in shown]
    found += [TopicSubscription(name, html=False, each=True) for name in dict.fromkeys(notices) if name not in shown]
    return _bounded(found)


def from_body(text: bytes) -> tuple[list[TopicSubscription], str, str]:
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


def topics_of(wishes: Iterable[TopicSubscription]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(wish.topic for wish in wishes))


def _bounded(wishes: list[TopicSubscription]) -> list[TopicSubscription]:
    if max(len(topics_of(wishes)), sum(wish.html for wish in wishes)) > limits.STREAM_TOPICS.value:
        raise TooMuch(f"more than {limits.STREAM_TOPICS.value} topics on one connection")
    if sum(len(wish.uids or ()) + len(wish.names or ()) for wish in wishes) > limits.STREAM_ROWS.value:
        raise TooMuch(f"more than {limits.STREAM_ROWS.value} rows and names on one connection")
    return wishes
