"""The API server behind the assembly: the embedded cluster, or a real etcd and kube-apiserver of the assembly's own.

Both may be killed.
"""

import asyncio
import base64
import ssl
import sys
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import yaml

from console.processes.parts import free_port
from tests.faults.programs import Program
from tools.realcluster import parts
from tools.realcluster.build import Programs
from tools.realcluster.layout import Layout
from tools.realcluster.process import ClusterPart


@dataclass(eq=False, kw_only=True)
class Cluster:
    """`programs`: the API server first, then what it needs.

    `authority`: PEM; `plain`: whether the port speaks HTTP without TLS, too.
    """

    name: str
    port: int
    token: str
    authority: str
    programs: list[Program]
    plain: bool
    _session: aiohttp.ClientSession | None = field(default=None, repr=False)

    @property
    def server(self) -> Program:
        return self.programs[0]

    async def ask(
        self, method: str, path: str, body: object = None, kind: str = "application/json", seconds: float = 15.0
    ) -> tuple[int, dict]:
        """Straight to the API server, past every proxy. Raises aiohttp.ClientError, TimeoutError."""
        if self._session is None:
            connector = aiohttp.TCPConnector(ssl=ssl.create_default_context(cadata=self.authority))
            self._session = aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=seconds))
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": kind}
        scheme = "http" if self.plain else "https"
        url = f"{scheme}://127.0.0.1:{self.port}{path}"
        async with self._session.request(method, url, json=body, headers=headers) as answer:
            return answer.status, await answer.json(content_type=None) if answer.status != 404 else {}

    async def ready(self) -> bool:
        try:
            scheme = "http" if self.plain else "https"
            tls = ssl.create_default_context(cadata=self.authority) if self.authority else True
            async with (
                aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=5)) as session,
                session.get(
                    f"{scheme}://127.0.0.1:{self.port}/readyz",
                    ssl=tls,
                    headers={"Authorization": f"Bearer {self.token}"} if self.token else {},
                ) as answer,
            ):
                return answer.status == 200
        except (aiohttp.ClientError, TimeoutError, OSError):
            return False

    def kubeconfig(self, path: Path, port: int, *, tls: bool = True) -> str:
        """A kubeconfig that reaches the API server at another port of this machine."""
        cluster: dict[str, str] = {"server": f"{'https' if tls or not self.plain else 'http'}://127.0.0.1:{port}"}
        if tls or not self.plain:
            cluster["certificate-authority-data"] = base64.b64encode(self.authority.encode()).decode()
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": self.name,
            "clusters": [{"name": self.name, "cluster": cluster}],
            "users": [{"name": self.name, "user": {"token": self.token}}],
            "contexts": [{"name": self.name, "context": {"cluster": self.name, "user": self.name}}],
        }
        path.write_text(yaml.safe_dump(config))
        return str(path)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
        for program in self.programs:
            program.end()


async def embedded(folder: Path) -> Cluster:
    """The sandbox, which keeps what it has in a file: killed, it comes back as it was, and has forgotten the past of
    its watches.
    """
    port, data = free_port(), folder / "sandbox"
    command = [sys.executable, "-m", "sandbox", "serve", "--data", str(data), "--port", str(port)]
    found = Cluster(name="sandbox", port=port, token="", authority="", programs=[], plain=True)

    async def ready(_: Program) -> bool:
        return await found.ready()

    found.programs.append(Program("sandbox", command, folder, ready))
    await found.server.start()
    config = yaml.safe_load((data / "kubeconfig").read_text())
    found.token = config["users"][0]["user"]["token"]
    found.authority = base64.b64decode(config["clusters"][0]["cluster"]["certificate-authority-data"]).decode()
    return found


async def real(folder: Path, built: Programs) -> Cluster:
    """etcd and kube-apiserver, nothing else: what the watches of a console see of a real cluster."""
    layout = await asyncio.to_thread(Layout.make, _empty(folder / "real"))
    programs = [_program(part, folder) for part in (parts.apiserver(layout, built), parts.etcd(layout, built))]
    await programs[1].start()
    await programs[0].start()
    authority = layout.authority.certificate.read_text()
    return Cluster(
        name="real",
        port=layout.ports["apiserver"],
        token=layout.token,
        authority=authority,
        programs=programs,
        plain=False,
    )


def _empty(folder: Path) -> Path:
    folder.mkdir(mode=0o700)
    return folder


def _program(part: ClusterPart, folder: Path) -> Program:
    async def ready(_: Program) -> bool:
        return await asyncio.to_thread(part.ready)

    return Program(part.name, list(part.command), folder, ready, part.environment)
