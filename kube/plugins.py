"""Credentials from exec and auth-provider plugins, by the official client, which is imported only when a kubeconfig has one."""

import importlib
import threading
import time
from collections.abc import Callable
from typing import Any

from kube.errors import InvalidConfig

# Plugins say when their token expires, but the official loader keeps that to itself; asking once a minute renews in time.
_KEEP_SECONDS = 60.0


def plugin_token(user: dict[str, Any], cluster: dict[str, Any]) -> Callable[[], str]:
    """A function that returns a valid bearer token, running the plugin at most once a minute."""
    lock = threading.Lock()
    kept: list[tuple[float, str]] = []

    def token() -> str:
        with lock:
            if kept and kept[-1][0] > time.monotonic():
                return kept[-1][1]
            kept[:] = [(time.monotonic() + _KEEP_SECONDS, _run(user, cluster))]
            return kept[-1][1]

    return token


def _run(user: dict[str, Any], cluster: dict[str, Any]) -> str:
    loader = importlib.import_module("kubernetes.config.kube_config")
    document = {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": user}],
    }
    target = importlib.import_module("kubernetes.client").Configuration()
    try:
        loader.KubeConfigLoader(config_dict=document).load_and_set(target)
    except Exception as error:  # whatever a plugin raises is a sentence for the user
        raise InvalidConfig(f"the credential plugin of the kubeconfig failed: {error}") from error
    value = str((target.api_key or {}).get("authorization") or "")
    return value.removeprefix("Bearer ").strip()
