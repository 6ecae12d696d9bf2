"""How to reach a cluster and as whom: by a kubeconfig's context, the Pod's own service account, a signed-in user's
token, or as an impersonated user. What is read here once, kube/renewal.py reads again when it changes.

Static credentials (token, token file, client certificate, password) are read here, those of plugins in
kube/credentials.py. The official Python clients ignore `as:` (impersonation): it is honoured here. Certificates are
read as kubectl and other Go programs read them.
"""

import base64
import os
import ssl
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from kube import proxies
from kube.credentials import Plugin, TextFile, check_provider
from kube.errors import InvalidConfig
from untrusted import yaml_bounds

_SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
#: Of a kubeconfig's entries: what may be a relative path.
_PATHS = {"cluster": ("certificate-authority",), "user": ("client-certificate", "client-key", "tokenFile")}


def _nothing() -> None:
    """Default of `refused`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterConfig:
    """`token` is asked at every request, so that it may be renewed. `tls` is `None` for plain HTTP.

    `context`: the one that was chosen. `files`: what was read, but for a token's file. `refused` is to be called when
    the server answers 401: the token is fetched again. `renewed` brings an older configuration up to date, see
    current(). `namespace`: the context's, or the Pod's own, '' if unset. `session`: of the person whose token it is
    (user_config()), '' for the kubeconfig's own identity. `by`: who acts as `user`, '' for oneself. `alias`: what the
    console calls this cluster where it has several (console/web/clusters.py); '' for its `name`.
    """

    name: str
    host: str
    user: str
    token: Callable[[], str]
    tls: ssl.SSLContext | None
    headers: tuple[tuple[str, str], ...] = ()
    server_name: str = ""
    proxy: str = ""
    context: str = ""
    files: tuple[Path, ...] = ()
    refused: Callable[[], None] = _nothing
    renewed: Callable[["ClusterConfig"], "ClusterConfig"] | None = None
    session: str = ""
    by: str = ""
    namespace: str = ""
    alias: str = ""

    def current(self) -> "ClusterConfig":
        """With the current address and certificates. Call it at each request, after the token."""
        return self.renewed(self) if self.renewed is not None else self


def load(kubeconfig: str | None = None, context: str | None = None, *, anonymous: bool = False) -> ClusterConfig:
    """The configuration of `context` in `kubeconfig` (several files joined by os.pathsep, as kubectl merges them).

    With neither: in a Pod its service account, else ~/.kube/config. `anonymous`: without credentials.
    Raises InvalidConfig with one sentence that names the file.
    """
    if not kubeconfig and "KUBERNETES_SERVICE_HOST" in os.environ and (_SERVICE_ACCOUNT / "token").exists():
        return replace(_in_cluster(), user="", token=lambda: "") if anonymous else _in_cluster()
    paths = [Path(path).expanduser() for path in (kubeconfig or "~/.kube/config").split(os.pathsep) if path]
    merged, where = _merged(paths)
    name = context or str(merged.get("current-context") or "")
    if not name:
        raise InvalidConfig(f"{where} has no current-context: set CONTEXT to one of {_names(merged, 'contexts')}")
    chosen = _entry(merged, "contexts", name, "context", where)
    cluster = _entry(merged, "clusters", str(chosen.get("cluster") or ""), "cluster", where)
    known = bool(chosen.get("user")) and not anonymous
    user = _entry(merged, "users", str(chosen.get("user") or ""), "user", where) if known else {}
    host = str(cluster.get("server") or "").rstrip("/")
    if not host.startswith(("http://", "https://")):
        raise InvalidConfig(
            f"{where}: the server of cluster {chosen.get('cluster')!r} is {host!r}, not an http or https address"
        )
    try:
        check_provider(user)
    except InvalidConfig as error:
        raise InvalidConfig(f"{where}, user {chosen.get('user')!r}: {error}") from error
    plugin = None
    try:
        tls = _tls(cluster, user) if host.startswith("https://") else None
        if "exec" in user or "auth-provider" in user:
            plugin = Plugin(
                user=user,
                cluster=cluster,
                folder=paths[0].parent,
                tls=tls,
                fresh=lambda: _tls(cluster, user),
                load_pair=_load_pair,
            )
    except (OSError, ValueError) as error:  # also ssl.SSLError and binascii.Error
        raise InvalidConfig(f"{where}: the certificates of context {name!r} can't be used: {error}") from error
    return ClusterConfig(
        name=str(chosen.get("cluster")),
        host=host,
        user="" if anonymous else str(chosen.get("user") or "anonymous"),
        token=plugin.token if plugin else _token(user),
        tls=tls,
        headers=_identity_headers(user),
        server_name=str(cluster.get("tls-server-name") or ""),
        proxy=_proxy(cluster, host, where),
        context=name,
        files=(*paths, *_named_files(cluster, user)),
        refused=plugin.refused if plugin else _nothing,
        renewed=(lambda config: replace(config, tls=plugin.tls)) if plugin else None,
        namespace=str(chosen.get("namespace") or ""),
    )


@dataclass(frozen=True, slots=True)
class Context:
    """A context of a kubeconfig, by its names; its files are not opened. `current`: the file's current-context."""

    name: str
    cluster: str
    user: str
    current: bool


