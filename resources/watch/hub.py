"""Watches the topics assigned to this hub and writes updates into resources.changes.

Topics are watched if they have subscribers, or are among the few types that the console always needs. A topic is
assigned to the living hub with the highest hash of (hub, topic): all hubs compute the same assignment without talking
to each other, and only a dead hub's topics move. A hub claims its topics; where hubs disagree for a moment, or one was
suspended and wakes, the one that claimed last writes and the other stops. Each heartbeat checks Redis' epoch: if it
changed, every topic is claimed again and resynced.

A network that is cut off silently leaves watches open that bring nothing any more. So one small request every few
seconds, for all topics of a hub, checks that the API server answers at all; a refusal is an answer, too.
"""

import asyncio
import contextlib
import hashlib
import logging
import time
from collections.abc import Callable

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError, Unauthorized, Unreachable
from kube.requests import ApiRequest
from kube.silence import unreachable
from kube.transport import AsyncTransport
from resources.changes import Census, ChangeLog, HubState, Lost, OutOfMemoryError, RedisError, Topic
from resources.watch.reflector import Counters, Reflector, Start, Turnstile
from resources.watch.topic_watch import Watched

log = logging.getLogger(__name__)
_TYPES_SECONDS = 10.0
_RETRY_SECONDS = 3.0
ALWAYS_WATCHED = (
    ("apiextensions.k8s.io", "customresourcedefinitions"),
    ("core", "namespaces"),
    ("operators.coreos.com", "catalogsources"),
    ("operators.coreos.com", "subscriptions"),
    ("operators.coreos.com", "installplans"),
    ("operators.coreos.com", "clusterserviceversions"),
)
PROBE_SECONDS = 5.0
# A server under load may take its time.
PROBE_TIMEOUT_SECONDS = 4.0
_AGAIN_SECONDS = 0.5
# One late answer isn't reported as an outage; open watches are opened again after it all the same.
_MISSES = 2
_VERSION = ApiRequest(method="GET", path="/version", ref="the API server's version")
BEAT_SECONDS = 1.0
# How often is written how far quiet topics are complete, and looked whether they still are this hub's.
_RENEW_SECONDS = 10.0
# A heartbeat that ends is looked at a moment later.
_MOMENT_SECONDS = 0.03
# Connections to Redis that write at once, however many topics there are.
_WRITERS = 16


def owner(topic: str, hubs: list[str]) -> str:
    """The hub to which the topic belongs (rendezvous hashing)."""
    return max(hubs, key=lambda hub: hashlib.blake2b(f"{hub} {topic}".encode(), digest_size=8).digest())


