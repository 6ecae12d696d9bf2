"""Records the history in a Celery worker: lists and watches whole objects of each recorded type, one worker at a time.

The worker that writes holds a lease in the database; another takes over some seconds after it ends, and resumes from
the last resourceVersion written, so that no change is missed or recorded twice. A version that is too old (410) means
a list: the changes since are then one step, marked as a gap. Recorders run beside the hubs, for the same reasons
(resources/watch/bootstep.py).
"""

import asyncio
import logging
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any, ParamSpec, TypeVar

from django.conf import settings
from django.db import DatabaseError, connections

from console.web import clusters
from console.web.clusters import Offered
from kube import answers, requests
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Forbidden, Gone, KubeError, NotFound, TooManyRequests
from kube.objects import namespace_of, older, uid_of
from kube.transport import AsyncTransport
from kube.watch import WatchEvent, watch
from resources.history import recording_status, store
from resources.history.store import Event, Seen
from resources.history.timeline import NamespaceUids
from resources.watch.bootstep import WatchStep, worker_id

log = logging.getLogger(__name__)
T = TypeVar("T")
P = ParamSpec("P")
BEAT_SECONDS = 4.0
_TYPES_SECONDS = 10.0
_PAGE = 200
# Events of one transaction: SQLite has one writer, and pages write too.
_AT_ONCE = 50
_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 30.0
# A kind that can't be read, has too many objects or is not served is tried again after this long.
_LATER_SECONDS = 300.0
_WATCH_SECONDS = (300, 600)
# While nothing but heartbeats comes, how far it is gets written so often.
_REACHED_SECONDS = 30.0


class TooMany(Exception):
    """The kind has more objects than HISTORY_OBJECTS."""


