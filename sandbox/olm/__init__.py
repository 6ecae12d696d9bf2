"""A small Operator Lifecycle Manager: catalogs from folders, the package API, and installs step by step.

It follows operator-lifecycle-manager v0.46 in what clients can see: kinds, phases, reasons and messages. What it does
not do: registry Pods, bundle images, webhooks and API services of operators.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from ..cluster import Cluster
from ..context import Context
from . import (
    catalogs,
    clusterserviceversions,
    components,
    copies,
    installplans,
    operatorgroups,
    packages_api,
    seed,
    subscriptions,
)

CONTROLLERS: list[Callable[[Cluster, Context], Awaitable[None]]] = [
    seed.run,
    packages_api.run,
    catalogs.run,
    operatorgroups.run,
    subscriptions.run,
    installplans.run,
    clusterserviceversions.run,
    copies.run,
    components.run,
]
