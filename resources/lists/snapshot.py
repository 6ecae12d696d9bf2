"""In-memory copy of one list, kept current by a watch, with the permissions of the user who opened it.

What the API server can't do - search in names, sort, count states, jump to page 90 - is done here over all objects at
once. Each use first asks the API server for one row of the same list: this checks the permission again, and the row's
resourceVersion is the one that the watch must have reached. Snapshots live in a web process, one for each (cluster,
user, type, namespace, selectors, language), and are bounded together.

The list is read in chunks (list_tables), as downloads are (list_objects too). A continue token lives about five
minutes. The server's refusal (410) brings another, with which the rest comes as it is by then.
https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
"""

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.utils import translation

from console.web import loop
from kube import limits, requests
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Gone, KubeError
from kube.objects import Column, ObjectList, Table, TableRow, comparable, newest, older, table_rows
from kube.transport import AsyncTransport
from kube.watch import WatchEvent, watch
from resources.lists.entries import ListEntry, Pool, added_columns, entry_of, include

log = logging.getLogger(__name__)

#: Unused for so long, a snapshot goes.
IDLE_SECONDS = 180.0
#: Older ones are listed again: cells like '3m ago' are as old as the snapshot.
OLDEST_SECONDS = 300.0
#: A list that is longer than limits.LIST_OBJECTS is not watched.
INCOMPLETE_SECONDS = 30.0
#: The server has a newer version, maybe of another kind: a change of this list arrives within this time.
SETTLE_SECONDS = 0.05
#: How long a request waits for the watch to reach its `min_version`.
MIN_VERSION_SECONDS = 2.0
#: Likewise with selectors: the version may be of an object that the list doesn't select, so the watch never reaches it.
MIN_VERSION_SELECTED_SECONDS = 0.3
#: A watch that is behind `min_version` for this long is stuck: the list is read again.
_BEHIND_SECONDS = 6.0
_WATCH_SECONDS = 360
#: A list of more namespaces than these is read at each use, and not watched.
WATCHED = 20
_PAUSE_SECONDS = 0.5
_SWEEP_SECONDS = 5.0

CHUNK_ROWS = 1000
#: Whole objects may have 1.5 MB each.
CHUNK_OBJECTS = 500
_TRIES = 3
_Key = tuple[object, ...]
ListChunk = TypeVar("ListChunk", Table, ObjectList)


