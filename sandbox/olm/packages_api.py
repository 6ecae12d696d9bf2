"""packages.operators.coreos.com/v1: PackageManifests, as OLM's package server answers for them.

Every answer is put together from the catalog store's bytes, so listing 300 packages decodes none of them. Like the real
one it can not be watched, shows global catalogs in every namespace, and leaves icons out except at ``/icon``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import msgspec

from ..catalog.store import CatalogStore, StoredPackage
from ..cluster import Cluster
from ..columns.column import AGE_TEXT, NAME_TEXT
from ..context import Context
from ..durations import since
from ..errors import MethodNotAllowed, NotFound
from ..http import Request, Response
from ..labels import label_selector
from .names import CATALOG_SOURCES, GLOBAL_CATALOGS, store_path

Object = dict[str, Any]

GROUP, VERSION = "packages.operators.coreos.com", "v1"
RESOURCES: list[Object] = [
    {
        "name": "packagemanifests",
        "singularName": "packagemanifest",
        "namespaced": True,
        "kind": "PackageManifest",
        "verbs": ["get", "list"],
    },
    {
        "name": "packagemanifests/icon",
        "singularName": "",
        "namespaced": True,
        "kind": "PackageManifest",
        "verbs": ["get"],
    },
]
COLUMNS: list[Object] = [
    {"name": "Name", "type": "string", "format": "name", "description": NAME_TEXT, "priority": 0},
    {
        "name": "Catalog",
        "type": "string",
        "format": "",
        "description": "The source catalog for this package",
        "priority": 0,
    },
    {
        "name": "Age",
        "type": "string",
        "format": "",
        "description": AGE_TEXT,
        "priority": 0,
    },
]
#: Our own picture for a package that has none.
DEFAULT_ICON = (
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect x="6" y="6" width="52" height="52" rx="12"'
    b' fill="#d2d2d2"/><path d="M20 26l12-7 12 7v13l-12 7-12-7z M20 26l12 7 12-7 M32 33v13" fill="none"'
    b' stroke="#6a6e73" stroke-width="3"/></svg>'
)

_encode = msgspec.json.Encoder().encode


class PackageManifests:
    """The handlers; all state is the store and the CatalogSources."""

    def __init__(self, cluster: Cluster, store: CatalogStore):
        self._cluster = cluster
        self._store = store

    async def list(self, request: Request) -> Response:
        """``GET …/packagemanifests``, of one namespace or of all."""
        if request.flag("watch"):
            raise MethodNotAllowed()
        namespace = request.params.get("namespace", "")
        matches = label_selector(request.arg("labelSelector"))
        wanted = request.arg("fieldSelector").removeprefix("metadata.name=")
        found = [
            (meta, package)
            for meta, package in self._manifests(namespace, wanted)
            if matches is None or matches(meta["labels"])
        ]
        if "as=Table" in request.headers.get("accept", ""):
            return Response.json(table(found, request.arg("includeObject")))
        return Response(_list_bytes([_object_bytes(meta, package) for meta, package in found]))

    async def get(self, request: Request) -> Response:
        """One package; when two catalogs have it, the first one's, as upstream does."""
        name = request.params["name"]
        for meta, package in self._manifests(request.params["namespace"], name):
            if "as=Table" in request.headers.get("accept", ""):
                return Response.json(table([(meta, package)], request.arg("includeObject")))
            return Response(_object_bytes(meta, package))
        raise NotFound("packagemanifests", name, GROUP)

    async def icon(self, request: Request) -> Response:
        """The default channel's icon, as an image."""
        name = request.params["name"]
        for _, package in self._manifests(request.params["namespace"], name):
            found = self._store.icon(package.catalog, name)
            if found is None:
                return Response(DEFAULT_ICON, content_type="image/svg+xml")
            data, media_type, tag = found
            if request.headers.get("if-none-match") == tag:
                return Response(status=304, content_type=media_type, headers={"etag": tag})
            return Response(data, content_type=media_type, headers={"etag": tag})
        return Response(status=404, content_type="")

    async def refuse(self, request: Request) -> Response:
        """Whatever would change a package."""
        raise MethodNotAllowed()

    def _manifests(self, namespace: str, name: str) -> Iterator[tuple[Object, StoredPackage]]:
        """(metadata, package): of the namespace's own catalogs and of the global ones."""
        sources = self._cluster.list(CATALOG_SOURCES, GLOBAL_CATALOGS)
        for source in sources:
            home = source["metadata"]["namespace"]
            if namespace in ("", home) or home == GLOBAL_CATALOGS:
                for package in self._store.packages(source["metadata"]["name"], name):
                    yield _metadata(source, package, namespace or home), package


def _metadata(source: Object, package: StoredPackage, namespace: str) -> Object:
    meta = source["metadata"]
    labels = {"catalog": meta["name"], "catalog-namespace": meta["namespace"]}
    spec = source["spec"]
    return {
        "name": package.name,
        "namespace": namespace,
        "creationTimestamp": meta["creationTimestamp"],
        "labels": {**(meta.get("labels") or {}), **labels, **package.labels},
        # Not part of the metadata that is sent; the rest of the status that only the CatalogSource knows.
        "_source": {
            "catalogSource": meta["name"],
            "catalogSourceNamespace": meta["namespace"],
            "catalogSourceDisplayName": spec.get("displayName", ""),
            "catalogSourcePublisher": spec.get("publisher", ""),
        },
    }


def _object_bytes(meta: Object, package: StoredPackage) -> bytes:
    source = _encode(meta["_source"])[:-1]
    shown = _encode({key: value for key, value in meta.items() if key != "_source"})
    head = b'{"kind":"PackageManifest","apiVersion":"packages.operators.coreos.com/v1","metadata":'
    return b"".join([head, shown, b',"spec":{},"status":', source, b",", package.status[1:], b"}"])


def _list_bytes(items: list[bytes]) -> bytes:
    head = b'{"kind":"PackageManifestList","apiVersion":"packages.operators.coreos.com/v1","metadata":{},"items":['
    return b"".join([head, b",".join(items), b"]}"])


def table(found: list[tuple[Object, StoredPackage]], include: str) -> Object:
    """The Table that kubectl prints. ``include`` is the includeObject parameter."""
    rows = []
    for meta, package in found:
        row: Object = {
            "cells": [package.name, meta["_source"]["catalogSourceDisplayName"], since(meta["creationTimestamp"])]
        }
        if include == "Object":
            row["object"] = msgspec.Raw(_object_bytes(meta, package))
        elif include != "None":
            shown = {key: value for key, value in meta.items() if key != "_source"}
            row["object"] = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": shown}
        rows.append(row)
    return {"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": {}, "columnDefinitions": COLUMNS, "rows": rows}


async def run(cluster: Cluster, context: Context) -> None:
    """Announces the API and serves it until cancelled."""
    store = CatalogStore(store_path(context))
    handlers = PackageManifests(cluster, store)
    base = f"/apis/{GROUP}/{VERSION}"
    manifest_path = f"{base}/namespaces/{{namespace}}/packagemanifests/{{name}}"
    context.handle("GET", f"{manifest_path}/icon", handlers.icon)
    context.handle("GET", manifest_path, handlers.get)
    context.handle("GET", f"{base}/namespaces/{{namespace}}/packagemanifests", handlers.list)
    context.handle("GET", f"{base}/packagemanifests", handlers.list)
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        for path in (manifest_path, f"{base}/namespaces/{{namespace}}/packagemanifests"):
            context.handle(method, path, handlers.refuse)
    context.announce(GROUP, VERSION, RESOURCES)
    try:
        await asyncio.Event().wait()
    finally:
        store.close()
