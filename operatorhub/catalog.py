"""The catalog page: which packages there are, filtered, counted, ranked. One local query, kept in memory until the index changes."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from threading import Lock
from urllib.parse import urlencode

from django.db.models import Q
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _

from console.web.access import can
from kube.client import ClusterClient
from kube.errors import Forbidden
from operatorhub import csv, olm, search
from operatorhub.models import Index, Package

PAGE = 60
# Where catalogs for the whole cluster live: OLM's own namespace, and OpenShift's.
GLOBAL = frozenset({"olm", "openshift-marketplace"})
INSTALLED, INSTALLING, ABSENT = "installed", "installing", "absent"
FACETS = ("category", "provider", "level", "state", "source")
SORTS = ("relevance", "name", "provider", "level")


@dataclass(frozen=True, slots=True)
class Entry:
    """One package, ready to be shown and searched. `state`: installed, installing or absent, set for each request."""

    pk: int
    namespace: str
    catalog: str
    name: str
    title: str
    provider: str
    version: str
    level: int
    categories: tuple[str, ...]
    catalog_title: str
    summary: str
    icon: str
    deprecated: bool
    texts: search.Texts
    state: str = ABSENT

    @property
    def icon_name(self) -> str:
        """The last part of the icon's address: its digest, or the package while that is unknown; '' when it has none."""
        return "" if self.icon == "-" else self.icon or f"p-{self.pk}"

    def values(self, facet: str) -> tuple[str, ...]:
        """What this entry counts as in a facet."""
        if facet == "category":
            return self.categories
        return {
            "provider": (self.provider,) if self.provider else (),
            "level": (str(self.level),) if self.level else (),
            "state": (self.state,),
            "source": (f"{self.namespace}/{self.catalog}",),
        }[facet]


@dataclass(frozen=True, slots=True)
class Query:
    """What stands in the address."""

    q: str = ""
    chosen: Mapping[str, frozenset[str]] = field(default_factory=lambda: dict.fromkeys(FACETS, frozenset()))
    sort: str = "relevance"
    shown: int = PAGE

    @classmethod
    def read(cls, data: QueryDict) -> "Query":
        """Anything may stand there; what is no value of ours is left out."""
        shown = data.get("shown", "")
        sort = data.get("sort", "")
        return cls(
            " ".join(data.get("q", "").split())[:200],
            {facet: frozenset(data.getlist(facet)[:100]) for facet in FACETS},
            sort if sort in SORTS else "relevance",
            min(max(int(shown), PAGE), 10_000) if shown.isascii() and shown.isdigit() else PAGE,
        )

    def address(self, **changes: object) -> str:
        """The query string of this query with some changes, without what is the default anyway."""
        wanted = replace(self, **changes)  # type: ignore[arg-type]
        parts: list[tuple[str, str]] = [("q", wanted.q)] if wanted.q else []
        parts += [(facet, value) for facet in FACETS for value in sorted(wanted.chosen[facet])]
        parts += [("sort", wanted.sort)] if wanted.sort != "relevance" else []
        parts += [("shown", str(wanted.shown))] if wanted.shown != PAGE else []
        return f"?{urlencode(parts)}" if parts else "?"

    @property
    def filtered(self) -> bool:
        return bool(self.q) or any(self.chosen.values())


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a facet: how many packages it would leave."""

    value: str
    label: str
    count: int
    checked: bool


@dataclass(frozen=True, slots=True)
class Facet:
    """`choices` are shown at once, `more` behind a click."""

    name: str
    label: str
    choices: tuple[Choice, ...]
    more: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """`total`: how many match; `everything`: how many there are."""

    entries: tuple[Entry, ...]
    facets: tuple[Facet, ...]
    total: int
    everything: int


_kept: dict[str, tuple[int, tuple[Entry, ...]]] = {}
_lock = Lock()


def entries(cluster: str, revision: int) -> tuple[Entry, ...]:
    """All packages of the index, sorted by title; read again only when the revision is another."""
    with _lock:
        kept = _kept.get(cluster)
        if kept and kept[0] == revision:
            return kept[1]
    found = tuple(
        sorted(
            (_entry(row) for row in Package.objects.filter(cluster=cluster)),
            # What its publisher gave up comes last.
            key=lambda one: (one.deprecated, one.title.lower(), one.name),
        )
    )
    with _lock:
        _kept[cluster] = (revision, found)
    return found


def _entry(row: Package) -> Entry:
    words = search.texts(row.name, row.title, row.keywords, row.provider, row.kinds, row.summary)
    short = row.summary if len(row.summary) <= 160 else row.summary[:157].rsplit(" ", 1)[0] + "…"
    # Many publishers say it in the title only.
    deprecated = row.deprecated or "deprecated" in row.title.lower()
    return Entry(
        row.pk, row.namespace, row.catalog, row.name, row.title, row.provider, row.version, row.level,
        tuple(row.categories), row.catalog_title, short, row.icon, deprecated, words,
    )  # fmt: skip


def visible(client: ClusterClient, everything: Iterable[Entry], picked: str) -> tuple[Entry, ...]:
    """Those of catalogs that the user may list PackageManifests of. A global catalog is in every namespace: also in the picked one."""
    type_ = client.find("packages.operators.coreos.com", "v1", "packagemanifests")
    every = tuple(everything)
    allowed = {
        place: can(client, "list", type_, place).allowed
        or (place in GLOBAL and bool(picked) and can(client, "list", type_, picked).allowed)
        for place in {one.namespace for one in every}
    }
    return every if all(allowed.values()) else tuple(one for one in every if allowed[one.namespace])


def states(client: ClusterClient) -> dict[tuple[str, str, str], str]:
    """(catalog namespace, catalog, package) → installed or installing. Empty for a user who may not list Subscriptions."""
    try:
        objects = client.list(olm.type_of(client, olm.SUBSCRIPTIONS)).items
    except Forbidden:
        return {}
    found: dict[tuple[str, str, str], str] = {}
    for one in map(olm.subscription, objects):
        key = (one.catalog_namespace, one.catalog, one.package)
        if found.get(key) != INSTALLED:
            found[key] = INSTALLED if one.installed else INSTALLING
    return found


def find(everything: Iterable[Entry], known: Mapping[tuple[str, str, str], str], query: Query) -> Result:
    """Rank, filter and count. A facet's counts honour all other filters, so that each number is what a click would show."""
    every = [
        replace(one, state=state) if (state := known.get((one.namespace, one.catalog, one.name))) else one
        for one in everything
    ]
    ranked = [every[number] for number in search.rank(query.q, [one.texts for one in every])]
    facets = tuple(_facet(facet, ranked, query) for facet in FACETS)
    matching = [one for one in ranked if all(_has(one, facet, query) for facet in FACETS)]
    if query.sort != "relevance":
        keys: dict[str, Callable[[Entry], tuple[object, ...]]] = {
            "name": lambda one: (one.title.lower(),),
            "provider": lambda one: (not one.provider, one.provider.lower(), one.title.lower()),
            "level": lambda one: (-one.level, one.title.lower()),
        }
        matching.sort(key=keys[query.sort])
    return Result(tuple(matching[: query.shown]), facets, len(matching), len(every))


