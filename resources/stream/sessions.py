"""Streams of signed-in users: they end with the session, in every process.

Users who have not signed in have no session here.

A sign-out ends them at once (resources.changes.sessions). A session that expired, or ended without such a message, is
noticed by a periodic check.
"""

import asyncio
import contextlib
import logging
import random
from collections.abc import Callable
from concurrent.futures import Executor

from django.utils import translation
from django.utils.translation import gettext as _

from resources.changes import RedisError
from resources.changes.sessions import KEEP, EndedSessions
from resources.stream.line import BrowserConnection
from resources.stream.sse import encode

log = logging.getLogger(__name__)

AGAIN_SECONDS = 45.0
_TICK_SECONDS = 1.0


class _Session:
    """`lives()` asks the session's store, in a thread."""

    __slots__ = ("due", "lines", "lives")

    def __init__(self, lives: Callable[[], bool]) -> None:
        self.lives, self.lines = lives, set[BrowserConnection]()
        self.due = _due()


class Sessions:
    """Belongs to one event loop. `pool`: threads in which stores are asked."""

    def __init__(self, pool: Executor) -> None:
        self._pool = pool
        self._open: dict[str, _Session] = {}
        self._ended: dict[str, None] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._log: EndedSessions | None = None

    def ended(self, digest: str) -> bool:
        return digest in self._ended

    def watch(self, digest: str, line: BrowserConnection, lives: Callable[[], bool]) -> None:
        """`digest`: of the session, '' for none."""
        self._start()
        if not digest:
            return
        self._open.setdefault(digest, _Session(lives)).lines.add(line)
        if digest in self._ended:
            self._end(digest)

    def leave(self, digest: str, line: BrowserConnection) -> None:
        if session := self._open.get(digest):
            session.lines.discard(line)
            if not session.lines:
                del self._open[digest]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self._log is not None:
            # This also wakes tasks that wait for an answer: redis-py 8.1 can swallow a cancellation.
            await self._log.close()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=1.0)

    def _start(self) -> None:
        if not self._tasks:
            self._log = EndedSessions()
            self._tasks = [asyncio.create_task(self._listen(self._log)), asyncio.create_task(self._look_again())]

    async def _listen(self, log_: EndedSessions) -> None:
        while True:
            with contextlib.suppress(RedisError):
                async for digest in log_.follow():
                    self._ended[digest] = None
                    if len(self._ended) > 2 * KEEP:
                        del self._ended[next(iter(self._ended))]
                    self._end(digest)
            await asyncio.sleep(_TICK_SECONDS)

    async def _look_again(self) -> None:
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            now = asyncio.get_running_loop().time()
            for digest, session in [*self._open.items()]:
                if session.due > now:
                    continue
                session.due = _due()
                try:
                    lives = await asyncio.get_running_loop().run_in_executor(self._pool, session.lives)
                except Exception:
                    # A session store that does not answer ends no stream; it is asked again.
                    log.exception("checking whether a session still lives failed")
                    continue
                if not lives:
                    self._end(digest)

    def _end(self, digest: str) -> None:
        session = self._open.pop(digest, None)
        for line in session.lines if session else ():
            with translation.override(line.language):
                message = _("Your session ended, or you started or stopped impersonation. Reload the page.")
            line.mailbox.clear()
            line.mailbox.control("ended", "", encode("ended", {"message": message}))
            line.end()


def _due() -> float:
    return asyncio.get_running_loop().time() + AGAIN_SECONDS * random.uniform(0.7, 1.0)  # noqa: S311  spreads work
