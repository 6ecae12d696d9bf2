"""Credentials from exec and auth-provider plugins, by the official client, which is imported only when a kubeconfig has one: it takes 50 MB.

https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
"""

import importlib
import ssl
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from kube.errors import InvalidConfig

# Without an expiry the token is kept for a minute; with one, it is renewed a little before.
_KEEP = timedelta(seconds=60)
_EARLY = timedelta(seconds=15)

LoadPair = Callable[[ssl.SSLContext, bytes, bytes], None]


def plugin_token(
    user: dict[str, Any], cluster: dict[str, Any], folder: Path, tls: ssl.SSLContext | None, load_pair: LoadPair
) -> Callable[[], str]:
    """A function that returns a valid bearer token, running the plugin when the last one is about to expire.

    A plugin that answers with a certificate has it loaded into `tls`, and '' is the token.
    """
    lock = threading.Lock()
    kept: list[tuple[float, str]] = []

    def token() -> str:
        with lock:
            if not kept or kept[-1][0] < time.time():
                status = _exec(user, cluster, folder) if "exec" in user else _provider(user, cluster)
                if tls is not None and status.get("clientCertificateData"):
                    load_pair(tls, status["clientCertificateData"].encode(), str(status.get("clientKeyData")).encode())
                kept[:] = [(_until(status.get("expirationTimestamp")), str(status.get("token") or ""))]
            return kept[-1][1]

    return token


def _until(expiry: Any) -> float:
    """Seconds since 1970 until which the answer is good."""
    now = datetime.now(UTC)
    try:
        end = datetime.fromisoformat(str(expiry).replace("Z", "+00:00")) - _EARLY
    except ValueError:
        return (now + _KEEP).timestamp()
    return max(end, now + timedelta(seconds=1)).timestamp()


def _exec(user: dict[str, Any], cluster: dict[str, Any], folder: Path) -> dict[str, Any]:
    node = importlib.import_module("kubernetes.config.kube_config").ConfigNode
    provider = importlib.import_module("kubernetes.config.exec_provider").ExecProvider
    try:
        status = provider(node("exec", user["exec"]), str(folder), node("cluster", cluster)).run()
    except Exception as error:
        command = user["exec"].get("command")
        hint = f" {user['exec']['installHint']}" if user["exec"].get("installHint") else ""
        raise InvalidConfig(f"the kubeconfig's credential plugin {command!r} failed: {_line(error)}.{hint}") from error
    return dict(status or {})


def _provider(user: dict[str, Any], cluster: dict[str, Any]) -> dict[str, Any]:
    """auth-provider (oidc, gcp): the official loader knows them."""
    document = {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": user}],
    }
    target = importlib.import_module("kubernetes.client").Configuration()
    try:
        importlib.import_module("kubernetes.config.kube_config").KubeConfigLoader(config_dict=document).load_and_set(
            target
        )
    except Exception as error:
        raise InvalidConfig(f"the kubeconfig's auth-provider failed: {_line(error)}") from error
    return {"token": str((target.api_key or {}).get("BearerToken") or "").removeprefix("Bearer ").strip()}


def _line(error: Exception) -> str:
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__
