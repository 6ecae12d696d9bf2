"""A watch over HTTP: one JSON line an event, until the client disconnects, the timeout ends or the sandbox stops.

Everything the client may see goes through one subscription of the store, so resuming from any version that the history
still reaches brings every change once. Bookmarks carry the version onward when nothing matches.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace

import msgspec

from .errors import Gone, Invalid
from .listing import ListQuery, Selection, check_versions, selection
from .objects import at_version, decode, encode, prefix
from .resources import Resource
from .store import Expired, Store, StoreChange, StoreEntry, StoreSubscription

#: kube-apiserver sends a bookmark about once a minute; more often costs nothing here.
BOOKMARK_SECONDS = 15.0
#: Without timeoutSeconds the API server ends a watch after 30 to 60 minutes.
LONGEST = 3600.0
#: Events that are written as one chunk.
BATCH = 200

#: (entry, first of the stream) to the bytes of an event's object.
Render = Callable[[StoreEntry, bool], bytes]
#: (version, annotations) to the bytes of a bookmark's object.
Mark = Callable[[int, dict[str, str]], bytes]


@dataclass(frozen=True, slots=True)
class WatchFormat:
    """The output format of one watch's events."""

    render: Render
    mark: Mark


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """The query of a watch beyond selectors."""

    bookmarks: bool
    initial: bool
    seconds: float


def plain(resource: Resource) -> WatchFormat:
    """Whole objects."""
    start = prefix(resource.kind, resource.api_version)

    def mark(version: int, annotations: dict[str, str]) -> bytes:
        metadata: dict[str, object] = {"resourceVersion": str(version)}
        if annotations:
            metadata["annotations"] = annotations
        return start + b'"metadata":' + msgspec.json.encode(metadata) + b"}"

    return WatchFormat(lambda entry, _: at_version(entry, resource), mark)


def watch_options(options: ListQuery) -> WatchOptions:
    """Checked as the API server does (validateWatchOptions)."""
    field, causes = "resourceVersionMatch", []
    if options.initial is not None and options.match != "NotOlderThan":
        text = f"Forbidden: sendInitialEvents requires setting {field} to NotOlderThan"
        causes.append((field, "FieldValueForbidden", text))
    if options.match and options.initial is None:
        text = f"Forbidden: {field} is forbidden for watch unless sendInitialEvents is provided"
        causes.append((field, "FieldValueForbidden", text))
    if options.match not in ("", "NotOlderThan"):
        text = f'Unsupported value: "{options.match}": supported values: "NotOlderThan"'
        causes.append((field, "FieldValueNotSupported", text))
    if options.match and options.continue_:
        causes.append((field, "FieldValueForbidden", f"Forbidden: {field} is forbidden when continue is provided"))
    if causes:
        raise Invalid("ListOptions", "", causes, "meta.k8s.io")
    seconds = float(options.seconds) if options.seconds > 0 else LONGEST * random.uniform(0.5, 1)  # noqa: S311
    return WatchOptions(options.bookmarks, bool(options.initial), seconds)


def begin(
    store: Store, resource: Resource, namespace: str, options: ListQuery, watch: WatchOptions
) -> tuple[StoreSubscription, list[StoreEntry], Selection, int]:
    """(subscription, entries to send first, selection, version of those). Expired for versions too old.

    A version that is still to come is waited for in silence, as kube-apiserver does.
    """
    version = check_versions(options, sys.maxsize, watch=True)
    wanted = selection(resource, namespace, options)
    if version and not watch.initial:
        return store.subscribe(resource.key, since=version), [], wanted, version
    subscription = store.subscribe(resource.key)
    present: list[StoreEntry] = []
    if watch.initial or options.match == "":
        present = [entry for entry in store.scan(resource.key, wanted.namespace) if wanted.matches(entry)]
    return subscription, present, wanted, store.version


async def too_old(expired: Expired) -> AsyncIterator[bytes]:
    """A stream that only says that the history does not reach back so far."""
    yield _line("ERROR", msgspec.json.encode(Gone(str(expired)).status()))


async def events(
    store: Store,
    begun: tuple[StoreSubscription, list[StoreEntry], Selection, int],
    watch: WatchOptions,
    stream: WatchFormat,
) -> AsyncIterator[bytes]:
    """Chunks of lines. To end the stream earlier, cancel the task that reads it."""
    subscription, present, wanted, version = begun
    first = not present
    try:
        for batch in range(0, len(present), BATCH):
            entries = enumerate(present[batch : batch + BATCH])
            yield b"".join(_line("ADDED", stream.render(entry, batch + at == 0)) for at, entry in entries)
        present.clear()
        if watch.initial and watch.bookmarks:
            yield _line("BOOKMARK", stream.mark(version, {"k8s.io/initial-events-end": "true"}))
        deadline = time.monotonic() + watch.seconds
        marked = version
        while True:
            if subscription.queue:
                lines, marked = _drain(
                    subscription=subscription, wanted=wanted, stream=stream, first=first, marked=marked, since=version
                )
                if lines:
                    first = False
                    yield lines
                continue
            if subscription.ended:
                return
            if subscription.overflowed:
                yield _line("ERROR", msgspec.json.encode(Gone("too old resource version: too slow").status()))
                return
            left = deadline - time.monotonic()
            if left <= 0 or not await subscription.wait(min(left, BOOKMARK_SECONDS)):
                if left <= BOOKMARK_SECONDS:
                    return
                if watch.bookmarks and store.version > marked:
                    marked = store.version
                    yield _line("BOOKMARK", stream.mark(marked, {}))
    finally:
        subscription.close()


def _drain(
    subscription: StoreSubscription, wanted: Selection, stream: WatchFormat, first: bool, marked: int, since: int
) -> tuple[bytes, int]:
    """(lines of what waits and is newer than ``since``, at most a batch; version of the last one written)."""
    lines: list[bytes] = []
    while subscription.queue and len(lines) < BATCH:
        change = subscription.queue.popleft()
        if change.version <= since:
            continue
        line = _changed(change, wanted, stream, first and not lines)
        if line:
            lines.append(line)
            marked = change.version
    return b"".join(lines), marked


def _changed(change: StoreChange, wanted: Selection, stream: WatchFormat, first: bool) -> bytes:
    """The line for a change; empty when the selection never held the object."""
    now = change.type != "DELETED" and wanted.matches(change.entry)
    before = change.previous is not None and wanted.matches(change.previous)
    if now:
        return _line("MODIFIED" if before else "ADDED", stream.render(change.entry, first))
    if before and change.previous is not None:
        return _line("DELETED", stream.render(_last(change.previous, change.version), first))
    return b""


def _last(entry: StoreEntry, version: int) -> StoreEntry:
    """What was there before it went, with the version at which it did."""
    obj = decode(entry.data)
    obj["metadata"]["resourceVersion"] = str(version)
    return replace(entry, version=version, data=encode(obj))


def _line(kind: str, data: bytes) -> bytes:
    return b'{"type":"' + kind.encode() + b'","object":' + data + b"}\n"
