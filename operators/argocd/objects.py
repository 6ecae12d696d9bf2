"""The objects that the Argo CD operator makes for an ``ArgoCD``. Names, ports and labels are the real operator's. Pure functions."""

from __future__ import annotations

import base64
import secrets
from dataclasses import dataclass
from typing import Any

Object = dict[str, Any]

SIMULATED = {"operator-console.dev/simulated": "true"}
IMAGE, REDIS_IMAGE, DEX_IMAGE = (
    "quay.io/argoproj/argocd:v3.1.9",
    "docker.io/library/redis:8.2.1-alpine",
    "ghcr.io/dexidp/dex:v2.43.0",
)


@dataclass(frozen=True, slots=True)
class Part:
    """One component: its name after the instance's, its status field, container, and Service ports (name, port, target)."""

    suffix: str
    field: str
    kind: str
    image: str
    command: tuple[str, ...]
    ports: tuple[tuple[str, int, int], ...]
    service: bool = True


PARTS = (
    Part("application-controller", "applicationController", "StatefulSet", IMAGE, ("argocd-application-controller",),
         (("metrics", 8082, 8082),), service=False),
    Part("redis", "redis", "Deployment", REDIS_IMAGE, ("redis-server",), (("tcp-redis", 6379, 6379),)),
    Part("repo-server", "repo", "Deployment", IMAGE, ("argocd-repo-server",),
         (("server", 8081, 8081), ("metrics", 8084, 8084))),
    Part("server", "server", "Deployment", IMAGE, ("argocd-server",), (("http", 80, 8080), ("https", 443, 8080))),
    Part("dex-server", "sso", "Deployment", DEX_IMAGE, ("dex", "serve"),
         (("http", 5556, 5556), ("grpc", 5557, 5557), ("metrics", 5558, 5558))),
)  # fmt: skip
#: Services that only show metrics: suffix, component that they select, port.
METRICS = (("metrics", "application-controller", 8082), ("server-metrics", "server", 8083))


def parts(argocd: Object) -> list[Part]:
    """The components of an instance: those that its spec does not switch off."""
    spec = argocd.get("spec") or {}
    fields = {"application-controller": "controller", "redis": "redis", "repo-server": "repo", "server": "server"}
    found = []
    for part in PARTS:
        if part.suffix == "dex-server":
            enabled = (spec.get("sso") or {}).get("provider", "dex") == "dex"
        else:
            enabled = (spec.get(fields[part.suffix]) or {}).get("enabled", True)
        if enabled:
            found.append(part)
    return found


def everything(argocd: Object) -> list[Object]:
    """All objects of an instance but its Secret, in the order in which they are made."""
    found = [*_config_maps(argocd), *(_account(argocd, part) for part in parts(argocd))]
    for part in parts(argocd):
        found.append(_workload(argocd, part))
        if part.service:
            found.append(_service(argocd, part.suffix, part.suffix, part.ports))
    running = {part.suffix for part in parts(argocd)}
    metrics = [entry for entry in METRICS if entry[1] in running]
    return found + [_service(argocd, suffix, of, (("metrics", port, port),)) for suffix, of, port in metrics]


def cluster_secret(argocd: Object) -> Object:
    """The Secret with the administrator's password, made once."""
    password = base64.b64encode(secrets.token_urlsafe(18).encode()).decode()
    return _owned(argocd, "v1", "Secret", f"{_name(argocd)}-cluster", type="Opaque", data={"admin.password": password})


def part_names(argocd: Object) -> list[tuple[Part, str]]:
    """Each component with the name of its workload."""
    return [(part, f"{_name(argocd)}-{part.suffix}") for part in parts(argocd)]


def _name(argocd: Object) -> str:
    return str(argocd["metadata"]["name"])


def _owned(argocd: Object, api_version: str, kind: str, name: str, component: str = "", **rest: Any) -> Object:
    owner = {
        "apiVersion": argocd["apiVersion"],
        "kind": "ArgoCD",
        "name": _name(argocd),
        "uid": argocd["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    labels = {
        "app.kubernetes.io/name": name,
        "app.kubernetes.io/part-of": "argocd",
        "app.kubernetes.io/managed-by": _name(argocd),
    }
    if component:
        labels["app.kubernetes.io/component"] = component
    meta = {
        "name": name,
        "namespace": argocd["metadata"]["namespace"],
        "labels": labels,
        "annotations": dict(SIMULATED),
        "ownerReferences": [owner],
    }
    return {"apiVersion": api_version, "kind": kind, "metadata": meta, **rest}


def _config_maps(argocd: Object) -> list[Object]:
    spec = argocd.get("spec") or {}
    rbac = spec.get("rbac") or {}
    settings = {
        "admin.enabled": _text(not spec.get("disableAdmin", False)),
        "application.instanceLabelKey": spec.get("applicationInstanceLabelKey") or "app.kubernetes.io/instance",
        "statusbadge.enabled": _text(spec.get("statusBadgeEnabled", False)),
        "users.anonymous.enabled": _text(spec.get("usersAnonymousEnabled", False)),
        **{key: str(value) for key, value in (spec.get("extraConfig") or {}).items()},
    }
    policy = {
        "policy.csv": rbac.get("policy") or "",
        "policy.default": rbac.get("defaultPolicy") or "",
        "scopes": rbac.get("scopes") or "[groups]",
    }
    contents = {"argocd-cm": settings, "argocd-rbac-cm": policy, "argocd-tls-certs-cm": {}, "argocd-gpg-keys-cm": {}}
    return [_owned(argocd, "v1", "ConfigMap", name, data=data) for name, data in contents.items()]


def _text(value: Any) -> str:
    return "true" if value else "false"


def _account(argocd: Object, part: Part) -> Object:
    return _owned(argocd, "v1", "ServiceAccount", f"{_name(argocd)}-argocd-{part.suffix}", part.suffix)


def _service(argocd: Object, suffix: str, component: str, ports: tuple[tuple[str, int, int], ...]) -> Object:
    spec = {
        "selector": {"app.kubernetes.io/name": f"{_name(argocd)}-{component}"},
        "ports": [
            {"name": name, "port": port, "targetPort": target, "protocol": "TCP"} for name, port, target in ports
        ],
        "type": "ClusterIP",
    }
    return _owned(argocd, "v1", "Service", f"{_name(argocd)}-{suffix}", suffix, spec=spec)


def _workload(argocd: Object, part: Part) -> Object:
    name = f"{_name(argocd)}-{part.suffix}"
    selector = {"app.kubernetes.io/name": name}
    container = {
        "name": "argocd-" + part.suffix if part.image == IMAGE else part.suffix.removesuffix("-server"),
        "image": part.image,
        "command": list(part.command),
        "ports": [{"containerPort": target} for target in sorted({target for _, _, target in part.ports})],
    }
    template = {
        "metadata": {"labels": {**selector, "app.kubernetes.io/part-of": "argocd"}, "annotations": dict(SIMULATED)},
        "spec": {"serviceAccountName": f"{_name(argocd)}-argocd-{part.suffix}", "containers": [container]},
    }
    spec: Object = {"replicas": replicas(argocd, part), "selector": {"matchLabels": selector}, "template": template}
    if part.kind == "StatefulSet":
        spec["serviceName"] = name
    return _owned(argocd, "apps/v1", part.kind, name, part.suffix, spec=spec)


def replicas(argocd: Object, part: Part) -> int:
    """How many Pods the spec asks for."""
    spec = argocd.get("spec") or {}
    settings = {"server": spec.get("server"), "repo-server": spec.get("repo")}.get(part.suffix) or {}
    return int(settings.get("replicas") or 1)