def contexts(kubeconfig: str | None = None) -> tuple[Context, ...]:
    """All contexts, in the file's order; none in a Pod that has a service account and no kubeconfig.

    Raises InvalidConfig.
    """
    if not kubeconfig and "KUBERNETES_SERVICE_HOST" in os.environ and (_SERVICE_ACCOUNT / "token").exists():
        return ()
    merged, _where = _merged(
        [Path(path).expanduser() for path in (kubeconfig or "~/.kube/config").split(os.pathsep) if path]
    )
    current = str(merged.get("current-context") or "")
    found = (
        (str(entry.get("name") or ""), entry.get("context"))
        for entry in merged.get("contexts") or []
        if isinstance(entry, dict)
    )
    known: dict[str, Context] = {}
    for name, content in found:
        if name and isinstance(content, dict):
            # The first of a name wins, as in load().
            context = Context(name, str(content.get("cluster") or ""), str(content.get("user") or ""), name == current)
            known.setdefault(name, context)
    return tuple(known.values())


def user_config(
    way: ClusterConfig,
    user: str,
    token: str | Callable[[], str],
    session: str = "",
    refused: Callable[[], None] = _nothing,
) -> ClusterConfig:
    """A signed-in user's configuration: the address and TLS settings of `way`, with the user's own token.

    `way`: of load(anonymous=True), which has no certificate, plugin, password or impersonation. `token`: if callable,
    it is called at each request; `refused` is called at each 401. Raises ValueError for any other `way`.
    """
    if way.user or way.headers or way.session or way.token():
        raise ValueError("a user's configuration is made from an anonymous one")
    return replace(way, user=user, token=token if callable(token) else lambda: token, session=session, refused=refused)


def impersonated_config(whose: ClusterConfig, user: str, groups: tuple[str, ...], session: str) -> ClusterConfig:
    """Impersonation, as kubectl's --as and --as-group: the credentials of `whose` with Impersonate headers.

    `session`: the impersonation's own. Raises ValueError for a configuration that acts as another
    already, and for names that can't stand in a header.
    """
    if whose.by or any(name.lower().startswith("impersonate-") for name, _value in whose.headers):
        raise ValueError("an impersonated user can't impersonate another user")
    if not session or not all(is_header_value(name) for name in (user, *groups)):
        raise ValueError("an impersonation has a session of its own, and names that can stand in a header")
    headers = (("Impersonate-User", user), *(("Impersonate-Group", group) for group in groups))
    return replace(whose, user=user, by=whose.user, session=session, headers=(*whose.headers, *headers))


