"""One /stream connection and what keeps it: static/js/live/stream.js, step by step."""

import asyncio
import codecs
import contextlib
import json
import random
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Any

import aiohttp

SILENCE_SECONDS = 40.0
LONGEST_PAUSE = 5.0
REFUSED_SECONDS = (3.0, 5.0)
APART_SECONDS = 1.0
_TIME = re.compile(r"^\d+")


def earlier(item: str, other: str) -> str:
    """The earlier of two positions; empty: unknown."""
    if not item or not other:
        return item or other
    return item if _milliseconds(item) <= _milliseconds(other) else other


def _milliseconds(position: str) -> int:
    found = _TIME.match(position)
    return int(found[0]) if found else 0


class Connection:
    """`subscription`: what is asked for, as the body of a POST; with `old` as a GET for everything.

    `hear`: gets each event and its data.
    """

    def __init__(
        self, url: str, subscription: Callable[[], dict[str, Any]], hear: Callable[[str, dict], None], old: bool
    ) -> None:
        self.counts: Counter[str] = Counter()
        self.last = ""
        self._url = url
        self._subscription = subscription
        self._hear = hear
        self._old = old
        self._since = ""  # position from which events haven't been delivered yet
        self._opening = ""  # the same of a connection that does not stand yet
        self._again = asyncio.Event()
        self._opened_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._doing, self._doing_at = "not yet open", time.monotonic()

    @property
    def state(self) -> str:
        """For debugging a connection that hangs."""
        return f"{self._doing} for {time.monotonic() - self._doing_at:.1f} s"

    def _note(self, doing: str) -> None:
        self._doing, self._doing_at = doing, time.monotonic()

    def want(self, since: str, soon: float = 0.2) -> None:
        """The subscription has grown: another connection, from `since` on."""
        self._since = earlier(self._since, since)
        self._reopen(max(soon, self._opened_at + APART_SECONDS - time.monotonic()))

    def _reopen(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        if self._timer is None or self._timer.when() > loop.time() + seconds:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = loop.call_later(seconds, self._again.set)

    async def run(self, session: aiohttp.ClientSession, since: str) -> None:
        """Until it is cancelled."""
        self._since, self._failures = since, 0
        while True:
            self._again.clear()
            self._timer = None
            attempt = asyncio.create_task(self._once(session))
            replaced = asyncio.create_task(self._again.wait())
            try:
                await asyncio.wait({attempt, replaced}, return_when=asyncio.FIRST_COMPLETED)
                if attempt.done():
                    self._failures += 1
                    self._note("a pause")
                    pause = min(0.5 * 2 ** (self._failures - 1), LONGEST_PAUSE) * random.uniform(0.5, 1)
                    await asyncio.wait({replaced}, timeout=pause)
            finally:
                for task in (attempt, replaced):
                    task.cancel()
                await asyncio.gather(attempt, replaced, return_exceptions=True)

    async def _once(self, session: aiohttp.ClientSession) -> None:
        self._opened_at = time.monotonic()
        self._opening, self._since = earlier(self._opening, self._since), ""
        since = earlier(self._opening, self.last)
        self._note("connecting")
        with contextlib.suppress(aiohttp.ClientError, TimeoutError, OSError):
            async with self._ask(session, since) as answer:
                self._note(f"answered with {answer.status}")
                if answer.status != 200:
                    self.counts[f"refused with {answer.status}"] += 1
                    return
                self._opening = ""
                self.counts["connections"] += 1
                self._hear("opened", {})
                async for part in _parts(answer):
                    self._failures = 0
                    self._note("silence")
                    self._part(part)

    def _ask(self, session: aiohttp.ClientSession, since: str) -> Any:
        subscription = self._subscription()
        if self._old:
            query = [("topic", row["topic"]) for row in subscription["rows"]] + ([("since", since)] if since else [])
            return session.get(f"{self._url}/stream", params=query)
        return session.post(f"{self._url}/stream", json={**subscription, **({"since": since} if since else {})})

    def _part(self, part: str) -> None:
        fields = dict(line.split(": ", 1) for line in part.split("\n") if ": " in line and not line.startswith(":"))
        self.last = fields.get("id", self.last)
        if "data" not in fields:
            return
        event, data = fields["event"], json.loads(fields["data"])
        self.counts[event] += 1
        if event == "refused":
            # The cluster did not answer whether the topic may be followed: ask again soon.
            if not data["lasting"]:
                self._reopen(random.uniform(*REFUSED_SECONDS))
        else:
            self._hear(event, data)


async def _parts(answer: aiohttp.ClientResponse) -> AsyncIterator[str]:
    """What stands between blank lines. TimeoutError when the line is silent for too long, and thus dead."""
    text, decoder = "", codecs.getincrementaldecoder("utf-8")()
    while True:
        async with asyncio.timeout(SILENCE_SECONDS):
            piece = await answer.content.readany()
        if not piece:
            return
        *parts, text = (text + decoder.decode(piece)).split("\n\n")
        for part in parts:
            yield part