class WatchHub:
    """`run()` until it is cancelled. One cluster, with the console's own identity."""

    def __init__(self, client: ClusterClient, id_: str) -> None:
        self.id = id_
        self._client = client
        self._count = Counters()
        self._tasks: dict[Topic, asyncio.Task[None]] = {}
        self._watched: dict[Topic, Watched] = {}
        self._wanted: set[Topic] = set()
        self._shared_by: tuple[object, ...] = ()  # what the share was made from
        self._share: set[Topic] = set()
        self._epoch = ""
        self._expiry = BEAT_SECONDS
        self._renewed = time.monotonic()
        self._silenced = False
        self._redis_away = False
        self._interest: frozenset[str] = frozenset()

    async def run(self) -> None:
        self._log = ChangeLog()
        self._log.cluster = self._client.config.alias
        self._woken = asyncio.Event()
        self._writers = asyncio.Semaphore(_WRITERS)
        self._turnstile = Turnstile()
        self._served = ServedTypes(self._client, self._woken.set)
        async with AsyncTransport(self._client.config) as self._transport:
            self._probe = Probe(self._transport, self._back)
            work = (self._listen(), self._served.run(), self._probe.run())
            helpers = [asyncio.create_task(job) for job in work]
            try:
                # Checked explicitly: redis-py 8.1 can swallow a cancellation, and a hub that keeps running would delay
                # its worker's shutdown.
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
        if self._silenced:
            # Open watches may be dead: they are opened again, from the last version written.
            self._silenced = False
            await self._stop(list(self._tasks))
        try:
            lived = await self._log.beat(self._state())
            census = await self._log.census(self.id)
            if await self._look_after(census, lived):
                census = await self._log.census(self.id)
        except RedisError as error:
            if not self._redis_away:
                log.warning("Redis does not answer: %s", error)
            self._redis_away = True
            self._count.refused += isinstance(error, OutOfMemoryError)
            await self._make_room()
            return
        self._redis_away = False
        self._interest = census.interest
        await self._make_room()
        self._expiry = census.expiry
        self._divide(census)
        gone = [topic for topic in self._tasks if topic not in self._share]
        await self._stop(gone)
        if unwanted := [topic for topic in gone if topic not in self._wanted]:
            for topic in unwanted:
                self._served.forget(topic)
            with contextlib.suppress(RedisError):
                await self._log.release(unwanted, self.id)
        for topic in self._share - self._tasks.keys():
            self._begin(topic)

    def _state(self) -> HubState:
        count = self._count
        return HubState(
            self.id,
            topics=len(self._tasks),
            problem=self._complaint(),
            watches=count.watches,
            events=count.events,
            relists=count.relists,
            resumes=count.resumes,
            errors=count.errors,
            lost=count.lost,
            append_ms=count.append_ms,
            buffered=count.buffered,
        )

    async def _look_after(self, census: Census, lived: bool) -> bool:
        """Restores this hub's topics if Redis lost them, and renews their versions. True if it restored them."""
        forgot = bool(self._epoch) and census.epoch != self._epoch
        if forgot:
            log.warning("Redis lost its memory: %d topics are claimed again", len(self._watched))
            await self._log.renew_interest(self._interest)
            await self._heal()
        self._epoch = census.epoch
        if lived and time.monotonic() - self._renewed < _RENEW_SECONDS:
            return forgot
        lost = await self._log.renew(
            {topic: watched.version for topic, watched in self._watched.items() if watched.claimed}, self.id
        )
        self._renewed = time.monotonic()
        self._count.lost += len(lost)
        await self._stop([topic for topic in lost if topic in self._tasks])
        return forgot

    async def _make_room(self) -> None:
        """When a full Redis refused something since the last heartbeat."""
        if not self._count.refused:
            return
        self._count.refused = 0
        with contextlib.suppress(RedisError):
            went = await self._log.shrink()
            log.warning(
                "Redis is full: %d of the older changes are dropped, whoever has not read them lists again", went
            )

    async def _heal(self) -> None:
        """Raises RedisError; the next turn then does it again."""
        jobs = (watched.heal() for watched in self._watched.values())
        for answer in await asyncio.gather(*jobs, return_exceptions=True):
            # A topic that was just lost to another hub ends its own task.
            if isinstance(answer, BaseException) and not isinstance(answer, Lost):
                raise answer

    def _divide(self, census: Census) -> None:
        """Assigns topics again only if an input has changed: there may be hundreds of topics."""
        made_from = (census.hubs, census.interest, self._served.always)
        if made_from == self._shared_by:
            return
        self._shared_by = made_from
        wanted = (self._of_this_cluster(text) for text in census.interest)
        self._wanted = {topic for topic in wanted if topic} | self._served.always
        hubs = list(census.hubs) or [self.id]
        self._share = {topic for topic in self._wanted if owner(str(topic), hubs) == self.id}

    def _of_this_cluster(self, text: str) -> Topic | None:
        try:
            topic = Topic.parse(text)
        except ValueError:
            return None
        return topic if topic.cluster == self._client.name else None

    def _complaint(self) -> str:
        """Why pages can't trust what they show, '' when they can.

        A type that is refused or gone is not the cluster's failure.
        """
        if problem := self._served.problem or self._probe.problem:
            return problem
        problems = (watched.problem for watched in self._watched.values())
        return next((str(problem) for problem in problems if isinstance(problem, Unreachable | Unauthorized)), "")

    async def _pause(self) -> None:
        """Until the next heartbeat is due, something new is wanted, or another hub's heartbeat ends."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(BEAT_SECONDS, self._expiry + _MOMENT_SECONDS)):
                await self._woken.wait()
        self._woken.clear()

    async def _listen(self) -> None:
        while True:
            try:
                async for _ in self._log.wakes():
                    self._woken.set()
            except RedisError:
                await asyncio.sleep(BEAT_SECONDS)

    def _back(self, silent: bool) -> None:
        """The API server answers again."""
        self._silenced = silent
        for watched in self._watched.values():
            watched.nudge()
        self._woken.set()

    # One topic

    def _begin(self, topic: Topic) -> None:
        watched = Watched(
            changes=self._log,
            hub=self.id,
            topic=topic,
            reflect=self._reflector,
            counters=self._count,
            writers=self._writers,
        )
        self._watched[topic] = watched
        task = self._tasks[topic] = asyncio.create_task(watched.run(), name=str(topic))
        task.add_done_callback(self._ended)

    def _reflector(self, topic: Topic, start: Start) -> Reflector:
        async def find(refresh: bool) -> ResourceType:
            return await self._served.find(topic, refresh)

        return Reflector(self._transport, find, topic, start, counters=self._count, turnstile=self._turnstile)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """A topic that was lost may be this hub's again: looked at at once. One that failed waits for the next turn."""
        if not task.cancelled() and isinstance(task.exception(), Lost):
            self._woken.set()

    def _bury(self) -> None:
        """Topics whose task ended are started again at this turn, if they still are this hub's share."""
        for topic, task in list(self._tasks.items()):
            if not task.done():
                continue
            error = None if task.cancelled() else task.exception()
            extra = {"topic": str(topic)}
            if isinstance(error, Lost):
                self._count.lost += 1
                log.info("%s", error, extra=extra)
            else:
                log.error("watching %s failed and is started again", topic, exc_info=error, extra=extra)
            self._forget(topic)

    async def _stop(self, topics: list[Topic]) -> None:
        tasks = [self._tasks[topic] for topic in topics]
        for topic in topics:
            log.info("no longer watching %s", topic, extra={"topic": str(topic)})
            self._forget(topic)
        await _end(tasks)

    def _forget(self, topic: Topic) -> None:
        self._tasks.pop(topic, None)
        self._watched.pop(topic, None)


