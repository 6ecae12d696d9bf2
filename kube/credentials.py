"""Where a token comes from, if it isn't in the kubeconfig itself: a plugin (exec, auth-provider), or a file that is
rewritten.

https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
The official client takes 50 MB and is imported only for the auth-provider oidc. It isn't used for exec: it limits
neither the seconds nor the output of a plugin, and lets it read the console's standard input.
A changed file is detected by stat(), which takes 2 microseconds.
"""

import base64
import importlib
import json
import os
import selectors
import signal
import ssl
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any

from kube import limits
from kube.errors import InvalidConfig, PluginFailed
from untrusted import json_bounds

# Without an expiry the token is kept for a minute; with one, it is renewed a little before.
_KEEP = timedelta(seconds=60)
_EARLY = timedelta(seconds=15)
# Many watches may be refused at once: they run the plugin once together. A plugin that failed isn't run for each
# request either.
_REFUSED_SECONDS = 5.0
_FAILED_SECONDS = 5.0
# Of what a plugin writes to standard error, the end is shown.
_SHOWN_CHARACTERS = 400
# How often a plugin whose child holds its output open is looked at.
_CHECK_SECONDS = 0.1
# Of a kubeconfig's cluster: what plugins get besides the authority (ExecCredential.spec.cluster).
_CLUSTER_KEYS = ("server", "tls-server-name", "insecure-skip-tls-verify", "proxy-url", "disable-compression")
_EXTENSION = "client.authentication.k8s.io/exec"
# client-go 1.26 removed these; kubectl names what to use instead.
_REMOVED_PROVIDERS = {
    "gcp": "gke-gcloud-auth-plugin: install it, then run `gcloud container clusters get-credentials`",
    "azure": "kubelogin: install it, then run `kubelogin convert-kubeconfig`",
}

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
        # `_until`: the token is used without a question; `_ends`: it is good.
        self._token, self._until, self._ends = "", 0.0, 0.0
        self._ran = float("-inf")
        self._failed: tuple[float, InvalidConfig] | None = None
        self._pair = ("", "")

    def token(self) -> str:
        """A bearer token, '' where a certificate says who one is. Raises InvalidConfig.

        While it is good for a few more seconds, one caller renews it and the others continue with it.
        """
        now = time.time()
        if now < self._until:
            return self._token
        if not self._lock.acquire(blocking=now >= self._ends):
            return self._token
        try:
            if self._until <= time.time():
                self._renew()
            return self._token
        finally:
            self._lock.release()

    def refused(self) -> None:
        """The server did not take the token: the next use runs the plugin, unless it has just run."""
        with self._lock:
            if time.monotonic() - self._ran > _REFUSED_SECONDS:
                self._until = self._ends = 0.0

    def _renew(self) -> None:
        if self._failed is None or time.monotonic() - self._failed[0] > _FAILED_SECONDS:
            try:
                self._run()
                return
            except InvalidConfig as error:
                self._failed = (time.monotonic(), error)
        if time.time() >= self._ends:
            # A new one each time: a traceback grows with each raise of the same error.
            raise type(self._failed[1])(self._failed[1].message)

    def _run(self) -> None:
        user, cluster, folder = self._user, self._cluster, self._folder
        status = _exec(user["exec"], cluster, folder) if "exec" in user else _provider(user, cluster)
        pair = str(status.get("clientCertificateData") or ""), str(status.get("clientKeyData") or "")
        if self.tls is not None and pair[0] and pair != self._pair:
            try:
                tls = self._fresh()
                self._load_pair(tls, pair[0].encode(), pair[1].encode())
            except (OSError, ValueError) as error:
                raise PluginFailed(
                    f"the certificate of the kubeconfig's credential plugin can't be used: {error}"
                ) from error
            self.tls, self._pair = tls, pair
        self._token = str(status.get("token") or "")
        self._until, self._ends = _times(status.get("expirationTimestamp"))
        self._ran, self._failed = time.monotonic(), None


def _times(expiry: Any) -> tuple[float, float]:
    """Until when the answer is used, and when it ends, in seconds since 1970."""
    now = datetime.now(UTC)
    try:
        end = datetime.fromisoformat(str(expiry).replace("Z", "+00:00")).timestamp()
    except ValueError:
        end = (now + _KEEP).timestamp()
        return end, end
    return max(end - _EARLY.total_seconds(), (now + timedelta(seconds=1)).timestamp()), end


