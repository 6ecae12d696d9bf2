"""Orders of a list: by a column, as people expect of numbers, ages and states."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from resources.lists.columns import CPU, LABEL, LABELS, MEMORY, OWNER, STATE, ListColumn
from resources.lists.entries import ListEntry
from resources.state.health import COMPLETED, DEGRADED, PROGRESSING, READY, SUSPENDED, TERMINATING, UNKNOWN

NAME, NAMESPACE = "name", "namespace"
#: States that need attention come first.
STATES = (DEGRADED, UNKNOWN, PROGRESSING, TERMINATING, SUSPENDED, READY, COMPLETED, "")
_RANK = {state: rank for rank, state in enumerate(STATES)}


def ordered(entries: Iterable[ListEntry], sort: str, columns: Sequence[ListColumn]) -> list[ListEntry]:
    """`sort`: 'name', 'namespace' or a column's key, '-' before it for the other way round; '' and unknown ones: the
    server's own order.

    `columns`: all that the kind has. A column of the server's may be called by its name in lower case, too.
    """
    found = sorted(entries, key=_own_key)
    backwards, wanted = sort.startswith("-"), sort.removeprefix("-")
    column = next((column for column in columns if wanted in (column.key, column.key[1:].lower())), None)
    if key := _key(wanted, column):
        # The youngest has the smallest age. Sorting is stable: among equals the server's order stays.
        found.sort(key=key, reverse=backwards != bool(column and column.age))
    return found


def _own_key(entry: ListEntry) -> str:
    return f"{entry.namespace}/{entry.name}"


def _key(wanted: str, column: ListColumn | None) -> Callable[[ListEntry], Any] | None:
    if wanted in _OURS:
        return _OURS[wanted]
    if wanted.startswith(LABEL):
        label = wanted.removeprefix(LABEL)
        return lambda entry: cell_order(dict(entry.labels).get(label))
    if column is None:
        return None
    if column.age:
        return lambda entry: entry.created
    index = column.index
    return lambda entry: cell_order(entry.cells[index] if index < len(entry.cells) else None)


_OURS: dict[str, Callable[[ListEntry], Any]] = {
    NAME: lambda entry: (entry.name, entry.namespace),
    NAMESPACE: lambda entry: (entry.namespace, entry.name),
    STATE: lambda entry: (_RANK.get(entry.health.state, 0), entry.health.reason),
    OWNER: lambda entry: cell_order(str(entry.owner or "")),
    LABELS: lambda entry: entry.labels,
    # What isn't measured is less than nothing: with the highest first it comes last.
    CPU: lambda entry: entry.usage.cores if entry.usage else -1.0,
    MEMORY: lambda entry: entry.usage.memory if entry.usage else -1,
}


def cell_order(value: Any) -> tuple[int, float, str]:
    """Numbers by size, then texts, and nothing last; '2/3' by its first number."""
    if value is None or value == "":
        return (2, 0.0, "")
    if isinstance(value, int | float):
        return (0, float(value), "")
    first = str(value).partition("/")[0]
    return (0, float(first), str(value)) if first.isdecimal() else (1, 0.0, str(value).lower())
