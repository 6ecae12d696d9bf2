"""Turns each catalog folder into a CatalogSource whose packages can be browsed and installed.

A folder is read by a process of its own (loader.py); until that has ended the CatalogSource says CONNECTING, afterwards
READY. CatalogSources that people make are registries.py's.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from pathlib import Path
from typing import Any

from ..catalog.loader import package_folders
from ..catalog.store import CatalogStore
from ..cluster import Cluster
from ..context import Context
from ..errors import ApiError
from .names import CATALOG_SOURCES, GLOBAL_CATALOGS, now, served, store_path
from .registries import reconcile_source

Object = dict[str, Any]

log = logging.getLogger("sandbox.olm.catalogs")

#: On the CatalogSources that this module made.
FOLDER_ANNOTATION = "operator-console.dev/folder"
ROOT = Path(__file__).resolve().parent.parent.parent


def about(folder: Path) -> dict[str, str]:
    """The folder's catalog.json: name, displayName, publisher. Empty without one."""
    try:
        found = json.loads((folder / "catalog.json").read_text())
    except (OSError, ValueError):
        return {}
    return {key: str(value) for key, value in found.items()} if isinstance(found, dict) else {}


def catalog_names(folders: tuple[Path, ...]) -> dict[str, Path]:
    """A name for each folder: the one in its catalog.json, else the package's if there is only one, else
    ``community-catalog``.

    Numbered when taken.
    """
    found: dict[str, Path] = {}
    for folder in folders:
        packages = package_folders(folder)
        base = about(folder).get("name") or (
            f"{packages[0].name}-catalog" if len(packages) == 1 else "community-catalog"
        )
        name, number = base, 2
        while name in found:
            name, number = f"{base}-{number}", number + 1
        found[name] = folder
    return found


def catalog_source(name: str, folder: Path) -> Object:
    """The CatalogSource of a folder."""
    description = about(folder)
    meta = {"name": name, "namespace": GLOBAL_CATALOGS, "annotations": {FOLDER_ANNOTATION: str(folder)}}
    spec = {
        "sourceType": "internal",
        "displayName": description.get("displayName") or "Community Operators",
        "publisher": description.get("publisher") or "OperatorHub.io",
        "description": f"The bundles in {folder}",
    }
    return {"apiVersion": "operators.coreos.com/v1alpha1", "kind": "CatalogSource", "metadata": meta, "spec": spec}


async def run(cluster: Cluster, context: Context) -> None:
    """Publishes the folders, then answers for CatalogSources that people make, until cancelled."""
    store = CatalogStore(store_path(context))
    wanted = catalog_names(context.catalogs)
    store.remove_other_catalogs(wanted)
    watching = cluster.watch(CATALOG_SOURCES)
    try:
        await served(cluster, "operators.coreos.com/v1alpha1", "CatalogSource")
        _remove_unwanted(cluster, wanted)
        for name, folder in wanted.items():
            cluster.apply(CATALOG_SOURCES, catalog_source(name, folder))
            _observe(cluster, name, "CONNECTING", f"reading {folder}")
        # One after the other: two readers would only compete for the processor while the first page is waited for.
        for name, folder in wanted.items():
            problem = await _load(context, name, folder)
            good, bad = store.counts(name)
            message = problem or (f"{bad} packages could not be read; the log of the cluster names them" if bad else "")
            _observe(cluster, name, "TRANSIENT_FAILURE" if problem else "READY", message)
            log.info("catalog %s: %s packages, %s unreadable", name, good, bad)
        async for event in watching:
            # One that is about to go has no use for a registry.
            leaving = event.type == "DELETED" or event.object["metadata"].get("deletionTimestamp")
            if not leaving and FOLDER_ANNOTATION not in (event.object["metadata"].get("annotations") or {}):
                try:
                    reconcile_source(cluster, event.object)
                except ApiError as error:
                    log.warning("CatalogSource %s: %s", event.object["metadata"]["name"], error)
    finally:
        store.close()


async def _load(context: Context, name: str, folder: Path) -> str:
    """Reads a folder in another process; returns what went wrong as a whole, bad packages go to the log."""
    if not folder.exists():
        return f"there is no {folder}"
    arguments = ["-m", "sandbox.catalog.loader", str(store_path(context).resolve()), name, str(folder.resolve())]
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    try:
        out, errors = await process.communicate()
    except BaseException:
        process.kill()
        raise
    for line in out.decode().splitlines():
        log.warning("catalog %s: %s", name, line)
    if process.returncode:
        log.error("catalog %s: %s", name, errors.decode().strip())
        return f"reading {folder} failed: {errors.decode().strip().rpartition(chr(10))[2]}"
    return ""


def _observe(cluster: Cluster, name: str, state: str, message: str) -> None:
    status: Object = {"connectionState": {"lastConnect": now(), "lastObservedState": state}, "message": message or None}
    cluster.patch(CATALOG_SOURCES, name, {"status": status}, GLOBAL_CATALOGS, "status")


def _remove_unwanted(cluster: Cluster, wanted: dict[str, Path]) -> None:
    for source in cluster.list(CATALOG_SOURCES, GLOBAL_CATALOGS):
        ours = FOLDER_ANNOTATION in (source["metadata"].get("annotations") or {})
        if ours and source["metadata"]["name"] not in wanted:
            cluster.delete(CATALOG_SOURCES, source["metadata"]["name"], GLOBAL_CATALOGS)
