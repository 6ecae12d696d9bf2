"""Health of live updates: Redis, the hubs' heartbeats and the hubs' reports of the cluster.

Every page is notified when it changes, also of a recovery, which removes the banner.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.utils import translation
from django.utils.translation import gettext as _

from resources.changes import ChangeLog, HubState, OutOfMemoryError, RedisError
from resources.stream.live_update import encode_event
from resources.stream.mailbox import Mailbox

log = logging.getLogger(__name__)

CHECK_SECONDS = 1.0
# Redis answers in milliseconds; one that hangs accepts connections and says nothing.
HANGS_SECONDS = 2.5
# A worker that is restarted is away for some seconds; that isn't reported.
_GRACE, _FIRST = 3, 10
FULL = "full"
#: An API server that answers nothing for this long is reported as silent.
SILENT_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class PartHealth:
    """`detail`: the part's own words, for a sentence in the reader's language; FULL of a Redis that takes nothing more.

    `cluster`: the cluster whose pages are notified ('' the default one), None: all pages.
    """

    part: str
    ready: bool
    detail: str = ""
    cluster: str | None = None

    def encoded(self, language: str) -> bytes:
        with translation.override(language):
            message = "" if self.ready else self._sentence()
        return encode_event("health", {"part": self.part, "ready": self.ready, "message": message})

    def _sentence(self) -> str:
        match self.part:
            case "redis" if self.detail == FULL:
                return _("Live updates are paused: Redis is full. Pages still load; reload to see changes.")
            case "redis":
                return _("Live updates are paused: Redis isn't responding. Pages still load; reload to see changes.")
            case "worker":
                return _(
                    "Live updates are paused: no worker watches the cluster. Pages still load; reload to see changes."
                )
            case "api":
                return _("The cluster hasn't responded since %(time)s. This page might be out of date.") % {
                    "time": self.detail
                }
            case _:
                return self.detail


class HealthWatch:
    """Checks once a second while there are connections.

    `look` is called each time too, for further requests to Redis; it may raise RedisError.
    """

    def __init__(
        self,
        log: ChangeLog,
        tell: Callable[[PartHealth], None],
        look: Callable[[], Awaitable[None]],
        clusters: Callable[[], set[str]],
        silent: Callable[[str], float],
    ) -> None:
        """`clusters`: whose pages are open.

        `silent(cluster)`: for how many seconds its API server has answered nothing.
        """
        self._log, self._tell, self._more, self._clusters = log, tell, look, clusters
        self._silent = silent
        self._known: dict[tuple[str | None, str], PartHealth] = {}
        self._missed: dict[str, int] = {}

    def greet(self, mailbox: Mailbox, language: str, cluster: str = "") -> None:
        """The present state for a new connection, also of what is well: its page may show a banner from before."""
        for state in self._known.values():
            if state.cluster in (None, cluster):
                mailbox.control("health", state.part, state.encoded(language))

    async def run(self) -> None:
        while True:
            try:
                for state in await self._patiently():
                    self._say(state)
            except Exception:
                log.exception("checking the health of live updates failed")
            await asyncio.sleep(CHECK_SECONDS)

    def _say(self, state: PartHealth) -> None:
        key = (state.cluster, state.part)
        if self._known.get(key) != state:
            self._tell(state)
        self._known[key] = state

    async def _patiently(self) -> list[PartHealth]:
        """One check.

        If Redis hangs, that is reported while the same request keeps waiting: redis-py 8.1 can swallow a cancellation.
        """
        look = asyncio.ensure_future(self._look())
        while not (await asyncio.wait({look}, timeout=HANGS_SECONDS))[0]:
            self._say(PartHealth("redis", False, "no answer"))
        return look.result()

    async def _look(self) -> list[PartHealth]:
        try:
            open_ = self._clusters()
            hubs = {cluster: await self._log.hubs(cluster) for cluster in open_}
            await self._more()
            redis = PartHealth("redis", False, FULL) if await self._log.full() else PartHealth("redis", True)
        except RedisError as error:
            full = isinstance(error, OutOfMemoryError)
            return [PartHealth("redis", False, FULL if full else "no answer")]
        # The state of clusters without open pages is dropped: it would be stale when a page is opened again.
        self._missed = {name: 0 if found else self._missed.get(name, 0) + 1 for name, found in hubs.items()}
        self._known = {key: state for key, state in self._known.items() if key[0] is None or key[0] in open_}
        return [redis, *(state for name, found in hubs.items() for state in self._of(name, found))]

    def _of(self, cluster: str, hubs: list[HubState]) -> tuple[PartHealth, ...]:
        api = self._api(cluster)
        # The workers can't reach a silent API server either, and say it in their own language: once is enough.
        problem = next((hub.problem for hub in hubs if hub.problem), "") if api.ready else ""
        # One that was not looked at before is followed some seconds later.
        grace = _FIRST if cluster else _GRACE
        return (
            PartHealth("worker", bool(hubs) or self._missed[cluster] < grace, cluster=cluster),
            PartHealth("cluster", not problem, problem, cluster=cluster),
            api,
        )

    def _api(self, cluster: str) -> PartHealth:
        """Reported once: the time stays that of the first report."""
        seconds = self._silent(cluster)
        if seconds < SILENT_SECONDS:
            return PartHealth("api", True, cluster=cluster)
        known = self._known.get((cluster, "api"))
        since = datetime.now(UTC) - timedelta(seconds=seconds)
        return known if known and not known.ready else PartHealth("api", False, f"{since:%H:%M:%S} UTC", cluster)
