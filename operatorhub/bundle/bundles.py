"""Versions of packages of any catalog: the graph of their channels, and each version's whole bundle.

All sources of catalogs (operatorhub/sources/) become these shapes. A PackageManifest gives names and versions only; a
catalog that the console read itself (a folder, a file, an image, a ClusterCatalog) gives the edges and the bundles too,
also of a CatalogSource that it describes. Unknown values are explicit (`edges_known`, None), so that no page guesses.

Graphs and bundles are stored in the database as compressed JSON, by operatorhub/indexing/refresh.py. A bundle in a
folder is read on first use, its CSV and the rest separately, and stored; changed contents are read again. A bundle that
is only in an image is pulled within the request, so with a short timeout; a failure is cached for a minute.

status() gives a package of a catalog that the console read itself in a PackageManifest's shape, so that pages need to
know only that shape:
https://github.com/operator-framework/operator-lifecycle-manager/blob/master/pkg/package-server/apis/operators/v1/packagemanifest_types.go
"""

import tempfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec
from cachetools import LRUCache, TTLCache
from django.db.models import F, QuerySet
from django.utils.translation import gettext as _

from console.web.access import can
from kube import across_namespaces
from kube.client import ClusterClient
from kube.errors import Forbidden, NotFound
from kube.reader import read
from kube.types import olm as olm_types
from kube.types.meta import ObjectMeta
from kube.types.olm import CSVDescription, Deprecation, PackageChannel, PackageManifestStatus
from operatorhub.admin import catalogs, catalogsources
from operatorhub.models import Catalog, Package, PackageGraph, StoredBundle
from operatorhub.sources import drafts, folder, image, packagemanifests
from operatorhub.sources.drafts import (
    Channel,
    ChannelEntry,
    Contents,
    Graph,
    SourceError,
    VersionLifecycle,
    bundle_version,
    problems,
)

__all__ = [
    "Bundle",
    "Channel",
    "ChannelEntry",
    "Graph",
    "PackageOffer",
    "SourceError",
    "bundle",
    "graph",
    "of_contents",
    "others",
    "status",
]
_PULL_SECONDS = 25.0
_FAILURE_SECONDS = 60.0
_MAX_FAILURES = 256
#: What was wrong with an image, by its reference.
_failures: TTLCache[str, str] = TTLCache(_MAX_FAILURES, _FAILURE_SECONDS)
_failures_lock = Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """One version in full.

    `csv`: {} when unknown; `partial`: it holds what the catalog says of it (olm.csv.metadata), not its install
    strategy.
    """

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


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageOffer:
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
    on_cluster = namespace not in (catalogs.OWN, catalogs.CLUSTER)
    if found := _find_graph(client, namespace, catalog, package, picked):
        known = found[1]
        absent = _missing_versions(client, known, namespace, catalog, picked) if on_cluster else ()
        return replace(known, missing=absent, problems=problems(known))
    if not on_cluster:
        raise missing(namespace, catalog, package)
    package_graph = packagemanifests.graph(
        packagemanifests.status(client, namespace, catalog, package, picked), package
    )
    return replace(package_graph, problems=problems(package_graph))


def _missing_versions(
    client: ClusterClient, known: Graph, namespace: str, catalog: str, picked: str
) -> tuple[str, ...]:
    """The versions that OLM can't install, because they aren't in the PackageManifest; () where it doesn't list any."""
    try:
        channels = packagemanifests.status(client, namespace, catalog, known.package, picked).channels
    except (NotFound, Forbidden):
        return ()
    listed = {entry.name for channel in channels for entry in channel.entries}
    if not listed:
        return ()
    listed |= {channel.current_csv for channel in channels}
    names = dict.fromkeys(entry.name for channel in known.channels for entry in channel.entries)
    return tuple(name for name in names if name not in listed)


