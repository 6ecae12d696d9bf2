"""Whether the API server still lets somebody act as another: asked anew while he does, since a right that is
withdrawn is told by nothing else.
"""

import threading
import time

from console.signin import acting, clients
from kube.client import ClusterClient
from kube.errors import Forbidden, KubeError

#: An answer is this old at most when something is begun.
SECONDS = 10.0
_asked: dict[str, float] = {}
_lock = threading.Lock()


def look(key: str, *, now: bool = False) -> bool:
    """Whether it is over, by the API server's word just now; `now`: however lately it was asked.

    False for what is no impersonation.
    """
    client = clients.kept(key)
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
    acting.withdraw(key)
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
