"""The columns of a list: the API server's own, and ours (state, owner, labels); those that somebody chose, as a text that an address or a cookie can hold.

Keys: `state`, `owner`, `labels`, `label:<key>` for one label's value, `=<name>` for a column of the server's. An empty choice is what everybody
gets: the state, and the columns that `kubectl get` prints without `-o wide`. The name always comes first, and the namespace where there are several.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote

from django.utils.translation import gettext as _

from console.prefer import times
from kube import limits
from kube.discovery import ResourceType
from kube.table import Column
from resources.lists.entries import stateful

STATE, OWNER, LABELS, LABEL, PRINTED = "state", "owner", "labels", "label:", "="
#: In a topic beside its columns: the list shows the namespaces of several topics, so each row says its own.
IN_SEVERAL = "namespace"


@dataclass(frozen=True, slots=True)
class ListColumn:
    """`index`: of the server's cell, -1 for our own. `wide`: only shown when asked for."""

    key: str
    heading: str
    help: str = ""
    index: int = -1
    wide: bool = False
    age: bool = False


def is_name(column: Column) -> bool:
    return column.format == "name" or column.name == "Name"


def is_age(column: Column) -> bool:
    return column.name in ("Age", "Created At")


def read(text: str) -> tuple[str, ...]:
    """The keys of a choice as show() wrote it; whatever is no key is left out."""
    found = (unquote(part)[: limits.LIST_COLUMN.value] for part in text.split(",") if part)
    return tuple(dict.fromkeys(key for key in found if _is_key(key)))[: limits.LIST_COLUMNS.value]


def show(keys: Iterable[str]) -> str:
    """Without spaces, quotes or '?': fit for addresses, cookies and topics."""
    return ",".join(quote(key, safe=":=/") for key in keys)


def _is_key(key: str) -> bool:
    return key in (STATE, OWNER, LABELS) or (key.startswith((LABEL, PRINTED)) and key not in (LABEL, PRINTED))


def available(type_: ResourceType, columns: Sequence[Column]) -> tuple[ListColumn, ...]:
    """All that can be shown without naming a label: the state, the server's columns (wide ones too), owner and labels."""
    printed: dict[str, ListColumn] = {}
    for index, column in enumerate(columns):
        if not is_name(column):
            key = f"{PRINTED}{column.name}"
            # Two columns of one name are rare and legal.
            key = key if key not in printed else f"{key} {index}"
            wide = column.priority > 0
            printed[key] = ListColumn(
                key, _heading(column.name, stateful(type_)), column.description, index, wide, is_age(column)
            )
    ours = (
        (ListColumn(STATE, _("State"), _("One word for the whole, by the console's rules")),) if stateful(type_) else ()
    )
    owner = ListColumn(OWNER, _("Owner"), _("The object that made this one and looks after it"), wide=True)
    return (*ours, *printed.values(), owner, ListColumn(LABELS, _("Labels"), wide=True))


def _heading(name: str, beside_ours: bool) -> str:
    """The server's words, but for those that every kind has. Two columns with one heading would be one too many: in Korean our state has the word."""
    if name == "Status" and beside_ours:
        return name
    return {"Age": times.heading(), "Status": _("Status")}.get(name, name)


def chosen(type_: ResourceType, columns: Sequence[Column], keys: Sequence[str]) -> tuple[ListColumn, ...]:
    """The columns to show, in the order chosen. Keys that this kind does not have (any more) are left out."""
    known = {column.key: column for column in available(type_, columns)}
    if not keys:
        return tuple(column for column in known.values() if not column.wide)
    found = (known.get(key) or _label(key) for key in keys)
    return tuple(column for column in found if column)


def _label(key: str) -> ListColumn | None:
    label = key.removeprefix(LABEL)
    return ListColumn(key, label.rpartition("/")[2], label) if key.startswith(LABEL) else None
