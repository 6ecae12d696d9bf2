"""A Pod's folders, local ports and credentials on this machine, and the environment variables with them."""

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
from .confinement import UNCONFINED, Confinement, Shelter, open_folder
from .container import Container
from .ports import ReservedPort
from .probes import number_of
from .processes import MARK

#: Volumes that a Pod can only read.
_SHOWN = ("configMap", "secret", "projected", "downwardAPI")
ACCOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"


@dataclass(slots=True, kw_only=True)
class PodPlace:
    """Where a Pod lives on this machine."""

    folder: Path
    data_dir: Path
    api_url: str
    authority: Path
    token: Callable[[], str]
    services: Callable[[str], dict[str, str]]
    namespace: str
    confinement: Confinement = UNCONFINED
    #: container port → port of 127.0.0.1
    ports: dict[int, ReservedPort] = field(default_factory=dict)
    #: volume → folder
    volumes: dict[str, Path] = field(default_factory=dict)

    def port(self, container_port: int) -> int | None:
        """The local port of a container port."""
        reserved = self.ports.get(container_port)
        return reserved.number if reserved else None

    def claim_ports(self, containers: list[Container]) -> None:
        """A local port for each port that a program may listen on."""
        for container in containers:
            if container.program is None:
                continue
            wanted = [*container.program.ports]
            wanted += [int(item["containerPort"]) for item in container.spec.get("ports") or []]
            for name in ("livenessProbe", "readinessProbe", "startupProbe"):
                probe = container.spec.get(name) or {}
                asked = [dig(probe, kind, "port") or 0 for kind in ("httpGet", "tcpSocket", "grpc")]
                wanted += [number_of(container.spec, port) for port in asked]
            for port in filter(None, wanted):
                if port not in self.ports:
                    self.ports[port] = ReservedPort()

    def release_ports(self) -> None:
        """Once the Pod's programs have ended."""
        for reserved in self.ports.values():
            reserved.close()

    def home(self, container: Container) -> Path:
        """The working directory of a container's processes; created if needed."""
        home = self.folder / "containers" / container.name
        for folder in (self.folder, home.parent):
            open_folder(folder)
        home.mkdir(mode=0o700, exist_ok=True)
        self.confinement.own(home, self.namespace)
        return home

    def shelter(self, container: Container, pod: Object, *, terminal: bool = False) -> Shelter:
        """What a process of this container has of this machine."""
        kinds = {str(volume["name"]): volume for volume in dig(pod, "spec", "volumes") or []}
        readable: list[Path] = [self.folder / "serviceaccount"]
        writable: list[Path] = []
        for mount in container.spec.get("volumeMounts") or []:
            name = str(mount.get("name"))
            if name in self.volumes:
                shown = mount.get("readOnly") or any(kind in kinds.get(name, {}) for kind in _SHOWN)
                (readable if shown else writable).append(self.volumes[name])
        return Shelter(
            folder=self.home(container),
            writable=tuple(writable),
            readable=tuple(readable),
            namespace=self.namespace,
            terminal=terminal,
        )

    def account(self, namespace: str) -> Path:
        """A folder with what a Pod finds at the usual place; its kubeconfig is beside it."""
        place = self.folder / "serviceaccount"
        open_folder(place)
        authority = self.authority.read_text(encoding="utf-8") if self.authority.exists() else ""
        for name, text in (
            ("token", self.token()),
            ("namespace", namespace),
            ("ca.crt", authority),
            ("kubeconfig", kubeconfig(self.api_url, authority, namespace)),
        ):
            private(place / name, text, self.confinement.uid(namespace))
        return place


def private(path: Path, text: str, uid: int | None = None) -> None:
    """Replaces a file by one that only its owner can read: ``uid``, or this process' user."""
    draft = path.with_name(f".{path.name}.part")
    draft.unlink(missing_ok=True)
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as target:
        target.write(text)
        if uid is not None:
            os.fchown(target.fileno(), uid, uid)
    draft.replace(path)


def kubeconfig(server: str, authority: str, namespace: str) -> str:
    """A kubeconfig for a Pod's ServiceAccount.

    The token is the file beside it, which is replaced while the Pod runs.
    """
    cluster = {"server": server}
    if server.startswith("https:") and authority:
        cluster["certificate-authority-data"] = base64.b64encode(authority.encode()).decode()
    config: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "sandbox", "cluster": cluster}],
        "users": [{"name": "sandbox", "user": {"tokenFile": "token"}}],
        "contexts": [{"name": "sandbox", "context": {"cluster": "sandbox", "user": "sandbox", "namespace": namespace}}],
        "current-context": "sandbox",
    }
    return yaml.safe_dump(config, sort_keys=False)


def environment_of(cluster: Client, pod: Object, container: Container, place: PodPlace) -> dict[str, str]:
    """Everything the process gets; environment.ConfigError."""
    namespace, name = pod["metadata"]["namespace"], pod["metadata"]["name"]
    account = place.account(namespace)
    host, _, port = place.api_url.rpartition(":")
    found = {
        **environment.base_environment(),
        "HOME": str(place.home(container)),
        "HOSTNAME": str(dig(pod, "spec", "hostname") or name),
        "KUBERNETES_SERVICE_HOST": host.rpartition("/")[2],
        "KUBERNETES_SERVICE_PORT": port,
    }
    if dig(pod, "spec", "enableServiceLinks") is not False:
        found |= place.services(namespace)
    own = environment.variables_of(cluster, pod, container.spec, found)
    container.refused_variables = tuple(sorted(name for name in own if environment.is_loader_variable(name)))
    found |= {name: value for name, value in own.items() if name not in container.refused_variables}
    found |= {
        "KUBECONFIG": str(account / "kubeconfig"),
        "POD_NAME": name,
        "POD_NAMESPACE": namespace,
        MARK: pod["metadata"]["uid"],
        environment.mount_variable(ACCOUNT_PATH): str(account),
    }
    found |= {f"SANDBOX_PORT_{port}": str(reserved.number) for port, reserved in place.ports.items()}
    for mount in container.spec.get("volumeMounts") or []:
        folder = place.volumes.get(str(mount.get("name")))
        if folder is not None:
            sub = environment.expand(str(mount.get("subPathExpr") or mount.get("subPath") or ""), found)
            target = folder / sub if sub else folder
            if sub and not target.resolve().is_relative_to(folder.resolve()):
                raise environment.ConfigError(
                    f'failed to prepare subPath for volumeMount "{mount["name"]}" of container "{container.name}"'
                )
            if sub and not target.suffix:
                target.mkdir(parents=True, exist_ok=True)
                for made in (target, *target.parents):
                    if made != folder and made.is_relative_to(folder):
                        place.confinement.own(made, namespace)
            found[environment.mount_variable(str(mount["mountPath"]))] = str(target)
    return found


def log_folder(data_dir: Path, pod: Object) -> Path:
    """The folder of a Pod's container logs."""
    metadata = pod["metadata"]
    return data_dir / "logs" / f"{metadata['namespace']}_{metadata['name'][:100]}_{metadata['uid']}"
