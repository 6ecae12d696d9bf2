"""The objects of an ArgoCD but its workloads, with the names that the real operator gives them. Pure functions."""

from __future__ import annotations

from typing import Any

from .argocd import COMPONENT, INSTANCE, NAME, PART_OF, ArgoCD, Object
from .parts import ComponentSpec, Port, enabled

#: The console shows these objects as simulated: they are the real operator's, and no Argo CD is behind them.
SIMULATED = {"operator-console.dev/simulated": "true"}


def everything(argocd: ArgoCD) -> list[Object]:
    """All that can be made again from the spec, but the workloads: what they need first."""
    found = config_maps(argocd)
    for part in enabled(argocd):
        found.append(owned(argocd, "v1", "ServiceAccount", f"{argocd.name}-argocd-{part.suffix}", part.suffix))
        found += [_service(argocd, part, suffix, ports) for suffix, ports in part.services]
    return found


def owned(argocd: ArgoCD, api_version: str, kind: str, name: str, component: str = "", **rest: Any) -> Object:
    """An object that goes with the ArgoCD."""
    labels = {NAME: name, PART_OF: "argocd", INSTANCE: argocd.name}
    if component:
        labels[COMPONENT] = component
    meta = {
        "name": name,
        "namespace": argocd.namespace,
        "labels": labels,
        "annotations": dict(SIMULATED),
        "ownerReferences": [argocd.owner()],
    }
    return {"apiVersion": api_version, "kind": kind, "metadata": meta, **rest}


def config_maps(argocd: ArgoCD) -> list[Object]:
    """What the components read; argocd-cm first, of which a namespace has one."""
    rbac = argocd.setting("rbac")
    policy = {
        "policy.csv": rbac.get("policy") or "",
        "policy.default": rbac.get("defaultPolicy") or "",
        "policy.matchMode": rbac.get("policyMatcherMode") or "glob",
        "scopes": rbac.get("scopes") or "[groups]",
    }
    contents: dict[str, Object] = {
        "argocd-cm": _settings(argocd),
        "argocd-rbac-cm": policy,
        "argocd-tls-certs-cm": {},
        "argocd-gpg-keys-cm": {},
    }
    return [owned(argocd, "v1", "ConfigMap", name, data=data) for name, data in contents.items()]


def _settings(argocd: ArgoCD) -> Object:
    """Argo CD's own names of its settings; what stands in extraConfig comes last, and so it wins.

    Settings that the spec doesn't have get the value None: a merge patch removes them.
    """
    spec, banner = argocd.spec, argocd.setting("banner")
    return {
        "admin.enabled": _text(not spec.get("disableAdmin", False)),
        "application.instanceLabelKey": spec.get("applicationInstanceLabelKey") or "app.kubernetes.io/instance",
        "statusbadge.enabled": _text(spec.get("statusBadgeEnabled", False)),
        "users.anonymous.enabled": _text(spec.get("usersAnonymousEnabled", False)),
        "dex.config": argocd.dex.get("config") if argocd.provider == "dex" else None,
        "help.chatUrl": spec.get("helpChatURL"),
        "help.chatText": spec.get("helpChatText"),
        "ui.bannercontent": banner.get("content"),
        "ui.bannerurl": banner.get("url"),
        **{key: str(value) for key, value in argocd.setting("extraConfig").items()},
    }


def _text(value: Any) -> str:
    return "true" if value else "false"


def _service(argocd: ArgoCD, part: ComponentSpec, suffix: str, ports: tuple[Port, ...]) -> Object:
    kind = (part.settings(argocd).get("service") or {}).get("type") or "ClusterIP"
    spec = {
        "selector": {NAME: part.workload(argocd)},
        "ports": [{"name": name, "port": port, "targetPort": to, "protocol": "TCP"} for name, port, to in ports],
        "type": kind if suffix == "server" else "ClusterIP",
    }
    return owned(argocd, "v1", "Service", f"{argocd.name}-{suffix}", suffix, spec=spec)
