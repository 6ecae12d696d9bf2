"""One list as a page shows it: read once, then held true by the stream; what static/js/live.js does, step by step.

What a page shows of an object is the number in its label. A lower number that arrives after a higher one is older: it
is not shown, and counted.
"""

import asyncio
import contextlib
import html
import random
import re
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from tests.faults.assembly import LABEL, Place
from tests.faults.connection import Connection

_ROW = re.compile(r'<tr\b[^>]*\bid="row-([^"]+)"[^>]*>(.*?)</tr>', re.DOTALL)
_CELL = re.compile(rf'data-label="{LABEL}">\s*(?:<[^>]*>\s*)*(\d*)')
_SINCE = re.compile(r'data-live-since="([^"]*)"')
_NAME = re.compile(r'data-live-rows="([^"]*)"')
_MOVES = re.compile(r"<tbody\b[^>]*data-live-moves")
# static/js/live/refetch.js, without its patience with lists that change all the time.
SOON_SECONDS, EVERY_SECONDS, AGAIN_SECONDS = 0.05, 1.0, (4.0, 6.0)


@dataclass(slots=True)
class Shown:
    number: int
    at: float


@dataclass(eq=False, kw_only=True)
class View:
    """`old`: with a GET for every object of the topic, as an API user would; else a POST with the rows that are
    shown, as pages do.

    `shown`: by uid, what stands on the page, and since when; `gone`: when a row went.
    """

    name: str
    url: str
    place: Place
    sort: str = ""
    old: bool = False
    shown: dict[str, Shown] = field(default_factory=dict)
    gone: dict[str, float] = field(default_factory=dict)
    stale: list[str] = field(default_factory=list)
    opened: asyncio.Event = field(default_factory=asyncio.Event)
    diary: deque[str] = field(default_factory=lambda: deque(maxlen=60))  # the last events, to find out what was lost
    _counts: Counter[str] = field(default_factory=Counter)
    _heard: dict[str, int] = field(default_factory=dict)  # over this connection, by uid
    _ended: set[str] = field(default_factory=set)  # uids never come back
    _asked: set[str] = field(default_factory=set)  # uids of the connection that is open
    _topic: str = ""
    _since: str = ""
    _moves: bool = False
    _version: int = 0  # the highest that was heard
    _plan: "asyncio.Task[None] | None" = None
    _again: bool = False
    _read_at: float = 0.0
    _list_at: float = 0.0  # when the list that is under way was asked for, 0 when none is

    def __post_init__(self) -> None:
        self._line = Connection(self.url, self._subscription, self._hear, self.old)

    @property
    def counts(self) -> Counter[str]:
        return self._counts + self._line.counts

    @property
    def state(self) -> str:
        """For debugging a page that hangs."""
        asked = f", a list asked for {time.monotonic() - self._list_at:.1f} s ago" if self._list_at else ""
        return f"{self._line.state}{asked}"

    async def run(self) -> None:
        """Until it is cancelled."""
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None, sock_connect=5)) as self._session:
            try:
                await self._open()
                await self._line.run(self._session, self._since)
            finally:
                if self._plan is not None:
                    self._plan.cancel()

    @property
    def address(self) -> str:
        return f"{self.url}{self.place.page}" + (f"&sort={self.sort}" if self.sort else "")

    async def _open(self) -> None:
        """Opens the page; reloads after an error."""
        while True:
            with contextlib.suppress(aiohttp.ClientError, TimeoutError, OSError):
                async with self._session.get(self.address, timeout=aiohttp.ClientTimeout(total=20)) as answer:
                    text = await answer.text()
                    found = _NAME.search(text)
                    if answer.status == 200 and found and found[1]:
                        self._topic = html.unescape(found[1])
                        since = _SINCE.search(text)
                        self._since = html.unescape(since[1]) if since else ""
                        self._moves = bool(_MOVES.search(text))
                        self._lay(text)
                        self.opened.set()
                        return
            await asyncio.sleep(0.5)

    def _subscription(self) -> dict[str, Any]:
        self._asked = set(self.shown)
        return {"rows": [{"topic": self._topic, "uids": list(self.shown), "moves": self._moves}], "notices": []}

    def _write(self, what: str) -> None:
        self.diary.append(f"{time.monotonic():.2f} {what}")

    # News

    def _hear(self, event: str, data: dict[str, Any]) -> None:
        logged = {word: value for word, value in data.items() if word not in ("html", "topic", "namespace")}
        shows = f" shows {_number(data['html'])}" if data.get("html") else ""
        self._write(f"{event} {logged}{shows} at {self._line.last}")
        if event == "opened":
            self._heard.clear()
        if str(data.get("version", "")).isdigit():
            self._version = max(self._version, int(data["version"]))
        if data.get("topic") != self._topic or event in ("paused", "resumed"):
            return
        uid = data.get("uid", "")
        known = uid in self.shown
        if event == "row" and data.get("html"):
            self._row(uid, data)
            if not self._moves:
                return
        if event == "gone" and uid:
            self._ended.add(uid)
            if known:
                self._drop(uid)
        self.list_again()

    def _row(self, uid: str, data: dict[str, Any]) -> None:
        number = _number(data["html"])
        if number < self._heard.get(uid, 0):
            self._counts["older over one connection"] += 1
        self._heard[uid] = max(number, self._heard.get(uid, 0))
        if uid in self._ended:
            self._counts["after its end"] += 1
        elif uid in self.shown:
            self._show(uid, number, f"row {self._line.last}")

    def _show(self, uid: str, number: int, how: str) -> None:
        known = self.shown.get(uid)
        if known is None or number > known.number:
            self.shown[uid] = Shown(number, time.monotonic())
        elif number < known.number:
            self._counts["stale"] += 1
            self.stale.append(f"{self.name}: {uid} shows {known.number}, {how} says {number}")

    def _drop(self, uid: str) -> None:
        del self.shown[uid]
        self.gone[uid] = time.monotonic()

    # Lists

    def _lay(self, text: str) -> bool:
        """A list over what stands there; whether all of it was new enough."""
        before = self._counts.total()
        rows = {uid: _number(inside) for uid, inside in _ROW.findall(text)}
        for uid in self.shown.keys() - rows.keys():
            self._drop(uid)
        for uid, number in rows.items():
            if uid in self._ended:
                self._counts["list after its end"] += 1
            else:
                self._show(uid, number, "a list")
        return self._counts.total() == before

    def list_again(self) -> None:
        """Soon, never twice at once, never more often than each second."""
        self._again = True
        if self._plan is None or self._plan.done():
            self._plan = asyncio.create_task(self._lists())

    async def _lists(self) -> None:
        while self._again:
            await asyncio.sleep(max(SOON_SECONDS, self._read_at + EVERY_SECONDS - time.monotonic()))
            self._again = False
            well = await self._list()
            self._read_at = time.monotonic()
            if not well:
                self._counts["lists failed"] += 1
                self._again = True
                await asyncio.sleep(random.uniform(*AGAIN_SECONDS))

    async def _list(self) -> bool:
        headers = {"HX-Request": "true", "HX-Target": "rows", "X-Live-Version": str(self._version)}
        self._list_at = time.monotonic()
        limit = aiohttp.ClientTimeout(total=60)
        try:
            async with self._session.get(self.address, headers=headers, timeout=limit) as answer:
                text = await answer.text()
                if answer.status != 200:
                    self._write(f"no list: {answer.status}")
                    return False
        except (aiohttp.ClientError, TimeoutError, OSError) as problem:
            self._write(f"no list: {problem!r}")
            return False
        finally:
            self._list_at = 0.0
        well, version = self._lay(text), answer.headers.get("X-Live-Version", "")
        # Not as new as what was heard: once more.
        if not well or (version.isdigit() and int(version) < int(headers["X-Live-Version"])):
            self._again = True
        self._write(f"list at {version}, asked for {headers['X-Live-Version']}, well: {well}")
        self._counts["lists"] += 1
        if not self.old and not self.shown.keys() <= self._asked:
            self._line.want(answer.headers.get("X-Live-Since", "") or self._line.last)
        return True


def _number(text: str) -> int:
    found = _CELL.search(text)
    return int(found[1]) if found and found[1] else 0
