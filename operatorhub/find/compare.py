"""Packages side by side: what decides between them, in rows.

Whatever is not known of one of them is said in its cell.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from console.web.errors import explain
from kube.client import ClusterClient
from kube.errors import KubeError
from operatorhub import csv
from operatorhub.bundle import package
from operatorhub.find import facets
from operatorhub.find.catalog_query import MOST_COMPARED
from operatorhub.judge import package_page
from operatorhub.judge.package_page import Chosen

LEAST = 2
_FEW = 8


@dataclass(frozen=True, slots=True)
class Cell:
    """`lines`: what is said, one below the other; `more`: how many are left out; `mark`: "good", "warn" or "bad",
    where it is not neutral.
    """

    lines: tuple[str, ...]
    more: int = 0
    mark: str = ""
    links: tuple[package.Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """`same`: all packages that are known say the same."""

    label: str
    cells: tuple[Cell, ...]

    @property
    def same(self) -> bool:
        return len({(one.lines, one.more, one.links) for one in self.cells}) < 2


@dataclass(frozen=True, slots=True)
class Column:
    """One package, or why there is none."""

    key: str
    chosen: Chosen | None
    icon_name: str
    problem: str

    @property
    def title(self) -> str:
        if self.chosen is None:
            return self.key
        about = self.chosen.about
        return about.title if about else self.chosen.manifest.name


def keys(values: Iterable[str]) -> tuple[str, ...]:
    """`<namespace>/<catalog>/<name>`, each once, no more than can be compared."""
    found = dict.fromkeys(one for one in values if one.count("/") == 2 and all(one.split("/")) and len(one) < 600)
    return tuple(found)[:MOST_COMPARED]


def columns(client: ClusterClient, wanted: Iterable[str], picked: str) -> tuple[Column, ...]:
    """A package that is gone, or may not be read, is a column that says so."""
    return tuple(_column(client, key, picked) for key in wanted)


def _column(client: ClusterClient, key: str, picked: str) -> Column:
    namespace, catalog, name = key.split("/")
    try:
        manifest = package.read(client, namespace, catalog, name, picked)
        chosen = package_page.choose(client, manifest, "", "", picked)
    except KubeError as error:
        problem = explain(error)
        return Column(key, None, "", f"{problem.title}. {problem.detail}")
    if chosen is None:
        return Column(key, None, "", _("This package has no channel, so there is nothing to install."))
    return Column(key, chosen, package.icon_name(client, namespace, catalog, name), "")


def rows(found: Iterable[Column]) -> tuple[Row, ...]:
    """The table below the titles."""
    known = tuple(found)
    return tuple(
        Row(label, tuple(tell(one.chosen) if one.chosen else Cell(()) for one in known)) for label, tell in _tellers()
    )


def _tellers() -> tuple[tuple[str, Callable[[Chosen], Cell]], ...]:
    return (
        (_("Provider"), lambda one: _texts(one.about.provider if one.about else "")),
        (_("Catalog"), lambda one: _texts(one.manifest.catalog_title)),
        (_("Newest version"), lambda one: _texts(one.version)),
        (_("Last release"), lambda one: _texts(_day(one))),
        (
            _("Versions"),
            lambda one: _texts(str(len({each.name for way in one.graph.channels for each in way.entries}))),
        ),
        (_("Channels"), lambda one: _few([way.name for way in one.graph.channels])),
        (_("Deprecated"), _deprecated),
        (_("Capability level"), _level),
        (_("Can be installed for"), _modes),
        (_("Permissions"), _permissions),
        (_("Dangerous permissions"), _dangerous),
        (_("Webhooks"), lambda one: _whole(one, lambda: [str(len(one.webhooks))])),
        (_("Images"), lambda one: _whole(one, lambda: [image.name for image in one.images])),
        (_("Kinds"), lambda one: _few([api.kind for api in one.about.apis] if one.about else [])),
        (_("What it needs"), lambda one: _few([need.package or need.api_kind or need.words for need in one.needs])),
        (_("Infrastructure features"), lambda one: _few(one.about.features if one.about else ())),
        (_("Valid subscription"), lambda one: _few(one.about.subscriptions if one.about else ())),
        (_("Categories"), lambda one: _few(one.about.categories if one.about else ())),
        (_("Kubernetes at least"), lambda one: _texts(one.about.min_kube if one.about else "")),
        (_("Links"), _links),
    )


def _texts(*lines: str, mark: str = "") -> Cell:
    return Cell(tuple(one for one in lines if one), mark=mark)


def _few(lines: Iterable[str]) -> Cell:
    every = tuple(lines)
    return Cell(every[:_FEW], max(len(every) - _FEW, 0))


def _whole(one: Chosen, lines: Callable[[], list[str]]) -> Cell:
    return _few(lines()) if one.whole else Cell((_("not known"),))


def _day(one: Chosen) -> str:
    created = one.about.created if one.about else ""
    return csv.created({"createdAt": created}) or created


def _deprecated(one: Chosen) -> Cell:
    words = one.manifest.deprecated or one.channel.deprecated or one.deprecated
    return Cell((words,), mark="warn") if words else Cell((_("no"),))


def _level(one: Chosen) -> Cell:
    if one.about is None or not one.about.level:
        return Cell((_("not said"),))
    return Cell((f"{one.about.level} – {one.about.level_name}",))


def _modes(one: Chosen) -> Cell:
    return _few([facets.label("mode", mode, {}) for mode in (one.about.modes if one.about else ())])


def _permissions(one: Chosen) -> Cell:
    if not one.whole:
        return Cell((_("not known"),))
    if one.level == "cluster-admin":
        return Cell((_("Like cluster-admin"),), mark="bad")
    if one.dangerous:
        return Cell(
            (_("%(number)d dangerous of %(all)d") % {"number": one.dangerous, "all": len(one.rights)},), mark="warn"
        )
    return Cell((_("Without dangerous ones"),), mark="good")


def _dangerous(one: Chosen) -> Cell:
    if not one.whole:
        return Cell((_("not known"),))
    return _few(dict.fromkeys(right.words for right in one.rights if right.danger))


def _links(one: Chosen) -> Cell:
    if one.about is None:
        return Cell(())
    repository = (package.Link(_("Repository"), one.about.repository),) if one.about.repository else ()
    return Cell((), links=(*repository, *(link for link in one.about.links if link.url))[:_FEW])
