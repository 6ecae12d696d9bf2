"""Packages side by side: what decides between them, in rows.

A value that is unknown for a package is marked so in its cell.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from console.web.errors import explain
from kube.client import ClusterClient
from kube.errors import KubeError
from operatorhub import csv
from operatorhub.bundle import package
from operatorhub.find import facets, package_page
from operatorhub.find.facets import MOST_COMPARED
from operatorhub.find.package_page import Chosen

LEAST = 2
_FEW = 8


@dataclass(frozen=True, slots=True)
class Cell:
    """`lines`: the text, line by line; `more`: how many are left out; `mark`: "good", "warn" or "bad", where it is not
    neutral.
    """

    lines: tuple[str, ...]
    more: int = 0
    mark: str = ""
    links: tuple[package.PackageLink, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """`same`: all packages that are known say the same."""

    label: str
    cells: tuple[Cell, ...]

    @property
    def same(self) -> bool:
        return len({(cell.lines, cell.more, cell.links) for cell in self.cells}) < 2


@dataclass(frozen=True, slots=True)
class PackageColumn:
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
    found = dict.fromkeys(key for key in values if key.count("/") == 2 and all(key.split("/")) and len(key) < 600)
    return tuple(found)[:MOST_COMPARED]


def columns(client: ClusterClient, wanted: Iterable[str], picked: str) -> tuple[PackageColumn, ...]:
    """A package that is gone, or that the user can't read, becomes a column with the reason."""
    return tuple(_column(client, key, picked) for key in wanted)


def _column(client: ClusterClient, key: str, picked: str) -> PackageColumn:
    namespace, catalog, name = key.split("/")
    try:
        manifest = package.read(client, namespace, catalog, name, picked)
        chosen = package_page.choose(client, manifest, "", "", picked)
    except KubeError as error:
        problem = explain(error)
        return PackageColumn(key, None, "", f"{problem.title}. {problem.detail}")
    if chosen is None:
        return PackageColumn(key, None, "", _("This package has no channel, so it can't be installed."))
    return PackageColumn(key, chosen, package.icon_name(client, namespace, catalog, name), "")


def rows(found: Iterable[PackageColumn]) -> tuple[ComparisonRow, ...]:
    """The table below the titles."""
    known = tuple(found)
    return tuple(
        ComparisonRow(label, tuple(tell(column.chosen) if column.chosen else Cell(()) for column in known))
        for label, tell in _tellers()
    )


def _tellers() -> tuple[tuple[str, Callable[[Chosen], Cell]], ...]:
    return (
        (_("Provider"), lambda chosen: _texts(chosen.about.provider if chosen.about else "")),
        (_("Catalog"), lambda chosen: _texts(chosen.manifest.catalog_title)),
        (_("Newest version"), lambda chosen: _texts(chosen.version)),
        (_("Last release"), lambda chosen: _texts(_day(chosen))),
        (
            _("Versions"),
            lambda chosen: _texts(str(len({each.name for way in chosen.graph.channels for each in way.entries}))),
        ),
        (_("Channels"), lambda chosen: _few([way.name for way in chosen.graph.channels])),
        (_("Deprecated"), _deprecated),
        (_("Capability level"), _level),
        (_("Supported install modes"), _modes),
        (_("Permissions"), _permissions),
        (_("Dangerous permissions"), _dangerous),
        (_("Webhooks"), lambda chosen: _whole(chosen, lambda: [str(len(chosen.webhooks))])),
        (_("Images"), lambda chosen: _whole(chosen, lambda: [image.name for image in chosen.images])),
        (_("Resource types"), lambda chosen: _few([api.kind for api in chosen.about.apis] if chosen.about else [])),
        (
            _("Requirements"),
            lambda chosen: _few([need.package or need.api_kind or need.words for need in chosen.needs]),
        ),
        (_("Infrastructure features"), lambda chosen: _few(chosen.about.features if chosen.about else ())),
        (_("Valid subscription"), lambda chosen: _few(chosen.about.subscriptions if chosen.about else ())),
        (_("Categories"), lambda chosen: _few(chosen.about.categories if chosen.about else ())),
        (_("Minimum Kubernetes version"), lambda chosen: _texts(chosen.about.min_kube if chosen.about else "")),
        (_("Links"), _links),
    )


def _texts(*lines: str, mark: str = "") -> Cell:
    return Cell(tuple(line for line in lines if line), mark=mark)


def _few(lines: Iterable[str]) -> Cell:
    every = tuple(lines)
    return Cell(every[:_FEW], max(len(every) - _FEW, 0))


def _whole(chosen: Chosen, lines: Callable[[], list[str]]) -> Cell:
    return _few(lines()) if chosen.whole else Cell((_("unknown"),))


def _day(chosen: Chosen) -> str:
    created = chosen.about.created if chosen.about else ""
    return csv.created({"createdAt": created}) or created


def _deprecated(chosen: Chosen) -> Cell:
    words = chosen.manifest.deprecated or chosen.channel.deprecated or chosen.deprecated
    return Cell((words,), mark="warn") if words else Cell((_("no"),))


def _level(chosen: Chosen) -> Cell:
    if chosen.about is None or not chosen.about.level:
        return Cell((_("not specified"),))
    return Cell((f"{chosen.about.level} – {chosen.about.level_name}",))


def _modes(chosen: Chosen) -> Cell:
    return _few([facets.label("mode", mode, {}) for mode in (chosen.about.modes if chosen.about else ())])


def _permissions(chosen: Chosen) -> Cell:
    if not chosen.whole:
        return Cell((_("unknown"),))
    if chosen.level == "cluster-admin":
        return Cell((_("Equivalent to cluster-admin"),), mark="bad")
    if chosen.dangerous:
        return Cell(
            (_("%(number)d of %(all)d dangerous") % {"number": chosen.dangerous, "all": len(chosen.rights)},),
            mark="warn",
        )
    return Cell((_("No dangerous permissions"),), mark="good")


def _dangerous(chosen: Chosen) -> Cell:
    if not chosen.whole:
        return Cell((_("unknown"),))
    return _few(dict.fromkeys(right.words for right in chosen.rights if right.danger))


def _links(chosen: Chosen) -> Cell:
    if chosen.about is None:
        return Cell(())
    repository = (package.PackageLink(_("Repository"), chosen.about.repository),) if chosen.about.repository else ()
    return Cell((), links=(*repository, *(link for link in chosen.about.links if link.url))[:_FEW])
