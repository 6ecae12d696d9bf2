"""The sandbox's etcd: encoded objects, one counter of versions, and a bounded history that watches start from.

Objects live in memory as JSON bytes with the little metadata that lists and selectors ask for; every change is also
written to one SQLite file (journal.py). Nothing here awaits: a change, its version, its place in the history and its
delivery to every subscription happen in one step of the event loop, so that no watcher ever sees a gap.
"""

from __future__ import annotations

import asyncio
import contextlib
from bisect import bisect_right, insort
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .journal import Journal, JournalError
from .subscription import Expired, Key, StoreChange, StoreEntry, StoreSubscription

NO_LABELS: dict[str, str] = {}
NO_KEYS: set[Key] = set()

#: Takes from an entry the terms by which it is found, as client-go's IndexFunc. A function of a module: it is the
#: index's key.
Index = Callable[[StoreEntry], Iterable[Hashable]]

#: How much of a resource's past is kept for watches that resume: events, and bytes.
HISTORY_EVENTS = 4000
HISTORY_BYTES = 16 * 1024 * 1024
#: A subscriber that lets this many events wait has lost touch; it must list again.
QUEUE_LIMIT = 50_000


@dataclass(slots=True, eq=False, kw_only=True)
class ResourceTable:
    """All objects of one resource and its recent changes."""

    entries: dict[Key, StoreEntry] = field(default_factory=dict)
    order: list[Key] = field(default_factory=list)
    history: deque[StoreChange] = field(default_factory=deque)
    history_bytes: int = 0
    #: The history is complete for versions above this one.
    complete_above: int = 0
    #: Version of the newest change.
    changed: int = 0
    #: Index → term → entries with it, of indexes that were used.
    indexes: dict[Index, dict[Hashable, set[Key]]] = field(default_factory=dict)

    def keys(self, index: Index, term: Hashable) -> set[Key]:
        """Who has this term; shared, not to be changed."""
        found = self.indexes.get(index)
        if found is None:
            found = self.indexes[index] = {}
            for entry in self.entries.values():
                for present in index(entry):
                    found.setdefault(present, set()).add(entry.key)
        return found.get(term, NO_KEYS)

    def reindex(self, previous: StoreEntry | None, entry: StoreEntry | None) -> None:
        """Keeps ``indexes`` true when ``entry`` takes the place of ``previous``."""
        for index, keys in self.indexes.items():
            before = set(index(previous)) if previous is not None else set()
            after = set(index(entry)) if entry is not None else set()
            for term in before - after:
                assert previous is not None
                keys[term].discard(previous.key)
                if not keys[term]:
                    del keys[term]
            for term in after - before:
                assert entry is not None
                keys.setdefault(term, set()).add(entry.key)


def labels_of(entry: StoreEntry) -> Iterator[Hashable]:
    """An index: each label with its value, and with None for any value."""
    for label, value in entry.labels.items():
        yield label, value
        yield label, None


