"""Entries read from the streams, before they are sent: drops superseded ones and detects missing ones."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from resources.changes import StreamEntry


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
