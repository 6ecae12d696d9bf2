"""Watches one topic while it has subscribers: finds the type, lists for a starting point, watches from there, and
again when that ends.

Pages list for themselves, so of the list only the resourceVersion and the columns are needed: one row is requested. A
watch that ended at its timeout is resumed from the last version seen. After any other end one row is listed first: a
lower version than the last one seen means that the server was reset, other columns mean a changed
CustomResourceDefinition. A version that is too old (410), and a first start, send a RESYNC, on which pages list again.
A watch that the server refuses is PAUSED, and RESUMED when it is allowed again. A type that is not served any more is a
RESYNC too: a page that lists again shows that it is gone. Nothing is skipped silently. Simultaneous events of one
object become one change.

All reflectors of a hub share its Turnstile, which limits how many watches begin at once, and its Counters.
"""

import asyncio
import contextlib
import hashlib
import logging
import math
import random
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec
from django.conf import settings
from django.utils import translation

from kube import answers, objects, requests
from kube.discovery import ResourceType
from kube.errors import Gone, KubeError, NotFound, ServerError, TooManyRequests, Unreachable
from kube.objects import older
from kube.transport import AsyncTransport
from kube.watch import WatchEvent, watch
from resources.changes import Change, Topic
from resources.lists.entries import added_cells, added_columns, include, state_of, stateful

log = logging.getLogger(__name__)
_SAMPLES = 500


@dataclass(eq=False, slots=True, kw_only=True)
class Counters:
    """See HubState. Shared by all topics of a hub, on one event loop."""

    watches: int = 0
    events: int = 0
    relists: int = 0
    resumes: int = 0
    errors: int = 0
    lost: int = 0
    buffered: int = 0
    refused: int = 0  # by a full Redis
    _milliseconds: deque[float] = field(default_factory=lambda: deque(maxlen=_SAMPLES))

    def appended(self, seconds: float) -> None:
        """So long after its bytes came a batch stood in Redis."""
        self._milliseconds.append(seconds * 1000)

    @property
    def append_ms(self) -> float:
        """99th percentile of the newest."""
        ordered = sorted(self._milliseconds)
        return round(ordered[math.ceil(len(ordered) * 0.99) - 1], 2) if ordered else 0.0


# At once. A server that lets one wait for longer does not hold up the others.
STARTS_AT_ONCE = 20
_PATIENCE_SECONDS = 5.0


