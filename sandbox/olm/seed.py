"""Installs OLM's own kinds, its namespaces and its first objects. Later starts bring the kinds up to date."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import yaml

from ..cluster import Cluster
from ..context import Context
from ..errors import ApiError, NotFound
from .names import CRDS, served

Object = dict[str, Any]

FILE = Path(__file__).with_name("crds.yaml")


def seeds() -> list[Object]:
    """The objects of crds.yaml, kinds first."""
    return [obj for obj in yaml.safe_load_all(FILE.read_text(encoding="utf-8")) if obj]


async def run(cluster: Cluster, context: Context) -> None:
    """Returns when everything exists."""
    for name in ("olm", "operators"):
        cluster.apply("namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    for obj in seeds():
        if obj["kind"] == "CustomResourceDefinition":
            cluster.apply(CRDS, obj)
        else:
            await _create(cluster, obj)


async def _create(cluster: Cluster, obj: Object) -> None:
    """Creates an object once; what a person changed or removed later is left so. Waits for its kind to be served."""
    resource = await served(cluster, obj["apiVersion"], obj["kind"])
    meta = obj["metadata"]
    try:
        cluster.get(resource.key, meta["name"], meta.get("namespace", ""))
    except NotFound:
        try:
            cluster.create(resource.key, obj)
        except ApiError:
            await asyncio.sleep(0.2)
            cluster.create(resource.key, obj)