class Store:
    """Objects by resource key (``deployments.apps``) and (namespace, name)."""

    def __init__(self, journal: Journal | None = None):
        self._journal = journal or Journal(None)
        self._tables: dict[str, ResourceTable] = {}
        self._subscribers: dict[str, list[StoreSubscription]] = {}
        self._commit_due = False
        #: (resource, function) → key → (version, value): outlines.py
        self.outlines: dict[tuple[str, Callable[..., Any]], dict[Key, tuple[int, Any]]] = {}
        #: Set when memory holds what the disk lost: this process must end, and another one begin from the disk.
        self.diverged = asyncio.Event()
        self.version = 1
        self._load()

    def _load(self) -> None:
        for resource, namespace, name, version, data, labels, uid in self._journal.load():
            table = self._table(resource)
            table.entries[namespace, name] = StoreEntry(
                namespace=namespace, name=name, version=version, data=data, labels=labels or NO_LABELS, uid=uid
            )
            table.changed = max(table.changed, version)
        self.version = max(self._journal.version(), self.version)
        for resource, version in self._journal.deletions():
            table = self._table(resource)
            table.changed = max(table.changed, version)
        for table in self._tables.values():
            table.order = sorted(table.entries)
            table.complete_above = table.changed

    def _table(self, resource: str) -> ResourceTable:
        table = self._tables.get(resource)
        if table is None:
            table = self._tables[resource] = ResourceTable()
        return table

    # Reading

    def get(self, resource: str, namespace: str, name: str) -> StoreEntry | None:
        table = self._tables.get(resource)
        return table.entries.get((namespace, name)) if table else None

    def count(self, resource: str) -> int:
        table = self._tables.get(resource)
        return len(table.entries) if table else 0

    def changed(self, resource: str) -> int:
        """Version of the newest change of this resource: a cache key for what is derived from it."""
        table = self._tables.get(resource)
        return table.changed if table else 0

    def resources(self) -> list[str]:
        """Keys of resources that have objects."""
        return [key for key, table in self._tables.items() if table.entries]

    def scan(self, resource: str, namespace: str = "", after: Key | None = None) -> Iterator[StoreEntry]:
        """Entries by namespace and name; of one namespace if given; those behind ``after`` if given."""
        table = self._tables.get(resource)
        if table is None:
            return
        start = max((namespace, ""), after) if after else (namespace, "")
        begin = bisect_right(table.order, start)
        for key in table.order[begin:]:
            if namespace and key[0] != namespace:
                return
            entry = table.entries.get(key)
            if entry is not None:
                yield entry

    def indexed(self, resource: str, index: Index, *terms: Hashable, namespace: str = "") -> list[StoreEntry]:
        """Entries that have all these terms, by namespace and name; of one namespace if given.

        The others are not looked at.
        """
        table = self._tables.get(resource)
        if table is None:
            return []
        first, *others = [table.keys(index, term) for term in terms]
        if not first:
            return []
        keys = min(first, *others, key=len).intersection(first, *others) if others else first
        return [table.entries[key] for key in sorted(keys) if not namespace or key[0] == namespace]

    def labelled(self, resource: str, labels: Mapping[str, str | None], namespace: str = "") -> list[StoreEntry]:
        """Entries that have all these labels (None: any value), as :meth:`indexed`."""
        return self.indexed(resource, labels_of, *labels.items(), namespace=namespace)

    def snapshot(self, resource: str, version: int) -> list[StoreEntry]:
        """Entries by namespace and name as they were at ``version``; Expired when the history does not reach back so
        far.
        """
        table = self._table(resource)
        if version < table.complete_above:
            raise Expired(version, table.complete_above)
        entries = dict(table.entries)
        for change in reversed(table.history):
            if change.version <= version:
                break
            if change.previous is None:
                entries.pop(change.entry.key, None)
            else:
                entries[change.entry.key] = change.previous
        return [entries[key] for key in sorted(entries)]

    def count_after(self, resource: str, namespace: str, after: Key) -> int:
        """The number of entries (of one namespace, if given) after ``after``."""
        order = self._table(resource).order
        end = bisect_right(order, (namespace, "\U0010ffff")) if namespace else len(order)
        return max(0, end - bisect_right(order, after))

    # Writing

    def next_version(self) -> int:
        """Reserves the version of the coming write: the object carries it in its own bytes."""
        self.version += 1
        return self.version

    def put(self, resource: str, entry: StoreEntry) -> StoreChange:
        """Creates or replaces; ``entry.version``: of :meth:`next_version`. JournalError: nothing has changed."""
        with self._journalling():
            self._journal.put(resource, entry.namespace, entry.name, entry.version, entry.data, entry.labels, entry.uid)
        table = self._table(resource)
        previous = table.entries.get(entry.key)
        table.entries[entry.key] = entry
        table.reindex(previous, entry)
        if previous is None:
            insort(table.order, entry.key)
        change = StoreChange("MODIFIED" if previous else "ADDED", resource, entry, previous)
        self._publish(table, change)
        return change

    def remove(self, resource: str, entry: StoreEntry) -> StoreChange:
        """Deletes; ``entry`` is the last state, with the version of the deletion in it.

        JournalError: nothing has changed.
        """
        with self._journalling():
            self._journal.remove(resource, entry.namespace, entry.name, entry.version)
        table = self._table(resource)
        previous = table.entries.pop(entry.key)
        table.reindex(previous, None)
        index = bisect_right(table.order, entry.key) - 1
        del table.order[index]
        change = StoreChange("DELETED", resource, entry, previous)
        self._publish(table, change)
        return change

    def _publish(self, table: ResourceTable, change: StoreChange) -> None:
        table.changed = change.version
        table.history.append(change)
        table.history_bytes += len(change.entry.data)
        while len(table.history) > HISTORY_EVENTS or (table.history_bytes > HISTORY_BYTES and len(table.history) > 1):
            dropped = table.history.popleft()
            table.history_bytes -= len(dropped.entry.data)
            table.complete_above = dropped.version
        self._commit_soon()
        for subscription in self._subscribers.get(change.resource, ()):
            subscription.push(change)

    def _commit_soon(self) -> None:
        """One transaction for all changes of this step of the loop; without a loop, at once."""
        if self._commit_due:
            return
        try:
            asyncio.get_running_loop().call_soon(self.commit)
        except RuntimeError:
            self.commit()
        else:
            self._commit_due = True

    def commit(self) -> None:
        """Makes all changes so far survive a kill. Called before an answer leaves. JournalError: they are lost."""
        self._commit_due = False
        if self.diverged.is_set():
            raise JournalError("changes were lost", lost=True)
        with self._journalling():
            self._journal.commit(self.version)

    @contextlib.contextmanager
    def _journalling(self) -> Iterator[None]:
        """When changes that are in memory are lost on disk, nothing more is written: this process' memory is not to
        be trusted.
        """
        try:
            yield
        except JournalError as problem:
            if problem.lost:
                self._journal.close()
                self.diverged.set()
            raise

    def close(self) -> None:
        try:
            self.commit()
        finally:
            self._journal.close()

    # Watching

    def subscribe(
        self, *resources: str, since: int | None = None, limit: int | None = QUEUE_LIMIT
    ) -> StoreSubscription:
        """Changes from now on, or all after version ``since`` (Expired when the history is too short for that)."""
        subscription = StoreSubscription(resources, limit, self.forget)
        if since is not None:
            for resource in subscription.resources:
                subscription.queue.extend(self._since(resource, since))
        for resource in subscription.resources:
            self._subscribers.setdefault(resource, []).append(subscription)
        return subscription

    def _since(self, resource: str, version: int) -> list[StoreChange]:
        table = self._table(resource)
        if version < table.complete_above:
            raise Expired(version, table.complete_above)
        return [change for change in table.history if change.version > version]

    def reaches(self, resource: str, version: int) -> bool:
        """Whether the history holds everything after ``version``."""
        return version >= self._table(resource).complete_above

    def end(self, resource: str) -> None:
        """Ends the watches of a resource whose CRD is gone; those from inside the sandbox wait for its return."""
        for subscription in self._subscribers.get(resource, []):
            if subscription.bounded:
                subscription.end()

    def forget(self, subscription: StoreSubscription) -> None:
        for resource in subscription.resources:
            present = self._subscribers.get(resource, [])
            if subscription in present:
                present.remove(subscription)


__all__ = ["Expired", "Key", "Store", "StoreChange", "StoreEntry", "StoreSubscription"]