def _exec(plugin: dict[str, Any], cluster: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The status of an ExecCredential. Raises PluginFailed with one sentence; it never quotes the plugin's output,
    which may be a token, but for standard error.
    """
    hint = f" {plugin['installHint']}" if plugin.get("installHint") else ""
    name = f"the kubeconfig's credential plugin {str(plugin.get('command') or '')!r}"
    try:
        return _status(_output(plugin, cluster, folder), str(plugin.get("apiVersion") or ""))
    except FileNotFoundError as error:
        raise PluginFailed(
            f"{name} isn't installed where the console runs. The console's image has none: use a ServiceAccount's token"
            f" there, or build an image with the plugin (docs/deploy.md).{hint}"
        ) from error
    except (OSError, ValueError) as error:
        raise PluginFailed(f"{name} failed: {_line(error)}.{hint}") from error


def _status(output: bytes, version: str) -> dict[str, Any]:
    """As client-go checks it (plugin/pkg/client/auth/exec/exec.go). Raises ValueError."""
    try:
        document = json_bounds.load(output)
    except ValueError:
        document = None
    if not isinstance(document, dict) or document.get("kind") != "ExecCredential":
        raise ValueError(f"it printed {len(output)} bytes that aren't an ExecCredential in JSON")
    if document.get("apiVersion") != version:
        raise ValueError(f"it answered in {document.get('apiVersion')}, the kubeconfig has {version}")
    status = document.get("status")
    if not isinstance(status, dict):
        raise ValueError("its ExecCredential has no status")
    if bool(status.get("clientCertificateData")) != bool(status.get("clientKeyData")):
        raise ValueError("it returned a certificate without a key, or a key without a certificate")
    if not status.get("token") and not status.get("clientKeyData"):
        raise ValueError("it returned neither a token nor a certificate")
    return status


def _output(plugin: dict[str, Any], cluster: dict[str, Any], folder: Path) -> bytes:
    """What it prints. Raises OSError and ValueError."""
    version = str(plugin.get("apiVersion") or "")
    if not version.startswith("client.authentication.k8s.io/") or not plugin.get("command"):
        raise ValueError("it has no command, or an apiVersion other than client.authentication.k8s.io/v1")
    if plugin.get("interactiveMode") == "Always":
        raise ValueError("it asks questions at a terminal (interactiveMode: Always), which the console doesn't have")
    spec: dict[str, Any] = {"interactive": False}
    if plugin.get("provideClusterInfo"):
        spec["cluster"] = _cluster_info(cluster)
    info = {"apiVersion": version, "kind": "ExecCredential", "spec": spec}
    added = {str(item.get("name")): str(item.get("value") or "") for item in plugin.get("env") or ()}
    process = subprocess.Popen(
        [str(plugin["command"]), *map(str, plugin.get("args") or ())],
        cwd=folder,
        env={**os.environ, **added, "KUBERNETES_EXEC_INFO": json.dumps(info)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    with process:
        try:
            output, complaint = _read(process)
        except ValueError:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
    if code := process.returncode:
        words = " ".join(complaint.decode(errors="replace").split())
        words = words if len(words) <= _SHOWN_CHARACTERS else f"…{words[-_SHOWN_CHARACTERS:]}"
        raise ValueError(f"it ended with code {code}" + (f": {words}" if words else " and without a message"))
    return output


def _read(process: "subprocess.Popen[bytes]") -> tuple[bytes, bytes]:
    """Standard output, and the end of standard error, until the plugin ends. Raises ValueError beyond the limits."""
    most, until = limits.PLUGIN_OUTPUT.value, time.monotonic() + limits.PLUGIN_SECONDS.value
    assert process.stdout is not None and process.stderr is not None
    found: dict[IO[bytes], bytes] = {process.stdout: b"", process.stderr: b""}
    with selectors.DefaultSelector() as selector:
        for pipe in found:
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            has_ended = process.poll() is not None
            ready = selector.select(_CHECK_SECONDS)
            if has_ended and not ready:
                break  # a child of it holds the pipes open
            readable = [key.fileobj for key, _events in ready]
            for pipe in [pipe for pipe in found if pipe in readable]:
                piece = os.read(pipe.fileno(), 65536)
                found[pipe] += piece
                if not piece:
                    selector.unregister(pipe)
            found[process.stderr] = found[process.stderr][-most:]
            if len(found[process.stdout]) > most:
                raise ValueError(f"it printed more than {most // 1024} KiB")
            if time.monotonic() > until:
                break
    try:
        process.wait(max(0.0, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise ValueError(f"it didn't answer within {limits.PLUGIN_SECONDS.value} seconds") from None
    return found[process.stdout], found[process.stderr]


def _cluster_info(cluster: dict[str, Any]) -> dict[str, Any]:
    """As client-go gives it: the authority as data, and the cluster's own settings for plugins. Raises OSError."""
    info: dict[str, Any] = {key: cluster[key] for key in _CLUSTER_KEYS if cluster.get(key)}
    if data := cluster.get("certificate-authority-data"):
        info["certificate-authority-data"] = "".join(str(data).split())
    elif path := cluster.get("certificate-authority"):
        info["certificate-authority-data"] = base64.b64encode(Path(path).read_bytes()).decode()
    for extension in cluster.get("extensions") or ():
        if isinstance(extension, dict) and extension.get("name") == _EXTENSION:
            info["config"] = extension.get("extension")
    return info


def check_provider(user: dict[str, Any]) -> None:
    """Raises InvalidConfig if the user's auth-provider isn't supported any more, as with kubectl."""
    provider = user.get("auth-provider")
    name = str(provider.get("name") or "") if isinstance(provider, dict) else ""
    if "auth-provider" not in user or name == "oidc":
        return
    instead = _REMOVED_PROVIDERS.get(name, "its credential plugin (`exec:`)")
    raise InvalidConfig(
        f"Kubernetes 1.26 removed the auth-provider {name!r}, and the console doesn't support it. Use {instead}"
    )


def _provider(user: dict[str, Any], cluster: dict[str, Any]) -> dict[str, Any]:
    """The auth-provider oidc: the official loader knows it."""
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
        raise PluginFailed(f"the kubeconfig's auth-provider failed: {_line(error)}") from error
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
