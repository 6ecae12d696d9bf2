"""The machine as a node: its Pods, their addresses, and how to reach a port of one.

It follows the cluster and runs the Pods that were given to it; streams ask it for their logs, processes and ports.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
from pathlib import Path

from ..client import Client
from ..context import Context
from ..objects import Object, dig
from . import confinement, simulated_ports
from .environment import service_variables
from .images import Images
from .place import log_folder
from .pod import Host, PodRunner
from .processes import end_orphans
from .recorder import EventRecorder
from .services import ServiceProxy

log = logging.getLogger("sandbox.kubelet")
#: Seconds that processes get to end when the sandbox stops.
STOP_SECONDS = 4.0
#: Pods may wait for these.
_NEEDED = ("configmaps", "secrets", "persistentvolumeclaims", "serviceaccounts")


class PortUnavailable(OSError):
    """Nothing answers at a port of a Pod; the message says why."""


class Node:
    """Pods by uid. Their addresses begin with ``network``."""

    def __init__(self, cluster: Client, context: Context, name: str, network: str = "10.244"):
        self.cluster = cluster
        self.context = context
        self.name = name
        self._network = network
        self.pods: dict[str, PodRunner] = {}
        self._addresses: set[str] = set()
        self._next = 2
        self.services = ServiceProxy(cluster, self.connect_by_name)
        images = Images.load(context.images)
        self.confinement = confinement.choose(context.data_dir, confinement.candidates(images.commands()))
        self._host = Host(
            cluster=cluster.as_manager("kubelet"),
            context=context,
            images=images,
            recorder=EventRecorder(cluster, "kubelet", name),
            services=self._service_environment,
            confinement=self.confinement,
        )

    def start(self) -> None:
        """Ends what an earlier sandbox left running, and forgets the files of Pods that are no more."""
        data = self.context.data_dir
        count = end_orphans((data / "processes").glob("*.json"))
        if count:
            log.info("ended %d process(es) that an earlier sandbox had left", count)
        uids = {pod["metadata"]["uid"] for pod in self.cluster.list("pods", fields=f"spec.nodeName={self.name}")}
        for place in (*(data / "pods").glob("*"), *(data / "logs").glob("*")):
            if place.name.rpartition("_")[2] not in uids:
                shutil.rmtree(place, ignore_errors=True)

    async def follow(self) -> None:
        """Follows Pods, and what they wait for, until cancelled."""
        async for event in self.cluster.watch("services", *_NEEDED, "pods"):
            metadata = event.object["metadata"]
            if event.resource == "pods":
                if event.type == "DELETED":
                    self.gone(event.object)
                elif dig(event.object, "spec", "nodeName") == self.name:
                    self.seen(event.object)
            elif event.resource == "services":
                if event.type == "DELETED":
                    self.services.forget(metadata["namespace"], metadata["name"])
            else:
                for runner in list(self.pods.values()):
                    if runner.namespace == metadata["namespace"]:
                        runner.changed(event.resource, metadata["name"])

    def seen(self, pod: Object) -> None:
        """A Pod of this node is new or has changed."""
        uid = pod["metadata"]["uid"]
        runner = self.pods.get(uid)
        if runner is None:
            if dig(pod, "status", "phase") in ("Succeeded", "Failed") and pod["metadata"].get("deletionTimestamp"):
                return
            runner = self.pods[uid] = PodRunner(self._host, pod, self._address(pod))
        runner.update(pod)

    def gone(self, pod: Object) -> None:
        """A Pod has been deleted."""
        runner = self.pods.pop(pod["metadata"]["uid"], None)
        if runner is not None:
            self._addresses.discard(runner.address)
            runner.vanish()

    def _address(self, pod: Object) -> str:
        """The Pod's address, kept over a restart of the sandbox."""
        present = str(dig(pod, "status", "podIP") or "")
        if present and present not in self._addresses:
            self._addresses.add(present)
            return present
        while True:
            address = f"{self._network}.{self._next >> 8 & 255}.{self._next & 255}"
            self._next = self._next + 1 if self._next < 65000 else 2
            if address not in self._addresses and self._next & 255 > 1:
                self._addresses.add(address)
                return address

    def _service_environment(self, namespace: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for name, ports in self.services.of_namespace(namespace).items():
            found |= service_variables(name, "127.0.0.1", ports)
        return found

    # For streams

    def find(self, namespace: str, name: str) -> PodRunner | None:
        """The Pod of this name."""
        return next((pod for pod in self.pods.values() if (pod.namespace, pod.name) == (namespace, name)), None)

    async def connect_by_name(
        self, namespace: str, name: str, port: int
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection to a port of a Pod; Refused."""
        runner = self.find(namespace, name)
        if runner is None:
            raise PortUnavailable(f"pod {namespace}/{name} is not running")
        return await self.connect(runner, port)

    async def connect(self, runner: PodRunner, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection to a port of a Pod: to its process, or to the page that stands for a simulated container."""
        local = runner.place.port(port)
        if local is not None:
            try:
                return await asyncio.open_connection("127.0.0.1", local)
            except OSError as problem:
                raise PortUnavailable(f"dial tcp4 127.0.0.1:{port}: connect: connection refused") from problem
        if not any(container.running and container.simulated for container in runner.containers):
            raise PortUnavailable(f"dial tcp4 127.0.0.1:{port}: connect: connection refused")
        return await simulated_ports.connect(self.context.data_dir, f"{runner.namespace}/{runner.name}", port)

    def log_path(self, pod: Object, container: str) -> Path:
        """The folder of a container's logs."""
        return log_folder(self.context.data_dir, pod) / container

    async def close(self) -> None:
        """Ends all processes: politely, then not."""
        await self.services.close()
        await asyncio.gather(*(runner.shut_down(STOP_SECONDS) for runner in self.pods.values()), return_exceptions=True)
        self.pods.clear()
