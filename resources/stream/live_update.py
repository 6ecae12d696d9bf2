"""One change as it is sent to browsers, a server-sent event: encoded once for all connections that get it in the same
form, and only when the first of them is due.

Before that, entries as they were read from the streams are thinned out (latest) and checked for gaps (unbroken).
https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from kube.discovery import ResourceType
from resources.changes import Change, StreamEntry, order
from resources.stream.counts import counts

log = logging.getLogger(__name__)
# (type, name of the topic, columnDefinitions as JSON, change, language) → the row's HTML
RenderRow = Callable[[ResourceType, str, bytes, Change, str], str]
Order = tuple[int, int]
EVENTS = {"ADDED": "added", "MODIFIED": "row", "DELETED": "gone"}

# How long a browser waits before it reconnects; live.js waits longer, with jitter, after refusals.
RETRY = b"retry: 1500\n\n"
HEARTBEAT = b": still here\n\n"


class LiveUpdate:
    """`order`: of its entry.

    `columns`: what the row's cells belong to, None where that is not known: then `html` is '' and the page lists again.
    """

    __slots__ = ("_columns", "_made", "_render", "_type", "change", "event", "id_line", "order", "topic")

    def __init__(
        self, entry: StreamEntry, epoch: str, render: RenderRow, type_: ResourceType, columns: bytes | None
    ) -> None:
        self.topic, self.change = entry.topic, entry.change
        self.event = EVENTS[entry.change.kind]
        self.order: Order = order(entry.id)
        self.id_line = f"id: {entry.id}@{epoch}\n".encode()
        self._render, self._type, self._columns = render, type_, columns
        self._made: dict[tuple[str, str, str], bytes] = {}

    def encoded(self, event: str, name: str, language: str) -> bytes:
        """Without an id. `language` '' asks for the news alone, without a row's HTML."""
        key = (event, name, language)
        if key not in self._made:
            change = self.change
            data: dict[str, Any] = {
                "topic": name,
                "uid": change.uid,
                "name": change.name,
                "namespace": change.namespace,
                "version": change.version,
            }
            if language and event == "row":
                data["html"] = self._row(name, language)
            self._made[key] = encode_event(event, data)
        return self._made[key]

    def _row(self, name: str, language: str) -> str:
        """'' when the row can't be made (columns unknown, a template that fails): the page then lists again."""
        if not self.change.row or self._columns is None:
            return ""
        counts.rendered += 1
        try:
            return self._render(self._type, name, self._columns, self.change, language)
        except Exception:
            log.exception("the row of %s can't be rendered", self.change.name, extra={"topic": self.topic})
            return ""


def latest(entries: Iterable[StreamEntry]) -> list[StreamEntry]:
    """Without changes that a later one of the same object makes needless.

    The busier it is, the more come together, the more is saved.
    """
    seen: set[tuple[str, str]] = set()
    needed: list[StreamEntry] = []
    for entry in reversed(list(entries)):
        key = (entry.topic, entry.change.uid)
        if entry.change.kind == "MODIFIED" and key in seen:
            continue
        if entry.change.kind in ("MODIFIED", "DELETED"):
            seen.add(key)
        else:
            seen.discard(key)
        needed.append(entry)
    return needed[::-1]


def unbroken(entries: Sequence[StreamEntry]) -> bool:
    """Whether none is missing between the first and the last of one topic; unknown numbers say nothing."""
    return all(
        not entry.number or not other.number or other.number == entry.number + 1 for entry, other in pairwise(entries)
    )


def encode_event(event: str, data: dict[str, Any], id_: str = "") -> bytes:
    """One event; `data` as one line of JSON. With an id, the browser resumes from there."""
    head = f"id: {id_}\n" if id_ else ""
    return f"{head}event: {event}\n".encode() + b"data: " + msgspec.json.encode(data) + b"\n\n"
