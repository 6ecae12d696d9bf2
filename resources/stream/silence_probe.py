"""Asks each cluster with open pages for its version, so that a silent API server is noticed without page loads."""

import logging
import time
from concurrent.futures import Future, ThreadPoolExecutor

from console.web import clusters
from kube import silence
from kube.errors import KubeError

log = logging.getLogger(__name__)

PROBE_SECONDS = 5.0


class SilenceProbe:
    """Belongs to one event loop, which it never holds up."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(2, thread_name_prefix="silence")
        self._probes: dict[str, tuple[float, Future[None]]] = {}
        self._hosts: dict[str, str] = {}

    def seconds(self, alias: str) -> float:
        """How long the cluster has been silent; asks it again where the last question is older than PROBE_SECONDS,
        and answered.
        """
        began, probe = self._probes.get(alias, (float("-inf"), None))
        if (probe is None or probe.done()) and time.monotonic() - began >= PROBE_SECONDS:
            self._probes[alias] = (time.monotonic(), self._pool.submit(self._ask, alias))
        host = self._hosts.get(alias)
        return silence.seconds(host) if host else 0.0

    def stop(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _ask(self, alias: str) -> None:
        place = next((offered for offered in clusters.offered() if offered.alias == alias), None)
        if place is None:
            return
        try:
            client = clusters.client_of(place)
            self._hosts[alias] = client.host
            client.version()
        except KubeError as error:
            # kube.silence counts what is not answered; any answer will do.
            log.debug("asked whether %s answers: %s", alias or "the cluster", error)
