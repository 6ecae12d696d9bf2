"""How kopf reaches the API server: with the credentials that operators.kubeapi uses."""

from __future__ import annotations

import os
from typing import Any

import kopf


def login(**about: Any) -> kopf.ConnectionInfo | None:
    """By KUBECONFIG or the Pod's ServiceAccount; importing the official client for it would cost 40 MB."""
    if os.environ.get("KUBECONFIG"):
        return kopf.login_with_kubeconfig(**about)
    return kopf.login_with_service_account(**about)
