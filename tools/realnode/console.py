"""The console on a node as the tutorial has it: deploy/overlays/tutorial, reached by `kubectl port-forward`."""

from __future__ import annotations

import time
from collections.abc import Callable

from tools.realcluster.process import ClusterPart, RunningPart, listens

from .images import ROOT
from .node import RealNode

NAMESPACE = "okd-style"
_DEPLOYMENTS = ("console-redis", "console", "console-worker", "console-beat")
_ROLLOUT_SECONDS = 600
#: Between two starts of a port-forward.
_RETRY_SECONDS = 2.0


def apply(node: RealNode, overlay: str = "tutorial") -> float:
    """Seconds until everything of the overlay runs; PartFailed."""
    started = time.monotonic()
    node.kubectl("apply", "-k", str(ROOT / "deploy" / "overlays" / overlay))
    for name in _DEPLOYMENTS:
        limit = f"--timeout={_ROLLOUT_SECONDS}s"
        node.kubectl("-n", NAMESPACE, "rollout", "status", f"deployment/{name}", limit, seconds=_ROLLOUT_SECONDS + 30)
    return time.monotonic() - started


class PortForward:
    """`kubectl port-forward service/console PORT:9000`, started again when its Pod or a part of the node has ended."""

    def __init__(self, node: RealNode, port: int, say: Callable[[str], None]):
        self._node, self._port, self._say = node, port, say
        self._running = self._start()
        self._running.wait_until_ready()
        if node.restarts:
            node.restarts.others.append(self._heal)

    def _start(self, *, again: bool = False) -> RunningPart:
        command = (
            str(self._node.programs.path("kubectl")),
            f"--kubeconfig={self._node.kubeconfig}",
            f"--namespace={NAMESPACE}",
            "port-forward",
            "service/console",
            f"{self._port}:9000",
        )
        part = ClusterPart(name="port-forward", command=command, ready=lambda: listens(self._port))
        return RunningPart(part, self._node.layout.data / "logs", again=again)

    def _heal(self) -> None:
        """It ends at once while the API server is down."""
        if self._running.process.poll() is None or time.monotonic() - self._running.started < _RETRY_SECONDS:
            return
        self._say("the port-forward ended; another one")
        self._running = self._start(again=True)

    def stop(self) -> None:
        """Ends it."""
        if self._node.restarts:
            self._node.restarts.others.remove(self._heal)
        self._running.terminate()
        self._running.end()
