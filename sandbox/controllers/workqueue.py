"""Keys to look at again: each at most once in the queue, never lost, tried again with growing pauses after a refusal.

Reconcilers are synchronous because the cluster's verbs are; one key is worked on at a time, and the event loop gets its
turn between two keys, so a thousand of them never hold up a request.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from ..errors import ApiError, Conflict, NotFound

log = logging.getLogger("sandbox.controllers")

Key = tuple[str, str]
#: Seconds before a key is tried again: at first, and at most.
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 60.0


class Workqueue:
    """Runs ``reconcile(namespace, name)`` for each key that was added."""

    def __init__(self, name: str, reconcile: Callable[[str, str], None]):
        self._name = name
        self._reconcile = reconcile
        self._waiting: dict[Key, None] = {}
        self._timers: dict[Key, asyncio.TimerHandle] = {}
        self._pauses: dict[Key, float] = {}
        self._turn: asyncio.Handle | None = None

    def add(self, namespace: str, name: str) -> None:
        """Looks at a key in one of the next turns of the loop."""
        self._waiting[namespace, name] = None
        self._arm()

    def add_after(self, seconds: float, namespace: str, name: str) -> None:
        """Looks at a key in ``seconds``; an earlier appointment of the same key stands."""
        key = (namespace, name)
        loop = asyncio.get_running_loop()
        present = self._timers.get(key)
        if present is not None:
            if present.when() <= loop.time() + seconds:
                return
            present.cancel()
        self._timers[key] = loop.call_later(max(0.0, seconds), self._due, key)

    def _due(self, key: Key) -> None:
        self._timers.pop(key, None)
        self.add(*key)

    def _arm(self) -> None:
        if self._turn is None and self._waiting:
            self._turn = asyncio.get_running_loop().call_soon(self._work)

    def _work(self) -> None:
        self._turn = None
        key = next(iter(self._waiting))
        del self._waiting[key]
        try:
            self._reconcile(*key)
        except (Conflict, NotFound):  # something changed or went while this was working: its event comes too
            self._again(key)
        except ApiError as refused:
            log.warning("%s %s: %s; trying again", self._name, "/".join(filter(None, key)), refused)
            self._again(key)
        except Exception:  # one bad object must not stop the others
            log.exception("%s %s failed; trying again", self._name, "/".join(filter(None, key)))
            self._again(key)
        else:
            self._pauses.pop(key, None)
        self._arm()

    def _again(self, key: Key) -> None:
        pause = self._pauses.get(key, FIRST_PAUSE)
        self._pauses[key] = min(pause * 2, LONGEST_PAUSE)
        self.add_after(pause, *key)

    def close(self) -> None:
        """Nothing is worked on any more."""
        if self._turn is not None:
            self._turn.cancel()
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        self._waiting.clear()