def status(client: ClusterClient, namespace: str, catalog: str, package: str) -> PackageManifestStatus:
    """A package of one of the console's own catalogs, or of a ClusterCatalog, in the shape of a PackageManifest's
    status. Raises NotFound.
    """
    found = _find_graph(client, namespace, catalog, package)
    if found is None:
        raise missing(namespace, catalog, package)
    row, known = found
    heads = {channel.entries[0].name for channel in known.channels if channel.entries}
    rows = stored_bundles(row).filter(package=package, name__in=heads).select_related("catalog").defer("manifests")
    csvs = {stored_bundle.name: stored_csv(stored_bundle) for stored_bundle in rows}
    return manifest_status(known, csvs, namespace, catalog, row.title or row.name)


def manifest_status(
    graph: Graph, csvs: Mapping[str, Mapping[str, Any]], namespace: str, catalog: str, title: str
) -> PackageManifestStatus:
    """`csvs`: the channels' newest ones, by their names."""
    return PackageManifestStatus(
        catalog_source=catalog,
        catalog_source_namespace=namespace,
        catalog_source_display_name=title,
        default_channel=graph.default,
        channels=tuple(_manifest_channel(channel, csvs) for channel in graph.channels),
        deprecation=Deprecation(message=graph.deprecated),
    )


def csv_description(csv: Mapping[str, Any]) -> CSVDescription:
    """`currentCSVDesc` of a CSV."""
    annotations = read(csv.get("metadata"), ObjectMeta).annotations
    return msgspec.structs.replace(read(csv.get("spec"), CSVDescription), annotations=annotations)


def _manifest_channel(channel: Channel, csvs: Mapping[str, Mapping[str, Any]]) -> PackageChannel:
    current = channel.entries[0].name if channel.entries else ""
    description = csv_description(csvs.get(current, {}))
    if channel.entries and not description.version:
        description = msgspec.structs.replace(description, version=channel.entries[0].version)
    return PackageChannel(
        name=channel.name,
        current_csv=current,
        current_csv_desc=description,
        entries=tuple(map(_manifest_entry, channel.entries)),
        deprecation=Deprecation(message=channel.deprecated),
    )


def _manifest_entry(entry: ChannelEntry) -> olm_types.ChannelEntry:
    return olm_types.ChannelEntry(
        name=entry.name,
        version=entry.version,
        deprecation=Deprecation(message=entry.deprecated) if entry.deprecated else None,
    )


def bundle(
    client: ClusterClient, namespace: str, catalog: str, package: str, name: str, picked: str = ""
) -> Bundle | None:
    """One version's manifests; None if no source here has them.

    Raises SourceError when its place can't be read now.
    """
    if not visible(client, namespace, picked):
        return None
    for row in describing_catalogs(client.name, namespace, catalog):
        stored_bundle = (
            stored_bundles(row).filter(package=package, name=name).select_related("catalog").defer(None).first()
        )
        if stored_bundle is not None:
            return of_row(stored_bundle)
    return None


def of_row(row: StoredBundle) -> Bundle:
    """A stored bundle in full; what is in its image only is fetched now, and kept. Raises SourceError."""
    found = stored_contents(row)
    words: tuple[str, ...] = ()
    if row.image and (found.partial or not found.csv):
        try:
            found = replace(
                _image_contents(row.image), properties=found.properties, related_images=found.related_images
            )
        except SourceError as error:
            words = (str(error),)
        else:
            store_contents(row, found, row.digest)
    return of_contents(
        found=found, package=row.package, name=row.name, version=row.version, image=row.image, words=words
    )


def of_contents(
    found: Contents, package: str, name: str = "", version: str = "", image: str = "", words: tuple[str, ...] = ()
) -> Bundle:
    """What any source read, as a bundle."""
    return Bundle(
        name=name or read(found.csv.get("metadata"), ObjectMeta).name,
        package=package,
        version=version or bundle_version(found),
        image=image,
        csv=found.csv,
        crds=found.crds,
        others=found.others,
        properties=found.properties,
        related_images=found.related_images,
        partial=found.partial,
        problems=words,
    )


