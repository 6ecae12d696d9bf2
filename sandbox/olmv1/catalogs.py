"""catalogd: ClusterCatalogs over folders, their contents behind the service proxy, and conditions for the catalogs that
can't be read.

A folder is published where its catalog.json names a ``clusterCatalog``, and served once a user makes that Available.
A ClusterCatalog that a user creates names an image, and this cluster pulls none; its conditions say so. Source:
operator-controller, internal/catalogd and docs/api-reference/catalogd-webserver.md.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import sys
from pathlib import Path
from typing import Any

from ..cluster import Cluster
from ..context import Context
from ..errors import ApiError
from ..http import Request, Response
from ..olm.catalogs import about
from ..olm.names import now, served
from .names import API, CATALOGS, FOLDER, GROUP, NAME_LABEL, NAMESPACE, SERVICE, condition, contents

Object = dict[str, Any]

log = logging.getLogger("sandbox.olmv1.catalogs")
ROOT = Path(__file__).resolve().parent.parent.parent


def published(folders: tuple[Path, ...]) -> dict[str, Path]:
    """Name of the ClusterCatalog → its folder."""
    named = ((about(folder).get("clusterCatalog", ""), folder) for folder in folders)
    return {name: folder for name, folder in named if name}


def cluster_catalog(name: str, folder: Path) -> Object:
    """The ClusterCatalog of a folder; its image has a name only."""
    title = about(folder).get("displayName", name)
    meta = {"name": name, "annotations": {FOLDER: str(folder), "operator-console.dev/display-name": title}}
    source = {"type": "Image", "image": {"ref": f"{FOLDER.partition('/')[0]}/catalogs/{name}:latest"}}
    # Unavailable at first: the same packages are in a CatalogSource, and the console lists each of them once for new
    # users.
    spec = {"source": source, "availabilityMode": "Unavailable"}
    return {"apiVersion": API, "kind": "ClusterCatalog", "metadata": meta, "spec": spec}


class Server:
    """catalogd's web server: /catalogs/<name>/api/v1/all, and /metas with its filters."""

    def __init__(self, cluster: Cluster, context: Context):
        self._cluster, self._context = cluster, context

    async def get(self, request: Request) -> Response:
        parts = request.params["rest"].split("/")
        if len(parts) != 5 or parts[0] != "catalogs" or parts[2:4] != ["api", "v1"] or parts[4] not in ("all", "metas"):
            return Response(b"404 page not found\n", 404, "text/plain; charset=utf-8")
        try:
            catalog = self._cluster.get(CATALOGS, parts[1])
        except ApiError:
            catalog = {}
        path = contents(self._context, parts[1])
        if not serves(catalog) or not path.exists():
            return Response(b"404 page not found\n", 404, "text/plain; charset=utf-8")
        data = path.read_bytes().partition(b"\n")[2]
        if parts[4] == "metas":
            data = _filtered(data, request)
        tag = f'"{hashlib.sha256(data).hexdigest()[:32]}"'
        if request.headers.get("if-none-match") == tag:
            return Response(status=304, content_type="application/jsonl", headers={"etag": tag})
        return Response(data, content_type="application/jsonl", headers={"etag": tag})


def _filtered(data: bytes, request: Request) -> bytes:
    """The lines whose schema, package and name are those asked for; an olm.package is of the package that it names."""
    import msgspec  # noqa: PLC0415 - only requests for parts need it

    asked = {key: value for key in ("schema", "package", "name") if (value := request.arg(key))}

    def fits(line: bytes) -> bool:
        blob = msgspec.json.decode(line)
        fields = {"package": blob["name"] if blob["schema"] == "olm.package" else "", **blob}
        return all(fields.get(key, "") == value for key, value in asked.items())

    return b"".join(line + b"\n" for line in data.splitlines() if fits(line))


def serves(catalog: Object) -> bool:
    """Whether its contents are served."""
    found = (catalog.get("status") or {}).get("conditions") or []
    return any(item["type"] == "Serving" and item["status"] == "True" for item in found)


