"""Where a Pod lives on this machine: folders, local ports, credentials, and the environment that tells of them."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from ..client import Client
from ..objects import Object, dig
from . import environment
from .container import Container
from .ports import free_port
from .probes import number_of
from .processes import MARK

ACCOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"


@dataclass(slots=True)
class Place:
    """Where a Pod lives on this machine."""

    folder: Path
    data_dir: Path
    api_url: str
    authority: Path
    token: Callable[[], str]
    services: Callable[[str], dict[str, str]]
    #: container port → port of 127.0.0.1
    ports: dict[int, int] = field(default_factory=dict)
    #: volume → folder
    volumes: dict[str, Path] = field(default_factory=dict)

    def port(self, container_port: int) -> int | None:
        """The local port of a container port."""
        return self.ports.get(container_port)

    def claim_ports(self, containers: list[Container]) -> None:
        """A local port for each port that a program may listen on."""
        for container in containers:
            if container.simulated:
                continue
            wanted = [int(one["containerPort"]) for one in container.spec.get("ports") or []]
            for name in ("livenessProbe", "readinessProbe", "startupProbe"):
                probe = container.spec.get(name) or {}
                asked = [dig(probe, kind, "port") or 0 for kind in ("httpGet", "tcpSocket", "grpc")]
                wanted += [number_of(container.spec, port) for port in asked]
            for port in filter(None, wanted):
                if port not in self.ports:
                    self.ports[port] = free_port()

    def account(self, namespace: str) -> Path:
        """A folder with what a Pod finds at the usual place; its kubeconfig is beside it."""
        place = self.folder / "serviceaccount"
        place.mkdir(parents=True, exist_ok=True)
        token = self.token()
        authority = self.authority.read_text(encoding="utf-8") if self.authority.exists() else ""
        for name, text in (
            ("token", token),
            ("namespace", namespace),
            ("ca.crt", authority),
            ("kubeconfig", kubeconfig(self.api_url, authority, token, namespace)),
        ):
            private(place / name, text)
        return place


def private(path: Path, text: str) -> None:
    """Writes a file that only its owner may read."""
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as target:
        target.write(text)


def kubeconfig(server: str, authority: str, token: str, namespace: str) -> str:
    """A kubeconfig for a Pod's ServiceAccount."""
    cluster = {"server": server}
    if server.startswith("https:") and authority:
        cluster["certificate-authority-data"] = base64.b64encode(authority.encode()).decode()
    config: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "sandbox", "cluster": cluster}],
        "users": [{"name": "sandbox", "user": {"token": token}}],
        "contexts": [{"name": "sandbox", "context": {"cluster": "sandbox", "user": "sandbox", "namespace": namespace}}],
        "current-context": "sandbox",
    }
    return yaml.safe_dump(config, sort_keys=False)


def environment_of(cluster: Client, pod: Object, container: Container, place: Place) -> dict[str, str]:
    """Everything the process gets; environment.ConfigError."""
    namespace, name = pod["metadata"]["namespace"], pod["metadata"]["name"]
    account = place.account(namespace)
    host, _, port = place.api_url.rpartition(":")
    found = {
        **environment.base_environment(),
        "HOME": str(place.folder / "containers" / container.name),
        "HOSTNAME": str(dig(pod, "spec", "hostname") or name),
        "KUBERNETES_SERVICE_HOST": host.rpartition("/")[2],
        "KUBERNETES_SERVICE_PORT": port,
    }
    if dig(pod, "spec", "enableServiceLinks") is not False:
        found |= place.services(namespace)
    found |= environment.variables_of(cluster, pod, container.spec, found)
    found |= {
        "KUBECONFIG": str(account / "kubeconfig"),
        "POD_NAME": name,
        "POD_NAMESPACE": namespace,
        MARK: pod["metadata"]["uid"],
        environment.mount_variable(ACCOUNT_PATH): str(account),
    }
    found |= {f"SANDBOX_PORT_{number}": str(local) for number, local in place.ports.items()}
    for mount in container.spec.get("volumeMounts") or []:
        folder = place.volumes.get(str(mount.get("name")))
        if folder is not None:
            sub = environment.expand(str(mount.get("subPathExpr") or mount.get("subPath") or ""), found)
            target = folder / sub if sub else folder
            if sub and not target.suffix:
                target.mkdir(parents=True, exist_ok=True)
            found[environment.mount_variable(str(mount["mountPath"]))] = str(target)
    return found


def log_folder(data_dir: Path, pod: Object) -> Path:
    """Where the logs of a Pod's containers are."""
    metadata = pod["metadata"]
    return data_dir / "logs" / f"{metadata['namespace']}_{metadata['name'][:100]}_{metadata['uid']}"
