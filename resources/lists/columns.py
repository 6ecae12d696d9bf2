"""The columns of a list: the API server's own, and ours (state, owner, usage, labels); which of them are shown, and the
order of the rows by one of them.

Keys: `state`, `owner`, `cpu`, `memory`, `age` where the server has no such column, `labels`, `label:<key>` for one
label's value, `=<name>` for a column of the server's. A choice of columns is a text of keys that fits into an address
or a cookie. An empty choice means the default columns: the state, the columns that `kubectl get` prints without `-o
wide` unless the state covers them, and the age last. The name always comes first.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from django.utils.translation import gettext as _

from console.prefer import times
from kube import limits
from kube.discovery import ResourceType, is_custom, is_definition
from kube.objects import Column
from resources.lists.entries import ListEntry, stateful
from resources.state.health import COMPLETED, DEGRADED, PROGRESSING, READY, SUSPENDED, TERMINATING, UNKNOWN

STATE, OWNER, LABELS, LABEL, PRINTED = "state", "owner", "labels", "label:", "="
#: Of custom types whose definition prints other columns, but not this one.
AGE = "age"
#: Of Pods and nodes, where the list has measurements.
CPU, MEMORY = "cpu", "memory"
#: In a topic beside its columns: the list shows the namespaces of several topics, so each row says its own.
IN_SEVERAL = "namespace"
#: The same: the list has the columns of measurements.
WITH_USAGE = "usage"
#: The last rank of a column: the columns behind it share it.
MOST_RANKS = 6
# Columns of the server's that say what our state says, or are its second line: how many are ready.
_STATUS_NAMES, _READY_NAME = frozenset({"status", "phase", "state"}), "ready"
# What else a kind shows at first: (group, kind) -> keys.
_AT_FIRST = {("", "Pod"): frozenset({"owner", "=Node"})}
#: What rows are ordered by, beside columns.
NAME, NAMESPACE = "name", "namespace"
#: States that need attention come first.
STATES = (DEGRADED, UNKNOWN, PROGRESSING, TERMINATING, SUSPENDED, READY, COMPLETED, "")
_STATE_ORDER = {state: rank for rank, state in enumerate(STATES)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ListColumn:
    """`index`: of the server's cell, -1 for our own.

    `wide`: printed by `kubectl get -o wide` only. `folded`: not shown unless asked for.

    `status`, `ready`: the cells that the state tells in its second line, -1 for none.
    """

    key: str
    heading: str
    help: str = ""
    index: int = -1
    wide: bool = False
    age: bool = False
    folded: bool = False
    status: int = -1
    ready: int = -1


def is_name(column: Column) -> bool:
    return column.format == "name" or column.name == "Name"


def is_age(column: Column) -> bool:
    return column.name in ("Age", "Created At")


def read(text: str) -> tuple[str, ...]:
    """The keys of a choice as show() wrote it; what isn't a key is left out."""
    found = (unquote(part)[: limits.LIST_COLUMN.value] for part in text.split(",") if part)
    return tuple(dict.fromkeys(key for key in found if _is_key(key)))[: limits.LIST_COLUMNS.value]


def show(keys: Iterable[str]) -> str:
    """Without spaces, quotes or '?': fit for addresses, cookies and topics."""
    return ",".join(quote(key, safe=":=/") for key in keys)


def _is_key(key: str) -> bool:
    return key in (STATE, OWNER, LABELS, CPU, MEMORY, AGE) or (
        key.startswith((LABEL, PRINTED)) and key not in (LABEL, PRINTED)
    )


def available(type_: ResourceType, columns: Sequence[Column], *, usage: bool = False) -> tuple[ListColumn, ...]:
    """All that can be shown without naming a label: state, the server's columns (also wide), owner, usage, labels."""
    has_state, at_first = stateful(type_), _AT_FIRST.get((type_.group, type_.kind), frozenset[str]())
    printed: dict[str, ListColumn] = {}
    status = ready = -1
    for index, column in enumerate(columns):
        if is_name(column):
            continue
        key = f"{PRINTED}{column.name}"
        if is_definition(type_):
            # Since 1.37, the API server prints those that are added, too: the added ones stay.
            printed.pop(key, None)
        # Two columns of one name are rare and legal.
        key = key if key not in printed else f"{key} {index}"
        wide, folded = column.priority > 0, False
        if has_state and not wide and (word := _tells(column)):
            folded = True
            status = index if word == "status" and status < 0 else status
            ready = index if word == "ready" and ready < 0 else ready
        folded = folded or (wide and key not in at_first)
        printed[key] = ListColumn(
            key=key,
            heading=_heading(column.name, has_state),
            help=column.description,
            index=index,
            wide=wide,
            age=is_age(column),
            folded=folded,
        )
    state = ListColumn(
        key=STATE,
        heading=_("State"),
        help=_("Overall state, as this console derives it from the object"),
        status=status,
        ready=ready,
    )
    owner = ListColumn(
        key=OWNER,
        heading=_("Owner"),
        help=_("The object that created this object and manages it"),
        folded=OWNER not in at_first,
    )
    ours = (state,) if has_state else ()
    measured = _measured() if usage else ()
    aged = () if not is_custom(type_.group) or any(_is_moment_of_creation(column) for column in columns) else (_aged(),)
    labels = ListColumn(key=LABELS, heading=_("Labels"), folded=True)
    return (*ours, *printed.values(), owner, *measured, *aged, labels)


