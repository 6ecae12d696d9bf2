"""Access to an API server by a kubeconfig: address, certificate authority and credentials."""

from __future__ import annotations

import base64
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from ..tls import tls_context

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ServerAccess:
    """``authority``: PEM; empty for the system's authorities. ``tls``: None for plain HTTP."""

    server: str
    token: str
    authority: str
    tls: ssl.SSLContext | None

    @property
    def host(self) -> str:
        """The server's name or address."""
        return str(urlsplit(self.server).hostname)

    @property
    def port(self) -> int:
        """The server's port."""
        return urlsplit(self.server).port or (443 if self.tls else 80)

    @property
    def headers(self) -> dict[str, str]:
        """The headers of each request."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}


def read(path: Path, private: Path) -> ServerAccess:
    """The kubeconfig's current context; KeyError and OSError when it is incomplete.

    Keys that it holds go to ``private``.
    """
    config = yaml.safe_load(path.read_text(encoding="utf-8"))
    context = _named(config["contexts"], config["current-context"])["context"]
    cluster = _named(config["clusters"], context["cluster"])["cluster"]
    user = _named(config["users"], context["user"])["user"]
    server = str(cluster["server"]).rstrip("/")
    authority = _content(path, cluster, "certificate-authority").decode()
    if not server.startswith("https:"):
        return ServerAccess(server, str(user.get("token", "")), authority, None)
    tls = tls_context(authority_data=authority or None)
    if cluster.get("insecure-skip-tls-verify"):
        tls.check_hostname = False
        tls.verify_mode = ssl.CERT_NONE
    certificate, key = _content(path, user, "client-certificate"), _content(path, user, "client-key")
    if certificate:
        private.mkdir(parents=True, exist_ok=True, mode=0o700)
        chain = private / "client.pem"  # OpenSSL reads files only
        chain.touch(mode=0o600)
        chain.write_bytes(certificate + b"\n" + key)
        tls.load_cert_chain(chain)
    return ServerAccess(server, str(user.get("token", "")), authority, tls)


def _named(entries: list[Entry], name: str) -> Entry:
    return next((entry for entry in entries if entry["name"] == name), {})


def _content(path: Path, entry: Entry, field: str) -> bytes:
    """A file that is in the kubeconfig, or beside it by its name."""
    if data := entry.get(f"{field}-data"):
        return base64.b64decode(data)
    if name := entry.get(field):
        return (path.parent / str(name)).read_bytes()
    return b""