def is_header_value(name: str) -> bool:
    """Whether a name arrives in a header as it is: visible ASCII, and no blanks around it (RFC 9110, 5.5)."""
    return bool(name) and name.isascii() and name.isprintable() and name == name.strip()


def client_context(*, authority_file: str | None = None, authority_data: str | None = None) -> ssl.SSLContext:
    """TLS to a server: hostname and authority are checked, by these authorities or else the system's.

    Raises OSError (also ssl.SSLError) and ValueError.

    Python 3.13 adds VERIFY_X509_STRICT (RFC 5280 to the letter), which refuses what Go accepts and clusters have:
    server certificates without an Authority Key Identifier (EKS, older GKE and kubeadm), authorities without a key
    usage (a plain `openssl req -x509`). https://docs.python.org/3/library/ssl.html#ssl.VERIFY_X509_STRICT
    """
    context = ssl.create_default_context(cafile=authority_file, cadata=authority_data)
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context


def _merged(paths: list[Path]) -> tuple[dict[str, Any], str]:
    """The first value of a name wins, as with kubectl. Files that are absent are skipped unless none is there."""
    found: dict[str, Any] = {}
    present = [path for path in paths if path.exists()]
    if not present:
        raise InvalidConfig(
            f"there is no kubeconfig at {paths[0]}: set KUBECONFIG to yours, or start the embedded cluster with `make"
            " run`"
        )
    for path in present:
        try:
            document = yaml_bounds.load(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidConfig(f"the kubeconfig {path} can't be read: {error}") from error
        except yaml.YAMLError as error:
            place = getattr(error, "problem_mark", None)
            line = f" at line {place.line + 1}" if place else ""
            raise InvalidConfig(
                f"the kubeconfig {path} is not YAML{line}: {getattr(error, 'problem', error)}"
            ) from error
        if not isinstance(document, dict):
            raise InvalidConfig(f"the kubeconfig {path} is empty or not a mapping")
        for key, value in document.items():
            if isinstance(value, list):
                known = {entry.get("name") for entry in found.setdefault(key, []) if isinstance(entry, dict)}
                new = [entry for entry in value if isinstance(entry, dict) and entry.get("name") not in known]
                found[key] += [_resolved(entry, path.parent) for entry in new]
            elif not found.get(key):
                found[key] = value
    return found, f"the kubeconfig {present[0]}"


def _resolved(entry: dict[str, Any], folder: Path) -> dict[str, Any]:
    """A relative path is beside the file that has it, whichever other files there are (clientcmd.ResolveLocalPaths)."""
    resolved = dict(entry)
    for section, names in _PATHS.items():
        if isinstance(given := entry.get(section), dict):
            paths = {name: str(folder / str(given[name])) for name in names if given.get(name)}
            resolved[section] = {**given, **paths}
    plugin = (resolved.get("user") or {}).get("exec") if isinstance(resolved.get("user"), dict) else None
    if isinstance(plugin, dict) and os.sep in str(plugin.get("command") or ""):
        resolved["user"]["exec"] = {**plugin, "command": str(folder / str(plugin["command"]))}
    return resolved


def _proxy(cluster: dict[str, Any], host: str, where: str) -> str:
    """The cluster's own, else the environment's; '' for none. Raises InvalidConfig."""
    try:
        if given := cluster.get("proxy-url"):
            return proxies.checked(str(given))
        return proxies.from_environment(host, os.environ)
    except ValueError as error:
        raise InvalidConfig(f"{where}: {error}") from error


def _names(merged: dict[str, Any], section: str) -> str:
    return ", ".join(str(entry.get("name")) for entry in merged.get(section) or []) or "none"


def _entry(merged: dict[str, Any], section: str, name: str, key: str, where: str) -> dict[str, Any]:
    for entry in merged.get(section) or []:
        if entry.get("name") == name and isinstance(entry.get(key), dict):
            return dict(entry[key])
    raise InvalidConfig(f"{where} has no {key} named {name!r}; it has: {_names(merged, section)}")


def _token(user: dict[str, Any]) -> Callable[[], str]:
    """As client-go: a tokenFile wins, and `token` stands in while that can't be read."""
    token = str(user.get("token") or "")
    if not user.get("tokenFile"):
        return lambda: token
    file = TextFile(Path(user["tokenFile"]))

    def read() -> str:
        try:
            return file.text()
        except OSError:
            if token:
                return token
            raise

    return read


def _named_files(cluster: dict[str, Any], user: dict[str, Any]) -> list[Path]:
    """The certificates and keys that are files of their own."""
    given = (cluster.get("certificate-authority"), user.get("client-certificate"), user.get("client-key"))
    return [Path(path) for path in given if path]


def _identity_headers(user: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """Basic authentication and impersonation (`as:`), which has one header for each group."""
    headers: list[tuple[str, str]] = []
    if user.get("username") and user.get("password"):
        pair = f"{user['username']}:{user['password']}".encode()
        headers.append(("Authorization", f"Basic {base64.b64encode(pair).decode()}"))
    if user.get("as"):
        headers.append(("Impersonate-User", str(user["as"])))
        if uid := user.get("as-uid"):
            headers.append(("Impersonate-Uid", str(uid)))
        headers += (("Impersonate-Group", str(group)) for group in user.get("as-groups") or ())
        for key, values in (user.get("as-user-extra") or {}).items():
            headers += ((f"Impersonate-Extra-{key}", str(value)) for value in values)
    return tuple(headers)


def _tls(cluster: dict[str, Any], user: dict[str, Any]) -> ssl.SSLContext:
    if data := cluster.get("certificate-authority-data"):
        context = client_context(authority_data=_decoded(data).decode())
    elif path := cluster.get("certificate-authority"):
        context = client_context(authority_file=str(path))
    else:
        context = client_context()
    if cluster.get("insecure-skip-tls-verify"):
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    certificate = user.get("client-certificate-data"), user.get("client-key-data")
    if all(certificate):
        _load_pair(context, *(_decoded(part) for part in certificate))
    elif user.get("client-certificate") and user.get("client-key"):
        context.load_cert_chain(user["client-certificate"], user["client-key"])
    return context


def _decoded(data: Any) -> bytes:
    """Strict base64 that may be folded over several lines. Raises ValueError."""
    return base64.b64decode("".join(str(data).split()), validate=True)


def _load_pair(context: ssl.SSLContext, certificate: bytes, key: bytes) -> None:
    """Python loads a client certificate from a file only: one that its owner alone can read, for a moment."""
    with tempfile.NamedTemporaryFile(prefix="kube-", suffix=".pem") as file:
        file.write(certificate + b"\n" + key)
        file.flush()
        context.load_cert_chain(file.name)


def _in_cluster() -> ClusterConfig:
    host, port = os.environ["KUBERNETES_SERVICE_HOST"], os.environ.get("KUBERNETES_SERVICE_PORT", "443")
    address = f"[{host}]" if ":" in host else host
    authority = _SERVICE_ACCOUNT / "ca.crt"
    return ClusterConfig(
        name="in-cluster",
        host=f"https://{address}:{port}",
        user="service-account",
        token=TextFile(_SERVICE_ACCOUNT / "token").text,
        tls=_in_cluster_tls(authority),
        files=(authority,),
        namespace=_own_namespace(),
    )


def _own_namespace() -> str:
    try:
        return (_SERVICE_ACCOUNT / "namespace").read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def _in_cluster_tls(authority: Path) -> ssl.SSLContext:
    try:
        return client_context(authority_file=str(authority))
    except OSError as error:  # also ssl.SSLError
        raise InvalidConfig(f"the cluster's certificate authority {authority} can't be used: {error}") from error
