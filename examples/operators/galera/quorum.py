"""Reading and writing by majorities: every node may serve every request, and no node has to be the first one.

A write asks a majority for the newest version of the key, then hands a newer one to a majority. A read takes the newest
that a majority knows, and hands it on if not all of them had it. Two majorities share a node, so a read sees every
write that was answered before it began. H. Attiya, A. Bar-Noy, D. Dolev, "Sharing memory robustly in message-passing
systems", 1995.

Every message carries the sender's membership. Who knows a newer one refuses and tells it; who knows an older one takes
it over. So an answer of a majority is always one of the newest membership (keeper.py says why that is enough when it
changes).
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
import time
from collections.abc import Callable
from typing import Any

import aiohttp

from . import clusterkey, place
from .store import Config, Entry, Store, merge, newer

#: Seconds for one message, for one whole request, and between two tries.
MESSAGE, REQUEST, PAUSE = 2.0, 15.0, 0.05

Message = dict[str, Any]


class NoQuorumError(Exception):
    """No majority answered in time."""


class Quorum:
    """One node's view of the others. ``local(message)`` answers for the node itself."""

    def __init__(self, name: str, store: Store, local: Callable[[Message], Message]):
        self.name = name
        self._store = store
        self._local = local
        self._session = aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=MESSAGE), headers=clusterkey.headers()
        )
        self._count = itertools.count(1)
        self._life = secrets.token_hex(4)
        #: Whose disk takes nothing more, and its words.
        self._full: dict[str, str] = {}
        self._late: set[asyncio.Task[Message | None]] = set()

    async def read(self, key: str) -> Entry | None:
        """The newest entry; NoQuorumError."""
        answers = await self.ask({"do": "query", "key": key})
        entries: list[Entry | None] = [answer["entry"] for answer in answers.values()]
        found: Entry | None = None
        for entry in entries:
            found = entry if newer(entry, found) else found
        if found is not None and any(entry != found for entry in entries):
            await self.ask({"do": "store", "entries": {key: found}})
        return found

    async def write(self, key: str, value: str | None) -> Entry:
        """A newer entry than all that were there; NoQuorumError. None deletes."""
        answers = await self.ask({"do": "query", "key": key})
        last = max((answer["entry"][0] for answer in answers.values() if answer["entry"]), default=0)
        entry: Entry = [last + 1, f"{self.name}:{self._life}:{next(self._count):09d}", value]
        await self.ask({"do": "store", "entries": {key: entry}})
        return entry

    async def everything(self, config: Config | None = None) -> dict[str, Entry]:
        """All entries that a majority of ``config`` has between them."""
        answers = await self.ask({"do": "dump"}, config)
        return merge([answer["entries"] for answer in answers.values()])

    async def ask(self, message: Message, config: Config | None = None) -> dict[str, Message]:
        """The answers of a majority of the newest membership, or of ``config``; by name. NoQuorumError."""
        end = time.monotonic() + REQUEST
        while True:
            asked = config or self._store.config
            answers = await self._round(message, asked)
            same = config is not None or self._store.config.epoch == asked.epoch
            if same and len(answers) >= asked.majority:
                return answers
            if time.monotonic() > end:
                text = f"{len(answers)} of {len(asked.members)} nodes answered, {asked.majority} are needed"
                raise NoQuorumError(
                    "; ".join([text, *(f"{name}: {words}" for name, words in sorted(self._full.items()))])
                )
            await asyncio.sleep(PAUSE if same else 0)

    async def _round(self, message: Message, asked: Config) -> dict[str, Message]:
        tasks = {asyncio.create_task(self.send(name, url, message)): name for name, url in asked.members.items()}
        answers: dict[str, Message] = {}
        waiting = set(tasks)
        while waiting and len(answers) < max(asked.majority, 1):
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                if (found := task.result()) is not None:
                    answers[tasks[task]] = found
        # The slower requests complete in the background.
        for task in waiting:
            self._late.add(task)
            task.add_done_callback(self._late.discard)
        return answers

    async def send(self, name: str, url: str, message: Message) -> Message | None:
        """One message to one node; None when there is no good answer.

        A refusal with a newer membership is taken over.
        """
        whole = {**message, "to": name, "config": self._store.config.as_json()}
        if name == self.name:
            return self._good(name, self._local(whole))
        for address in dict.fromkeys((url, place.service(name))):
            try:
                async with self._session.post(f"{address}/peer", json=whole) as answer:
                    if answer.status != 200:
                        continue
                    found: Message = await answer.json()
            except (aiohttp.ClientError, TimeoutError, ValueError):
                continue
            config = Config.from_json(found.get("config") or {})
            if config.epoch > self._store.config.epoch:
                self._store.adopt(config)
            return self._good(name, found)
        self._full.pop(name, None)
        return None

    def _good(self, name: str, answer: Message) -> Message | None:
        self._full.pop(name, None)
        if answer.get("disk"):
            self._full[name] = str(answer["refused"])
        return None if answer.get("refused") else answer

    async def close(self) -> None:
        """Waits for what is under way, a little."""
        if self._late:
            await asyncio.wait(self._late, timeout=MESSAGE)
        await self._session.close()
