"""EndpointSlices for Endpoints that somebody keeps by hand (kubernetes endpointslicemirroring)."""

from __future__ import annotations

from typing import Any

from ..cluster import Cluster
from ..context import Context
from ..errors import NotFound
from ..objects import Object, dig
from .endpoints import ENDPOINTS, MANAGED_BY, SERVICE_NAME, SERVICES, SLICES
from .owners import is_going, owner_reference
from .workqueue import Workqueue

_CONTROLLER = "endpointslicemirroring-controller.k8s.io"
_SKIP = "endpointslice.kubernetes.io/skip-mirror"


class Mirrors:
    """One for a cluster."""

    def __init__(self, cluster: Cluster):
        self._cluster = cluster.as_manager("kube-controller-manager")
        self.queue = Workqueue("mirroring", self.reconcile)

    def reconcile(self, namespace: str, name: str) -> None:
        """One pass for the Endpoints of one Service."""
        present = self._cluster.list(SLICES, namespace, labels=f"{SERVICE_NAME}={name},{MANAGED_BY}={_CONTROLLER}")
        endpoints = self._endpoints(namespace, name)
        subsets = (endpoints or {}).get("subsets") or []
        for left in present[len(subsets) :]:
            self._cluster.delete(SLICES, left["metadata"]["name"], namespace)
        for index, subset in enumerate(subsets):
            assert endpoints is not None
            wanted = _content(subset)
            if index >= len(present):
                self._cluster.create(SLICES, {**_new(endpoints), **wanted})
            elif any((present[index].get(key) or []) != value for key, value in wanted.items()):
                self._cluster.patch(SLICES, present[index]["metadata"]["name"], wanted, namespace)

    def _endpoints(self, namespace: str, name: str) -> Object | None:
        """Those to be mirrored; None where there are none."""
        try:
            service = self._cluster.get(SERVICES, name, namespace)
            endpoints = self._cluster.get(ENDPOINTS, name, namespace)
        except NotFound:
            return None
        labels = endpoints["metadata"].get("labels") or {}
        if dig(service, "spec", "selector") or is_going(endpoints) or labels.get(_SKIP) == "true":
            return None
        return endpoints


def _new(endpoints: Object) -> Object:
    metadata = endpoints["metadata"]
    labels = {**(metadata.get("labels") or {}), SERVICE_NAME: metadata["name"], MANAGED_BY: _CONTROLLER}
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "generateName": f"{metadata['name']}-",
            "namespace": metadata["namespace"],
            "labels": labels,
            "ownerReferences": [owner_reference(endpoints)],
        },
        "addressType": "IPv4",
    }


def _content(subset: Object) -> dict[str, Any]:
    points = []
    for kind, ready in (("addresses", True), ("notReadyAddresses", False)):
        for address in subset.get(kind) or []:
            point: Object = {"addresses": [address["ip"]], "conditions": {"ready": ready}}
            point |= {key: address[key] for key in ("hostname", "nodeName", "targetRef") if key in address}
            points.append(point)
    ports = [{"name": port.get("name", ""), **port} for port in subset.get("ports") or []]
    return {"endpoints": points, "ports": ports}


async def run(cluster: Cluster, context: Context) -> None:
    """Watches Endpoints and Services."""
    mirrors = Mirrors(cluster)
    try:
        async for event in cluster.watch(SERVICES, ENDPOINTS):
            metadata = event.object["metadata"]
            mirrors.queue.add(metadata["namespace"], metadata["name"])
    finally:
        mirrors.queue.close()
