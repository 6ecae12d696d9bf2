"""What of the catalog is installed already, and which catalogs can't be read just now: the two things of the page
that come from the cluster itself.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kube.client import ClusterClient
from kube.errors import Forbidden, KubeError, NotFound
from kube.objects import name_of, namespace_of
from operatorhub import olm
from operatorhub.admin.catalogs import hide_folders
from operatorhub.bundle import bundles
from operatorhub.csv import mapping, text
from operatorhub.extensions import facts as extensions
from operatorhub.find import facets
from operatorhub.models import Catalog
from operatorhub.run import follow


@dataclass(frozen=True, slots=True)
class CatalogProblem:
    """A catalog that does not answer: which one, and what it says of itself. `namespace` and `catalog`: its page."""

    name: str
    words: str
    namespace: str
    catalog: str


@dataclass(frozen=True, slots=True)
class States:
    """`states`: by namespace/catalog/package.

    `unread`: kinds that the user can't list, so installed operators can appear as not installed.
    """

    states: Mapping[str, tuple[str, ...]]
    unread: tuple[str, ...]


def states(client: ClusterClient) -> States:
    """What Subscriptions, ClusterExtensions and the bundles that the console runs say."""
    found: dict[str, set[str]] = {}
    unread = []
    readers = (("Subscriptions", _subscriptions), ("ClusterExtensions", _extensions), ("ClusterServiceVersions", _runs))
    for kind, read in readers:
        try:
            for key, state in read(client):
                found.setdefault(key, set()).update(state)
        except Forbidden:
            unread.append(kind)
    return States({key: _ordered(values) for key, values in found.items()}, tuple(unread))


def _ordered(values: set[str]) -> tuple[str, ...]:
    """Installed once is installed, also while it is being installed somewhere else."""
    if facets.INSTALLED in values:
        values = values - {facets.INSTALLING}
    return tuple(state for state in (facets.INSTALLED, facets.UPDATE, facets.INSTALLING) if state in values)


def _subscriptions(client: ClusterClient) -> Iterable[tuple[str, set[str]]]:
    if not olm.served(client):
        return
    for item in map(olm.subscription, client.list(olm.type_of(client, olm.SUBSCRIPTIONS)).items):
        if not item.installed:
            state = {facets.INSTALLING}
        else:
            newer = bool(item.current_csv) and item.current_csv != item.installed_csv
            state = {facets.INSTALLED, facets.UPDATE} if newer else {facets.INSTALLED}
        yield f"{item.catalog_namespace}/{item.catalog}/{item.package}", state


def _extensions(client: ClusterClient) -> Iterable[tuple[str, set[str]]]:
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


def _runs(client: ClusterClient) -> Iterable[tuple[str, set[str]]]:
    """Bundles that the console runs itself; which of its catalogs one came from does not matter."""
    catalogs = list(
        Catalog.objects.filter(cluster=client.name, namespace="~", describes="").values_list("name", flat=True)
    )
    if not catalogs or not olm.served(client):
        return
    for run in follow.runs(client):
        for catalog in catalogs:
            yield f"~/{catalog}/{run.package}", {facets.INSTALLED if run.phase == olm.SUCCEEDED else facets.INSTALLING}


def troubles(client: ClusterClient, sources: Iterable[Mapping[str, Any]]) -> tuple[CatalogProblem, ...]:
    """The CatalogSources that are not ready, and the console's own catalogs that could not be read."""
    found = []
    for source in sources:
        state = text(mapping(mapping(source.get("status")).get("connectionState")).get("lastObservedState"))
        message = text(mapping(source.get("status")).get("message"))
        if state not in ("", "READY", "CONNECTING", "IDLE"):
            namespace, name = namespace_of(dict(source)), name_of(dict(source))
            found.append(CatalogProblem(f"{namespace}/{name}", message or state, namespace, name))
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
