"""A kubelet's writes about one Pod: its status, which containers are simulated, and its end.

An API server that is away for a moment (sandbox.agent) hears it later; other refusals mean that the Pod is gone.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from ..client import Client
from ..errors import ApiError, ServiceUnavailable
from ..objects import Object

SIMULATED = "operator-console.dev/simulated"
SIMULATED_CONTAINERS = "operator-console.dev/simulated-containers"
#: Before the API server is asked again.
AGAIN = 1.0


class Reports:
    """``status`` is asked for what is to be written, given the Pod as it is stored."""

    def __init__(self, cluster: Client, pod: Object, status: Callable[[Object], Object]):
        self._cluster = cluster
        metadata = pod["metadata"]
        self._namespace, self._name, self._uid = metadata["namespace"], metadata["name"], metadata["uid"]
        self._status = status
        self._later: asyncio.TimerHandle | None = None
        self._muted = False

    def publish(self) -> None:
        """Writes the status where it differs from the stored one."""
        if self._muted:
            return
        if self._later is not None:
            self._later.cancel()
        try:
            self._write()
        except ServiceUnavailable:
            self._later = asyncio.get_running_loop().call_later(AGAIN, self.publish)
        except ApiError:  # the Pod is gone or its namespace is: nothing to tell
            return

    def _write(self) -> None:
        stored = self._cluster.get("pods", self._name, self._namespace)
        if stored["metadata"]["uid"] != self._uid:
            return
        wanted, old = self._status(stored), stored.get("status") or {}
        if any(old.get(key) != value for key, value in wanted.items()):
            self._cluster.patch("pods", self._name, {"status": wanted}, self._namespace, subresource="status")

    def mute(self) -> None:
        """Writes no status any more: the Pod's stays as it is."""
        self._muted = True
        if self._later is not None:
            self._later.cancel()

    def simulates(self, pod: Object, containers: list[str], *, everything: bool) -> None:
        """Says on the Pod which containers are simulated."""
        notes = {SIMULATED: "true"} if everything else {SIMULATED_CONTAINERS: ",".join(containers)}
        present = pod["metadata"].get("annotations") or {}
        if containers and not notes.items() <= present.items():
            with contextlib.suppress(ApiError):
                self._cluster.patch("pods", self._name, {"metadata": {"annotations": notes}}, self._namespace)

    async def end(self) -> None:
        """Removes the Pod, which was marked for deletion."""
        while True:
            try:
                self._cluster.delete("pods", self._name, self._namespace, grace=0, uid=self._uid)
                return
            except ServiceUnavailable:
                await asyncio.sleep(AGAIN)
            except ApiError:
                return
