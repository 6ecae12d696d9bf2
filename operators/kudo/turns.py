"""The queue of the engine: one pass at a time for each Instance, again when the pass asks for it or fails.

Ten changes while a pass runs are one more pass after it, not ten: a pass reads everything anew, so it misses nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

import aiohttp

from operators.kubeapi import ApiError

log = logging.getLogger("kudo")

#: Seconds between two tries after a failure, at first and at most.
FIRST, LONGEST = 0.5, 10.0


class Turns:
    """``work``: one pass for the Instance of this namespace and name; it returns in how many seconds to look again, or None."""

    def __init__(self, work: Callable[[str, str], Awaitable[float | None]]):
        self._work = work
        self._wanted: dict[tuple[str, str], asyncio.Event] = {}
        self._running: dict[tuple[str, str], asyncio.Task[None]] = {}

    def want(self, namespace: str, name: str) -> None:
        """There will be a pass that begins after this moment."""
        key = (namespace, name)
        self._wanted.setdefault(key, asyncio.Event()).set()
        if key not in self._running:
            self._running[key] = asyncio.create_task(self._run(key))

    async def _run(self, key: tuple[str, str]) -> None:
        woken, pause = self._wanted[key], FIRST
        try:
            while True:
                woken.clear()
                try:
                    again = await self._work(*key)
                    pause = FIRST
                except (ApiError, aiohttp.ClientError, TimeoutError) as problem:
                    log.warning("%s/%s: %s; trying again in %s s", *key, problem or type(problem).__name__, pause)
                    again, pause = pause, min(2 * pause, LONGEST)
                except Exception:
                    # A mistake of ours must not leave the Instance without anybody who looks after it.
                    log.exception("%s/%s: trying again in %s s", *key, LONGEST)
                    again = LONGEST
                if again is None and not woken.is_set():
                    return
                try:
                    await asyncio.wait_for(woken.wait(), again)
                except TimeoutError:
                    continue
        finally:
            del self._running[key]

    async def stop(self) -> None:
        """Ends what runs; the next start looks at everything again."""
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
