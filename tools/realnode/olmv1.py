"""OLM v1 in a node, from its own manifests and from images: catalogd, the operator controller, and the ClusterCatalog
of manifests/olmv1.

Its manifests order their certificates from cert-manager, whose programs the Go module proxy doesn't have. The node's
authority issues them instead: by the same names, into the same Secrets.
"""

from __future__ import annotations

import base64
import time
from pathlib import Path
from typing import Any

import yaml

from tools.realcluster.certificates import Authority
from tools.realcluster.process import PartFailed

from .images import CATALOG
from .keeper import ADDRESS
from .node import RealNode

NAMESPACE = "olmv1-system"
_CATALOG = Path(__file__).resolve().parent / "manifests" / "olmv1" / "catalog.yaml"
_OVERLAY = "manifests/config/overlays/cert-manager"
_INJECTED = "cert-manager.io/inject-ca-from-secret"
_READY_SECONDS = 600
#: The rest follows them.
_FIRST = ("Namespace", "CustomResourceDefinition", "Secret", "ConfigMap")


def apply(node: RealNode) -> float:
    """Seconds until catalogd, whose images have been pushed, serves the catalog; PartFailed."""
    started = time.monotonic()
    upstream = node.kubectl("kustomize", str(node.programs.folders["olmv1"] / _OVERLAY))
    registry = f"{ADDRESS}:{node.layout.ports['registry']}"
    path = node.layout.data / "olmv1.yaml"
    # It holds keys.
    path.touch(mode=0o600)
    path.write_text(adapted(upstream, node.layout.authority, registry), encoding="utf-8")
    node.kubectl("apply", "--server-side", "-f", str(path))
    limit = f"--timeout={_READY_SECONDS}s"
    for name in ("catalogd", "operator-controller"):
        deployment = f"deployment/{name}-controller-manager"
        node.kubectl("-n", NAMESPACE, "rollout", "status", deployment, limit, seconds=_READY_SECONDS + 30)
    node.until("the ClusterCatalog", lambda: _applied(node), _READY_SECONDS)
    node.kubectl("wait", "--for=condition=Serving", "-f", str(_CATALOG), limit, seconds=_READY_SECONDS + 30)
    return time.monotonic() - started


def _applied(node: RealNode) -> bool:
    """Whether the webhook of catalogd has let the catalog in: kube-proxy may learn its address a moment later."""
    try:
        node.kubectl("apply", "--server-side", "-f", str(_CATALOG))
    except PartFailed:
        return False
    return True


def adapted(manifests: str, authority: Authority, registry: str) -> str:
    """OLM v1's manifests with the certificates that cert-manager would have issued, and with the node's registry in
    place of the one that the catalog's images name.
    """
    objects: list[dict[str, Any]] = []
    for item in yaml.safe_load_all(manifests):
        if item["apiVersion"].startswith("cert-manager.io/"):
            if item["spec"].get("dnsNames"):
                objects.append(_secret(item, authority))
            continue
        if _INJECTED in item["metadata"].get("annotations", {}):
            for webhook in item["webhooks"]:
                webhook["clientConfig"]["caBundle"] = _encoded(authority.certificate)
        if item["kind"] == "Deployment":
            _mount_registries(item["spec"]["template"]["spec"])
        objects.append(item)
    objects.append(_registries(registry))
    objects.sort(key=lambda item: _FIRST.index(item["kind"]) if item["kind"] in _FIRST else len(_FIRST))
    return yaml.safe_dump_all(objects)


def _secret(certificate: dict[str, Any], authority: Authority) -> dict[str, Any]:
    """What cert-manager makes of a Certificate."""
    spec, namespace = certificate["spec"], certificate["metadata"]["namespace"]
    issued = authority.issue(spec["secretName"], spec["secretName"], hosts=tuple(spec["dnsNames"]))
    parts = zip(("ca.crt", "tls.crt", "tls.key"), (authority.certificate, *issued), strict=True)
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "kubernetes.io/tls",
        "metadata": {"name": spec["secretName"], "namespace": namespace},
        "data": {key: _encoded(path) for key, path in parts},
    }


def _encoded(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()


def _registries(registry: str) -> dict[str, Any]:
    """Where the programs of OLM v1, which pull catalogs and bundles themselves, find the images."""
    prefix = CATALOG.partition("/")[0]
    text = f'[[registry]]\nprefix = "{prefix}"\nlocation = "{registry}"\ninsecure = true\n'
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "registries", "namespace": NAMESPACE},
        "data": {"registries.conf": text},
    }


def _mount_registries(pod: dict[str, Any]) -> None:
    """As config/components/registries-conf of OLM v1 does for its own tests."""
    pod["volumes"].append({"name": "registries", "configMap": {"name": "registries"}})
    pod["containers"][0]["volumeMounts"].append({"name": "registries", "mountPath": "/etc/containers"})
