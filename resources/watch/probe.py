"""Does the API server answer at all?

A network that was cut off without a word leaves watches open that bring nothing any more.

One small request every few seconds for all topics of a hub. Any answer will do, also a refusal.
"""

import asyncio
import logging
from collections.abc import Callable

from kube.errors import KubeError, Unreachable
from kube.requests import ApiRequest
from kube.silence import unreachable
from kube.transport import AsyncTransport

log = logging.getLogger(__name__)

PROBE_SECONDS = 5.0
# A server under load may take its time.
PATIENCE_SECONDS = 4.0
_AGAIN_SECONDS = 0.5
# One late answer isn't reported as an outage; open watches are opened again after it all the same.
_MISSES = 2
_VERSION = ApiRequest(method="GET", path="/version", ref="the API server's version")


class Probe:
    """`problem`: one sentence while there is no answer, else ''.

    `back(silent)` is called when there is one again; `silent`: it was not refused but
    did not come, so that what is open may be dead.
    """

    def __init__(self, transport: AsyncTransport, back: Callable[[bool], None]) -> None:
        self.problem = ""
        self._transport = transport
        self._back = back

    async def run(self) -> None:
        misses, silent = 0, False
        while True:
            try:
                async with asyncio.timeout(PATIENCE_SECONDS):
                    await self._transport.send(_VERSION)
                error = ""
            except TimeoutError as late:
                error, silent = str(unreachable(self._transport.config.current(), late)), True
            except Unreachable as failure:
                error, silent = str(failure), silent or isinstance(failure.__cause__, TimeoutError)
            except KubeError:
                error = ""
            if error:
                misses += 1
                if misses >= _MISSES:
                    if not self.problem:
                        log.warning("%s", error)
                    self.problem = error
                await asyncio.sleep(_AGAIN_SECONDS)
                continue
            if misses:
                log.info("the API server answers again")
                self._back(silent)
            misses, silent, self.problem = 0, False, ""
            await asyncio.sleep(PROBE_SECONDS)
