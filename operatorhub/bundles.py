"""Versions of packages, whatever their catalog is: the graph of their channels, and each version's whole bundle.

All sources of catalogs (operatorhub/sources/) become these shapes. A PackageManifest gives names and versions only; a catalog that the console read itself
(a folder, a file, an image, a ClusterCatalog) gives the edges and the bundles too, also of a CatalogSource that it describes. Where nobody knows, the
answer says so (`edges_known`, None): no page guesses.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from console.web.access import can
from kube.client import ClusterClient
from kube.errors import NotFound
from operatorhub.models import Package
from operatorhub.sources import packagemanifests
from operatorhub.sources.drafts import Channel, Entry, Graph

__all__ = ["Bundle", "Channel", "Entry", "Graph", "Offer", "bundle", "graph", "others"]


@dataclass(frozen=True, slots=True)
class Bundle:
    """One version in full. `csv`: {} when unknown; `partial`: it holds what the catalog says of it (olm.csv.metadata), not its install strategy."""

    name: str
    package: str
    version: str
    image: str
    csv: Mapping[str, Any]
    crds: tuple[Mapping[str, Any], ...]
    others: tuple[Mapping[str, Any], ...]
    properties: tuple[Mapping[str, Any], ...] = ()
    related_images: tuple[Mapping[str, Any], ...] = ()
    partial: bool = False
    problems: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Offer:
    """A catalog that has a package."""

    namespace: str
    catalog: str
    package: str
    catalog_title: str
    title: str
    version: str
    provider: str


def graph(client: ClusterClient, namespace: str, catalog: str, package: str, picked: str = "") -> Graph:
    """The channels and their versions, from the best source known. Raises NotFound; `picked` as in package.read()."""
    return packagemanifests.graph(packagemanifests.status(client, namespace, catalog, package, picked), package)


def bundle(client: ClusterClient, namespace: str, catalog: str, package: str, name: str) -> Bundle | None:
    """One version's manifests; None when nobody can give them here."""
    return None


def others(client: ClusterClient, package: str) -> tuple[Offer, ...]:
    """All catalogs that offer a package of this name and that the user may see; sorted by their titles."""
    rows = Package.objects.filter(cluster=client.name, name=package).order_by("catalog_title", "namespace", "catalog")
    return tuple(
        Offer(row.namespace, row.catalog, row.name, row.catalog_title, row.title, row.version, row.provider)
        for row in rows
        if visible(client, row.namespace)
    )


def visible(client: ClusterClient, namespace: str) -> bool:
    """Whether the user may see the packages of catalogs in that place."""
    if namespace == "~":
        return True
    try:
        if namespace == "-":
            return can(client, "list", client.find("olm.operatorframework.io", "v1", "clustercatalogs")).allowed
        return can(client, "list", client.find(packagemanifests.GROUP, "v1", "packagemanifests"), namespace).allowed
    except NotFound:
        return False
