"""The Deployments and the StatefulSet of an ArgoCD. Pure functions of the spec and the environment.

With STAND_IN_IMAGE (our own bundle sets it) the Pods run `standin.py`, which says what it is. Without it they have the
images of the real operator, whose containers the embedded cluster simulates: so its stand-in shows what a real cluster
would show.
"""

from __future__ import annotations

import hashlib
import json
import os

from .argocd import INSTANCE, NAME, PART_OF, ArgoCD, Object
from .objects import SIMULATED, owned
from .parts import ComponentSpec

IMAGE_VARIABLE = "STAND_IN_IMAGE"
MADE_FROM = "operator-console.dev/made-from"
#: Where the server finds its settings and its certificate.
SETTINGS, CERTIFICATE = "/app/config", "/app/tls"


def image() -> str:
    """What the components run; '' for the images of the real Argo CD."""
    return os.environ.get(IMAGE_VARIABLE, "")


def workload(argocd: ArgoCD, part: ComponentSpec) -> Object:
    """What runs a component."""
    name = part.workload(argocd)
    selector = {NAME: name}
    template = {
        "metadata": {
            "labels": {**selector, PART_OF: "argocd", INSTANCE: argocd.name},
            "annotations": dict(SIMULATED),
        },
        "spec": _pod(argocd, part),
    }
    spec: Object = {
        "replicas": part.replicas(argocd),
        "selector": {"matchLabels": selector},
        "template": template,
    }
    if part.kind == "StatefulSet":
        spec["serviceName"] = name
    found = owned(argocd, "apps/v1", part.kind, name, part.suffix, spec=spec)
    # Else a setting that was taken away from the spec would stay in the workload: nothing in it would say that it is
    # too much.
    found["metadata"]["annotations"][MADE_FROM] = hashlib.sha256(json.dumps(spec).encode()).hexdigest()[:12]
    return found


def made_from(obj: Object) -> str:
    """The mark of the spec that it was made from."""
    return str(obj["metadata"]["annotations"][MADE_FROM])


def _pod(argocd: ArgoCD, part: ComponentSpec) -> Object:
    container: Object = {
        "name": part.container,
        "ports": [{"containerPort": port, "protocol": "TCP"} for port in part.ports],
        "resources": part.settings(argocd).get("resources") or {},
        "readinessProbe": {**_probe(part), "periodSeconds": 2},
    }
    pod: Object = {"serviceAccountName": f"{argocd.name}-argocd-{part.suffix}", "containers": [container]}
    if not image():
        container |= {"image": part.image, "command": list(part.command)}
        return pod
    container |= {
        "image": image(),
        "args": [part.suffix],
        "env": _environment(argocd, part),
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "runAsNonRoot": True,
            "capabilities": {"drop": ["ALL"]},
        },
    }
    pod |= {"automountServiceAccountToken": False, "terminationGracePeriodSeconds": 5}
    if part.suffix == "server":
        container["volumeMounts"] = [
            {"name": "settings", "mountPath": SETTINGS, "readOnly": True},
            {"name": "certificate", "mountPath": CERTIFICATE, "readOnly": True},
        ]
        pod["volumes"] = [
            {"name": "settings", "configMap": {"name": "argocd-cm"}},
            {"name": "certificate", "secret": {"secretName": f"{argocd.name}-tls"}},
        ]
    return pod


def _probe(part: ComponentSpec) -> Object:
    return {"tcpSocket": {"port": part.probe}} if part.plain else {"httpGet": {"path": "/healthz", "port": part.probe}}


def _environment(argocd: ArgoCD, part: ComponentSpec) -> list[Object]:
    settings = part.settings(argocd)
    values = {
        "ARGOCD_INSTANCE": argocd.name,
        "ARGOCD_NAMESPACE": argocd.namespace,
        "ARGOCD_LOG_LEVEL": settings.get("logLevel"),
        "ARGOCD_INSECURE": "true" if settings.get("insecure") else None,
    }
    return [{"name": name, "value": value} for name, value in values.items() if value]
