"""The store's entries, changes, and subscriptions to changes."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

Key = tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StoreEntry:
    """One stored object. ``data`` is its JSON, ``version`` its resourceVersion."""

    namespace: str
    name: str
    version: int
    data: bytes
    labels: dict[str, str]
    uid: str = ""

    @property
    def key(self) -> Key:
        return (self.namespace, self.name)


@dataclass(frozen=True, slots=True, eq=False)
class StoreChange:
    """What happened to one object. A deletion's ``entry`` is the last state with the version of the deletion."""

    type: str
    resource: str
    entry: StoreEntry
    previous: StoreEntry | None

    @property
    def version(self) -> int:
        return self.entry.version


class Expired(Exception):
    """The history does not reach back to this version; ``oldest`` is where it begins."""

    def __init__(self, version: int, oldest: int):
        super().__init__(f"too old resource version: {version} ({oldest})")


class StoreSubscription:
    """Changes of some resources, in order, without gaps. ``await next()``; ``close()`` when done."""

    def __init__(self, resources: Iterable[str], limit: int | None, forget: Callable[[StoreSubscription], None]):
        self._forget = forget
        self._limit = limit
        self.resources = frozenset(resources)
        self.queue: deque[StoreChange] = deque()
        self._wake: asyncio.Future[bool] | None = None
        self.overflowed = False
        self.ended = False

    @property
    def bounded(self) -> bool:
        """Whether the subscription is a client's, which can be closed so that it starts over."""
        return self._limit is not None

    def end(self) -> None:
        """Nothing more will come: the resource is no longer served."""
        self.ended = True
        self._rouse()

    def _rouse(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(True)

    def push(self, change: StoreChange) -> None:
        """Called by the store."""
        if self._limit is not None and len(self.queue) >= self._limit:
            self.overflowed = True
        else:
            self.queue.append(change)
        self._rouse()

    async def next(self) -> StoreChange:
        """The next change; raises Expired when this subscriber was too slow to keep every change for."""
        while not self.queue:
            if self.overflowed:
                raise Expired(0, 0)
            await self.wait(None)
        return self.queue.popleft()

    async def wait(self, seconds: float | None) -> bool:
        """Until something happens, or the time is up (False)."""
        loop = asyncio.get_running_loop()
        wake: asyncio.Future[bool] = loop.create_future()
        self._wake = wake
        timer = loop.call_later(seconds, self._time_up, wake) if seconds is not None else None
        try:
            return await wake
        finally:
            if timer is not None:
                timer.cancel()

    @staticmethod
    def _time_up(wake: asyncio.Future[bool]) -> None:
        if not wake.done():
            wake.set_result(False)

    def close(self) -> None:
        """No more changes are kept for this subscriber."""
        self._forget(self)
        self.queue.clear()
