"""Graphs and bundles as they lie in the database: JSON, compressed.

Read by those who show them, written by operatorhub/indexing/refresh.py.

A bundle in a folder is read on first use, its CSV and the rest separately, and stored; changed contents are read again.
"""

import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from django.db.models import F, QuerySet

from operatorhub.models import Catalog, PackageGraph, StoredBundle
from operatorhub.sources import bundlefiles, folder
from operatorhub.sources.drafts import Contents, Graph


class _Rest(msgspec.Struct):
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


def graph(catalog: Catalog, package: str) -> Graph | None:
    """A package's graph in the catalog as it was read last."""
    row = PackageGraph.objects.filter(catalog=catalog, generation=catalog.generation, package=package).first()
    return None if row is None else msgspec.json.decode(zlib.decompress(row.data), type=Graph)


def graphs(catalog: Catalog) -> Iterable[Graph]:
    rows = PackageGraph.objects.filter(catalog=catalog, generation=catalog.generation).order_by("package")
    return (msgspec.json.decode(zlib.decompress(row.data), type=Graph) for row in rows.iterator())


def bundles(catalog: Catalog) -> QuerySet[StoredBundle]:
    """The catalog's bundles as they were read last, without their contents."""
    return StoredBundle.objects.filter(catalog=catalog, generation=catalog.generation).defer("csv", "manifests")


def describing(cluster: str, namespace: str, name: str) -> QuerySet[Catalog]:
    """The catalogs that have the packages of that place: it itself where the console read it, else those that
    describe it.
    """
    if namespace in ("~", "-"):
        return Catalog.objects.filter(cluster=cluster, namespace=namespace, name=name, generation__gt=0)
    return Catalog.objects.filter(cluster=cluster, describes=f"{namespace}/{name}", generation__gt=0).order_by(
        F("refreshed_at").desc()
    )


def csv_of(row: StoredBundle) -> Mapping[str, Any]:
    """The CSV alone, {} when unknown. Raises SourceError when its folder is gone."""
    if row.place and (row.csv is None or _moved(row)):
        place = Path(row.catalog.location)
        found = folder.csv_of(place, row.place)
        values = {"csv": pack(found), "manifests": None, "digest": bundlefiles.stamp(place / row.place)}
        StoredBundle.objects.filter(pk=row.pk).update(**values)
        return found
    return {} if row.csv is None else unpack(bytes(row.csv))


def contents(row: StoredBundle) -> Contents:
    """All of it; read from its folder the first time. Raises SourceError when that is gone."""
    if row.place and (row.manifests is None or _moved(row)):
        found = folder.contents(Path(row.catalog.location), row.place)
        keep(row, found, bundlefiles.stamp(Path(row.catalog.location) / row.place))
        return found
    csv = {} if row.csv is None else unpack(bytes(row.csv))
    rest = _Rest() if row.manifests is None else msgspec.json.decode(zlib.decompress(row.manifests), type=_Rest)
    return Contents(
        csv=csv,
        crds=rest.crds,
        others=rest.others,
        properties=rest.properties,
        related_images=rest.related_images,
        partial=row.partial,
    )


def keep(row: StoredBundle, found: Contents, digest: str) -> None:
    """What was read on demand, for the next one who asks."""
    csv, manifests = packed(found)
    StoredBundle.objects.filter(pk=row.pk).update(csv=csv, manifests=manifests, digest=digest, partial=found.partial)


def _moved(row: StoredBundle) -> bool:
    return bundlefiles.stamp(Path(row.catalog.location) / row.place) != row.digest
