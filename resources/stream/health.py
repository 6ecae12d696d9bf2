"""Is what pages show still live? Redis, the hubs' heartbeats and what hubs say of the cluster, told to every page when it changes.

A part that is back is told too, so that a banner goes away by itself.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from django.utils import translation
from django.utils.translation import gettext as _

from resources.changes import ChangeLog, RedisError
from resources.stream.sse import encode

CHECK_SECONDS = 1.0
# A worker that is restarted is away for some seconds; nobody needs to hear of it before.
_GRACE = 3


@dataclass(frozen=True, slots=True)
class PartHealth:
    """`detail`: the part's own words, for a sentence in the reader's language."""

    part: str
    ready: bool
    detail: str = ""

    def encoded(self, language: str) -> bytes:
        with translation.override(language):
            message = "" if self.ready else self._sentence()
        return encode("health", {"part": self.part, "ready": self.ready, "message": message})

    def _sentence(self) -> str:
        match self.part:
            case "redis":
                return _("Live updates stopped: Redis does not answer. Pages still load; reload to see changes.")
            case "worker":
                return _(
                    "Live updates stopped: no worker watches the cluster. Pages still load; reload to see changes."
                )
            case _:
                return self.detail


class HealthWatch:
    """Looks once a second, while anybody is connected to be told."""

    def __init__(self, log: ChangeLog, tell: Callable[[Callable[[str], bytes]], None]) -> None:
        self._log = log
        self._tell = tell
        self._known: dict[str, PartHealth] = {}
        self._missed = 0

    def greet(self, put: Callable[[bytes | None], None], language: str) -> None:
        """The present state for a new connection, also of what is well: its page may show a banner from before."""
        for state in self._known.values():
            put(state.encoded(language))

    async def run(self) -> None:
        while True:
            for state in await self._look():
                if self._known.get(state.part) != state:
                    self._tell(state.encoded)
                self._known[state.part] = state
            await asyncio.sleep(CHECK_SECONDS)

    async def _look(self) -> list[PartHealth]:
        try:
            hubs = await self._log.hubs()
        except RedisError as error:
            return [PartHealth("redis", False, str(error))]
        self._missed = 0 if hubs else self._missed + 1
        problem = next((hub.problem for hub in hubs if hub.problem), "")
        return [
            PartHealth("redis", True),
            PartHealth("worker", bool(hubs) or self._missed < _GRACE),
            PartHealth("cluster", not problem, problem),
        ]
