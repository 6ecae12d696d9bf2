"""metrics.k8s.io/v1beta1: what the node and its Pods use now, as metrics-server says it (pkg/api there).

Measured are the processes of this sandbox: those of Pods, and on the node the sandbox itself too. Simulated containers
use nothing. As from metrics-server there is only get and list.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

from .errors import MethodNotAllowed, NotFound
from .http import Request, Response
from .labels import label_selector
from .objects import Object
from .runtime.node import Node
from .runtime.pod import PodRunner
from .runtime.usage import PROC, Sampler, Usage

GROUP, VERSION = "metrics.k8s.io", "v1beta1"
#: metrics-server's own --metric-resolution.
SAMPLE_SECONDS = 15.0
_NOTHING = Usage(0.0, 0)


def _resource(name: str, kind: str, namespaced: bool) -> Object:
    return {"name": name, "singularName": "", "namespaced": namespaced, "kind": kind, "verbs": ["get", "list"]}


RESOURCES = [_resource("nodes", "NodeMetrics", False), _resource("pods", "PodMetrics", True)]
_COLUMNS = [
    {"name": name, "type": "string", "format": "name" if name == "Name" else "", "description": text, "priority": 0}
    for name, text in (
        ("Name", "Name of the resource"),
        ("cpu", "CPU Metric"),
        ("memory", "Memory Metric"),
        ("Window", "Time window of the metrics"),
    )
]


class Metrics:
    """The handlers, and the samples that they answer with."""

    def __init__(self, node: Node):
        self._node = node
        self._sampler = Sampler(SAMPLE_SECONDS)

    async def sample(self) -> None:
        """Samples until cancelled."""
        while True:
            self._sampler.sample([os.getpid(), *self._pids()])
            await asyncio.sleep(SAMPLE_SECONDS)

    def _pids(self) -> Iterator[int]:
        for pod in self._node.pods.values():
            yield from (container.process.pid for container in pod.containers if container.process is not None)

    def pods(self, namespace: str) -> Iterator[Object]:
        """PodMetrics by namespace and name; of all namespaces when none is given."""
        self._sampler.catch_up(self._pids())
        for pod in sorted(self._node.pods.values(), key=lambda runner: (runner.namespace, runner.name)):
            if namespace in ("", pod.namespace) and (containers := self._containers(pod)):
                head = self._head("PodMetrics", pod.pod["metadata"])
                head["metadata"]["namespace"] = pod.namespace
                yield {**head, "containers": containers}

    def _containers(self, pod: PodRunner) -> list[Object]:
        """None where one is without a measurement: metrics-server leaves such a Pod out."""
        found = []
        for container in pod.containers:
            if container.running:
                process = container.process
                used = self._sampler.usage.get(process.pid) if process is not None else _NOTHING
                if used is None:
                    return []
                found.append({"name": container.name, "usage": _usage(used)})
        return found

    def nodes(self, _namespace: str) -> Iterator[Object]:
        """The one Node, while there is its object."""
        found = [obj for obj in self._node.cluster.list("nodes") if obj["metadata"]["name"] == self._node.name]
        for obj in found:
            all_ = self._sampler.usage.values()
            used = Usage(sum(usage.cores for usage in all_), sum(usage.memory_bytes for usage in all_))
            yield {**self._head("NodeMetrics", obj["metadata"]), "usage": _usage(used)}

    def _head(self, kind: str, metadata: Object) -> Object:
        moment = _time(self._sampler.taken)
        shown: Object = {"name": metadata["name"], "creationTimestamp": _time(datetime.now(UTC).timestamp())}
        if metadata.get("labels"):
            shown["labels"] = metadata["labels"]
        head = {"kind": kind, "apiVersion": f"{GROUP}/{VERSION}", "metadata": shown}
        return {**head, "timestamp": moment, "window": f"{self._sampler.window:.3f}s"}


def _usage(used: Usage) -> dict[str, str]:
    return {"cpu": f"{round(used.cores * 1e9)}n" if used.cores else "0", "memory": f"{used.memory_bytes // 1024}Ki"}


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _answers(kind: str, plural: str, found: Callable[[str], Iterator[Object]]) -> dict[str, Any]:
    """The handlers of one resource."""

    def respond(request: Request, objects: list[Object], whole: Object) -> Response:
        return Response.json(_table(objects) if "as=Table" in request.headers.get("accept", "") else whole)

    async def collection(request: Request) -> Response:
        if request.flag("watch"):
            raise MethodNotAllowed()
        matches = label_selector(request.arg("labelSelector"))
        name = request.arg("fieldSelector").removeprefix("metadata.name=")
        items = [
            obj
            for obj in found(request.params.get("namespace", ""))
            if (matches is None or matches(obj["metadata"].get("labels") or {}))
            and name in ("", obj["metadata"]["name"])
        ]
        head = {"kind": f"{kind}List", "apiVersion": f"{GROUP}/{VERSION}", "metadata": {}}
        return respond(request, items, {**head, "items": items})

    async def single(request: Request) -> Response:
        name = request.params["name"]
        for obj in found(request.params.get("namespace", "")):
            if obj["metadata"]["name"] == name:
                return respond(request, [obj], obj)
        raise NotFound(plural, name, GROUP)

    return {"list": collection, "get": single}


def _table(objects: list[Object]) -> Object:
    rows = []
    for obj in objects:
        used = [container["usage"] for container in obj.get("containers", [obj])]
        cpu = sum(int(item["cpu"].removesuffix("n")) for item in used)
        memory = sum(int(item["memory"].removesuffix("Ki")) for item in used)
        cells = [obj["metadata"]["name"], f"{cpu // 1_000_000}m", f"{memory}Ki", obj["window"]]
        partial = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": obj["metadata"]}
        rows.append({"cells": cells, "object": partial})
    head = {"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": {}}
    return {**head, "columnDefinitions": _COLUMNS, "rows": rows}


async def _refuse(_request: Request) -> Response:
    raise MethodNotAllowed()


async def run(node: Node) -> None:
    """Announces the API and samples until cancelled; returns at once where processes can't be measured (no /proc)."""
    if not (PROC / "self" / "stat").exists():
        return
    metrics, base = Metrics(node), f"/apis/{GROUP}/{VERSION}"
    for kind, plural, place, found in (
        ("NodeMetrics", "nodes", f"{base}/nodes", metrics.nodes),
        ("PodMetrics", "pods", f"{base}/namespaces/{{namespace}}/pods", metrics.pods),
    ):
        handlers = _answers(kind, plural, found)
        for path in dict.fromkeys((place, f"{base}/{plural}")):
            node.context.handle("GET", path, handlers["list"])
        node.context.handle("GET", f"{place}/{{name}}", handlers["get"])
        for path in (place, f"{place}/{{name}}"):
            for method in ("POST", "PUT", "PATCH", "DELETE"):
                node.context.handle(method, path, _refuse)
    node.context.announce(GROUP, VERSION, RESOURCES)
    await metrics.sample()
