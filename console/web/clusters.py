"""Which cluster the console speaks to, and as whom.

Today one cluster and one identity: the kubeconfig's (or the Pod's own service account). What that identity may not do, the
API server refuses; the console keeps no rules of its own. Sign-in of many people comes with console/pages/signin.py.
"""

import threading

from django.conf import settings

from kube.client import ClusterClient
from kube.renewal import following

_lock = threading.Lock()
_client: ClusterClient | None = None


def console_client() -> ClusterClient:
    """The console's own identity on its cluster, made once a process; it follows its kubeconfig and certificates (kube/renewal.py).

    Raises kube.errors.KubeError (InvalidConfig) when the kubeconfig can't be read; the next call tries again, so that a mended file
    needs no restart.
    """
    global _client
    with _lock:
        if _client is None:
            _client = ClusterClient(following(settings.KUBECONFIG or None, settings.KUBE_CONTEXT or None))
        return _client
