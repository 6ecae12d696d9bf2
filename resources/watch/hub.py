"""Watches the topics that are this hub's share and writes what it sees into resources.changes.

Wanted is what somebody looks at, and the few types that the console always needs. Among the living hubs each topic belongs to the one with
the highest hash of (hub, topic): all hubs come to the same answer without talking to each other, and only a dead hub's topics move. While
they disagree for a moment a topic may be watched twice: consumers don't mind.
"""

import asyncio
import contextlib
import hashlib
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import TypeVar

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError, Unauthorized, Unreachable
from kube.transport import AsyncTransport
from resources.changes import ChangeLog, HubState, RedisError, Topic
from resources.watch.reflector import Batch, Reflector

log = logging.getLogger(__name__)
T = TypeVar("T")

BEAT_SECONDS = 1.0
# How often the versions of quiet topics are written again, so that they outlive the hub long enough.
_REFRESH_SECONDS = 60.0
# A type that is not served yet (its CRD comes with an operator) is looked for so often.
_NOT_SERVED_SECONDS = 3.0
_TYPES_SECONDS = 10.0
_REDIS_SECONDS = 0.3
ALWAYS = (
    ("apiextensions.k8s.io", "customresourcedefinitions"),
    ("core", "namespaces"),
    ("operators.coreos.com", "catalogsources"),
    ("operators.coreos.com", "subscriptions"),
    ("operators.coreos.com", "installplans"),
    ("operators.coreos.com", "clusterserviceversions"),
)


def owner(topic: str, hubs: list[str]) -> str:
    """The hub to which the topic belongs (rendezvous hashing)."""
    return max(hubs, key=lambda hub: hashlib.blake2b(f"{hub} {topic}".encode(), digest_size=8).digest())


