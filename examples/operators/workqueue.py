"""The queue of a controller: which objects to look at, one pass at a time for each, again when the pass asks for it
or fails.

Ten changes during a pass lead to one more pass, not ten: a pass reads everything again, so it misses nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable

import aiohttp

from examples.operators.kubeapi import ApiError

log = logging.getLogger("examples.operators.workqueue")

#: Seconds between two tries, at first and at most. A change after a failure is waited for as long as FIRST and no
#: longer.
FIRST, LONGEST = 0.5, 10.0

Key = tuple[str, str]


class NotYet(Exception):
    """Something is in the way; its text says what."""


class WorkQueue:
    """``work``: one pass for the object of this namespace and name; returns the seconds until the next one, or None."""

    def __init__(self, work: Callable[[str, str], Awaitable[float | None]]):
        self._work = work
        self._wanted: dict[Key, asyncio.Event] = {}
        self._running: dict[Key, asyncio.Task[None]] = {}

    def add(self, namespace: str, name: str) -> None:
        """Queues a pass that begins after this call."""
        key = (namespace, name)
        self._wanted.setdefault(key, asyncio.Event()).set()
        if key not in self._running:
            self._running[key] = asyncio.create_task(self._run(key))

    async def _run(self, key: Key) -> None:
        """Passes for one object, until there is nothing more to wait for."""
        wanted, failures = self._wanted[key], 0
        try:
            while True:
                wanted.clear()
                try:
                    again = await self._work(*key)
                    failures = 0
                except Exception as problem:
                    again = min(FIRST * 2**failures, LONGEST)
                    failures += 1
                    _log_failure(key, problem, again)
                    # A pass that writes and then fails would wake itself without end.
                    await asyncio.sleep(FIRST)
                if again is None and not wanted.is_set():
                    return
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(wanted.wait(), again)
        finally:
            del self._running[key], self._wanted[key]

    async def stop(self) -> None:
        """Ends what runs; the next start looks at everything again."""
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _log_failure(key: Key, problem: Exception, pause: float) -> None:
    """Logs an expected error as one line, a bug of ours with its traceback; either way the object is tried again."""
    expected = isinstance(problem, (ApiError, NotYet, aiohttp.ClientError, TimeoutError))
    text = problem or type(problem).__name__
    log.warning("%s/%s: %s; trying again in %s s", *key, text, pause, exc_info=None if expected else problem)
