"""Which cluster the console speaks to, and as whom.

One cluster. The console's own identity is the kubeconfig's (or the Pod's own service account): with SIGN_IN=local it is everybody's, with SIGN_IN=token only
the worker's, and people have their own (console/signin/clients.py). What an identity may not do, the API server refuses; the console keeps no rules of its own.
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
