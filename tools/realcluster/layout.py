"""Where a real cluster keeps its things, at which ports its parts listen, and how to ask its API server."""

from __future__ import annotations

import base64
import http.client
import json
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kube.config import client_context

from .certificates import Authority
from .process import free_ports

_PORTS = (
    "etcd",
    "etcd-peer",
    "apiserver",
    "controller-manager",
    "scheduler",
    "kwok",
    "agent",
    "package-server",
    "page",
    "registry",
)
_LOCAL = ("127.0.0.1", "localhost")
#: v1 came with 1.34.
_NOBODY = '{"apiVersion": "apiserver.config.k8s.io/v1beta1", "kind": "AuthenticationConfiguration", "jwt": []}\n'


@dataclass(frozen=True, slots=True)
class Layout:
    """One cluster's folder. ``token`` is the administrator's."""

    data: Path
    ports: dict[str, int]
    token: str
    authority: Authority

    @classmethod
    def make(cls, data: Path, *, states_usage: bool = True) -> Layout:
        """New ports, certificates and kubeconfigs in an empty folder. ``states_usage``: see Authority."""
        authority = Authority(data / "pki", states_usage=states_usage)
        made = cls(data, free_ports(_PORTS), secrets.token_urlsafe(24), authority)
        (data / "logs").mkdir()
        issue = made.authority.issue
        issue(
            "apiserver",
            "kube-apiserver",
            hosts=(*_LOCAL, "10.96.0.1", "kubernetes", "kubernetes.default", "kubernetes.default.svc"),
        )
        issue("kubelet", "system:node:kubelet", hosts=_LOCAL)
        issue("kubelet-client", "kube-apiserver-kubelet-client", "system:masters")
        issue("front-proxy", "front-proxy-client")
        issue("package-server", "package-server", hosts=("packageserver-service.olm.svc", *_LOCAL))
        made.authority.key_pair("service-accounts")
        (data / "tokens.csv").write_text(f'{made.token},admin,admin,"system:masters"\n')
        made._write_kubeconfig("kubeconfig", {"token": made.token})
        made.authentication.write_text(_NOBODY)
        for user, group in (
            ("system:kube-controller-manager", ""),
            ("system:kube-scheduler", ""),
            ("kwok", "system:masters"),
            ("agent", "system:masters"),
            ("olm", "system:masters"),
        ):
            made.add_client(user.removeprefix("system:"), user, group)
        return made

    def add_client(self, name: str, user: str, group: str = "") -> Path:
        """The kubeconfig of a part, with a certificate of its own."""
        certificate, key = self.authority.issue(name, user, group)
        self._write_kubeconfig(f"{name}.kubeconfig", {"client-certificate": str(certificate), "client-key": str(key)})
        return self.data / f"{name}.kubeconfig"

    @property
    def server(self) -> str:
        """The API server's address."""
        return f"https://127.0.0.1:{self.ports['apiserver']}"

    @property
    def kubeconfig(self) -> Path:
        """The administrator's."""
        return self.data / "kubeconfig"

    @property
    def authentication(self) -> Path:
        """The API server's AuthenticationConfiguration: whose ID tokens it accepts. Read again when it changes."""
        return self.data / "authentication.yaml"

    def pki(self, name: str) -> str:
        """The path of a certificate or key."""
        return str(self.authority.folder / name)

    def _write_kubeconfig(self, name: str, user: dict[str, str]) -> None:
        authority = base64.b64encode(self.authority.certificate.read_bytes()).decode()
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "real",
            "clusters": [{"name": "real", "cluster": {"server": self.server, "certificate-authority-data": authority}}],
            "users": [{"name": "user", "user": user}],
            "contexts": [{"name": "real", "context": {"cluster": "real", "user": "user"}}],
        }
        path = self.data / name
        path.touch(mode=0o600)
        path.write_text(json.dumps(config, indent=1))  # JSON is YAML

    def ask(self, method: str, path: str, body: Any = None, content_type: str = "application/json") -> tuple[int, Any]:
        """Status and body (None when it is not JSON) of a request as the administrator; OSError."""
        tls = client_context(authority_file=str(self.authority.certificate))
        connection = http.client.HTTPSConnection("127.0.0.1", self.ports["apiserver"], timeout=30, context=tls)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": content_type}
        try:
            connection.request(method, path, None if body is None else json.dumps(body).encode(), headers)
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text) if text.startswith(b"{") else None
        finally:
            connection.close()

    def answers(self, path: str) -> bool:
        """Whether the API server answers this path with 200."""
        try:
            return self.ask("GET", path)[0] == 200
        except OSError:
            return False