def missing(namespace: str, catalog: str, package: str) -> NotFound:
    """No such package in one of the console's own catalogs, in words."""
    words = _(
        "Package “%(name)s” isn't in catalog %(catalog)s. It may have been removed, or the catalog is still loading."
    )
    return NotFound(words % {"name": package, "catalog": catalog})


def others(client: ClusterClient, package: str) -> tuple[PackageOffer, ...]:
    """All catalogs that offer a package of this name and that the user may see; sorted by their titles."""
    rows = Package.objects.filter(cluster=client.name, name=package).order_by("catalog_title", "namespace", "catalog")
    return tuple(
        PackageOffer(
            namespace=row.namespace,
            catalog=row.catalog,
            package=row.name,
            catalog_title=row.catalog_title,
            title=row.title,
            version=row.version,
            provider=row.provider,
        )
        for row in rows
        if visible(client, row.namespace)
    )


def is_catalog_visible(client: ClusterClient, row: Catalog) -> bool:
    """True if the user can see a catalog that the console reads. One that describes a CatalogSource is visible to users
    who can see the CatalogSource's packages.
    """
    places = {row.namespace, row.describes.partition("/")[0] or row.namespace}
    return not client.config.session or all(visible(client, place) for place in places)


def visible(client: ClusterClient, namespace: str, picked: str = "") -> bool:
    """Whether the user may see the packages of catalogs in that place; `picked`: another namespace where they may be
    seen.

    Catalogs that are offered everywhere are seen by who may list the packages of a namespace of their own.
    """
    if namespace == catalogs.OWN:
        return True
    try:
        if namespace == catalogs.CLUSTER:
            return can(client, "list", client.find("olm.operatorframework.io", "v1", "clustercatalogs")).allowed
        type_ = client.find(packagemanifests.GROUP, "v1", "packagemanifests")
    except NotFound:
        return False
    if can(client, "list", type_, namespace).allowed:
        return True
    own = across_namespaces.namespaces_of(client) if namespace in catalogsources.everywhere(client.name) else ()
    return any(can(client, "list", type_, place).allowed for place in (*([picked] if picked else ()), *own))


def _find_graph(
    client: ClusterClient, namespace: str, catalog: str, package: str, picked: str = ""
) -> tuple[Catalog, Graph] | None:
    """The stored graph, and the catalog that has it; None if there is none that the user may see."""
    if visible(client, namespace, picked):
        for row in describing_catalogs(client.name, namespace, catalog):
            if found := stored_graph(row, package):
                return row, found
    return None


def _image_contents(reference: str) -> Contents:
    """The bundle in an image.

    Raises SourceError: what happened to which image, and what to do; for a minute the same again, without asking.
    """
    with _failures_lock:
        known = _failures.get(reference)
    if known is not None:
        raise SourceError(known)
    try:
        with tempfile.TemporaryDirectory(prefix="bundle-") as scratch:
            pulled = image.pull(reference, Path(scratch), seconds=_PULL_SECONDS)
            return drafts.read_bundle(pulled.folder or Path(scratch))[0]
    except SourceError as error:
        with _failures_lock:
            _failures[reference] = str(error)
        raise


class _StoredRest(msgspec.Struct):
    """All of a bundle but its CSV."""

    crds: tuple[dict[str, Any], ...] = ()
    others: tuple[dict[str, Any], ...] = ()
    properties: tuple[dict[str, Any], ...] = ()
    related_images: tuple[dict[str, Any], ...] = ()


def pack(value: Any) -> bytes:
    """Anything that JSON can say. Level 3: half the time of 6 for a tenth more bytes."""
    return zlib.compress(msgspec.json.encode(value), 3)


def unpack(data: bytes) -> Any:
    return msgspec.json.decode(zlib.decompress(data))


def packed(found: Contents) -> tuple[bytes, bytes]:
    """The CSV, and the rest."""
    rest = {
        "crds": found.crds,
        "others": found.others,
        "properties": found.properties,
        "related_images": found.related_images,
    }
    return pack(found.csv), pack(rest)


