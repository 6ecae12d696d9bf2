"""The queue of a controller: which objects to look at, one pass at a time for each, again after a failure.

Ten changes while a pass runs are one more pass after it, not ten: a pass reads everything anew, so it misses nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

import aiohttp

from operators.kubeapi import ApiError

log = logging.getLogger("operators.passes")

#: Seconds between two tries, at first and at most.
FIRST, LONGEST = 0.5, 10.0

Key = tuple[str, str]


class NotYet(Exception):
    """Something is in the way; its text says what."""


class Passes:
    """``work``: one pass for the object of this namespace and name; it may return the seconds until the next look."""

    def __init__(self, work: Callable[[str, str], Awaitable[float | None]]):
        self._work = work
        self._wanted: set[Key] = set()
        self._running: dict[Key, asyncio.Task[None]] = {}
        self._later: dict[Key, asyncio.TimerHandle] = {}

    def want(self, namespace: str, name: str) -> None:
        """There will be a pass that begins after this moment."""
        key = (namespace, name)
        self._wanted.add(key)
        if timer := self._later.pop(key, None):
            timer.cancel()
        if key not in self._running:
            self._running[key] = asyncio.create_task(self._run(key))

    async def _run(self, key: Key) -> None:
        pause = FIRST
        try:
            while key in self._wanted:
                self._wanted.discard(key)
                try:
                    again = await self._work(*key)
                    pause = FIRST
                    if again and key not in self._wanted:
                        self._later[key] = asyncio.get_running_loop().call_later(again, self.want, *key)
                except (ApiError, NotYet, aiohttp.ClientError, TimeoutError) as problem:
                    log.warning("%s/%s: %s; trying again in %s s", *key, problem or type(problem).__name__, pause)
                    self._wanted.add(key)
                    await asyncio.sleep(pause)
                    pause = min(2 * pause, LONGEST)
        finally:
            del self._running[key]

    async def stop(self) -> None:
        """Ends what runs; the next start looks at everything again."""
        for timer in self._later.values():
            timer.cancel()
        self._later.clear()
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
