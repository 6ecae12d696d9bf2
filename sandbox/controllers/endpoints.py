"""Endpoints and EndpointSlices: which Pods answer for a Service (kubernetes/pkg/controller/endpoint, endpointslice)."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from typing import Any

from ..cluster import Cluster
from ..context import Context
from ..errors import AlreadyExists, NotFound
from ..objects import Object, dig, now
from ..runtime.ports import target_port
from .owners import is_going, owner_reference, selector_text
from .pods import has_ended, is_ready
from .workqueue import Workqueue

SERVICES, ENDPOINTS, SLICES = "services", "endpoints", "endpointslices.discovery.k8s.io"
SERVICE_NAME = "kubernetes.io/service-name"
MANAGED_BY = "endpointslice.kubernetes.io/managed-by"
_CONTROLLER = "endpointslice-controller.k8s.io"


class EndpointsController:
    """One for a cluster."""

    def __init__(self, cluster: Cluster):
        self._cluster = cluster.as_manager("kube-controller-manager")
        self.selectors: dict[tuple[str, str], dict[str, str]] = {}
        self.queue = Workqueue("endpoints", self.reconcile)

    def reconcile(self, namespace: str, name: str) -> None:
        """One pass for one Service."""
        try:
            service = self._cluster.get(SERVICES, name, namespace)
        except NotFound:
            self._forget(namespace, name)
            return
        selector = dig(service, "spec", "selector")
        if not selector or is_going(service) or dig(service, "spec", "type") == "ExternalName":
            return
        text = selector_text({"matchLabels": selector})
        pods = [pod for pod in self._cluster.list("pods", namespace, labels=text) if self._counts(pod)]
        self._write_endpoints(service, pods)
        self._write_slice(service, pods)

    def _counts(self, pod: Object) -> bool:
        return bool(dig(pod, "status", "podIP")) and not has_ended(pod)

    def _forget(self, namespace: str, name: str) -> None:
        """Endpoints have no owner: they go with their Service by hand."""
        try:
            self._cluster.delete(ENDPOINTS, name, namespace)
        except NotFound:
            return

    def _write_endpoints(self, service: Object, pods: list[Object]) -> None:
        metadata = service["metadata"]
        labels = {**(metadata.get("labels") or {}), "endpoints.kubernetes.io/managed-by": "endpoint-controller"}
        if dig(service, "spec", "clusterIP") == "None":
            labels["service.kubernetes.io/headless"] = ""
        obj: Object = {
            "apiVersion": "v1",
            "kind": "Endpoints",
            "metadata": {"name": metadata["name"], "namespace": metadata["namespace"], "labels": labels},
        }
        subsets = self._subsets(service, pods)
        try:
            present = self._cluster.get(ENDPOINTS, metadata["name"], metadata["namespace"])
        except NotFound:
            note = {"endpoints.kubernetes.io/last-change-trigger-time": now()}
            obj["metadata"]["annotations"] = note
            self._cluster.create(ENDPOINTS, {**obj, "subsets": subsets} if subsets else obj)
            return
        if (present.get("subsets") or []) != subsets or (present["metadata"].get("labels") or {}) != labels:
            note = {"endpoints.kubernetes.io/last-change-trigger-time": now()}
            change: Object = {"metadata": {"labels": labels, "annotations": note}, "subsets": subsets or None}
            self._cluster.patch(ENDPOINTS, metadata["name"], change, metadata["namespace"])

    def _subsets(self, service: Object, pods: list[Object]) -> list[Object]:
        """Addresses that share the same ports stand together."""
        groups: dict[tuple[Any, ...], list[Object]] = defaultdict(list)
        for pod in pods:
            ports = tuple(
                (port.get("name", ""), number, port.get("protocol", "TCP"))
                for port in dig(service, "spec", "ports") or []
                if (number := target_port(port, pod)) is not None
            )
            if ports or not dig(service, "spec", "ports"):
                groups[ports].append(pod)
        everyone = bool(dig(service, "spec", "publishNotReadyAddresses"))
        subsets = []
        for ports, members in groups.items():
            subset: Object = {}
            for pod in sorted(members, key=lambda item: str(item["status"]["podIP"])):
                ready = everyone or (is_ready(pod) and not is_going(pod))
                if not ready and is_going(pod):
                    continue
                subset.setdefault("addresses" if ready else "notReadyAddresses", []).append(_address(service, pod))
            listed = [{"name": name, "port": number, "protocol": kind} for name, number, kind in sorted(ports)]
            if subset:
                listed = [{key: value for key, value in item.items() if value} for item in listed]
                subsets.append({**subset, "ports": listed} if listed else subset)
        return subsets

    def _write_slice(self, service: Object, pods: list[Object]) -> None:
        metadata = service["metadata"]
        selector = f"{SERVICE_NAME}={metadata['name']},{MANAGED_BY}={_CONTROLLER}"
        present = self._cluster.list(SLICES, metadata["namespace"], labels=selector)
        everyone = bool(dig(service, "spec", "publishNotReadyAddresses"))
        endpoints = [_endpoint(service, pod, everyone) for pod in pods]
        ports = self._slice_ports(service, pods)
        labels = {**(metadata.get("labels") or {}), SERVICE_NAME: metadata["name"], MANAGED_BY: _CONTROLLER}
        if dig(service, "spec", "clusterIP") == "None":
            labels["service.kubernetes.io/headless"] = ""
        if present:
            old = present[0]
            if (old.get("endpoints") or [], old.get("ports") or [], old["metadata"].get("labels")) != (
                endpoints,
                ports,
                labels,
            ):
                change = {"metadata": {"labels": labels}, "endpoints": endpoints, "ports": ports}
                self._cluster.patch(SLICES, old["metadata"]["name"], change, metadata["namespace"])
            return
        obj = {
            "apiVersion": "discovery.k8s.io/v1",
            "kind": "EndpointSlice",
            "metadata": {
                "generateName": f"{metadata['name']}-",
                "namespace": metadata["namespace"],
                "labels": labels,
                "ownerReferences": [owner_reference(service)],
            },
            "addressType": "IPv4",
            "endpoints": endpoints,
            "ports": ports,
        }
        self._cluster.create(SLICES, obj)

    def _slice_ports(self, service: Object, pods: list[Object]) -> list[Object]:
        ports = []
        for port in dig(service, "spec", "ports") or []:
            number = next((found for pod in pods if (found := target_port(port, pod)) is not None), None)
            if number is not None:
                ports.append({"name": port.get("name", ""), "port": number, "protocol": port.get("protocol", "TCP")})
        return ports

    def selecting(self, pod: Object) -> list[tuple[str, str]]:
        """The Services whose selector this Pod fits."""
        labels, namespace = (pod["metadata"].get("labels") or {}).items(), pod["metadata"]["namespace"]
        return [key for key, wanted in self.selectors.items() if key[0] == namespace and wanted.items() <= labels]


def _reference(pod: Object) -> Object:
    metadata = pod["metadata"]
    return {"kind": "Pod", "namespace": metadata["namespace"], "name": metadata["name"], "uid": metadata["uid"]}


def _hostname(service: Object, pod: Object) -> str:
    if dig(pod, "spec", "subdomain") == service["metadata"]["name"]:
        return str(dig(pod, "spec", "hostname") or "")
    return ""


def _address(service: Object, pod: Object) -> Object:
    address: Object = {
        "ip": pod["status"]["podIP"],
        "nodeName": dig(pod, "spec", "nodeName"),
        "targetRef": _reference(pod),
    }
    if name := _hostname(service, pod):
        address["hostname"] = name
    return address


def _endpoint(service: Object, pod: Object, everyone: bool) -> Object:
    serving, going = is_ready(pod), is_going(pod)
    endpoint: Object = {
        "addresses": [pod["status"]["podIP"]],
        "conditions": {"ready": everyone or (serving and not going), "serving": serving, "terminating": going},
        "nodeName": dig(pod, "spec", "nodeName"),
        "targetRef": _reference(pod),
    }
    if name := _hostname(service, pod):
        endpoint["hostname"] = name
    return endpoint


def publish_api_server(cluster: Cluster, context: Context) -> None:
    """The Service ``kubernetes`` points at this sandbox."""
    port = int(context.api_url.rpartition(":")[2])
    ports = [{"name": "https", "port": port, "protocol": "TCP"}]
    metadata = {
        "name": "kubernetes",
        "namespace": "default",
        "labels": {"endpointslice.kubernetes.io/skip-mirror": "true"},
    }
    subsets = [{"addresses": [{"ip": "127.0.0.1"}], "ports": ports}]
    cluster.apply(ENDPOINTS, {"apiVersion": "v1", "kind": "Endpoints", "metadata": metadata, "subsets": subsets})
    found = {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": "kubernetes", "namespace": "default", "labels": {SERVICE_NAME: "kubernetes"}},
        "addressType": "IPv4",
        "endpoints": [
            {"addresses": ["127.0.0.1"], "conditions": {"ready": True, "serving": True, "terminating": False}}
        ],
        "ports": ports,
    }
    cluster.apply(SLICES, found)


async def run(cluster: Cluster, context: Context) -> None:
    """Watches Services and Pods."""
    controller = EndpointsController(cluster)
    with contextlib.suppress(AlreadyExists):
        publish_api_server(cluster.as_manager("kube-apiserver"), context)
    try:
        async for event in cluster.watch(SERVICES, "pods"):
            metadata = event.object["metadata"]
            if event.resource == SERVICES:
                key = (metadata["namespace"], metadata["name"])
                selector = dig(event.object, "spec", "selector")
                if event.type == "DELETED" or not selector:
                    controller.selectors.pop(key, None)
                else:
                    controller.selectors[key] = selector
                if event.type == "DELETED" or selector:
                    controller.queue.add(*key)
            else:
                for key in controller.selecting(event.object):
                    controller.queue.add(*key)
    finally:
        controller.queue.close()