class Recorder:
    """`run()` until it is cancelled.

    `writer`: where the database is used, a thread of its own unless a test gives another.
    """

    def __init__(self, client: ClusterClient, id_: str, writer: Executor | None = None) -> None:
        self.id = id_[:200]
        self._client = client
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._types: dict[str, ResourceType] = {}
        self._own_writer = writer is None
        self._writer = writer or ThreadPoolExecutor(1, "history")
        self._said = ""
        self._namespaces = NamespaceUids(client)
        self._served_kept: tuple[object, float, tuple[ResourceType, ...]] | None = None

    async def run(self) -> None:
        try:
            async with AsyncTransport(self._client.config) as self._transport:
                try:
                    while True:
                        await self._turn()
                        await asyncio.sleep(BEAT_SECONDS)
                finally:
                    await self._stop(list(self._tasks))
        finally:
            await self._leave()

    async def _turn(self) -> None:
        """One beat: hold the lease, follow what is there to be followed."""
        try:
            held = await self._write(recording_status.hold_lease, self._client.name, self.id, self._said)
        except DatabaseError as error:
            self._complain(f"the history can't be written: {error}")
            return
        if not held:
            await self._stop(list(self._tasks))
            return
        try:
            types = {type_.qualified: type_ for type_ in await self._served()}
        except KubeError as error:
            self._complain(str(error))
            return
        self._said = ""
        gone = [name for name in self._tasks if self._types.get(name) != types.get(name)]
        await self._stop(gone)
        for name, task in list(self._tasks.items()):
            if task.done():
                log.error(
                    "the history of %s failed and is begun again",
                    name,
                    exc_info=None if task.cancelled() else task.exception(),
                )
                del self._tasks[name]
        self._types = types
        for name, type_ in types.items():
            if name not in self._tasks:
                self._tasks[name] = asyncio.create_task(self._follow(type_), name=f"history {name}")

    async def _served(self) -> tuple[ResourceType, ...]:
        """At most some seconds old, the CRDs asked for only when the types have changed."""
        now = time.monotonic()
        types = await asyncio.to_thread(self._client.types)
        cached = self._served_kept
        if cached is None or cached[0] != types or cached[1] < now - _TYPES_SECONDS * 6:
            cached = self._served_kept = (
                types,
                now,
                await asyncio.to_thread(recording_status.recorded_types, self._client),
            )
            if len(cached[2]) == recording_status.MAX_RECORDED_TYPES != len(self._types):
                log.warning(
                    "the history follows %s kinds and no more: HISTORY_KINDS names those that matter",
                    recording_status.MAX_RECORDED_TYPES,
                )
        return cached[2]

    def _complain(self, words: str) -> None:
        if words != self._said:
            log.warning("%s", words)
        self._said = words

    # Writing

    async def _leave(self) -> None:
        """Another worker takes over at once."""
        try:
            await self._write(recording_status.leave_lease, self._client.name, self.id)
        except DatabaseError:
            log.debug("the lease ends by itself")
        if self._own_writer:
            self._writer.submit(connections.close_all)
            self._writer.shutdown(wait=True)

    async def _write(self, act: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """All writing goes through one thread, whose connection to the database is its own."""
        return await asyncio.get_running_loop().run_in_executor(self._writer, partial(act, *given, **named))

    # One type

    async def _follow(self, type_: ResourceType) -> None:
        seen: Seen = {}
        pause = _FIRST_PAUSE
        sure = False  # the last watch ended as it should: the server is the one that it was
        while True:
            began = time.monotonic()
            try:
                followed = await self._write(store.where, self._client.name, type_)
                version = followed.resource_version if followed else ""
                if version and not sure:
                    await self._check(type_, version)
                sure = False
                if not version:
                    version = await self._list(type_, seen)
                await self._watch(type_, version, seen)
                sure, wanted = True, 0.0
            except Gone:
                await self._patiently(store.reached, self._client.name, type_, "")
                wanted = 0.0
            except TooMany:
                wanted = _LATER_SECONDS
            except (Forbidden, NotFound) as error:
                log.info("no history of %s: %s", type_.qualified, error)
                wanted = _LATER_SECONDS
            except TooManyRequests as error:
                wanted = error.retry_after
            except KubeError as error:
                log.debug("%s: %s", type_.qualified, error)
                wanted = 0.0
            except DatabaseError as error:
                self._complain(f"the history can't be written: {error}")
                wanted = BEAT_SECONDS
            pause = _FIRST_PAUSE if time.monotonic() - began > 30 else min(pause * 2, _LONGEST_PAUSE)
            await asyncio.sleep(max(wanted, pause * random.uniform(0.5, 1.0)))  # noqa: S311  spreads load

    async def _check(self, type_: ResourceType, version: str) -> None:
        """Raises Gone if `version` is ahead of the server, which was reset or restored.

        A watch from it would wait until the server reaches that version.
        """
        page = answers.document((await self._transport.send(requests.list_objects(type_, limit=1))).body)
        now = str((page.get("metadata") or {}).get("resourceVersion") or "")
        if older(now, version):
            log.info("%s: the cluster is at %s and was at %s: it was reset", type_.qualified, now, version)
            raise Gone("the cluster began anew")

    async def _list(self, type_: ResourceType, seen: Seen) -> str:
        """Everything that is there, page by page; the version to watch from. Raises TooMany."""
        token, version = "", ""
        uids: set[str] = set()
        while True:
            request = requests.list_objects(type_, limit=_PAGE, continue_=token)
            page = answers.document((await self._transport.send(request)).body)
            metadata, items = page.get("metadata") or {}, page.get("items") or []
            number = len(uids) + len(items) + (metadata.get("remainingItemCount") or 0)
            if number > settings.HISTORY_OBJECTS:
                await self._patiently(store.reached, self._client.name, type_, "", number)
                raise TooMany
            for item in items:
                item.setdefault("apiVersion", type_.api_version)
                item.setdefault("kind", type_.kind)
            uids |= {uid_of(item) for item in items}
            events = await self._located([Event("ADDED", item, listed=True) for item in items], seen)
            await self._patiently(store.record, self._client.name, type_, events, seen)
            version, token = version or str(metadata.get("resourceVersion") or ""), str(metadata.get("continue") or "")
            if not token:
                break
        await self._patiently(store.gone, self._client.name, type_, uids)
        await self._patiently(store.reached, self._client.name, type_, version)
        return version

    async def _located(self, events: list[Event], seen: Seen) -> list[Event]:
        """With the uid of the namespace, for those objects of which nothing is written yet."""

        def located(event: Event) -> Event:
            if event.type == "DELETED" or uid_of(event.object) in seen:
                return event
            return replace(event, namespace_uid=self._namespaces.uid_of(namespace_of(event.object), event.object))

        return await asyncio.to_thread(lambda: [located(event) for event in events])

    async def _watch(self, type_: ResourceType, version: str, seen: Seen) -> None:
        """One watch, until the server ends it."""
        written = time.monotonic()
        seconds = random.randint(*_WATCH_SECONDS)  # noqa: S311  spreads load
        request = requests.watch_objects(type_, "", version, seconds)
        async for burst in _bursts(watch(self._transport, request)):
            events, version = await self._write(_decoded, burst, version)
            events = await self._located(events, seen)
            number = 0
            for place in range(0, len(events), _AT_ONCE):
                some = events[place : place + _AT_ONCE]
                number += await self._patiently(store.record, self._client.name, type_, some, seen)
            if number or time.monotonic() - written > _REACHED_SECONDS:
                written = time.monotonic()
                await self._patiently(store.reached, self._client.name, type_, version)
        await self._patiently(store.reached, self._client.name, type_, version)

    async def _patiently(self, act: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """Until the database takes it; the API server's connection holds what comes meanwhile."""
        while True:
            try:
                return await self._write(act, *given, **named)
            except DatabaseError as error:
                self._complain(f"the history can't be written: {error}")
                await asyncio.sleep(BEAT_SECONDS)

    async def _stop(self, names: list[str]) -> None:
        tasks = [self._tasks.pop(name) for name in names]
        for task in tasks:
            task.cancel()
        waiting: list[Awaitable[Any]] = list(tasks)
        await asyncio.gather(*waiting, return_exceptions=True)


def _decoded(burst: list[WatchEvent], version: str) -> tuple[list[Event], str]:
    """The events, and the version that they lead to."""
    found = []
    for event in burst:
        obj = event.document()
        version = store.version_of(obj) or version
        if event.type != "BOOKMARK":
            found.append(Event(event.type, obj))
    return found, version


async def _bursts(source: AsyncIterator[list[WatchEvent]]) -> AsyncIterator[list[WatchEvent]]:
    async for burst in source:
        if burst:
            yield burst


class HistoryStep(WatchStep):
    """In every worker that consumes `watch`; a lease for each cluster says which of them writes."""

    thread_name = "history"

    def include_if(self, parent: Any) -> bool:
        return super().include_if(parent) and bool(settings.HISTORY_KINDS)

    async def _work(self, place: Offered) -> None:
        client = await asyncio.to_thread(clusters.client_of, place)
        await Recorder(client, worker_id(place)).run()