@dataclass(eq=False, slots=True, kw_only=True)
class Snapshot:
    """`complete`: nothing was left out. `read_at`, `used_at`: time.monotonic()."""

    client: ClusterClient
    type: ResourceType
    namespace: str
    labels: str
    fields: str
    language: str
    columns: tuple[Column, ...] = ()
    version: str = ""
    complete: bool = True
    entries: dict[str, ListEntry] = field(default_factory=dict)
    read_at: float = 0.0
    used_at: float = 0.0
    within: tuple[str, ...] = ()
    standing: set[str] = field(default_factory=set)
    behind_since: float = 0.0
    pool: Pool = field(default_factory=Pool)
    changed: threading.Condition = field(default_factory=threading.Condition)
    _told: str = ""

    def read(self) -> None:
        """All of it. Raises KubeError."""
        try:
            self._read()
        except Gone:
            # It took longer than the server remembers.
            self._read()

    def _read(self) -> None:
        found: dict[str, ListEntry] = {}
        self.complete, version = True, ""
        options = {"labels": self.labels, "fields": self.fields, "include": include(self.type)}
        with translation.override(self.language):
            for part in list_tables(self.client, self.type, self.namespace, go_on=False, **options):
                self.columns = self.columns or (*part.columns, *added_columns(self.type))
                version = version or part.resource_version
                self.within = part.within
                for row in part.rows:
                    entry = entry_of(self.type, row, self.pool)
                    found[entry.key] = entry
                if len(found) >= limits.LIST_OBJECTS.value and part.continue_:
                    self.complete = False
                    break
        with self.changed:
            self.entries, self.version, self.read_at = found, version, time.monotonic()

    @property
    def watched(self) -> bool:
        """Whether all of its watches stand."""
        return len(self.standing) == max(1, len(self.within))

    @property
    def usable(self) -> bool:
        """Whether settle() is worth while."""
        age = time.monotonic() - self.read_at
        return age < (OLDEST_SECONDS if self.complete else INCOMPLETE_SECONDS)

    @property
    def sure_version(self) -> str:
        """Everything up to here is in it; '' with selectors, since others' changes don't reach it, and of several
        namespaces' watches.
        """
        return "" if self.labels or self.fields or self.within else self.version

    def settle(self, min_version: str = "") -> bool:
        """Waits until the watch has caught up with the server, or at least reached `min_version`.

        False if that can't be known: read the list again.

        Raises KubeError: Forbidden if the permission was revoked.
        """
        before = self.version
        now = self.client.table(
            self.type, self.namespace, labels=self.labels, fields=self.fields, limit=1, include="None"
        )
        columns = (*now.columns, *added_columns(self.type))
        if columns != self.columns or now.within != self.within or older(now.resource_version, before):
            # The definition changed; or the server's version is lower than before: it was reset.
            return False
        with self.changed:
            if self.changed.wait_for(lambda: _reached(self.version, now.resource_version), SETTLE_SECONDS):
                return True
            # Reaching `min_version` doesn't prove that nothing has changed since: that takes an open watch.
            missed = min_version.isdigit() and not self.changed.wait_for(
                lambda: _reached(self.version, min_version), self._patience
            )
        return not self.complete or (self.watched and not self._hangs(missed))

    @property
    def _patience(self) -> float:
        return MIN_VERSION_SELECTED_SECONDS if self.labels or self.fields else MIN_VERSION_SECONDS

    def _hangs(self, missed: bool) -> bool:
        """Whether its watch has been behind a requested `min_version` for too long."""
        if not missed or self.labels or self.fields:
            return False
        with self.changed:
            self.behind_since = self.behind_since or time.monotonic()
        return time.monotonic() - self.behind_since > _BEHIND_SECONDS

    def all(self) -> list[ListEntry]:
        """As they are now; never changed afterwards."""
        with self.changed:
            return list(self.entries.values())

    def apply(self, burst: Iterable[WatchEvent]) -> None:
        """What a watch brought."""
        with translation.override(self.language), self.changed:
            for event in burst:
                document = event.table()
                for row in table_rows(document) if document.get("kind") == "Table" else (_bare(document),):
                    self._apply(event.type, row)
            self.pool.tidy(len(self.entries))
            self.changed.notify_all()

    def _apply(self, kind: str, row: TableRow) -> None:
        metadata = row.object.get("metadata") or {}
        self._told = str(metadata.get("resourceVersion") or self.version)
        # Watches of several namespaces are not equally far.
        self.version = newest(self.version, self._told) if self.within else self._told
        self.behind_since = 0.0
        if kind in ("ADDED", "MODIFIED", "DELETED"):
            entry = entry_of(self.type, row, self.pool)
            if kind == "DELETED":
                self.entries.pop(entry.key, None)
            else:
                self.entries[entry.key] = entry

    async def follow(self) -> None:
        """Runs until it is cancelled or the watch can't continue."""
        async with AsyncTransport(self.client.config) as transport:
            places = self.within or (self.namespace,)
            if len(places) <= WATCHED:
                tasks = [asyncio.create_task(self._follow(transport, place)) for place in places]
                try:
                    await asyncio.gather(*tasks)
                finally:
                    for task in tasks:
                        task.cancel()

    async def _follow(self, transport: AsyncTransport, namespace: str) -> None:
        version = self.version
        while True:
            request = requests.watch_table(
                self.type,
                namespace,
                version,
                _WATCH_SECONDS,
                include(self.type),
                labels=self.labels,
                fields=self.fields,
            )
            began = time.monotonic()
            try:
                async for burst in watch(transport, request):
                    self.standing.add(namespace)
                    if burst:
                        self.apply(burst)
                        version = self._told
            finally:
                self.standing.discard(namespace)
            if time.monotonic() - began < 1:
                # The server does not keep it open: not as fast as it can refuse.
                await asyncio.sleep(_PAUSE_SECONDS)


def _bare(document: dict[str, Any]) -> TableRow:
    metadata = document.get("metadata") or {}
    return TableRow((metadata.get("name"), metadata.get("creationTimestamp")), document)


def _reached(version: str, wanted: str) -> bool:
    return comparable(version, wanted) and not older(version, wanted)