def _has(one: Entry, facet: str, query: Query) -> bool:
    chosen = query.chosen[facet]
    return not chosen or not chosen.isdisjoint(one.values(facet))


def _facet(facet: str, ranked: list[Entry], query: Query) -> Facet:
    counts: Counter[str] = Counter()
    titles: dict[str, str] = {}
    for one in ranked:
        if all(_has(one, other, query) for other in FACETS if other != facet):
            counts.update(one.values(facet))
        titles[f"{one.namespace}/{one.catalog}"] = one.catalog_title
    for value in query.chosen[facet]:
        counts.setdefault(value, 0)
    order = sorted(
        counts, key=(lambda value: value) if facet == "level" else lambda value: (-counts[value], value.lower())
    )
    chosen = query.chosen[facet]
    choices = [Choice(value, _label(facet, value, titles), counts[value], value in chosen) for value in order]
    limit = {"provider": 6, "category": 10}.get(facet, 20)
    first = [one for number, one in enumerate(choices) if number < limit or one.checked]
    more = [one for one in choices if one not in first]
    names = {
        "category": _("Category"),
        "provider": _("Provider"),
        "level": _("Capability level"),
        "state": _("Install state"),
        "source": _("Source"),
    }
    return Facet(facet, names[facet], tuple(first), tuple(more))


def _label(facet: str, value: str, titles: Mapping[str, str]) -> str:
    if facet == "level" and value in ("1", "2", "3", "4", "5"):
        return csv.LEVELS[int(value) - 1]
    if facet == "state":
        return {INSTALLED: _("Installed"), INSTALLING: _("Installing"), ABSENT: _("Not installed")}.get(value, value)
    return titles.get(value, value) if facet == "source" else value


def wants_build(client: ClusterClient, state: Index | None, sources: str) -> bool:
    """True when the index is missing or older than the catalogs, and nobody was asked within the last seconds. Claims the asking."""
    if state is not None and state.built_at is not None and state.sources == sources and not state.error:
        return False
    now = timezone.now()
    Index.objects.get_or_create(cluster=client.name)
    quiet = Q(requested_at=None) | Q(requested_at__lt=now - timedelta(seconds=5))
    return bool(Index.objects.filter(quiet, cluster=client.name).update(requested_at=now))