def stored_graph(catalog: Catalog, package: str) -> Graph | None:
    """A package's graph in the catalog as it was read last."""
    row = PackageGraph.objects.filter(catalog=catalog, generation=catalog.generation, package=package).first()
    return None if row is None else msgspec.json.decode(zlib.decompress(row.data), type=Graph)


#: By catalog, the time when it was read, and package.
_lifecycles: LRUCache[tuple[int, datetime | None, str], tuple[VersionLifecycle, ...]] = LRUCache(4096)
_lifecycles_lock = Lock()


def stored_lifecycle(client: ClusterClient, namespace: str, catalog: str, package: str) -> tuple[VersionLifecycle, ...]:
    """() where no catalog that the console read states it, or the user can't see that catalog."""
    if not visible(client, namespace):
        return ()
    for row in describing_catalogs(client.name, namespace, catalog):
        key = (row.pk, row.refreshed_at, package)
        with _lifecycles_lock:
            found = _lifecycles.get(key)
        if found is None:
            known = stored_graph(row, package)
            found = known.lifecycle if known else ()
            with _lifecycles_lock:
                _lifecycles[key] = found
        if found:
            return found
    return ()


def stored_graphs(catalog: Catalog) -> Iterable[Graph]:
    rows = PackageGraph.objects.filter(catalog=catalog, generation=catalog.generation).order_by("package")
    return (msgspec.json.decode(zlib.decompress(row.data), type=Graph) for row in rows.iterator())


def stored_bundles(catalog: Catalog) -> QuerySet[StoredBundle]:
    """The catalog's bundles as they were read last, without their contents."""
    return StoredBundle.objects.filter(catalog=catalog, generation=catalog.generation).defer("csv", "manifests")


def describing_catalogs(cluster: str, namespace: str, name: str) -> QuerySet[Catalog]:
    """The catalogs that have the packages of that place: it itself where the console read it, else those that
    describe it.
    """
    if namespace in ("~", "-"):
        return Catalog.objects.filter(cluster=cluster, namespace=namespace, name=name, generation__gt=0)
    return Catalog.objects.filter(cluster=cluster, describes=f"{namespace}/{name}", generation__gt=0).order_by(
        F("refreshed_at").desc()
    )


def stored_csv(row: StoredBundle) -> Mapping[str, Any]:
    """The CSV alone, {} when unknown. Raises SourceError when its folder is gone."""
    if row.place and (row.csv is None or _is_moved(row)):
        place = Path(row.catalog.location)
        found = folder.csv_of(place, row.place)
        values = {"csv": pack(found), "manifests": None, "digest": drafts.bundle_stamp(place / row.place)}
        StoredBundle.objects.filter(pk=row.pk).update(**values)
        return found
    return {} if row.csv is None else unpack(bytes(row.csv))


def stored_contents(row: StoredBundle) -> Contents:
    """All of it; read from its folder the first time. Raises SourceError when that is gone."""
    if row.place and (row.manifests is None or _is_moved(row)):
        found = folder.contents(Path(row.catalog.location), row.place)
        store_contents(row, found, drafts.bundle_stamp(Path(row.catalog.location) / row.place))
        return found
    csv = {} if row.csv is None else unpack(bytes(row.csv))
    rest = (
        _StoredRest()
        if row.manifests is None
        else msgspec.json.decode(zlib.decompress(row.manifests), type=_StoredRest)
    )
    return Contents(
        csv=csv,
        crds=rest.crds,
        others=rest.others,
        properties=rest.properties,
        related_images=rest.related_images,
        partial=row.partial,
    )


def store_contents(row: StoredBundle, found: Contents, digest: str) -> None:
    """What was read on demand, for the next one who asks."""
    csv, manifests = packed(found)
    StoredBundle.objects.filter(pk=row.pk).update(csv=csv, manifests=manifests, digest=digest, partial=found.partial)


def _is_moved(row: StoredBundle) -> bool:
    return drafts.bundle_stamp(Path(row.catalog.location) / row.place) != row.digest
