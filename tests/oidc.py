"""Providers of OpenID Connect for tests: dex as it is released, on loopback and with TLS; and how a cluster comes to
accept a provider's ID tokens.
"""

import fcntl
import hashlib
import json
import os
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.api import Api
from tests.eventually import until
from tests.processes import running
from tools.realcluster.build import BuildFailed, build_dex, print_progress
from tools.realcluster.certificates import Authority
from tools.realcluster.process import free_ports

CLIENT = "console"
#: Before names and groups of a provider's people, in the cluster.
PREFIX = "oidc:"
#: The password of all users at dex, and its bcrypt hash.
PASSWORD = "password"
PASSWORD_HASH = "$2a$10$2b2cU8CPhOTaGrs1HRQuAueS7JTT5ZHsHSzYiFPm1leZck7Mc8T4W"


@dataclass(frozen=True, slots=True)
class Dex:
    """`authority`: the file of the certificate that signed its own."""

    issuer: str
    authority: Path


def program() -> Path:
    """dex, built now if it is not in the cache.

    Without Go the test is skipped, saying so; with REQUIRE_BROWSER set (CI) it fails instead.
    """
    try:
        return build_dex(print_progress)
    except BuildFailed as error:
        if os.environ.get("REQUIRE_BROWSER"):
            pytest.fail(str(error))
        pytest.skip(f"needs dex, a provider of OpenID Connect: {error}")


@contextmanager
def dex(folder: Path, redirects: list[str], people: dict[str, list[str]], tokens: str = "10m") -> Iterator[Dex]:
    """A running one.

    `people`: groups by name; their address is NAME@example.com. `tokens`: for how long an ID token is good.
    """
    folder.mkdir(parents=True, exist_ok=True)
    authority = Authority(folder / "pki")
    certificate, key = authority.issue("dex", "dex", hosts=("127.0.0.1", "localhost"))
    port = free_ports(("dex",))["dex"]
    issuer = f"https://127.0.0.1:{port}/dex"
    entries = [
        {"email": f"{name}@example.com", "username": name, "userID": name, "hash": PASSWORD_HASH, "groups": groups}
        for name, groups in people.items()
    ]
    settings = {
        "issuer": issuer,
        "storage": {"type": "memory"},
        "web": {"https": f"127.0.0.1:{port}", "tlsCert": str(certificate), "tlsKey": str(key)},
        "expiry": {"idTokens": tokens, "refreshTokens": {"reuseInterval": "0s"}},
        "staticClients": [{"id": CLIENT, "public": True, "name": "Console", "redirectURIs": redirects}],
        "enablePasswordDB": True,
        "staticPasswords": entries,
    }
    path = folder / "dex.json"
    path.write_text(json.dumps(settings))  # JSON is YAML
    tls = ssl.create_default_context(cafile=str(authority.certificate))

    def ready() -> bool:
        try:
            with urllib.request.urlopen(f"{issuer}/.well-known/openid-configuration", timeout=5, context=tls) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    with running([str(program()), "serve", str(path)], folder / "dex.log", ready):
        yield Dex(issuer, authority.certificate)


@contextmanager
def accepted(
    kubeconfig: Path, issuer: str, authority: Path, claim: str = "email", client: str = CLIENT
) -> Iterator[None]:
    """The cluster of this kubeconfig takes ID tokens of the provider for this client: an embedded one, or a real one
    that tools/realcluster or tools/realnode started. Others are skipped.
    """
    path = kubeconfig.parent / "authentication.yaml"
    is_real = path.exists() and not (kubeconfig.parent / "cluster.db").exists()
    if not is_real and not (kubeconfig.parent / "cluster.db").exists():
        pytest.skip("needs a cluster whose AuthenticationConfiguration lies beside its kubeconfig")
    provider = {
        "issuer": {"url": issuer, "audiences": [client], "certificateAuthority": authority.read_text()},
        "claimMappings": {
            "username": {"claim": claim, "prefix": PREFIX},
            "groups": {"claim": "groups", "prefix": PREFIX},
        },
    }
    with _providers(path) as providers:
        providers.append(provider)
    if is_real:
        _loaded(kubeconfig, path)
    try:
        yield
    finally:
        with _providers(path) as providers:
            providers[:] = [item for item in providers if item["issuer"]["url"] != issuer]
        if not is_real:
            path.unlink()


@contextmanager
def _providers(path: Path) -> Iterator[list[dict[str, Any]]]:
    """Those in the file, to be changed; written as they are then. Another process may have one of its own there."""
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        before = yaml.safe_load(path.read_text()) if path.exists() else {}
        document = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthenticationConfiguration", **before}
        providers = list(document.get("jwt") or [])
        yield providers
        _write(path, json.dumps({**document, "jwt": providers}))


def _loaded(kubeconfig: Path, path: Path) -> None:
    """kube-apiserver takes a new configuration when the keys of all its providers are there, which it looks at every
    ten seconds; its metrics say which it has.
    """
    api, digest = Api(kubeconfig), hashlib.sha256(path.read_bytes()).hexdigest().encode()
    until(lambda: digest in api.get("/metrics").raw, "the API server loads its AuthenticationConfiguration")


def _write(path: Path, text: str) -> None:
    """Whole at once: it is read as soon as it changes."""
    draft = path.with_suffix(".new")
    draft.write_text(text)
    draft.replace(path)
