"""Small versions of kube-controller-manager, kube-scheduler and the kubelet.

Each file is one controller: it watches, and brings the cluster from what is to what is asked for, as often as it likes.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from ..cluster import Cluster
from ..context import Context
from . import (
    cronjobs,
    daemonsets,
    deployments,
    disruption,
    endpoints,
    events,
    garbage,
    jobs,
    kubelet,
    namespaces,
    nodes,
    replicasets,
    scheduler,
    statefulsets,
    tokens,
    volumes,
)

CONTROLLERS: list[Callable[[Cluster, Context], Awaitable[None]]] = [
    namespaces.run,
    garbage.run,
    nodes.run,
    scheduler.run,
    kubelet.run,
    volumes.run,
    endpoints.run,
    deployments.run,
    replicasets.run,
    statefulsets.run,
    daemonsets.run,
    jobs.run,
    cronjobs.run,
    disruption.run,
    events.run,
    tokens.run,
]
