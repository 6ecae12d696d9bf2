"""The way to the API server without any credentials: of the same kubeconfig as the console's own identity, and up to date as that is."""

import threading

from django.conf import settings

from kube.config import ClusterConfig
from kube.renewal import following

_lock = threading.Lock()
_way: ClusterConfig | None = None


def config() -> ClusterConfig:
    """Raises InvalidConfig; the next call tries again."""
    global _way
    with _lock:
        if _way is None:
            _way = following(settings.KUBECONFIG or None, settings.KUBE_CONTEXT or None, nobody=True)
        return _way