class ServedTypes:
    """The type behind a topic, and the types that the console always needs.

    `always`: topics of ALWAYS_WATCHED that the cluster serves; `problem`: why that can't be read, '' if it can.

    Belongs to one event loop.
    """

    def __init__(self, client: ClusterClient, changed: Callable[[], None]) -> None:
        self.always: frozenset[Topic] = frozenset()
        self.problem = ""
        self._client = client
        self._changed = changed
        self._found: dict[Topic, ResourceType] = {}
        self._finding = asyncio.Lock()

    async def run(self) -> None:
        """Looks every few seconds. Beside the heartbeat, since an API server may take seconds not to answer."""
        while True:
            try:
                types = await asyncio.to_thread(self._client.types)
            except KubeError as error:
                # That it does not answer is the probe's to say, and to take back.
                self.problem = "" if isinstance(error, Unreachable) else str(error)
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            self.problem = ""
            preferred = {(type_.group_or_core, type_.plural): type_ for type_ in reversed(types)}
            always = frozenset(self._topic(preferred[key]) for key in ALWAYS_WATCHED if key in preferred)
            if always != self.always:
                self.always = always
                self._changed()
            await asyncio.sleep(_TYPES_SECONDS)

    def _topic(self, type_: ResourceType) -> Topic:
        return Topic(cluster=self._client.name, group=type_.group_or_core, version=type_.version, plural=type_.plural)

    async def find(self, topic: Topic, refresh: bool) -> ResourceType:
        """The topic's type, cached unless `refresh`. Raises KubeError."""
        found = self._found.get(topic)
        if found is not None and not refresh:
            return found
        if refresh:
            self._client.forget_types()
        # One at a time: a server that does not answer would hold all threads, which whatever else needs one would wait
        # for.
        async with self._finding:
            found = await asyncio.to_thread(self._client.find, topic.group, topic.version, topic.plural)
        self._found[topic] = found
        return found

    def forget(self, topic: Topic) -> None:
        """Drops the cached type of a topic that has no subscribers any more."""
        self._found.pop(topic, None)


class Probe:
    """Does the API server answer at all? `problem`: one sentence while there is no answer, else ''.

    `back(silent)` is called when there is one again; `silent`: it was not refused but did not come, so that what is
    open may be dead.
    """

    def __init__(self, transport: AsyncTransport, back: Callable[[bool], None]) -> None:
        self.problem = ""
        self._transport = transport
        self._back = back

    async def run(self) -> None:
        misses, silent = 0, False
        while True:
            try:
                async with asyncio.timeout(PROBE_TIMEOUT_SECONDS):
                    await self._transport.send(_VERSION)
                error = ""
            except TimeoutError as late:
                error, silent = str(unreachable(self._transport.config.current(), late)), True
            except Unreachable as failure:
                error, silent = str(failure), silent or isinstance(failure.__cause__, TimeoutError)
            except KubeError:
                error = ""
            if error:
                misses += 1
                if misses >= _MISSES:
                    if not self.problem:
                        log.warning("%s", error)
                    self.problem = error
                await asyncio.sleep(_AGAIN_SECONDS)
                continue
            if misses:
                log.info("the API server answers again")
                self._back(silent)
            misses, silent, self.problem = 0, False, ""
            await asyncio.sleep(PROBE_SECONDS)


def _cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def _end(tasks: list[asyncio.Task[None]]) -> None:
    """Cancel until they end: redis-py 8.1 was seen to swallow a cancellation that comes while it connects."""
    left = set(tasks)
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=1.5)