class WatchHub:
    """`run()` until it is cancelled. One cluster, with the console's own identity."""

    def __init__(self, client: ClusterClient, id_: str) -> None:
        self.id = id_
        self._client = client
        self._tasks: dict[Topic, asyncio.Task[None]] = {}
        self._reflectors: dict[Topic, Reflector] = {}
        self._always: set[Topic] = set()
        self._problem = ""
        self._woken = asyncio.Event()
        self._refreshed = time.monotonic()

    async def run(self) -> None:
        self._log = ChangeLog()
        async with AsyncTransport(self._client.config) as self._transport:
            helpers = [asyncio.create_task(self._listen()), asyncio.create_task(self._look_for_types())]
            try:
                # Asked, not only awaited: redis-py 8.1 was seen to swallow a cancellation, and a hub that goes on holds up its worker's end.
                while not _cancelled():
                    await self._turn()
                    await self._pause()
            finally:
                await self._stop(list(self._tasks))
                await _end(helpers)
                with contextlib.suppress(RedisError):
                    await self._log.leave(self.id)
                await self._log.close()

    async def _turn(self) -> None:
        """One heartbeat, and the share of topics that goes with it. Without Redis the watches stay as they are."""
        self._bury()
        try:
            await self._log.beat(HubState(self.id, len(self._tasks), self._complaint()))
            hubs = [hub.id for hub in await self._log.hubs()] or [self.id]
            wanted = {topic for text in await self._log.interest() if (topic := self._of_this_cluster(text))}
            await self._refresh()
        except RedisError as error:
            log.warning("Redis does not answer: %s", error)
            return
        share = {topic for topic in wanted | self._always if owner(str(topic), hubs) == self.id}
        await self._stop([topic for topic in self._tasks if topic not in share])
        for topic in share - self._tasks.keys():
            self._tasks[topic] = asyncio.create_task(self._follow(topic), name=str(topic))

    def _of_this_cluster(self, text: str) -> Topic | None:
        try:
            topic = Topic.parse(text)
        except ValueError:
            return None
        return topic if topic.cluster == self._client.name else None

    def _complaint(self) -> str:
        """Why pages can't trust what they show, '' when they can. A type that is refused or gone is not the cluster's failure."""
        if self._problem:
            return self._problem
        problems = (reflector.problem for reflector in self._reflectors.values())
        return next((str(problem) for problem in problems if isinstance(problem, Unreachable | Unauthorized)), "")

    async def _refresh(self) -> None:
        """Versions of quiet topics expire unless they are written again."""
        if time.monotonic() - self._refreshed < _REFRESH_SECONDS:
            return
        self._refreshed = time.monotonic()
        for topic, reflector in list(self._reflectors.items()):
            await self._log.append(topic, (), reflector.version)

    async def _pause(self) -> None:
        """Until the next heartbeat is due, or something new is wanted."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(BEAT_SECONDS):
                await self._woken.wait()
        self._woken.clear()

    async def _listen(self) -> None:
        while True:
            try:
                async for _ in self._log.wakes():
                    self._woken.set()
            except RedisError:
                await asyncio.sleep(BEAT_SECONDS)

    async def _look_for_types(self) -> None:
        """Which of ALWAYS the cluster serves. Beside the heartbeat, since an API server may take seconds not to answer."""
        while True:
            try:
                types = await asyncio.to_thread(self._client.types)
            except KubeError as error:
                self._problem = str(error)
                await asyncio.sleep(_NOT_SERVED_SECONDS)
                continue
            preferred = {(type_.group_or_core, type_.plural): type_ for type_ in reversed(types)}
            always = {self._topic(preferred[key]) for key in ALWAYS if key in preferred}
            if self._problem or always != self._always:
                self._problem, self._always = "", always
                self._woken.set()
            await asyncio.sleep(_TYPES_SECONDS)

    def _topic(self, type_: ResourceType) -> Topic:
        return Topic(self._client.name, type_.group_or_core, type_.version, type_.plural)

    # One topic

    async def _follow(self, topic: Topic) -> None:
        type_ = await self._type(topic)
        version = await self._patiently(lambda: self._log.version(topic))
        reflector = self._reflectors[topic] = Reflector(self._transport, type_, topic, version)
        log.info("watching %s from %s", topic, version or "now")
        async with aclosing(reflector.batches()) as batches:
            async for batch in batches:
                await self._publish(topic, batch)

    async def _publish(self, topic: Topic, batch: Batch) -> None:
        await self._patiently(lambda: self._log.append(topic, batch.changes, batch.version, batch.columns))

    async def _type(self, topic: Topic) -> ResourceType:
        """Waits until the cluster serves it."""
        while True:
            try:
                return await asyncio.to_thread(self._client.find, topic.group, topic.version, topic.plural)
            except KubeError as error:
                log.debug("%s: %s", topic, error)
                await asyncio.sleep(_NOT_SERVED_SECONDS)

    async def _patiently(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Until Redis is back; the API server's connection holds what comes meanwhile."""
        while True:
            try:
                return await ask()
            except RedisError:
                await asyncio.sleep(_REDIS_SECONDS)

    def _bury(self) -> None:
        """Topics whose task failed are started again at this turn."""
        for topic, task in list(self._tasks.items()):
            if task.done():
                error = None if task.cancelled() else task.exception()
                log.error("watching %s failed and is started again", topic, exc_info=error)
                self._forget(topic)

    async def _stop(self, topics: list[Topic]) -> None:
        tasks = [self._tasks[topic] for topic in topics]
        for topic in topics:
            log.info("no longer watching %s", topic)
            self._forget(topic)
        await _end(tasks)

    def _forget(self, topic: Topic) -> None:
        self._tasks.pop(topic, None)
        self._reflectors.pop(topic, None)


def _cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def _end(tasks: list[asyncio.Task[None]]) -> None:
    """Cancel until they end: redis-py 8.1 was seen to swallow a cancellation that comes while it connects."""
    left = set(tasks)
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=0.5)
