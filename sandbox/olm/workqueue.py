"""Keys to look at again: each at most once at a time, never lost, tried again after a refusal.

The same promise as client-go's workqueue: a key added while it is being worked on is worked on once more afterwards.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from weakref import WeakKeyDictionary

from ..errors import ApiError, Conflict

log = logging.getLogger("sandbox.olm")

Key = tuple[str, str]
#: Seconds before a key is tried again: after a conflict, after any other refusal of the API server, and after a mistake
#: of ours.
AFTER_CONFLICT, AFTER_ERROR, AFTER_MISTAKE = 0.05, 2.0, 15.0


#: Of each event loop: who begins next.
_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


async def _turn() -> None:
    """Returns once in a turn of the loop, to one caller: however many keys wait, requests are answered between two
    of them.
    """
    async with _turns.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
        await asyncio.sleep(0)


class Workqueue:
    """Runs ``reconcile(namespace, name)`` for each key that was added."""

    def __init__(self, name: str, reconcile: Callable[[str, str], Awaitable[None]]):
        self._name = name
        self._reconcile = reconcile
        self._running: dict[Key, asyncio.Task[None]] = {}
        self._again: set[Key] = set()
        self._timers: dict[Key, asyncio.TimerHandle] = {}

    def add(self, namespace: str, name: str = "", after: float = 0.0) -> None:
        """Looks at a key now, or in ``after`` seconds; an earlier appointment of the same key stands, as with
        client-go's AddAfter.
        """
        key = (namespace, name)
        present = self._timers.get(key)
        if after:
            loop = asyncio.get_running_loop()
            if present is not None and present.when() <= loop.time() + after:
                return
            if present is not None:
                present.cancel()
            self._timers[key] = loop.call_later(after, self._due, key)
            return
        if key in self._running:
            self._again.add(key)
            return
        task = asyncio.get_running_loop().create_task(self._work(key), name=f"olm {self._name} {namespace}/{name}")
        self._running[key] = task

    def _due(self, key: Key) -> None:
        self._timers.pop(key, None)
        self.add(*key)

    async def _work(self, key: Key) -> None:
        try:
            await _turn()
            await self._reconcile(*key)
        except Conflict:
            self.add(*key, after=AFTER_CONFLICT)
        except ApiError as error:
            log.warning("%s %s/%s: %s; trying again", self._name, *key, error)
            self.add(*key, after=AFTER_ERROR)
        except Exception:  # one bad object must not stop the others
            log.exception("%s %s/%s failed", self._name, *key)
            self.add(*key, after=AFTER_MISTAKE)
        finally:
            self._running.pop(key, None)
            if key in self._again:
                self._again.discard(key)
                self.add(*key)

    async def close(self) -> None:
        """Stops what is running."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