class Turn:
    """`come()` waits; `go()` lets the next one in, once."""

    def __init__(self, places: asyncio.Semaphore) -> None:
        self._places = places
        self._timer: asyncio.TimerHandle | None = None

    async def come(self) -> None:
        await self._places.acquire()
        self._timer = asyncio.get_running_loop().call_later(_PATIENCE_SECONDS, self.go)

    def go(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._places.release()


class Turnstile:
    """Limits how many watches of a hub begin at once, so that a hub that starts, or a server that comes back, isn't
    overloaded by hundreds together. Belongs to one event loop.
    """

    def __init__(self, places: int = STARTS_AT_ONCE) -> None:
        self._places = asyncio.Semaphore(places)

    @contextmanager
    def turn(self) -> Iterator[Turn]:
        """Gone at the latest at its end."""
        found = Turn(self._places)
        try:
            yield found
        finally:
            found.go()


FIRST_PAUSE, LONGEST_PAUSE = 0.1, 4.0
# A refusal has to be fixed by an administrator: tried less often.
REFUSED_PAUSE = 8.0
# As client-go: not all watches of a worker end in the same moment.
WATCH_SECONDS = (300, 600)
# A server that fails may be restarting: pages are notified if it fails for this long.
FAILING_SECONDS = 10.0
# A watch that lasted this long was a success: the next pause is short again.
_LONG_SECONDS = 10.0
# A state's reason may be any text of an operator's, however long.
_REASON_CHARACTERS = 500
Find = Callable[[bool], Awaitable[ResourceType]]


@dataclass(frozen=True, slots=True)
class Batch:
    """Changes that came together; `version`: the stream is complete up to here; `columns` when they are new; `came`:
    time.monotonic().
    """

    changes: tuple[Change, ...]
    version: str
    columns: tuple[str, bytes] | None = None
    came: float = field(default_factory=time.monotonic)


@dataclass(frozen=True, slots=True)
class Start:
    """Where another hub left off.

    `version`: '' if unknown; `columns`: their digest; `trouble`: the last PAUSED message, '' if there was none.
    """

    version: str = ""
    columns: str = ""
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class ReadBurst:
    """What came at once from a watch.

    `version`: of its last event, '' when it said none; `columns`: (digest, JSON) when they are others than before.
    """

    changes: tuple[Change, ...]
    version: str
    columns: tuple[str, bytes] | None


class Reflector:
    """`problem`: why it can't watch just now, None while it does.

    `find(refresh)`: the topic's type as the cluster serves it now; may raise KubeError.
    """

    def __init__(
        self,
        transport: AsyncTransport,
        find: Find,
        topic: Topic,
        start: Start = Start(),
        *,
        counters: Counters | None = None,
        turnstile: Turnstile | None = None,
    ) -> None:
        self.topic = topic
        self.problem: KubeError | None = None
        self._transport = transport
        self._find = find
        self._version = start.version
        self._columns = start.columns
        self._trouble = start.trouble
        self._count = counters or Counters()
        self._turnstile = turnstile or Turnstile()
        self._rows: Rows | None = None
        self._sure = False  # the last watch ended as it should, so the next resumes from there
        self._failing = 0.0  # since, time.monotonic(); 0: it works
        self._pause = FIRST_PAUSE
        self._nudged = asyncio.Event()
        self._log = logging.LoggerAdapter(log, {"topic": str(topic)})

    @property
    def trouble(self) -> str:
        """The message of the current PAUSED, '' if there is none."""
        return self._trouble

    def nudge(self) -> None:
        """What was in the way is probably gone: try now."""
        self._nudged.set()

    async def batches(self) -> AsyncGenerator[Batch, None]:
        """Runs until cancelled. Level one: what to do when a watch ends."""
        while True:
            began = time.monotonic()
            try:
                async with aclosing(self._once()) as found:
                    async for batch in found:
                        yield batch
                if time.monotonic() - began < 1:
                    await self._rest(None)
            except Gone:
                self._log.info("%s: version %s is too old, listing again", self.topic, self._version)
                self._version = ""
                await self._rest(None)
            except KubeError as error:
                if time.monotonic() - began > _LONG_SECONDS:
                    self._pause = FIRST_PAUSE
                known = not isinstance(self.problem, NotFound)
                self._failed(error)
                if isinstance(error, NotFound) and known:
                    resumed = (Change(kind="RESUMED"),) if self._trouble else ()
                    self._trouble = ""
                    yield Batch((*resumed, Change(kind="RESYNC")), self._version)
                if (sentence := self._sentence(error)) and sentence != self._trouble:
                    self._trouble = sentence
                    yield Batch((Change(kind="PAUSED", text=sentence),), self._version)
                await self._rest(error)

    async def _once(self) -> AsyncGenerator[Batch, None]:
        """Level two: the type, where to begin, and one watch from there."""
        with self._turnstile.turn() as turn:
            await turn.come()
            if self._rows is None:
                self._rows = Rows(await self._find(isinstance(self.problem, NotFound)), self._columns)
            if not self._version or not self._sure:
                batch = await self._look(self._rows)
                if batch is not None:
                    yield batch
            self._sure = False
            seconds = random.randint(*WATCH_SECONDS)  # noqa: S311  spreads load
            began = time.monotonic()
            async with aclosing(self._watch(self._rows, seconds)) as found:
                async for batch in found:
                    # The first says that it stands: others may begin.
                    turn.go()
                    if batch is not None:
                        yield batch
            self._sure = time.monotonic() - began > seconds - 5

    async def _look(self, rows: "Rows") -> Batch | None:
        """Lists one row. None: the watch resumes where it ended."""
        request = requests.list_table(rows.type, self.topic.namespace, limit=1, include="None")
        document = answers.listed((await self._transport.send(request)).body)
        listed = str((document.get("metadata") or {}).get("resourceVersion") or "")
        known = rows.columns
        columns = rows.learn(found) if (found := document.get("columnDefinitions")) else None
        if self._version and older(listed, self._version):
            self._log.warning(
                "%s: the server is at version %s, before %s: it was reset", self.topic, listed, self._version
            )
            self._version = ""
        if self._version and not (columns and known):
            self._count.resumes += 1
            return Batch((), self._version, columns) if columns else None
        self._version = self._version or listed
        if self._trouble:
            # RESUMED brings it, when it stands.
            return Batch((), self._version, columns)
        self._count.relists += 1
        return Batch((Change(kind="RESYNC", version=self._version),), self._version, columns)

    async def _watch(self, rows: "Rows", seconds: int) -> AsyncGenerator[Batch | None, None]:
        """Level three: one request. The first item comes as soon as the watch stands."""
        request = requests.watch_table(rows.type, self.topic.namespace, self._version, seconds, rows.include)
        standing = False
        try:
            async for burst in watch(self._transport, request):
                came = time.monotonic()
                if not standing:
                    standing = True
                    self._count.watches += 1
                    yield self._stands()
                if burst:
                    self._pause = FIRST_PAUSE
                    self._count.events += len(burst)
                    known = rows.columns
                    read = rows.read(burst)
                    self._version = read.version or self._version
                    changes = read.changes
                    if read.columns and known:
                        self._count.relists += 1
                        changes = (*changes, Change(kind="RESYNC", version=self._version))
                    yield Batch(changes, self._version, read.columns, came)
        finally:
            self._count.watches -= standing

    def _stands(self) -> Batch | None:
        if self.problem is not None:
            self._log.info("%s is watched again", self.topic)
        self.problem, self._failing = None, 0.0
        if not self._trouble:
            return None
        self._trouble = ""
        self._count.relists += 1
        return Batch((Change(kind="RESUMED"), Change(kind="RESYNC", version=self._version)), self._version)

    def _failed(self, error: KubeError) -> None:
        if self.problem is None:
            self._log.warning("%s: %s", self.topic, error)
        self.problem = error
        self._failing = self._failing or time.monotonic()
        self._count.errors += 1
        if isinstance(error, NotFound):
            # The type is gone, or has another version: look it up again and start over.
            self._columns = self._rows.columns if self._rows else self._columns
            self._rows, self._version = None, ""

    def _sentence(self, error: KubeError) -> str:
        """The message for pages, '' if they needn't be notified.

        An unreachable cluster is reported by the hub, and a server that is busy or restarts comes back. A type that is
        gone, for instance after its operator was uninstalled, isn't a failure of live updates.
        """
        if isinstance(error, Unreachable | TooManyRequests | NotFound):
            return ""
        if isinstance(error, ServerError) and time.monotonic() - self._failing < FAILING_SECONDS:
            return ""
        return str(error)

    async def _rest(self, error: KubeError | None) -> None:
        """Longer after each failure, never all at once; as long as the server asks for, when it does."""
        wanted = error.retry_after if isinstance(error, TooManyRequests | ServerError) else 0.0
        seconds = max(wanted, self._pause * random.uniform(0.5, 1.0))  # noqa: S311
        longest = REFUSED_PAUSE if self._trouble else LONGEST_PAUSE
        self._pause = min(self._pause * 2, longest)
        self._nudged.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._nudged.wait()


class Rows:
    """The events of a watch of one type as changes. `columns`: digest of those that rows have now."""

    def __init__(self, type_: ResourceType, columns: str = "") -> None:
        self.type = type_
        self.columns = columns
        self._stateful = stateful(type_)

    @property
    def include(self) -> str:
        """What a watch has to bring with each row."""
        return include(self.type)

    def learn(self, definitions: Any) -> tuple[str, bytes] | None:
        """columnDefinitions as the server sent them, and the added ones; None when they are those that are known."""
        text = msgspec.json.encode([*definitions, *added_columns(self.type)])
        digest = hashlib.blake2b(text, digest_size=6).hexdigest()
        if digest == self.columns:
            return None
        self.columns = digest
        return digest, text

    def read(self, burst: Sequence[WatchEvent]) -> ReadBurst:
        """A server that can't make Tables sends plain objects: then there is no row, and pages list again."""
        version, columns = "", None
        found: list[tuple[str, dict[str, Any], dict[str, Any], str]] = []
        for event in burst:
            document = event.table()
            is_table = document.get("kind") == "Table"
            if is_table and (definitions := document.get("columnDefinitions")):
                columns = self.learn(definitions) or columns
            for row in document.get("rows") or () if is_table else ({"object": document},):
                metadata = (row.get("object") or {}).get("metadata") or {}
                version = str(metadata.get("resourceVersion") or version)
                if event.type != "BOOKMARK":
                    found.append((event.type, row if is_table else {}, metadata, self.columns))
        return ReadBurst(tuple(self._change(*parts) for parts in _merged(found)), version, columns)

    def _change(self, kind: Any, row: dict[str, Any], metadata: dict[str, Any], columns: str) -> Change:
        metadata.pop("managedFields", None)
        if metadata.get("annotations"):
            metadata["annotations"] = objects.without_last_applied(metadata["annotations"])
        return Change(
            kind=kind,
            uid=str(metadata.get("uid") or ""),
            name=str(metadata.get("name") or ""),
            namespace=str(metadata.get("namespace") or ""),
            row=self._row(row, metadata) if row and kind != "DELETED" else b"",
            columns=columns,
            version=str(metadata.get("resourceVersion") or ""),
        )

    def _row(self, row: dict[str, Any], metadata: dict[str, Any]) -> bytes:
        """Of the object only the metadata is passed on; its state is computed here, where the whole object is known."""
        cells = [*(row.get("cells") or ()), *added_cells(self.type, row.get("object") or {})]
        found: dict[str, Any] = {"cells": cells, "object": {"metadata": metadata}}
        if self._stateful:
            found["health"] = self._states(row.get("object") or {})
        return msgspec.json.encode(found)

    def _states(self, obj: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
        """In English, and in each language whose words for the reason differ."""
        english = self._state(obj, settings.LANGUAGE_CODE)
        # Only a reason has words of a language.
        others = [code for code, _name in settings.LANGUAGES if code != settings.LANGUAGE_CODE and english[1]]
        states = {language: self._state(obj, language) for language in others}
        return {settings.LANGUAGE_CODE: english} | {code: state for code, state in states.items() if state != english}

    def _state(self, obj: Mapping[str, Any], language: str) -> tuple[str, str]:
        with translation.override(language):
            state = state_of(self.type, obj)
        return state.state, state.reason[:_REASON_CHARACTERS]


def _merged(
    events: list[tuple[str, dict[str, Any], dict[str, Any], str]],
) -> list[tuple[str, dict[str, Any], dict[str, Any], str]]:
    """Of each object its last event, as ADDED where it was made among these.

    An object without a uid is left as it came.
    """
    last: dict[str, int] = {}
    made: set[str] = set()
    for place, (kind, _row, metadata, _columns) in enumerate(events):
        uid = metadata.get("uid") or f"#{place}"
        last[uid] = place
        if kind == "ADDED":
            made.add(uid)
    if len(last) == len(events):
        return events
    return [
        ("ADDED" if kind == "MODIFIED" and metadata.get("uid") in made else kind, row, metadata, columns)
        for kind, row, metadata, columns in (events[place] for place in sorted(last.values()))
    ]
