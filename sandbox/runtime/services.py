"""Services on this machine: one listener at 127.0.0.1 for each Service port, which hands connections to ready Pods.

Listeners are opened before a process gets their addresses in its environment, and stay as long as their Service.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import socket
from collections.abc import Awaitable, Callable
from typing import Any

from ..client import Client
from ..errors import NotFound
from ..objects import Object, dig
from .ports import bound_socket
from .relay import relay

Connect = Callable[[str, str, int], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]
#: namespace, Service, port
Key = tuple[str, str, int]


class ServiceProxy:
    """The listeners. ``connect(namespace, pod, port)`` reaches a Pod."""

    def __init__(self, cluster: Client, connect: Connect):
        self._cluster = cluster
        self._connect = connect
        self._ports: dict[Key, int] = {}
        self._servers: dict[Key, asyncio.Server] = {}
        self._opening: set[asyncio.Task[None]] = set()
        self._turn = itertools.count()

    def of_namespace(self, namespace: str) -> dict[str, list[tuple[str, int]]]:
        """(port's name, local port) of each Service with a cluster address; opens the listeners that are missing."""
        found = {}
        for service in self._cluster.list("services", namespace):
            spec, name = service["spec"], service["metadata"]["name"]
            if spec.get("type") == "ExternalName" or spec.get("clusterIP") in (None, "", "None"):
                continue
            if (namespace, name) == ("default", "kubernetes"):
                continue
            ports = [port for port in spec.get("ports") or [] if port.get("protocol", "TCP") == "TCP"]
            if ports:
                found[name] = [
                    (str(port.get("name", "")), self._local((namespace, name, int(port["port"])))) for port in ports
                ]
        return found

    def _local(self, key: Key) -> int:
        if key not in self._ports:
            bound = bound_socket()
            self._ports[key] = int(bound.getsockname()[1])
            task = asyncio.get_running_loop().create_task(self._listen(key, bound))
            self._opening.add(task)
            task.add_done_callback(self._opening.discard)
        return self._ports[key]

    async def _listen(self, key: Key, bound: socket.socket) -> None:
        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self._serve(key, reader, writer)

        self._servers[key] = await asyncio.start_server(accept, sock=bound)

    async def _serve(self, key: Key, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            for namespace, pod, port in self._targets(key):
                try:
                    far_reader, far_writer = await self._connect(namespace, pod, port)
                except OSError:  # the next one may answer
                    continue
                await relay(reader, writer, far_reader, far_writer)
                return
        finally:
            with contextlib.suppress(OSError):
                transport: Any = writer.transport
                transport.abort()

    def _targets(self, key: Key) -> list[tuple[str, str, int]]:
        """Ready Pods with the port that the Service port means, another one first each time."""
        namespace, name, number = key
        try:
            service = self._cluster.get("services", name, namespace)
            endpoints = self._cluster.get("endpoints", name, namespace)
        except NotFound:
            return []
        ports = dig(service, "spec", "ports") or []
        asked = next((str(port.get("name", "")) for port in ports if port.get("port") == number), "")
        found = []
        for subset in endpoints.get("subsets") or []:
            for port in subset.get("ports") or []:
                if port.get("name", "") == asked:
                    found += self._pods(subset, namespace, int(port["port"]))
        start = next(self._turn) % len(found) if found else 0
        return found[start:] + found[:start]

    def _pods(self, subset: Object, namespace: str, port: int) -> list[tuple[str, str, int]]:
        names = [dig(address, "targetRef", "name") for address in subset.get("addresses") or []]
        return [(namespace, str(name), port) for name in names if name]

    def forget(self, namespace: str, name: str) -> None:
        """The Service is no more."""
        for key in [port for port in self._ports if port[:2] == (namespace, name)]:
            del self._ports[key]
            server = self._servers.pop(key, None)
            if server is not None:
                server.close()

    async def close(self) -> None:
        """Closes all listeners."""
        for task in list(self._opening):
            task.cancel()
        for server in self._servers.values():
            server.close()
        self._servers.clear()
        self._ports.clear()
