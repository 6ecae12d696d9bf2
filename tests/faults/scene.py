"""The assembly with a writer and with browsers; plays faults, and then waits until every page shows the true state."""

import asyncio
import contextlib
import os
import random
import re
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from redis.exceptions import RedisError

from bench.browser import find_chromium
from tests.faults import kinds, tab
from tests.faults.assembly import GROUP, PLACES, PLURAL, Assembly, Place, assemble
from tests.faults.clusters import Cluster
from tests.faults.kinds import Fault
from tests.faults.tab import Tab
from tests.faults.view import View
from tests.faults.writer import Writer

LOOK_SECONDS = 0.1
#: All gauges of both namespaces, a list of its own: fewer than a page's 50 rows.
EVERYWHERE = Place(GROUP, "v1", PLURAL)


@dataclass(slots=True)
class Played:
    """One fault, in seconds since the scene began. `problem`: why it could not be healed."""

    name: str
    began: float
    ended: float = 0.0
    problem: str = ""


@dataclass(slots=True)
class Settled:
    """How long after the last fault healed (or after its change, whichever came later) each update stood on each
    page.
    """

    waits: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def largest(self) -> float:
        return max(self.waits, default=0.0)

    @property
    def median(self) -> float:
        return statistics.median(self.waits) if self.waits else 0.0


@dataclass(eq=False, kw_only=True)
class Scene:
    all: Assembly
    writer: Writer
    views: list[View]
    tabs: list[Tab]
    chance: random.Random
    seed: int
    began: float = field(default_factory=time.monotonic)
    played: list[Played] = field(default_factory=list)
    healed: float = field(default_factory=time.monotonic)
    backward: list[str] = field(default_factory=list)  # in Chromium, from the beginning
    settled: list[Settled] = field(default_factory=list)

    def say(self, text: str) -> None:
        print(f"{time.monotonic() - self.began:7.2f} s  {text}", flush=True)  # noqa: T201

    @property
    def kinds(self) -> list[Fault]:
        """Those that can be had here."""
        return [item for item in kinds.ALL.values() if self.all.cluster.plain or not item.plain]

    async def play(self, fault: Fault, seconds: float | None = None) -> None:
        """Begins, waits, heals; logs both ends."""
        length = self.chance.uniform(*fault.seconds) if seconds is None else seconds
        played = Played(fault.name, time.monotonic() - self.began)
        self.played.append(played)
        self.say(f"{fault.name}, for {length:.1f} s")
        try:
            await fault.do(self.all, self.chance, length)
        except Exception as problem:
            played.problem = f"{type(problem).__name__}: {problem}"
            await kinds.heal(self.all)
        self.healed = time.monotonic()
        played.ended = self.healed - self.began
        self.say(f"{fault.name}: over{' - ' + played.problem if played.problem else ''}")

    @asynccontextmanager
    async def writing(self, rate: float) -> AsyncIterator[None]:
        task = asyncio.create_task(self.writer.run(rate))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    # The end

    async def settle(self, limit: float) -> Settled:
        """After the writes have ended: does every page come to show the true state, each within `limit` seconds of the
        last fault's end?

        Asked before anything is written again, since a new change of an object would hide that an earlier one was lost.
        """
        found, began = Settled(), time.monotonic()
        truth = {view.place: await self.writer.truth(view.place) for view in (*self.views, *self.tabs)}
        waiting: list[View | Tab] = [*self.views, *self.tabs]
        until = max(self.healed, began) + limit
        while waiting and time.monotonic() < until:
            for item in list(waiting):
                if await _shown(item) == truth[item.place]:
                    waiting.remove(item)
            await asyncio.sleep(LOOK_SECONDS)
        for item in waiting:
            self.say(f"{item.name} is not right: {item.state if isinstance(item, View) else 'in Chromium'}")
            await self._explain(item)
            shown = await _shown(item)
            for uid in shown.keys() | truth[item.place].keys():
                if shown.get(uid) != truth[item.place].get(uid):
                    found.wrong.append(
                        f"{item.name} shows {shown.get(uid)} of {uid}, true is {truth[item.place].get(uid)}"
                    )
        found.waits = [
            wait for view in (*self.views, *self.tabs) for wait in await self._waits(view, truth[view.place])
        ]
        found.seconds = time.monotonic() - began
        self.settled.append(found)
        self.say(
            f"settled after {found.seconds:.2f} s: largest wait {found.largest:.2f} s, median {found.median * 1000:.0f}"
            f" ms, {len(found.waits)} updates, {len(found.wrong)} wrong"
        )
        return found

    async def _explain(self, item: View | Tab) -> None:
        """What led to it, into a file beside the programs' logs."""
        topic = item.place.topic(self.all.cluster.name)
        lines = [
            f"{item.name}, {topic}, now {time.monotonic():.2f}, healed {self.healed:.2f}",
            *getattr(item, "diary", ()),
        ]
        with contextlib.suppress(RedisError):
            for key in await self.all.direct.keys(f"*{topic}"):
                if await self.all.direct.type(key) == b"hash":
                    lines.append(f"{key}: {await self.all.direct.hgetall(key)}")
                elif await self.all.direct.type(key) == b"stream":
                    for id_, fields in (await self.all.direct.xrevrange(key, count=60))[::-1]:
                        values = {
                            word.decode(): value for word, value in fields.items() if word not in (b"r", b"c", b"o")
                        }
                        number = re.search(rb'"n":"(\d+)"', fields.get(b"r", b""))
                        lines.append(f"{id_.decode()} {values} shows {number[1] if number else None}")
        shown, truth = await _shown(item), await self.writer.truth(item.place)
        lines += [
            f"{uid}: shows {shown.get(uid)}, true is {truth.get(uid)}"
            for uid in shown.keys() | truth.keys()
            if shown.get(uid) != truth.get(uid)
        ]
        path = self.all.folder / f"wrong-{item.name}-{len(self.settled)}.txt"
        path.write_text("\n".join(lines) + "\n")
        self.say(f"why: {path}")

    async def _waits(self, item: View | Tab, truth: dict[str, int]) -> list[float]:
        """Of each object's last change that was not on the page yet when the last fault healed, or came after it."""
        shown, gone = await _times(item)
        found = []
        for uid, change in self.writer.written.items():
            if change.deleted and uid in gone:
                at = gone[uid]
            elif not change.deleted and uid in truth and shown.get(uid, (0, 0.0))[0] == change.number:
                at = shown[uid][1]
            else:
                continue
            if at > self.healed:
                found.append(max(0.0, at - max(change.at, self.healed)))
        return found

    async def finish(self, limit: float) -> Settled:
        """What was lost shows first; then every object changes once more, and every page has to tell."""
        first = await self.settle(limit)
        self.say("one more change of every object")
        await self.writer.finish()
        last = await self.settle(limit)
        self.backward = []
        for item in self.tabs:
            seen = await item.seen()
            self.backward += [f"{item.name}: {uid} showed {newer}, then {older}" for uid, newer, older in seen.backward]
            self.backward += [f"{item.name}: {uid} was gone, then showed {number}" for uid, number in seen.returned]
        return Settled([*first.waits, *last.waits], [*first.wrong, *last.wrong], first.seconds + last.seconds)


