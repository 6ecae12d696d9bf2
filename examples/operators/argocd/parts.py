"""The components of an Argo CD. Names, ports, status fields and images are the real operator's."""

from __future__ import annotations

from dataclasses import dataclass

from .argocd import ArgoCD, Object

_ARGOCD = "quay.io/argoproj/argocd:v3.1.9"
_REDIS = "docker.io/library/redis:8.2.1-alpine"
_DEX = "ghcr.io/dexidp/dex:v2.43.0"

#: Port of a Service: name, number, the container's port.
Port = tuple[str, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComponentSpec:
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
    ComponentSpec(
        suffix="application-controller",
        setting="controller",
        field="applicationController",
        kind="StatefulSet",
        container="argocd-application-controller",
        image=_ARGOCD,
        command=("argocd-application-controller",),
        services=(("metrics", (("metrics", 8082, 8082),)),),
        probe=8082,
    ),
    ComponentSpec(
        suffix="redis",
        setting="redis",
        field="redis",
        kind="Deployment",
        container="redis",
        image=_REDIS,
        command=("redis-server",),
        services=(("redis", (("tcp-redis", 6379, 6379),)),),
        probe=6379,
        plain=True,
    ),
    ComponentSpec(
        suffix="repo-server",
        setting="repo",
        field="repo",
        kind="Deployment",
        container="argocd-repo-server",
        image=_ARGOCD,
        command=("argocd-repo-server",),
        services=(("repo-server", (("server", 8081, 8081), ("metrics", 8084, 8084))),),
        probe=8084,
    ),
    ComponentSpec(
        suffix="server",
        setting="server",
        field="server",
        kind="Deployment",
        container="argocd-server",
        image=_ARGOCD,
        command=("argocd-server",),
        services=(
            ("server", (("http", 80, 8080), ("https", 443, 8080))),
            ("server-metrics", (("metrics", 8083, 8083),)),
        ),
        probe=8080,
    ),
    ComponentSpec(
        suffix="dex-server",
        setting="sso",
        field="sso",
        kind="Deployment",
        container="dex",
        image=_DEX,
        command=("dex", "serve"),
        services=(("dex-server", (("http", 5556, 5556), ("grpc", 5557, 5557), ("metrics", 5558, 5558))),),
        probe=5558,
    ),
)


def enabled(argocd: ArgoCD) -> list[ComponentSpec]:
    """The components that the spec asks for."""
    return [part for part in PARTS if part.enabled(argocd)]