class Snapshots:
    """Those of this process."""

    def __init__(self) -> None:
        self._kept: dict[_Key, Snapshot] = {}
        self._tasks: dict[_Key, asyncio.Task[None]] = {}
        self._lock = threading.Lock()
        self._reading = tuple(threading.Lock() for _ in range(64))
        self._sweeper: asyncio.Task[None] | None = None

    def get(
        self,
        client: ClusterClient,
        type_: ResourceType,
        namespace: str,
        *,
        labels: str = "",
        fields: str = "",
        min_version: str = "",
    ) -> Snapshot:
        """The list as it is now, at least of version `min_version`.

        Raises KubeError. Concurrent calls for the same list wait for the one that reads it.
        """
        key = _key(client, type_, namespace, labels, fields)
        known = self._kept.get(key)
        if known is None or not known.usable or not known.settle(min_version):
            with self._reading[hash(key) % len(self._reading)]:
                # Another may have read it meanwhile.
                latest = self._kept.get(key)
                if latest is None or latest is known or not latest.usable or not latest.settle(min_version):
                    latest = Snapshot(
                        client=client,
                        type=type_,
                        namespace=namespace,
                        labels=labels,
                        fields=fields,
                        language=translation.get_language() or "",
                    )
                    latest.read()
                    self._keep(key, latest)
                known = latest
        known.used_at = time.monotonic()
        return known

    def has(
        self, client: ClusterClient, type_: ResourceType, namespace: str, *, labels: str = "", fields: str = ""
    ) -> bool:
        """Whether get() probably costs next to nothing."""
        found = self._kept.get(_key(client, type_, namespace, labels, fields))
        return found is not None and found.usable

    def clear(self) -> None:
        """Forget everything."""
        for key in list(self._kept):
            self._forget(key)

    def _keep(self, key: _Key, snapshot: Snapshot) -> None:
        """Watch it from now on, and let others go when there are too many."""
        snapshot.used_at = time.monotonic()
        self._forget(key)
        with self._lock:
            self._kept[key] = snapshot
            total, gone = 0, []
            for other, cached in sorted(self._kept.items(), key=lambda item: -item[1].used_at):
                total += len(cached.entries)
                if total > limits.SNAPSHOT_OBJECTS.value and other != key:
                    gone.append(other)
        for other in gone:
            self._forget(other)
        loop.submit(self._start(key, snapshot))

    async def _start(self, key: _Key, snapshot: Snapshot) -> None:
        if self._sweeper is None or self._sweeper.done():
            self._sweeper = asyncio.create_task(self._sweep())
        if snapshot.complete and "watch" in snapshot.type.verbs and self._kept.get(key) is snapshot:
            self._tasks[key] = asyncio.create_task(self._follow(key, snapshot))

    async def _follow(self, key: _Key, snapshot: Snapshot) -> None:
        try:
            await snapshot.follow()
        except KubeError as error:
            # Forbidden to watch, or the cluster is unreachable: the next use reads the list again.
            log.debug(
                "%s in %s is not watched any more: %s", snapshot.type.topic_part, snapshot.namespace or "-", error
            )
        finally:
            snapshot.standing.clear()

    async def _sweep(self) -> None:
        """As long as there is anything."""
        while self._kept:
            await asyncio.sleep(_SWEEP_SECONDS)
            now = time.monotonic()
            for key, snapshot in list(self._kept.items()):
                if now - snapshot.used_at > IDLE_SECONDS:
                    self._forget(key)

    async def close(self) -> None:
        """The server ends."""
        self.clear()
        if self._sweeper is not None:
            self._sweeper.cancel()

    def _forget(self, key: _Key) -> None:
        """Safe from any thread."""
        with self._lock:
            self._kept.pop(key, None)
        if task := self._tasks.pop(key, None):
            with contextlib.suppress(RuntimeError):
                task.get_loop().call_soon_threadsafe(task.cancel)


def _key(client: ClusterClient, type_: ResourceType, namespace: str, labels: str, fields: str) -> _Key:
    # By the credentials, not only their name. The client itself may be a stand-in that each request has of its own.
    language = translation.get_language() or ""
    return (client.config, client.who, client.name, type_.topic_part, namespace, labels, fields, language)


def list_tables(
    client: ClusterClient,
    type_: ResourceType,
    namespace: str,
    *,
    labels: str = "",
    fields: str = "",
    include: str = "Metadata",
    go_on: bool = True,
) -> Iterator[Table]:
    """The chunks in the server's order.

    `go_on`: if the continue token has expired, continue with the current objects; else that raises Gone.
    """

    def ask(token: str) -> Table:
        return client.table(
            type_, namespace, labels=labels, fields=fields, limit=CHUNK_ROWS, continue_=token, include=include
        )

    yield from _chunks(ask, go_on)


def list_objects(
    client: ClusterClient, type_: ResourceType, namespace: str, *, labels: str = "", fields: str = ""
) -> Iterator[ObjectList]:
    """The same as whole objects."""

    def ask(token: str) -> ObjectList:
        return client.list(type_, namespace, labels=labels, fields=fields, limit=CHUNK_OBJECTS, continue_=token)

    yield from _chunks(ask, go_on=True)


def _chunks(ask: Callable[[str], ListChunk], go_on: bool) -> Iterator[ListChunk]:
    token, refused = "", 0
    while True:
        try:
            chunk = ask(token)
        except Gone as error:
            refused += 1
            if not go_on or not error.continue_ or refused > _TRIES:
                raise
            token = error.continue_
            continue
        yield chunk
        token, refused = chunk.continue_, 0
        if not token:
            return


snapshots = Snapshots()
loop.at_end(snapshots.close)