async def _shown(item: View | Tab) -> dict[str, int]:
    if isinstance(item, View):
        return {uid: shown.number for uid, shown in item.shown.items()}
    return {uid: number for uid, (number, _) in (await item.seen()).shown.items()}


async def _times(item: View | Tab) -> tuple[dict[str, tuple[int, float]], dict[str, float]]:
    """(uid → number, since when; uid → when it went), as time.monotonic()."""
    if isinstance(item, View):
        return {uid: (shown.number, shown.at) for uid, shown in item.shown.items()}, item.gone
    seen, shift = await item.seen(), time.time() - time.monotonic()
    shown = {uid: (number, at - shift) for uid, (number, at) in seen.shown.items()}
    return shown, {uid: at - shift for uid, at in seen.gone.items()}


@asynccontextmanager
async def scene(
    folder: Path, cluster: Cluster, *, hubs: int = 2, webs: int = 2, views: int = 6, browser: int = 1
) -> AsyncIterator[Scene]:
    """Everything is up, filled and opened on arrival. The seed is FAULT_SEED, or a new one that is printed."""
    seed = int(os.environ.get("FAULT_SEED") or random.randrange(1_000_000))
    chance = random.Random(seed)
    print(f"\nFAULT_SEED={seed}", flush=True)  # noqa: T201
    all_ = await assemble(folder, cluster, hubs=hubs, webs=webs)
    tasks: list[asyncio.Task[None]] = []
    try:
        writer = Writer(cluster=cluster, chance=chance, places=PLACES)
        await writer.fill()
        places = [*PLACES, EVERYWHERE]
        looking = [
            View(
                name=f"view-{number + 1}",
                url=all_.url,
                place=places[number % len(places)],
                sort="name" if number % 6 == 5 else "",
            )
            for number in range(views)
        ]
        tasks = [asyncio.create_task(view.run(), name=view.name) for view in looking]
        wanted = [places[number % len(places)] for number in range(browser)] if find_chromium() else []
        async with asyncio.timeout(150):
            for view in looking:
                await view.opened.wait()
        async with contextlib.AsyncExitStack() as stack:
            opened = await stack.enter_async_context(tab.tabs(all_.url, wanted)) if wanted else []
            yield Scene(all=all_, writer=writer, views=looking, tabs=opened, chance=chance, seed=seed)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await all_.close()
