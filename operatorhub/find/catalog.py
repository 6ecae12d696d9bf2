"""The packages of the catalog page: filtered, counted, ranked, with their install states and the catalogs' problems.

The packages are one local query, cached in memory until the index changes. Install states and the problems of catalogs
are read from the cluster for each request.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from threading import Lock
from typing import Any

from django.db.models import Q
from django.utils import timezone

from kube import reader
from kube.client import ClusterClient
from kube.errors import Forbidden, KubeError, NotFound
from kube.types.olm import CatalogSource
from operatorhub import olm
from operatorhub.admin import catalogsources
from operatorhub.admin.catalogs import hide_folders
from operatorhub.bundle import bundles
from operatorhub.extensions import facts as extensions
from operatorhub.find import facets
from operatorhub.find.facets import CatalogQuery
from operatorhub.models import Catalog, Index, Package
from operatorhub.run import follow

_ABSENT = (facets.ABSENT,)


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageEntry:
    """One package, ready to be shown and searched.

    `facts`: what it counts as in each filter; its state is set for each request.
    """

    pk: int
    namespace: str
    catalog: str
    name: str
    title: str
    provider: str
    version: str
    level: int
    catalog_title: str
    summary: str
    icon: str
    deprecated: bool
    deprecation: str
    created: str
    facts: facets.Facts
    texts: facets.SearchTexts
    states: tuple[str, ...] = _ABSENT

    @property
    def icon_name(self) -> str:
        """The last part of the icon's address: its digest, or the package while that is unknown; '' when it has
        none.
        """
        return "" if self.icon == "-" else self.icon or f"p-{self.pk}"

    @property
    def key(self) -> str:
        """Its place in one text, as the comparison takes it."""
        return f"{self.namespace}/{self.catalog}/{self.name}"


@dataclass(frozen=True, slots=True)
class Everything:
    """All packages of an index. `labels`: words for the values of filters that its packages write in their own ways."""

    entries: tuple[PackageEntry, ...]
    labels: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Chip:
    """A chosen value: in words, and the address without it."""

    facet: str
    label: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """`total`: how many match; `everything`: how many there are; `aside`: picked for the comparison, but not among
    those shown.
    """

    entries: tuple[PackageEntry, ...]
    facets: tuple[facets.Facet, ...]
    chips: tuple[Chip, ...]
    total: int
    everything: int
    compared: tuple[PackageEntry, ...]
    aside: tuple[PackageEntry, ...]


_kept: dict[str, tuple[int, Everything]] = {}
_lock = Lock()


def everything(cluster: str, revision: int) -> Everything:
    """All packages of the index that people may choose, sorted by title; read again only when the revision is
    another.
    """
    with _lock:
        cached = _kept.get(cluster)
        if cached and cached[0] == revision:
            return cached[1]
    rows = list(Package.objects.filter(cluster=cluster, hidden=""))
    labels = _labels(rows)
    # What its publisher gave up comes last.
    found = sorted(map(_entry, rows), key=lambda entry: (entry.deprecated, entry.title.casefold(), entry.key))
    answer = Everything(tuple(found), labels)
    with _lock:
        _kept[cluster] = (revision, answer)
    return answer


def _labels(rows: Iterable[Package]) -> dict[str, dict[str, str]]:
    providers: dict[str, list[str]] = {}
    labels: dict[str, dict[str, str]] = {"category": {}, "source": {}}
    for row in rows:
        if row.provider:
            providers.setdefault(facets.provider_key(row.provider), []).append(row.provider)
        for name in row.categories:
            labels["category"].setdefault(name.casefold(), name)
        labels["source"][f"{row.namespace}/{row.catalog}"] = row.catalog_title
    # Two catalogs may call themselves the same.
    titles = Counter(labels["source"].values())
    labels["source"] = {
        key: title if titles[title] == 1 else f"{title} ({key})" for key, title in labels["source"].items()
    }
    return {**labels, "provider": {key: facets.provider_label(names) for key, names in providers.items()}}


def _entry(row: Package) -> PackageEntry:
    words = facets.search_texts(
        name=row.name,
        title=row.title,
        keywords=row.keywords,
        provider=row.provider,
        kinds=row.kinds,
        summary=row.summary,
        crds=row.crds,
        text=row.text,
    )
    short = row.summary if len(row.summary) <= 160 else row.summary[:157].rsplit(" ", 1)[0] + "…"
    # Many publishers say it in the title only.
    deprecated = row.deprecated or "deprecated" in row.title.lower()
    return PackageEntry(
        pk=row.pk,
        namespace=row.namespace,
        catalog=row.catalog,
        name=row.name,
        title=row.title,
        provider=row.provider,
        version=row.version,
        level=row.level,
        catalog_title=row.catalog_title,
        summary=short,
        icon=row.icon,
        deprecated=deprecated,
        deprecation=row.deprecation,
        created=row.created,
        facts=_facts(row, deprecated=deprecated),
        texts=words,
    )


def _facts(row: Package, *, deprecated: bool) -> dict[str, tuple[str, ...]]:
    webhooks = facets.UNKNOWN if row.webhooks is None else "yes" if row.webhooks else "no"
    return {
        "category": tuple(dict.fromkeys(name.casefold() for name in row.categories)) or (facets.OTHER,),
        "state": _ABSENT,
        "source": (f"{row.namespace}/{row.catalog}",),
        "provider": (facets.provider_key(row.provider),) if row.provider else (),
        "level": (str(row.level),),
        "rights": (facets.UNKNOWN if row.rights == "?" else row.rights or "plain",),
        "webhooks": (webhooks,),
        "mode": tuple(row.modes),
        "feature": tuple(row.features),
        "subscription": tuple(row.subscriptions),
        "deprecated": ("yes" if deprecated else "no",),
    }


def visible(client: ClusterClient, entries: Iterable[PackageEntry], picked: str) -> tuple[PackageEntry, ...]:
    """Those of catalogs that the user may read.

    A global catalog is offered in every namespace: also in the picked one.
    """
    every = tuple(entries)
    everywhere = catalogsources.everywhere(client.name)
    allowed = {
        place: bundles.visible(client, place, picked if place in everywhere else "")
        for place in {entry.namespace for entry in every}
    }
    return every if all(allowed.values()) else tuple(entry for entry in every if allowed[entry.namespace])


def find(
    entries: Iterable[PackageEntry],
    known: Mapping[str, tuple[str, ...]],
    query: CatalogQuery,
    labels: Mapping[str, Mapping[str, str]],
) -> SearchResult:
    """Rank, filter and count. `known`: the states of packages that are not absent, by their keys."""
    every = [
        replace(entry, states=states, facts={**entry.facts, "state": states})
        if (states := known.get(entry.key))
        else entry
        for entry in entries
    ]
    present = {facet: frozenset(value for entry in every for value in entry.facts[facet]) for facet in facets.KINDS}
    ranked = [every[number] for number in facets.rank_packages(query.q, [entry.texts for entry in every])]
    passed, counts = facets.sift([entry.facts for entry in ranked], query.chosen)
    matching = [ranked[number] for number in passed]
    if query.sort in _ORDERS:
        matching.sort(key=_ORDERS[query.sort], reverse=query.sort == "name-desc")
    shown = tuple(matching[: query.shown])
    picked = {entry.key: entry for entry in every if entry.key in query.compared}
    compared = tuple(picked[key] for key in query.compared if key in picked)
    aside = tuple(entry for entry in compared if entry not in shown)
    built = facets.build(counts, query.chosen, labels, present)
    return SearchResult(
        entries=shown,
        facets=built,
        chips=_chips(query, labels),
        total=len(matching),
        everything=len(every),
        compared=compared,
        aside=aside,
    )


_ORDERS: dict[str, Callable[[PackageEntry], tuple[object, ...]]] = {
    "name": lambda entry: (entry.title.casefold(),),
    "name-desc": lambda entry: (entry.title.casefold(),),
    "provider": lambda entry: (not entry.provider, facets.provider_key(entry.provider), entry.title.casefold()),
    "level": lambda entry: (-entry.level, entry.title.casefold()),
    "newest": lambda entry: (not entry.created, _reversed(entry.created), entry.title.casefold()),
}


def _reversed(day: str) -> int:
    return -int(day.replace("-", "")) if day else 0


def _chips(query: CatalogQuery, labels: Mapping[str, Mapping[str, str]]) -> tuple[Chip, ...]:
    return tuple(
        Chip(str(kind.label), facets.label(facet, value, labels), query.without(facet, value))
        for facet, kind in facets.KINDS.items()
        for value in sorted(query.chosen[facet])
    )


def wants_build(client: ClusterClient, state: Index | None, sources: str) -> bool:
    """True if the index is missing or older than the catalogs, and no build was requested within the last seconds.

    Marks the request as made.
    """
    if state is not None and state.built_at is not None and state.sources == sources and not state.error:
        return False
    now = timezone.now()
    Index.objects.get_or_create(cluster=client.name)
    quiet = Q(requested_at=None) | Q(requested_at__lt=now - timedelta(seconds=5))
    return bool(Index.objects.filter(quiet, cluster=client.name).update(requested_at=now))


@dataclass(frozen=True, slots=True)
class CatalogProblem:
    """A catalog that does not answer: which one, and what it says of itself. `namespace` and `catalog`: its page."""

    name: str
    words: str
    namespace: str
    catalog: str


@dataclass(frozen=True, slots=True)
class InstalledStates:
    """`states`: by namespace/catalog/package.

    `unread`: kinds that the user can't list, so installed operators can appear as not installed.
    """

    states: Mapping[str, tuple[str, ...]]
    unread: tuple[str, ...]


def installed_states(client: ClusterClient) -> InstalledStates:
    """What Subscriptions, ClusterExtensions and the bundles that the console runs say."""
    found: dict[str, set[str]] = {}
    unread = []
    readers = (
        ("Subscriptions", _subscription_states),
        ("ClusterExtensions", _extension_states),
        ("ClusterServiceVersions", _run_states),
    )
    for kind, read in readers:
        try:
            for key, state in read(client):
                found.setdefault(key, set()).update(state)
        except Forbidden:
            unread.append(kind)
    return InstalledStates({key: _ordered_states(values) for key, values in found.items()}, tuple(unread))


def _ordered_states(values: set[str]) -> tuple[str, ...]:
    """Installed once is installed, also while it is being installed somewhere else."""
    if facets.INSTALLED in values:
        values = values - {facets.INSTALLING}
    return tuple(state for state in (facets.INSTALLED, facets.UPDATE, facets.INSTALLING) if state in values)


def _subscription_states(client: ClusterClient) -> Iterable[tuple[str, set[str]]]:
    if not olm.served(client):
        return
    for item in map(olm.subscription, client.list(olm.type_of(client, olm.SUBSCRIPTIONS)).items):
        if not item.installed:
            state = {facets.INSTALLING}
        else:
            newer = bool(item.current_csv) and item.current_csv != item.installed_csv
            state = {facets.INSTALLED, facets.UPDATE} if newer else {facets.INSTALLED}
        yield f"{item.catalog_namespace}/{item.catalog}/{item.package}", state


def _extension_states(client: ClusterClient) -> Iterable[tuple[str, set[str]]]:
    """Where an extension leaves the catalog to OLM v1, the package counts in all ClusterCatalogs that have it."""
    try:
        found = extensions.every(client)
    except NotFound:
        return
    catalogs = list(Catalog.objects.filter(cluster=client.name, namespace="-").values_list("name", flat=True))
    for extension in found:
        state = facets.INSTALLED if extension.installed else facets.INSTALLING
        for catalog in (extension.catalog,) if extension.catalog else catalogs:
            yield f"-/{catalog}/{extension.package}", {state}


def _run_states(client: ClusterClient) -> Iterable[tuple[str, set[str]]]:
    """Bundles that the console runs itself; which of its catalogs one came from does not matter."""
    catalogs = list(
        Catalog.objects.filter(cluster=client.name, namespace="~", describes="").values_list("name", flat=True)
    )
    if not catalogs or not olm.served(client):
        return
    for run in follow.runs(client):
        for catalog in catalogs:
            yield f"~/{catalog}/{run.package}", {facets.INSTALLED if run.phase == olm.SUCCEEDED else facets.INSTALLING}


def catalog_problems(client: ClusterClient, sources: Iterable[Mapping[str, Any]]) -> tuple[CatalogProblem, ...]:
    """The CatalogSources that are not ready, and the console's own catalogs that could not be read."""
    found = []
    for source in sources:
        catalog_source = reader.read(source, CatalogSource)
        meta, status = catalog_source.metadata, catalog_source.status
        state = status.connection_state.last_observed_state
        if state not in ("", "READY", "CONNECTING", "IDLE"):
            place = f"{meta.namespace}/{meta.name}"
            found.append(CatalogProblem(place, catalogsources.why_not_ready(status), meta.namespace, meta.name))
    rows = Catalog.objects.filter(cluster=client.name, state=Catalog.FAILED).order_by("namespace", "name")
    failed = [row for row in rows if bundles.is_catalog_visible(client, row)]
    hide_folders(client, failed)
    for row in failed:
        # One that describes a CatalogSource is read from that one's page.
        namespace, _slash, name = row.describes.partition("/") if row.describes else (row.namespace, "", row.name)
        found.append(CatalogProblem(row.title or row.name, row.error, namespace, name))
    return tuple(found)


def sources(client: ClusterClient) -> tuple[list[dict[str, Any]], KubeError | None]:
    """The CatalogSources, and why they can't all be listed; those of the user's namespaces are only a part of the
    index.
    """
    try:
        found = client.list(olm.type_of(client, olm.SOURCES))
        return found.items, Forbidden(", ".join(found.within)) if found.within else None
    except (Forbidden, NotFound) as error:
        return [], error
