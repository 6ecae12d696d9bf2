"""The components of an Argo CD. Names, ports, status fields and images are the real operator's."""

from __future__ import annotations

from dataclasses import dataclass

from .argocd import ArgoCD, Object

_ARGOCD = "quay.io/argoproj/argocd:v3.1.9"
_REDIS = "docker.io/library/redis:8.2.1-alpine"
_DEX = "ghcr.io/dexidp/dex:v2.43.0"

#: Port of a Service: name, number, the container's port.
Port = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Part:
    """One component: its name after the instance's, its section of the spec and field of the status, what runs, and
    its Services by their suffix.

    `probe` is the port that says whether it is well: over HTTP at /healthz, or (`plain`) by taking a connection.
    """

    suffix: str
    setting: str
    field: str
    kind: str
    container: str
    image: str
    command: tuple[str, ...]
    services: tuple[tuple[str, tuple[Port, ...]], ...]
    probe: int
    plain: bool = False

    @property
    def ports(self) -> list[int]:
        """Those of the container."""
        return sorted({target for _, ports in self.services for _, _, target in ports})

    def enabled(self, argocd: ArgoCD) -> bool:
        """Whether the spec asks for it."""
        if self.suffix == "dex-server":
            return argocd.provider == "dex"
        return bool(argocd.setting(self.setting).get("enabled", True))

    def settings(self, argocd: ArgoCD) -> Object:
        """Its section of the spec."""
        return argocd.dex if self.suffix == "dex-server" else argocd.setting(self.setting)

    def replicas(self, argocd: ArgoCD) -> int:
        """How many Pods it is to have; only server and repo-server can have more than one."""
        return int(self.settings(argocd).get("replicas") or 1) if self.setting in ("server", "repo") else 1

    def workload(self, argocd: ArgoCD) -> str:
        """The name of its Deployment or StatefulSet."""
        return f"{argocd.name}-{self.suffix}"


PARTS = (
    Part(
        "application-controller",
        "controller",
        "applicationController",
        "StatefulSet",
        "argocd-application-controller",
        _ARGOCD,
        ("argocd-application-controller",),
        (("metrics", (("metrics", 8082, 8082),)),),
        8082,
    ),
    Part(
        "redis",
        "redis",
        "redis",
        "Deployment",
        "redis",
        _REDIS,
        ("redis-server",),
        (("redis", (("tcp-redis", 6379, 6379),)),),
        6379,
        plain=True,
    ),
    Part(
        "repo-server",
        "repo",
        "repo",
        "Deployment",
        "argocd-repo-server",
        _ARGOCD,
        ("argocd-repo-server",),
        (("repo-server", (("server", 8081, 8081), ("metrics", 8084, 8084))),),
        8084,
    ),
    Part(
        "server",
        "server",
        "server",
        "Deployment",
        "argocd-server",
        _ARGOCD,
        ("argocd-server",),
        (("server", (("http", 80, 8080), ("https", 443, 8080))), ("server-metrics", (("metrics", 8083, 8083),))),
        8080,
    ),
    Part(
        "dex-server",
        "sso",
        "sso",
        "Deployment",
        "dex",
        _DEX,
        ("dex", "serve"),
        (("dex-server", (("http", 5556, 5556), ("grpc", 5557, 5557), ("metrics", 5558, 5558))),),
        5558,
    ),
)


def enabled(argocd: ArgoCD) -> list[Part]:
    """The components that the spec asks for."""
    return [part for part in PARTS if part.enabled(argocd)]
