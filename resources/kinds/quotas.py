"""Quotas as bars of what is used and what is allowed, and limit ranges as a table: for their own pages and a
namespace's.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject, name_of
from resources.kinds import Kind, Maker, Panel
from resources.kinds.parts import Cell, Table, line, table
from resources.quantities import number
from resources.state.health import items, mapping, text

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


def bars(obj: KubeObject) -> tuple[Bar, ...]:
    """Of a ResourceQuota, by name; before its controller has counted, of the spec alone."""
    status = mapping(obj.get("status"))
    hard = mapping(status.get("hard")) or mapping(mapping(obj.get("spec")).get("hard"))
    used = mapping(status.get("used"))
    return tuple(bar(name, text(used.get(name)), text(most)) for name, most in sorted(hard.items()))


def quota(_client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    made = Bars(_("Used"), bars(obj), _("No limits."), _scope(obj))
    yield Panel("bars", "resources/kinds/_bars.html", made)


def _scope(obj: KubeObject) -> str:
    scopes = mapping(obj.get("spec")).get("scopes")
    names = [text(scope) for scope in scopes] if isinstance(scopes, list) else []
    return _("Scopes: %(scopes)s") % {"scopes": ", ".join(names)} if names else ""


def limit_range(_client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    yield limits_table("limits", _("Limits"), (obj,))


def limits_table(id_: str, title: str, found: Iterable[KubeObject]) -> Panel:
    """A row for each kind of thing and resource."""
    columns = (
        _("Type"),
        _("Resource"),
        _("Minimum"),
        _("Maximum"),
        _("Default request"),
        _("Default limit"),
        _("Maximum limit/request ratio"),
    )
    rows = tuple(
        row for obj in found for item in items(mapping(obj.get("spec")).get("limits")) for row in _limits(item)
    )
    return table(id_, Table(title=title, columns=columns, rows=rows, empty=_("No limits.")), wide=True)


def _limits(item: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
    parts = [mapping(item.get(key)) for key in ("min", "max", "defaultRequest", "default", "maxLimitRequestRatio")]
    for name in dict.fromkeys(name for part in parts for name in part):
        yield line(item.get("type")), line(name), *(line(part.get(name)) for part in parts)


def of_namespace(quotas: Iterable[KubeObject]) -> Iterator[Panel]:
    """The bars of all quotas of a namespace."""
    found = tuple(
        Bar(name=f"{bar.name} ({name_of(obj)})", used=bar.used, hard=bar.hard, percent=bar.percent, colour=bar.colour)
        for obj in quotas
        for bar in bars(obj)
    )
    if found:
        yield Panel("quotas", "resources/kinds/_bars.html", Bars(_("Quotas"), found))


PANELS: dict[Kind, Maker] = {("", "ResourceQuota"): quota, ("", "LimitRange"): limit_range}
