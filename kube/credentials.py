"""Where a token comes from, if it isn't in the kubeconfig itself: a plugin (exec, auth-provider), or a file that is
rewritten.

Plugins are run by the official client, which takes 50 MB and is imported only when a kubeconfig has one:
https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
A changed file is detected by stat(), which takes 2 microseconds.
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
# Many watches may be refused at once: they run the plugin once together.
_REFUSED_SECONDS = 5.0

LoadPair = Callable[[ssl.SSLContext, bytes, bytes], None]


class Plugin:
    """Runs the plugin when the last token is about to expire, or was refused. Safe across threads.

    A plugin may answer with a certificate: then `tls` holds it, made by `fresh`, and a new one for each new
    certificate, so that no connection of the old one is used on.
    """

    def __init__(
        self,
        user: dict[str, Any],
        cluster: dict[str, Any],
        folder: Path,
        tls: ssl.SSLContext | None,
        fresh: Callable[[], ssl.SSLContext],
        load_pair: LoadPair,
    ) -> None:
        self.tls = tls
        self._user, self._cluster, self._folder = user, cluster, folder
        self._fresh, self._load_pair = fresh, load_pair
        self._lock = threading.Lock()
        self._token, self._until, self._ran = "", 0.0, float("-inf")
        self._pair = ("", "")

    def token(self) -> str:
        """A bearer token, '' where a certificate says who one is. Raises InvalidConfig."""
        with self._lock:
            if self._until < time.time():
                self._run()
            return self._token

    def refused(self) -> None:
        """The server did not take the token: the next use runs the plugin, unless it has just run."""
        with self._lock:
            if time.monotonic() - self._ran > _REFUSED_SECONDS:
                self._until = 0.0

    def _run(self) -> None:
        user, cluster, folder = self._user, self._cluster, self._folder
        status = _exec(user, cluster, folder) if "exec" in user else _provider(user, cluster)
        pair = str(status.get("clientCertificateData") or ""), str(status.get("clientKeyData") or "")
        if self.tls is not None and pair[0] and pair != self._pair:
            try:
                tls = self._fresh()
                self._load_pair(tls, pair[0].encode(), pair[1].encode())
            except (OSError, ValueError) as error:
                raise InvalidConfig(
                    f"the certificate of the kubeconfig's credential plugin can't be used: {error}"
                ) from error
            self.tls, self._pair = tls, pair
        self._token, self._until = str(status.get("token") or ""), _until(status.get("expirationTimestamp"))
        self._ran = time.monotonic()


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
        if isinstance(error, FileNotFoundError):
            raise InvalidConfig(
                f"the kubeconfig's credential plugin {command!r} isn't installed where the console runs. The console's"
                " image has none: use a ServiceAccount's token there, or build an image with the plugin"
                f" (docs/deploy.md).{hint}"
            ) from error
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


#: (mtime in ns, size, inode) of a file; None while it is missing. A mounted Secret is changed by a symlink: its inode
#: is another one then.
Mark = tuple[int, int, int] | None


def mark(path: Path) -> Mark:
    """What tells that a file has changed."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def marks(paths: tuple[Path, ...]) -> tuple[Mark, ...]:
    return tuple(mark(path) for path in paths)


class TextFile:
    """A token file that is rewritten from time to time.

    While it is missing or empty, which takes a moment, the last text is used.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read: tuple[Mark, str] = (None, "")

    def text(self) -> str:
        """As it is now. Raises OSError when it could never be read."""
        seen = mark(self._path)
        read, text = self._read
        if seen is not None and seen == read:
            return text
        try:
            text = self._path.read_text(encoding="utf-8").strip() or text
        except (OSError, UnicodeDecodeError):
            if not text:
                raise
            return text
        self._read = (seen, text)
        return text
