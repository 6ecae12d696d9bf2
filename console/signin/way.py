"""The way to an API server without any credentials: of the same kubeconfig as the console's own identity, and up to
date as that is.
"""

from console.web import clusters
from console.web.clusters import Offered
from kube.config import ClusterConfig


def config(place: Offered) -> ClusterConfig:
    """Raises InvalidConfig; the next call tries again."""
    return clusters.way(place)


def name(place: Offered) -> str:
    """Under which its sessions are kept. Raises InvalidConfig."""
    found = config(place)
    return found.alias or found.name


def to(cluster: str) -> ClusterConfig | None:
    """The endpoint of the cluster of this name; None if the console has no such cluster. Raises InvalidConfig."""
    config(clusters.default())  # raises if the kubeconfig can't be read, which doesn't mean that a cluster is gone
    found = clusters.named(cluster)
    return config(found) if found else None
