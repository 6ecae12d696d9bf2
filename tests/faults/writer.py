"""Who writes: numbered changes to many objects, one after the other for each, straight to the API server; and what
was written.
"""

import asyncio
import contextlib
import random
import time
from collections import Counter
from dataclasses import dataclass, field

import aiohttp

from tests.faults.assembly import GROUP, KIND, LABEL, Place
from tests.faults.clusters import Cluster

_MERGE = "application/merge-patch+json"
_HANDS = 6
#: Of one place: some are made and deleted all the time, the others stay.
STAYING, PASSING = 20, 4


@dataclass(eq=False, slots=True, kw_only=True)
class Object:
    """`number` is the last one that the API server has confirmed, at `at` (time.monotonic())."""

    place: Place
    name: str
    number: int = 0
    at: float = 0.0
    uid: str = ""
    busy: bool = False


@dataclass(slots=True)
class Change:
    """The last change of an object: the number that was written, or its deletion."""

    number: int
    at: float
    deleted: bool = False


@dataclass(eq=False, kw_only=True)
class Writer:
    """`written`: the last change by uid."""

    cluster: Cluster
    chance: random.Random
    places: tuple[Place, ...]
    staying: int = STAYING
    passing: int = PASSING
    written: dict[str, Change] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    number: int = 0
    retries: int = 0
    _objects: list[Object] = field(default_factory=list)

    async def fill(self) -> None:
        """Every object that stays, once."""
        self._objects = [
            Object(place=place, name=f"{word}-{number:02d}")
            for place in self.places
            for word, count in (("object", self.staying), ("passing", self.passing))
            for number in range(count)
        ]
        await self._together([self._write(obj) for obj in self._objects if obj.name.startswith("object")])

    async def run(self, rate: float) -> None:
        """About `rate` changes a second, until it is cancelled; what is under way is finished."""
        hands: set[asyncio.Task[None]] = set()
        began, done = time.monotonic(), 0
        try:
            while True:
                due = (time.monotonic() - began) * rate
                if done >= due or len(hands) >= _HANDS:
                    await asyncio.sleep(0.005)
                    if len(hands) >= _HANDS:
                        # What the API server did not take meanwhile is not made up for in one burst.
                        done = max(done, due - rate / 4)
                    continue
                done += 1
                if item := self._pick():
                    hand = asyncio.create_task(self._change(item))
                    hands.add(hand)
                    hand.add_done_callback(hands.discard)
        finally:
            await asyncio.shield(asyncio.gather(*hands))

    async def finish(self) -> None:
        """One more change of every object there is."""
        await self._together([self._write(obj) for obj in self._objects if obj.uid])

    async def _together(self, jobs: list) -> None:
        gate = asyncio.Semaphore(_HANDS)

        async def one(job) -> None:
            async with gate:
                await job

        await asyncio.gather(*(one(job) for job in jobs))

    def _pick(self) -> Object | None:
        """An object that isn't being written; marks it as busy."""
        found = self.chance.choice(self._objects)
        if found.busy:
            return None
        found.busy = True
        return found

    async def _change(self, item: Object) -> None:
        if item.uid and item.name.startswith("passing") and self.chance.random() < 0.3:
            await self._delete(item)
        else:
            await self._write(item)

    async def _write(self, item: Object) -> None:
        """The same number until the API server confirms it."""
        item.busy = True
        self.number += 1
        number = self.number
        try:
            while True:
                with contextlib.suppress(aiohttp.ClientError, TimeoutError, OSError, ValueError):
                    if await (self._patch(item, number) if item.uid else self._create(item, number)):
                        return
                self.retries += 1
                await asyncio.sleep(0.1)
        finally:
            item.busy = False

    async def _patch(self, item: Object, number: int) -> bool:
        body = {"metadata": {"labels": {LABEL: str(number)}}, **_content(item.place, number)}
        status, answer = await self.cluster.ask("PATCH", item.place.path(name=item.name), body, _MERGE)
        return self._confirmed(item, number, answer, "changed") if status == 200 else False

    async def _create(self, item: Object, number: int) -> bool:
        head = {"apiVersion": f"{GROUP}/v1", "kind": KIND} if item.place.group == GROUP else {}
        body = {
            **head,
            "metadata": {"name": item.name, "labels": {LABEL: str(number)}},
            **_content(item.place, number),
        }
        status, answer = await self.cluster.ask("POST", item.place.path(), body)
        if status == 409:
            # Our own, whose answer was lost; or one that is still going.
            status, answer = await self.cluster.ask("GET", item.place.path(name=item.name))
            if status != 200 or answer["metadata"]["labels"].get(LABEL) != str(number):
                return False
        return self._confirmed(item, number, answer, "created") if status in (200, 201) else False

    async def _delete(self, item: Object) -> None:
        item.busy = True
        try:
            while True:
                with contextlib.suppress(aiohttp.ClientError, TimeoutError, OSError, ValueError):
                    status, _ = await self.cluster.ask("DELETE", item.place.path(name=item.name))
                    if status in (200, 202, 404):
                        self.written[item.uid] = Change(item.number, time.monotonic(), deleted=True)
                        self.counts["deleted"] += 1
                        item.uid = ""
                        return
                self.retries += 1
                await asyncio.sleep(0.1)
        finally:
            item.busy = False

    def _confirmed(self, item: Object, number: int, answer: dict, word: str) -> bool:
        item.uid, item.number, item.at = answer["metadata"]["uid"], number, time.monotonic()
        self.written[item.uid] = Change(number, item.at)
        self.counts[word] += 1
        return True

    async def truth(self, place: Place) -> dict[str, int]:
        """uid → number, as the API server has them now."""
        while True:
            with contextlib.suppress(aiohttp.ClientError, TimeoutError, OSError, ValueError):
                status, answer = await self.cluster.ask("GET", place.path())
                if status == 200:
                    return {
                        obj["metadata"]["uid"]: int((obj["metadata"].get("labels") or {}).get(LABEL) or 0)
                        for obj in answer["items"]
                    }
            await asyncio.sleep(0.1)


def _content(place: Place, number: int) -> dict:
    return {"spec": {"value": number}} if place.group == GROUP else {"data": {"value": str(number)}}
