"""How our operators reach the API server, and as whom: for their own requests and for kopf's.

What differs between clusters (a kubeconfig on the embedded cluster and on a laptop, the ServiceAccount's files in a
Pod) is settled once, in ``ApiServerAccess.find``. A token in a file is read again as client-go does it
(https://github.com/kubernetes/client-go/blob/master/transport/token_source.go): every minute, and after a 401.
"""

from __future__ import annotations

import base64
import os
import ssl
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import aiohttp
import yaml
from aiohttp import ClientHandlerType, ClientRequest, ClientResponse
from yarl import URL

ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
_TOKEN_SECONDS = 60.0
#: Refused for so long without one success: the operator is of no use, and its health says so.
UNAUTHORIZED_SECONDS = 60.0


class TokenFile:
    """A token that the kubelet replaces while we run."""

    def __init__(self, path: Path):
        self._path = path
        self._text = ""
        self._read_at = float("-inf")

    def text(self, *, refused: bool = False) -> str:
        """The token; read again when it is a minute old or was ``refused``. While the file can't be read, the last one.

        OSError when it could never be read.
        """
        if refused or time.monotonic() - self._read_at > _TOKEN_SECONDS:
            try:
                self._text = self._path.read_text(encoding="utf-8").strip() or self._text
                self._read_at = time.monotonic()
            except OSError:
                if not self._text:
                    raise
        return self._text


class FixedToken:
    """A token that a kubeconfig holds; empty for none."""

    def __init__(self, text: str):
        self._text = text

    def text(self, *, refused: bool = False) -> str:
        """The same always."""
        return self._text


class Authorization:
    """An aiohttp middleware that signs each request, and sends a refused one once more if the token has changed.

    One for the whole process: ``problem`` is what health reports.
    """

    def __init__(self, server: str, token: TokenFile | FixedToken):
        self._origin = URL(server).origin()
        self._token = token
        self._refused_since: float | None = None

    async def __call__(self, request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
        """See https://docs.aiohttp.org/en/stable/client_middleware_cookbook.html"""
        if request.url.origin() != self._origin:  # a redirect to another host: don't send the token
            return await handler(request)
        token = self._sign(request)
        answer = await handler(request)
        if answer.status == 401 and self._token.text(refused=True) != token:
            answer.close()
            self._sign(request)
            answer = await handler(request)
        if answer.status != 401:
            self._refused_since = None
        elif self._refused_since is None:
            self._refused_since = time.monotonic()
        return answer

    def _sign(self, request: ClientRequest) -> str:
        token = self._token.text()
        if token:
            request.headers["Authorization"] = f"Bearer {token}"
        return token

    @property
    def is_refused(self) -> bool:
        """The last answer was a 401."""
        return self._refused_since is not None

    @property
    def problem(self) -> str:
        """Why the operator can't work, or ``""``."""
        since = self._refused_since
        if since is None or time.monotonic() - since < UNAUTHORIZED_SECONDS:
            return ""
        seconds = time.monotonic() - since
        return f"the API server has answered 401 Unauthorized for {seconds:.0f} s: the token isn't accepted"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiServerAccess:
    """How to reach the API server. ``namespace``: the Pod's own, or ``""``."""

    server: str
    authorization: Authorization
    tls: ssl.SSLContext
    namespace: str = ""

    @classmethod
    def find(cls, environment: Mapping[str, str] = os.environ, account: Path = ACCOUNT) -> ApiServerAccess:
        """From KUBECONFIG if it is set, else from the Pod's ServiceAccount; FileNotFoundError when there is neither."""
        if path := environment.get("KUBECONFIG"):
            return cls._from_kubeconfig(Path(path.split(os.pathsep)[0]))
        host, port = environment["KUBERNETES_SERVICE_HOST"], environment.get("KUBERNETES_SERVICE_PORT", "443")
        token = TokenFile(account / "token")
        token.text()
        space = account / "namespace"
        server = f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"
        return cls(
            server=server,
            authorization=Authorization(server, token),
            tls=client_tls(authority_file=account / "ca.crt"),
            namespace=space.read_text(encoding="utf-8").strip() if space.exists() else "",
        )

    @classmethod
    def _from_kubeconfig(cls, path: Path) -> ApiServerAccess:
        config = yaml.safe_load(path.read_text(encoding="utf-8"))
        context = _named(config["contexts"], config["current-context"])["context"]
        cluster = _named(config["clusters"], context["cluster"])["cluster"]
        user = _named(config["users"], context["user"])["user"]
        # As client-go: the file wins.
        token = (
            TokenFile(path.parent / user["tokenFile"])
            if user.get("tokenFile")
            else FixedToken(str(user.get("token") or ""))
        )
        server = str(cluster["server"]).rstrip("/")
        return cls(
            server=server,
            authorization=Authorization(server, token),
            tls=_kubeconfig_tls(path.parent, cluster, user),
        )

    def session(self, program: str = "") -> aiohttp.ClientSession:
        """A new connection pool. ``program``: under this name the API server notes in managedFields what we write."""
        return aiohttp.ClientSession(
            headers={"User-Agent": program} if program else {},
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=10),
            connector=aiohttp.TCPConnector(ssl=self.tls, limit=0),
            middlewares=(self.authorization,),
        )


@cache
def process_access() -> ApiServerAccess:
    """The one of this process: kopf and our own requests share it, and health reports on it."""
    return ApiServerAccess.find()


def client_tls(*, authority_file: Path | None = None, authority_data: str | None = None) -> ssl.SSLContext:
    """Hostname and authority are checked, and certificates read as Go's programs do.

    Python 3.13 adds VERIFY_X509_STRICT, which refuses certificates that clusters have: without an Authority Key
    Identifier (EKS, older GKE and kubeadm), and authorities without a key usage.
    """
    context = ssl.create_default_context(cafile=str(authority_file) if authority_file else None, cadata=authority_data)
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context


def _kubeconfig_tls(folder: Path, cluster: dict[str, Any], user: dict[str, Any]) -> ssl.SSLContext:
    if data := cluster.get("certificate-authority-data"):
        context = client_tls(authority_data=base64.b64decode(data).decode())
    elif path := cluster.get("certificate-authority"):
        context = client_tls(authority_file=folder / path)
    else:
        context = client_tls()
    if cluster.get("insecure-skip-tls-verify"):
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if user.get("client-certificate") and user.get("client-key"):
        context.load_cert_chain(folder / user["client-certificate"], folder / user["client-key"])
    elif user.get("client-certificate-data") and user.get("client-key-data"):
        # OpenSSL reads files only.
        with tempfile.NamedTemporaryFile(prefix="kube-", suffix=".pem") as file:
            for name in ("client-certificate-data", "client-key-data"):
                file.write(base64.b64decode(user[name]) + b"\n")
            file.flush()
            context.load_cert_chain(file.name)
    return context


def _named(entries: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(entry for entry in entries if entry["name"] == name)
