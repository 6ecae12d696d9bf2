"""Starts a node in order, each part when what it needs is ready, and ends it."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psutil

from tools.realcluster.build import Programs
from tools.realcluster.layout import Layout
from tools.realcluster.process import PartFailed, Parts

from . import parts
from .images import METRICS
from .machine import Machine
from .restarts import Restarts

_MANIFESTS = Path(__file__).resolve().parent / "manifests"
_READY_SECONDS = 180
#: Gigabytes, on a busy disk.
_IMPORT_SECONDS = 900


class RealNode(Parts):
    """One cluster of one node in ``data``, which is emptied first. ``images``: name → archive, all there at the start.

    Its authority states no key usage, as one of a plain `openssl req -x509`: whatever runs here has to take that.
    """

    def __init__(self, data: Path, programs: Programs, images: dict[str, Path], say: Callable[[str], None]):
        shutil.rmtree(data, ignore_errors=True)
        data.mkdir(parents=True, mode=0o700)
        self.programs = programs
        self.layout = Layout.make(data, states_usage=False)
        super().__init__(data / "logs", say)
        self._images = images
        self.machine = Machine(data)
        #: None until everything has started once.
        self.restarts: Restarts | None = None

    @property
    def kubeconfig(self) -> Path:
        """The administrator's; its address is the same on this machine and in the node."""
        return self.layout.kubeconfig

    def start(self) -> None:
        """Node, DNS and volumes are ready on return; PartFailed."""
        started = time.monotonic()
        machine, layout, programs = self.machine, self.layout, self.programs
        self.run(parts.containerd(machine, layout))
        with ThreadPoolExecutor(1) as beside:
            importing = beside.submit(self._import)
            self.run(
                parts.relay(machine.pid, *(str(layout.ports[name]) for name in ("apiserver", "registry"))),
                parts.registry(machine, layout, programs),
                parts.etcd(machine, layout, programs),
            )
            self.run(parts.apiserver(machine, layout, programs))
            self.run(
                parts.controller_manager(machine, layout, programs),
                parts.scheduler(machine, layout, programs),
                parts.kubelet(machine, layout, programs),
                parts.kube_proxy(machine, layout, programs),
            )
            self.until("the images", importing.done, _IMPORT_SECONDS)
            importing.result()
        for manifest in sorted(_MANIFESTS.glob("*.yaml")):
            self.kubectl("apply", "--server-side", "-f", str(manifest))
        self._apply_metrics_server()
        self._until_ready()
        self.restarts = Restarts(self._running, self._say)
        self.times["all"] = time.monotonic() - started
        self._say(f"ready in {self.times['all']:.1f} s")

    def _import(self) -> None:
        """Gives containerd the images."""
        started = time.monotonic()
        self.take(self._images)
        self.times["images"] = time.monotonic() - started
        self._say(f"{len(self._images)} images taken in {self.times['images']:.1f} s")

    def take(self, images: dict[str, Path]) -> None:
        """Imports images, which are then never pulled; PartFailed."""
        for name, archive in images.items():
            done = self.machine.run("ctr", "--namespace", "k8s.io", "images", "import", str(archive))
            if done.returncode:
                raise PartFailed(f"containerd could not take the image {name}: {done.stderr[-1000:]}")

    def tag(self, name: str, reference: str) -> None:
        """Another name for an image that was taken, which may have the digest of another one; PartFailed."""
        done = self.machine.run("ctr", "--namespace", "k8s.io", "images", "tag", name, reference)
        if done.returncode:
            raise PartFailed(f"containerd could not name the image {reference}: {done.stderr[-1000:]}")

    def push(self, images: dict[str, Path]) -> None:
        """Brings images into the node's registry. containerd pulls them by the same names; PartFailed."""
        started = time.monotonic()
        for name, archive in images.items():
            target = f"docker://127.0.0.1:{self.layout.ports['registry']}/{name.partition('/')[2]}"
            command = ["skopeo", "copy", "--quiet", "--dest-tls-verify=false", f"docker-archive:{archive}", target]
            done = subprocess.run(command, capture_output=True, text=True, timeout=_IMPORT_SECONDS, check=False)
            if done.returncode:
                raise PartFailed(f"the node's registry could not take the image {name}: {done.stderr[-1000:]}")
        self.times["push"] = time.monotonic() - started
        self._say(f"{len(images)} images pushed in {self.times['push']:.1f} s")

    def _apply_metrics_server(self) -> None:
        """As upstream has it, with our image. Nothing waits for it: it is ready, and measures, half a minute later."""
        upstream = self.kubectl("kustomize", str(self.programs.folders["metrics-server"] / "manifests"))
        path = self.layout.data / "metrics-server.yaml"
        path.write_text(with_our_metrics_server(upstream), encoding="utf-8")
        self.kubectl("apply", "--server-side", "-f", str(path))

    def _until_ready(self) -> None:
        """The Node and what every cluster has on it."""
        self.until("its Node", lambda: self.layout.answers(f"/api/v1/nodes/{parts.NAME}"), _READY_SECONDS)
        limit = f"--timeout={_READY_SECONDS}s"
        self.kubectl("wait", "--for=condition=Ready", f"node/{parts.NAME}", limit)
        self.kubectl("-n", "kube-system", "rollout", "status", "deployment/coredns", limit)
        self.kubectl("-n", "local-path-storage", "rollout", "status", "deployment/local-path-provisioner", limit)

    def kubectl(self, *arguments: str, seconds: float = 300.0) -> str:
        """What it prints; PartFailed with what it says."""
        command = [str(self.programs.path("kubectl")), f"--kubeconfig={self.kubeconfig}", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
        if done.returncode:
            raise PartFailed(f"kubectl {' '.join(arguments)} failed: {done.stderr[-3000:]}")
        return done.stdout

    def check(self) -> None:
        """PartFailed when a part has ended: at the start, at once; later, when it has ended too often."""
        if self.restarts:
            self.restarts.check()
        else:
            super().check()

    def kill(self, name: str, number: int = signal.SIGKILL) -> None:
        """Sends a signal to the program of a part, as `kill` in the node would."""
        (running,) = (running for running in self._running if running.part.name == name)
        # Its first process only brings the other one into the namespaces.
        for process in psutil.Process(running.process.pid).children():
            process.send_signal(number)

    def memory(self) -> dict[str, int]:
        """Part → bytes resident, of it and what it started."""
        found = {}
        for running in self._running:
            process = psutil.Process(running.process.pid)
            found[running.part.name] = sum(
                each.memory_info().rss for each in (process, *process.children(recursive=True)) if each.is_running()
            )
        return found

    def stop(self) -> None:
        """Ends all. None of it needs to be kept, so nothing is asked to end in order."""
        started = time.monotonic()
        if self.restarts:
            self.restarts.stop()
        self.machine.close()
        self.end()
        self.times["stop"] = time.monotonic() - started
        self._say(f"stopped in {self.times['stop']:.1f} s; removing its files")
        # Gigabytes of unpacked images, for which rm is several times as fast as Python; logs stay.
        folders = [str(self.layout.data / name) for name in ("containerd", "etcd", "kubelet", "registry", "volumes")]
        subprocess.run(["rm", "-rf", "--one-file-system", *folders], timeout=300, check=False)


def with_our_metrics_server(manifests: str) -> str:
    """The base of metrics-server's manifests, which names an image of its main branch, with the one that is built."""
    return re.sub(r"image: \S+/metrics-server:\S+", f"image: {METRICS}", manifests)


@contextmanager
def running(data: Path, programs: Programs, images: dict[str, Path], say: Callable[[str], None]) -> Iterator[RealNode]:
    """A started node, ended at the end whatever happens."""
    node = RealNode(data, programs, images, say)
    try:
        node.start()
        yield node
    finally:
        node.stop()
