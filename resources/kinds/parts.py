"""What most panels are made of: a table or a list of facts, whose cells are short texts, links, labels and ages.

All texts are plain: the templates escape them. Nothing here asks the cluster anything but which kinds it serves.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import KubeObject, text
from resources.kinds import Panel
from resources.place import Place
from resources.quantities import number
from resources.state.health import Health

#: What draws Facts, Bars and a Table.
PANEL = "resources/kinds/_panel.html"
#: More rows than these are for a list of their own.
ROWS = 100
_TEXT = 600
_WORD = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Bit:
    """One line of a cell.

    `look`: '' for text, or age (an RFC 3339 time), code, muted, label (in `colour`), error. `url`: it is a link.
    """

    text: str
    url: str = ""
    look: str = ""
    colour: str = ""
    help: str = ""

    @property
    def long(self) -> bool:
        """Whether it has a word that no column is wide enough for, so that it may be broken anywhere."""
        return any(len(word) > _WORD for word in self.text.split())


Cell = tuple[Bit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """`note`: a sentence above it; `left`: rows that are there and not shown; `problem`: why there are none to show;
    `folded`: the HTML id of a table that is shown on demand, '' for one that is open."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    left: int = 0
    problem: str = ""
    empty: str = ""
    folded: str = ""

    @property
    def lines(self) -> tuple[tuple[tuple[str, Cell], ...], ...]:
        """Each cell with its column's name, which narrow screens show beside it."""
        return tuple(tuple(zip(self.columns, row, strict=False)) for row in self.rows)


@dataclass(frozen=True, slots=True)
class Facts:
    """Pairs of a name and a value. facts() leaves out empty ones."""

    title: str
    entries: tuple[tuple[str, Cell], ...]
    note: str = ""


def line(value: Any, look: str = "", *, colour: str = "", help_: str = "") -> Cell:
    """A scalar as a cell of one line; an empty cell for anything else, and for ''."""
    words = text(value)
    return (Bit(text=words[:_TEXT], look=look, colour=colour, help=help_),) if words else ()


def lines(values: Iterable[Any], look: str = "") -> Cell:
    """A line for each scalar."""
    return tuple(bit for value in values for bit in line(value, look))


def in_seconds(value: int | None) -> str:
    """'30 s'; '' for None."""
    return "" if value is None else f"{value} s"


def label(value: Any, colour: str = "") -> Cell:
    return line(value, "label", colour=colour)


def state(health: Health) -> Cell:
    """The state word as a label, and its reason below."""
    return (*label(health.label, health.colour), *line(health.reason, "muted"))


def see(client: ClusterClient, group: str, kind: str, name: Any, namespace: str = "", words: str = "") -> Cell:
    """A link to the object; its name alone where the cluster serves no such kind."""
    named = text(name)
    if not named:
        return ()
    try:
        type_ = client.find_kind(group, kind)
    except KubeError:
        return (Bit(text=words or named),)
    return (Bit(text=(words or named)[:_TEXT], url=Place(type_, namespace if type_.namespaced else "", named).url()),)


def table(id_: str, made: Table, *, wide: bool = False) -> Panel:
    """A panel of the table's first ROWS rows."""
    cut = made
    if len(made.rows) > ROWS:
        left = made.left + len(made.rows) - ROWS
        cut = replace(made, rows=made.rows[:ROWS], left=left)
    return Panel(id_, PANEL, cut, wide)


def facts(id_: str, title: str, entries: Iterable[tuple[str, Cell]], *, note: str = "", wide: bool = False) -> Panel:
    return Panel(id_, PANEL, Facts(title, tuple(entry for entry in entries if entry[1]), note), wide)


def yes(value: Any) -> Cell:
    """Said only when it is so."""
    return line(_("Yes")) if value is True else ()


@dataclass(frozen=True, slots=True)
class Some:
    """What a question for a list brought.

    `more`: there are others that were not read. `problem`: why there is nothing, in the server's words.
    """

    items: tuple[KubeObject, ...] = ()
    more: bool = False
    problem: str = ""


def some(
    client: ClusterClient,
    group: str,
    kind: str,
    namespace: str = "",
    *,
    labels: str = "",
    fields: str = "",
    limit: int = 500,
) -> Some:
    """At most `limit` objects of a kind.

    Never raises: one panel that can't be read must not break the page, it shows `problem` instead.
    """
    try:
        type_ = client.find_kind(group, kind)
        found = client.list(type_, namespace, labels=labels, fields=fields, limit=limit)
    except KubeError as error:
        return Some(problem=str(error))
    return Some(tuple(found.items), bool(found.continue_))


def more_note(found: Some) -> str:
    """A sentence for lists that were not read to their end."""
    return _("Only the first %(n)d objects were checked.") % {"n": len(found.items)} if found.more else ""


_TIGHT, _FULL = 80, 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """`percent` may be more than 100; `width` is for drawing. `colour`: '' while there is room."""

    name: str
    used: str
    hard: str
    percent: int
    colour: str

    @property
    def width(self) -> int:
        return max(0, min(100, self.percent))


@dataclass(frozen=True, slots=True)
class Bars:
    """`title` of the panel; `empty`: what stands there when there is none."""

    title: str
    bars: tuple[Bar, ...]
    empty: str = ""
    note: str = ""


def bar(name: str, used: str, hard: str) -> Bar:
    """Amounts as they are written; without numbers in them it is drawn empty."""
    there, most = number(used), number(hard)
    percent = 0
    if there is not None and most is not None:
        percent = int(there * 100 / most) if most else (100 if there else 0)
    colour = "red" if percent >= _FULL else "orange" if percent >= _TIGHT else ""
    return Bar(name=name, used=used or "–", hard=hard, percent=percent, colour=colour)
