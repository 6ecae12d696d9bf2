"""The clusters that are measured: the sandbox, and a real Kubernetes of tools/realcluster where its programs can be
built.
"""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from bench.console import wait
from bench.live.api import Api
from bench.live.programs import Program
from console.processes.parts import Options, free_port, sandbox
from tools.realcluster.build import BuildFailed, build
from tools.realcluster.cluster import RealCluster, running
from tools.realcluster.process import RunningPart


class Cluster(Protocol):
    """`stop_api` and `start_api`: its API server, killed and started again with what it had stored."""

    name: str
    kubeconfig: Path

    @property
    def pids(self) -> dict[str, int]: ...
    def stop_api(self) -> None: ...
    def start_api(self) -> None: ...


class Sandbox:
    """The embedded cluster as a program of the bench's own."""

    name = "sandbox"

    def __init__(self, folder: Path) -> None:
        self._program = Program(sandbox(Options(port=free_port(), data=folder)), folder)
        self.kubeconfig = folder / "sandbox/kubeconfig"

    @property
    def pids(self) -> dict[str, int]:
        return {"sandbox": self._program.pid}

    def start_api(self) -> None:
        self._program.start()
        wait(lambda: self.kubeconfig.exists() and Api(self.kubeconfig).answers(), 60, "the sandbox")

    def stop_api(self) -> None:
        self._program.kill()

    def end(self) -> None:
        self._program.end()


class Real:
    """etcd, kube-apiserver and the rest, without OLM: nothing here needs it."""

    name = "real"

    def __init__(self, cluster: RealCluster) -> None:
        self._cluster = cluster
        self.kubeconfig = cluster.kubeconfig

    def _part(self, name: str) -> int:
        return next(number for number, item in enumerate(self._cluster._running) if item.part.name == name)

    @property
    def pids(self) -> dict[str, int]:
        return {name: self._cluster._running[self._part(name)].process.pid for name in ("kube-apiserver", "etcd")}

    def stop_api(self) -> None:
        self._cluster._running[self._part("kube-apiserver")].process.kill()
        self._cluster._running[self._part("kube-apiserver")].process.wait()

    def start_api(self) -> None:
        place = self._part("kube-apiserver")
        item = self._cluster._running[place]
        self._cluster._running[place] = fresh = RunningPart(item.part, self._cluster.layout.data / "logs")
        fresh.wait_until_ready()


@contextmanager
def started(name: str) -> Iterator[Cluster | None]:
    """`sandbox` or `real`, ready; None, with a message, if a real one can't be had here."""
    folder = Path(tempfile.mkdtemp(prefix="bench-cluster-"))
    try:
        if name == "sandbox":
            (folder / "sandbox").mkdir()
            cluster = Sandbox(folder)
            try:
                cluster.start_api()
                yield cluster
            finally:
                cluster.end()
        else:
            try:
                programs = build(print_progress)
            except BuildFailed as problem:
                print(f"the real cluster is left out: {problem}")
                yield None
                return
            with running(folder / "real", programs, print_progress, with_olm=False) as real:
                yield Real(real)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def print_progress(text: str) -> None:
    print(f"real cluster: {text}", flush=True)