def _aged() -> ListColumn:
    return ListColumn(key=AGE, heading=times.heading(), age=True)


def _is_moment_of_creation(column: Column) -> bool:
    """A Table doesn't tell which field a column shows, so the name has to do for other names than kubectl's."""
    return is_age(column) or (column.type == "date" and column.name.lower().startswith("creat"))


def _measured() -> tuple[ListColumn, ...]:
    """Behind all others, so that they are the first that a narrow list leaves out."""
    help_ = _("Current usage, from metrics.k8s.io")
    return ListColumn(key=CPU, heading=_("CPU"), help=help_, wide=True), ListColumn(
        key=MEMORY, heading=_("Memory"), help=help_, wide=True
    )


def _tells(column: Column) -> str:
    """Which part of the state this column repeats: 'status', 'ready', or ''."""
    name = column.name.lower()
    return "status" if name in _STATUS_NAMES else "ready" if name == _READY_NAME else ""


def _heading(name: str, beside_ours: bool) -> str:
    """The server's words, but for those that every kind has.

    Two columns with one heading would be one too many: in Korean our state has the word.
    """
    if name == "Status" and beside_ours:
        return name
    return {"Age": times.heading(), "Status": _("Status")}.get(name, name)


def chosen(
    type_: ResourceType, columns: Sequence[Column], keys: Sequence[str], *, usage: bool = False
) -> tuple[ListColumn, ...]:
    """The columns to show, in the order chosen. Keys that this kind does not have (any more) are left out."""
    known = {column.key: column for column in available(type_, columns, usage=usage)}
    if not keys:
        shown = [column for column in known.values() if not column.folded]
        return tuple(sorted(shown, key=lambda column: (column.age, column.wide)))
    found = (known.get(key) or _label(key) for key in keys)
    return tuple(column for column in found if column)


def ranked(chosen: Iterable[ListColumn]) -> Iterator[tuple[ListColumn, int]]:
    """Each column with its rank: 0 for what is never left out (the state and the age), then 1, 2, … from left to
    right.
    """
    rank = 0
    for column in chosen:
        stays = column.age or column.key == STATE
        rank += not stays
        yield column, 0 if stays else min(rank, MOST_RANKS)


def _label(key: str) -> ListColumn | None:
    label = key.removeprefix(LABEL)
    return ListColumn(key=key, heading=label.rpartition("/")[2], help=label) if key.startswith(LABEL) else None


def ordered(entries: Iterable[ListEntry], sort: str, columns: Sequence[ListColumn]) -> list[ListEntry]:
    """The rows in order: numbers, ages and states as people expect.

    `sort`: 'name', 'namespace' or a column's key, '-' before it for the other way round; '' and unknown ones: the
    server's own order.

    `columns`: all that the kind has. A column of the server's may be called by its name in lower case, too.
    """
    found = sorted(entries, key=_server_order)
    backwards, wanted = sort.startswith("-"), sort.removeprefix("-")
    column = next((column for column in columns if wanted in (column.key, column.key[1:].lower())), None)
    if key := _sort_key(wanted, column):
        # The youngest has the smallest age. Sorting is stable: among equals the server's order stays.
        found.sort(key=key, reverse=backwards != bool(column and column.age))
    return found


def _server_order(entry: ListEntry) -> str:
    return f"{entry.namespace}/{entry.name}"


def _sort_key(wanted: str, column: ListColumn | None) -> Callable[[ListEntry], Any] | None:
    if wanted in _SORT_KEYS:
        return _SORT_KEYS[wanted]
    if wanted.startswith(LABEL):
        label = wanted.removeprefix(LABEL)
        return lambda entry: _cell_order(dict(entry.labels).get(label))
    if column is None:
        return None
    if column.age:
        return lambda entry: entry.created
    index = column.index
    return lambda entry: _cell_order(entry.cells[index] if index < len(entry.cells) else None)


_SORT_KEYS: dict[str, Callable[[ListEntry], Any]] = {
    NAME: lambda entry: (entry.name, entry.namespace),
    NAMESPACE: lambda entry: (entry.namespace, entry.name),
    STATE: lambda entry: (_STATE_ORDER.get(entry.health.state, 0), entry.health.reason),
    OWNER: lambda entry: _cell_order(str(entry.owner or "")),
    LABELS: lambda entry: entry.labels,
    # What isn't measured is less than nothing: with the highest first it comes last.
    CPU: lambda entry: entry.usage.cores if entry.usage else -1.0,
    MEMORY: lambda entry: entry.usage.memory if entry.usage else -1,
}


def _cell_order(value: Any) -> tuple[int, float, str]:
    """Numbers by size, then texts, and nothing last; '2/3' by its first number."""
    if value is None or value == "":
        return (2, 0.0, "")
    if isinstance(value, int | float):
        return (0, float(value), "")
    first = str(value).partition("/")[0]
    return (0, float(first), str(value)) if first.isdecimal() else (1, 0.0, str(value).lower())
