"""Names of resources, labels and namespaces that the parts of OLM share, and the moment as Kubernetes writes it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from ..cluster import Cluster
from ..context import Context
from ..resources import Resource

GROUP = "operators.coreos.com"
CATALOG_SOURCES = f"catalogsources.{GROUP}"
SUBSCRIPTIONS = f"subscriptions.{GROUP}"
INSTALL_PLANS = f"installplans.{GROUP}"
CSVS = f"clusterserviceversions.{GROUP}"
OPERATOR_GROUPS = f"operatorgroups.{GROUP}"
OLM_CONFIGS = f"olmconfigs.{GROUP}"
OPERATORS = f"operators.{GROUP}"
OPERATOR_CONDITIONS = f"operatorconditions.{GROUP}"
CRDS = "customresourcedefinitions.apiextensions.k8s.io"
DEPLOYMENTS = "deployments.apps"
#: Keeps a CSV until what it has outside its namespace is gone.
FINALIZER = f"{GROUP}/csv-cleanup"
#: On copies: the namespace of the original.
COPIED = "olm.copiedFrom"

#: Catalogs in this namespace can be subscribed to from every namespace.
GLOBAL_CATALOGS = "olm"

#: Seconds between two visible steps, so that a person can follow an install; the real OLM needs about as long.
PACE = 0.15


def now() -> str:
    """``2026-11-20T22:30:00Z``."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


async def served(cluster: Cluster, api_version: str, kind: str) -> Resource:
    """The resource of a kind, as soon as its CRD is in force."""
    # A few milliseconds, at the start only.
    while (resource := cluster.resource_for(api_version, kind)) is None:  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    return resource


def store_path(context: Context) -> Path:
    """The file with the contents of the catalogs."""
    return context.data_dir / "catalogs.sqlite"
