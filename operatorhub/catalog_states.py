"""What of the catalog is installed already, and which catalogs can't be read just now: the two things of the page that come from the cluster itself."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kube.client import ClusterClient
from kube.errors import Forbidden, KubeError, NotFound
from kube.objects import name_of, namespace_of
from operatorhub import facets, olm
from operatorhub.csv import mapping, text
from operatorhub.models import Catalog

EXTENSIONS = ("olm.operatorframework.io", "v1", "clusterextensions")


@dataclass(frozen=True, slots=True)
class Trouble:
    """A catalog that does not answer: which one, and what it says of itself."""

    name: str
    words: str


@dataclass(frozen=True, slots=True)
class States:
    """`states`: by namespace/catalog/package. `unread`: kinds whose objects the user may not list, so that installed operators may look as if they were not."""

    states: Mapping[str, tuple[str, ...]]
    unread: tuple[str, ...]


def states(client: ClusterClient) -> States:
    """What Subscriptions and ClusterExtensions say."""
    found: dict[str, set[str]] = {}
    unread = []
    for kind, read in (("Subscriptions", _subscriptions), ("ClusterExtensions", _extensions)):
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
    return tuple(one for one in (facets.INSTALLED, facets.UPDATE, facets.INSTALLING) if one in values)


def _subscriptions(client: ClusterClient) -> Iterable[tuple[str, set[str]]]:
    if not olm.served(client):
        return
    for one in map(olm.subscription, client.list(olm.type_of(client, olm.SUBSCRIPTIONS)).items):
        if not one.installed:
            state = {facets.INSTALLING}
        else:
            newer = bool(one.current_csv) and one.current_csv != one.installed_csv
            state = {facets.INSTALLED, facets.UPDATE} if newer else {facets.INSTALLED}
        yield f"{one.catalog_namespace}/{one.catalog}/{one.package}", state


def _extensions(client: ClusterClient) -> Iterable[tuple[str, set[str]]]:
    """OLM v1 picks the catalog itself and says nowhere which: the package counts as installed in all ClusterCatalogs that have it."""
    try:
        objects = client.list(client.find(*EXTENSIONS)).items
    except NotFound:
        return
    catalogs = list(Catalog.objects.filter(cluster=client.name, namespace="-").values_list("name", flat=True))
    for obj in objects:
        package = text(mapping(mapping(mapping(obj.get("spec")).get("source")).get("catalog")).get("packageName"))
        installed = mapping(mapping(mapping(obj.get("status")).get("install")).get("bundle")).get("name")
        for catalog in catalogs if package else ():
            yield f"-/{catalog}/{package}", {facets.INSTALLED if installed else facets.INSTALLING}


def troubles(client: ClusterClient, sources: Iterable[Mapping[str, Any]]) -> tuple[Trouble, ...]:
    """The CatalogSources that are not ready, and the console's own catalogs that could not be read."""
    found = []
    for one in sources:
        state = text(mapping(mapping(one.get("status")).get("connectionState")).get("lastObservedState"))
        message = text(mapping(one.get("status")).get("message"))
        if state not in ("", "READY", "CONNECTING", "IDLE"):
            found.append(Trouble(f"{namespace_of(dict(one))}/{name_of(dict(one))}", message or state))
    rows = Catalog.objects.filter(cluster=client.name, state=Catalog.FAILED).order_by("namespace", "name")
    return (*found, *(Trouble(row.title or row.name, row.error) for row in rows))


def sources(client: ClusterClient) -> tuple[list[dict[str, Any]], KubeError | None]:
    """The CatalogSources, and why they can't be listed."""
    try:
        return client.list(olm.type_of(client, olm.SOURCES)).items, None
    except (Forbidden, NotFound) as error:
        return [], error
