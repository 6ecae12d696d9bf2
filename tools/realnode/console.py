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


def apply(node: RealNode, overlay: str = "tutorial") -> float:
    """Seconds until everything of the overlay runs; PartFailed."""
    started = time.monotonic()
    node.kubectl("apply", "-k", str(ROOT / "deploy" / "overlays" / overlay))
    for name in _DEPLOYMENTS:
        limit = f"--timeout={_ROLLOUT_SECONDS}s"
        node.kubectl("-n", NAMESPACE, "rollout", "status", f"deployment/{name}", limit, seconds=_ROLLOUT_SECONDS + 30)
    return time.monotonic() - started


class PortForward:
    """`kubectl port-forward service/console PORT:9000`, started again when its Pod is gone."""

    def __init__(self, node: RealNode, port: int, say: Callable[[str], None]):
        self._node, self._port, self._say = node, port, say
        self._running = self._start()

    def _start(self) -> RunningPart:
        command = (
            str(self._node.programs.path("kubectl")),
            f"--kubeconfig={self._node.kubeconfig}",
            f"--namespace={NAMESPACE}",
            "port-forward",
            "service/console",
            f"{self._port}:9000",
        )
        part = ClusterPart(name="port-forward", command=command, ready=lambda: listens(self._port))
        running = RunningPart(part, self._node.layout.data / "logs")
        running.wait_until_ready()
        return running

    def check(self) -> None:
        """Starts it again when it has ended."""
        if self._running.process.poll() is not None:
            self._say("the port-forward ended with its Pod; another one")
            self._running.end()
            self._running = self._start()

    def stop(self) -> None:
        """Ends it."""
        self._running.terminate()
        self._running.end()
