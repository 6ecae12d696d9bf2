"""CatalogSources that users create: the registry that OLM starts for them, and their status.

The Pod is simulated, as any whose image the embedded cluster does not know, so nothing answers there: the state is that
of an unreachable registry, and an Event says why. Source: operator-lifecycle-manager,
pkg/controller/registry/reconciler/{grpc,configmap,reconciler}.go.
"""

from __future__ import annotations

from typing import Any

from ..cluster import Cluster
from ..errors import AlreadyExists, NotFound
from .digests import base62, fnv
from .events import record
from .names import CATALOG_SOURCES, now

Object = dict[str, Any]

PORT = 50051
#: What OLM runs for a ConfigMap.
CONFIGMAP_SERVER = "quay.io/operator-framework/configmap-operator-registry:latest"


def reconcile_source(cluster: Cluster, source: Object) -> None:
    """Starts the registry and writes the status; a registry that fits its CatalogSource stays."""
    meta, spec = source["metadata"], source.get("spec") or {}
    status = _refused(cluster, meta["namespace"], spec) or _reached(cluster, source)
    if source.get("status") and _comparable(source["status"]) == _comparable(status):
        return
    try:
        cluster.patch(CATALOG_SOURCES, meta["name"], {"status": status}, meta["namespace"], "status")
    except NotFound:
        return
    if status.get("registryService"):
        what = spec.get("image") or spec.get("address") or f"ConfigMap {spec.get('configMap')}"
        message = (
            f"the embedded cluster pulls no images and reaches no registry, so nothing is read of {what}; start the"
            " console with CATALOG=<folder of bundles> instead"
        )
        record(cluster, source, "RegistryUnreachable", message, warning=True)


def _comparable(status: Object) -> tuple[object, ...]:
    """The fields that make a status differ from another one."""
    return status.get("reason"), status.get("message"), (status.get("connectionState") or {}).get("address")


def _refused(cluster: Cluster, namespace: str, spec: Object) -> Object | None:
    """The status for an invalid spec or a missing ConfigMap; None for a valid CatalogSource."""
    kind = spec.get("sourceType")
    message, reason = "", "SpecInvalidError"
    if kind == "grpc":
        if not spec.get("image") and not spec.get("address"):
            message = "image and address unset: at least one must be set for sourcetype: grpc"
    elif kind in ("internal", "configmap"):
        name = spec.get("configMap")
        if not name:
            message = f"configmap name unset: must be set for sourcetype: {kind}"
        elif not _has_config_map(cluster, name, namespace):
            reason = "ConfigMapError"
            message = f'failed to get catalog config map {name}: configmaps "{name}" not found'
    else:
        message = f"unknown sourcetype: {kind}"
    return {"reason": reason, "message": message, "connectionState": None, "registryService": None} if message else None


def _has_config_map(cluster: Cluster, name: str, namespace: str) -> bool:
    try:
        cluster.get("configmaps", name, namespace)
    except NotFound:
        return False
    return True


def _reached(cluster: Cluster, source: Object) -> Object:
    """The status after trying to connect; for an image, its Pod and Service are there then."""
    meta, spec = source["metadata"], source["spec"]
    service: Object = {"createdAt": now(), "protocol": "grpc"}
    address = spec.get("address", "")
    if spec.get("image") or spec.get("configMap"):
        address = f"{meta['name']}.{meta['namespace']}.svc:{PORT}"
        service |= {"port": str(PORT), "serviceName": meta["name"], "serviceNamespace": meta["namespace"]}
        _start(cluster, source, spec.get("image") or CONFIGMAP_SERVER)
    state = {"address": address, "lastConnect": now(), "lastObservedState": "TRANSIENT_FAILURE"}
    return {"connectionState": state, "registryService": service, "reason": None, "message": None}


def _start(cluster: Cluster, source: Object, image: str) -> None:
    """Creates ServiceAccount, Service and Pod; deletes a Pod of another image first."""
    name, namespace = source["metadata"]["name"], source["metadata"]["namespace"]
    labels = {"olm.catalogSource": name, "olm.managed": "true"}
    pods = cluster.list("pods", namespace, labels=f"olm.catalogSource={name}")
    current = [pod for pod in pods if pod["spec"]["containers"][0]["image"] == image]
    for pod in pods:
        if pod not in current:
            cluster.delete("pods", pod["metadata"]["name"], namespace)
    meta = {"name": name, "namespace": namespace, "labels": {"olm.managed": "true"}}
    port = {"name": "grpc", "port": PORT, "targetPort": PORT}
    for plural, controller, body in (
        ("serviceaccounts", True, {"kind": "ServiceAccount"}),
        ("services", False, {"kind": "Service", "spec": {"ports": [port], "selector": labels}}),
    ):
        owned = {**meta, "ownerReferences": [_owner(source, controller=controller)]}
        try:
            cluster.create(plural, {"apiVersion": "v1", "metadata": owned, **body}, namespace)
        except AlreadyExists:
            continue
    if not current:
        cluster.create("pods", _pod(source, image, labels), namespace)


def _pod(source: Object, image: str, labels: Object) -> Object:
    meta = source["metadata"]
    container = {
        "name": "registry-server",
        "image": image,
        "imagePullPolicy": "Always",
        "ports": [{"name": "grpc", "containerPort": PORT}],
        "resources": {"requests": {"cpu": "10m", "memory": "50Mi"}},
        "securityContext": {"readOnlyRootFilesystem": False},
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }
    spec = {
        "serviceAccountName": meta["name"],
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "containers": [container],
    }
    head = {
        "generateName": f"{meta['name']}-",
        "namespace": meta["namespace"],
        "annotations": {"cluster-autoscaler.kubernetes.io/safe-to-evict": "true"},
        "labels": {**labels, "olm.pod-spec-hash": base62(f"{fnv(image):x}".encode())},
        "ownerReferences": [_owner(source, controller=True)],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": head, "spec": spec}


def _owner(source: Object, *, controller: bool) -> Object:
    return {
        "apiVersion": source["apiVersion"],
        "kind": source["kind"],
        "name": source["metadata"]["name"],
        "uid": source["metadata"]["uid"],
        "controller": controller,
        "blockOwnerDeletion": False,
    }
