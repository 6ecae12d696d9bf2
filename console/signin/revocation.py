"""Checks repeatedly whether the API server still allows an impersonation: a revoked permission sends no signal."""

import threading
import time

from console.signin import clients, impersonation
from kube.client import ClusterClient
from kube.errors import Forbidden, KubeError

#: An answer is this old at most when something is begun.
SECONDS = 10.0
_asked: dict[str, float] = {}
_lock = threading.Lock()


def is_revoked(key: str, *, now: bool = False) -> bool:
    """True if the impersonation was revoked. `now` bypasses the cache.

    False if `key` isn't an impersonation.
    """
    client = clients.cached_client(key)
    if client is None or not client.by:
        return False
    with _lock:
        if not now and time.monotonic() - _asked.get(key, -SECONDS) < SECONDS:
            return False
        if len(_asked) > 10 * clients.KEPT:
            _asked.clear()
        _asked[key] = time.monotonic()
    if allowed(client):
        return False
    impersonation.withdraw(key)
    return True


def allowed(client: ClusterClient) -> bool:
    """A cluster that does not answer withdraws nothing."""
    try:
        client.whoami()
    except Forbidden:
        return False
    except KubeError:
        return True
    return True
