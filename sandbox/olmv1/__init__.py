"""A small OLM v1: ClusterCatalogs over folders of bundles, ClusterExtensions installed from them.

It follows operator-controller in what clients can see: kinds, conditions, reasons, messages, and catalogd's content
behind the API server's service proxy. The rights are the ServiceAccount's that a ClusterExtension names. What it does
not do: pulling images, Helm's release Secrets, webhooks of operators.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from ..cluster import Cluster
from ..context import Context
from . import catalogs, extensions, seed

CONTROLLERS: list[Callable[[Cluster, Context], Awaitable[None]]] = [seed.run, catalogs.run, extensions.run]
