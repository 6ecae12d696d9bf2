"""Who belongs to the cluster: one node at a time comes or goes, and node 0 alone decides it.

Why nothing is lost: (1) memberships that follow each other differ by one node, so a majority of the one and a majority
of the other share a node; (2) before the next change, everything that a majority of the old membership has is handed to
a majority of the new one, and to the node that comes; (3) a node that knows the new membership refuses messages of the
old one. While node 0 is away the membership can't change; reads and writes work.
"""

from __future__ import annotations

import asyncio
import logging
import time

from . import place
from .quorum import NoQuorumError, Quorum
from .store import Config, Store

log = logging.getLogger("galera")
#: Seconds that a new node has to take the data over.
TRANSFER = 30.0


class Keeper:
    """Of node 0."""

    def __init__(self, store: Store, quorum: Quorum):
        self._store = store
        self._quorum = quorum
        self._lock = asyncio.Lock()

    async def resume(self) -> None:
        """Ends a change that a crash has interrupted."""
        async with self._lock:
            await self._finish()

    async def join(self, name: str, url: str, *, fresh: bool) -> None:
        """When this returns the node is a member and has the data; on NoQuorumError it isn't.

        ``fresh``: its disk is empty.
        """
        async with self._lock:
            await self._finish()
            config = self._store.config
            members = {**config.members, name: url}
            if name in config.members:
                if config.members[name] != url:
                    self._store.adopt(Config(config.epoch + 1, members))
            else:
                log.info("%s comes: %d members", name, len(members))
                self._store.adopt(Config(config.epoch + 1, members), config)
            if fresh or name not in config.members:
                try:
                    await self._move(config, name)
                except NoQuorumError:
                    if name not in config.members:
                        await self._without(name)
                    raise

    async def leave(self, name: str) -> None:
        """When this returns the others have everything; NoQuorumError."""
        async with self._lock:
            await self._finish()
            if name in self._store.config.members and name != self._quorum.name:
                await self._without(name)

    async def keep(self, count: int) -> list[str]:
        """Takes out those that a scaling down has left behind: numbers from ``count`` on. Returns the members."""
        for name in list(self._store.config.members):
            if place.number_of(name) >= count:
                await self.leave(name)
        return sorted(self._store.config.members)

    async def _finish(self) -> None:
        if self._store.previous is not None:
            log.info("going on with the change to %s", sorted(self._store.config.members))
            await self._move(self._store.previous)

    async def _without(self, name: str) -> None:
        config = self._store.config
        members = {key: url for key, url in config.members.items() if key != name}
        log.info("%s goes: %d members", name, len(members))
        self._store.adopt(Config(config.epoch + 1, members), config)
        await self._move(config)

    async def _move(self, old: Config, comer: str = "") -> None:
        """Everything of the old membership to the new one."""
        entries = await self._quorum.everything(old)
        if comer:
            await self._hand_over(comer, {"do": "take", "entries": entries})
        await self._quorum.ask({"do": "store", "entries": entries})
        self._store.adopt(self._store.config)

    async def _hand_over(self, name: str, message: dict[str, object]) -> None:
        """Until the node has it: its Service may lead to it only in a moment."""
        end = time.monotonic() + TRANSFER
        while await self._quorum.send(name, self._store.config.members[name], message) is None:
            if time.monotonic() > end:
                raise NoQuorumError(f"{name} did not take the data over")
            await asyncio.sleep(0.2)