class CatalogReconciler:
    """Keeps labels and conditions of the ClusterCatalogs."""

    def __init__(self, cluster: Cluster, context: Context):
        self._cluster, self._context = cluster, context
        self._seen: dict[str, int] = {}

    async def reconcile(self, catalog: Object) -> None:
        """Unpacks the catalog and writes its status, once for each generation."""
        meta, spec = catalog["metadata"], catalog["spec"]
        if self._seen.get(meta["uid"]) == meta["generation"]:
            return
        self._seen[meta["uid"]] = meta["generation"]
        if (meta.get("labels") or {}).get(NAME_LABEL) != meta["name"]:
            self._cluster.patch(CATALOGS, meta["name"], {"metadata": {"labels": {NAME_LABEL: meta["name"]}}})
        if spec.get("availabilityMode") == "Unavailable":
            words = "Catalog availability mode is set to Unavailable"
            self._write_status(catalog, ("True", "Succeeded", words), ("False", "UserSpecifiedUnavailable", words), {})
            return
        folder = (meta.get("annotations") or {}).get(FOLDER)
        if not folder:
            why = (
                "source catalog content: error creating image source: the embedded cluster pulls no images, so"
                f" {spec['source']['image']['ref']} can not be read; start the console with CATALOG=<folder of bundles>"
                " instead"
            )
            self._write_status(catalog, ("True", "Retrying", why), ("False", "Unavailable", ""), {})
            return
        path = contents(self._context, meta["name"])
        if problem := await self._unpack(Path(folder), path):
            self._write_status(catalog, ("True", "Retrying", problem), ("False", "Unavailable", ""), {})
            return
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        ref = f"{spec['source']['image']['ref'].rpartition(':')[0]}@sha256:{digest}"
        base = f"https://{SERVICE}.{NAMESPACE}.svc/catalogs/{meta['name']}"
        more: Object = {"resolvedSource": {"type": "Image", "image": {"ref": ref}}, "urls": {"base": base}}
        before = catalog.get("status") or {}
        same = before.get("resolvedSource") == more["resolvedSource"] and before.get("lastUnpacked")
        more["lastUnpacked"] = before["lastUnpacked"] if same else now()
        done = ("True", "Succeeded", "Successfully unpacked and stored content from resolved source")
        self._write_status(catalog, done, ("True", "Available", "Serving desired content from resolved source"), more)

    async def _unpack(self, folder: Path, target: Path) -> str:
        arguments = ["-m", "sandbox.olmv1.pack", str(folder.resolve()), str(target.resolve())]
        process = await asyncio.create_subprocess_exec(
            sys.executable, *arguments, cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        try:
            _, errors = await process.communicate()
        except BaseException:
            process.kill()
            raise
        for line in errors.decode().splitlines():
            log.warning("%s: %s", folder, line)
        return f"source catalog content: reading {folder} failed" if process.returncode else ""

    def _write_status(
        self, catalog: Object, progressing: tuple[str, str, str], serving: tuple[str, str, str], more: Object
    ) -> None:
        meta, before = catalog["metadata"], catalog.get("status") or {}
        found = condition(before.get("conditions") or [], "Progressing", *progressing, meta["generation"])
        found = condition(found, "Serving", *serving, meta["generation"])
        gone = {key: None for key in ("resolvedSource", "urls", "lastUnpacked") if key in before and key not in more}
        status = {"conditions": found, **more, **gone}
        if {key: before.get(key) for key in status} != status:
            self._cluster.patch(CATALOGS, meta["name"], {"status": status}, "", "status")


async def run(cluster: Cluster, context: Context) -> None:
    """Publishes the folders, then answers for every ClusterCatalog, until cancelled."""
    path = f"/api/v1/namespaces/{NAMESPACE}/services/https:{SERVICE}:443/proxy/{{rest...}}"
    context.handle("GET", path, Server(cluster, context).get)
    await served(cluster, API, "ClusterCatalog")
    cluster = cluster.as_manager("catalogd")
    wanted = published(context.catalogs)
    for item in cluster.list(CATALOGS):
        name = item["metadata"]["name"]
        if FOLDER in (item["metadata"].get("annotations") or {}) and name not in wanted:
            cluster.delete(CATALOGS, name)
    for name, folder in wanted.items():
        known = {catalog["metadata"]["name"] for catalog in cluster.list(CATALOGS)}
        if name not in known:
            cluster.create(CATALOGS, cluster_catalog(name, folder))
    catalogs = CatalogReconciler(cluster, context)
    async for event in cluster.watch(CATALOGS):
        if event.type == "DELETED":
            contents(context, event.object["metadata"]["name"]).unlink(missing_ok=True)
            continue
        try:
            await catalogs.reconcile(event.object)
        except ApiError as error:
            log.info("%s %s: %s", GROUP, event.object["metadata"]["name"], error)
