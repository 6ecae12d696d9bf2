"""One topic, watched for as long as somebody wants it: list for a starting point, watch from there, and again when that ends.

What the list holds is not wanted, pages list for themselves: only its resourceVersion, so one row is asked for. A watch that ended or
broke is resumed from the last version seen. A version that is too old (410) starts anew with a RESYNC, which tells pages to list again;
so does a first start. Nothing is skipped silently.
"""

import asyncio
import hashlib
import logging
import random
import time
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from typing import Any

import msgspec
from django.conf import settings
from django.utils import translation

from kube import requests
from kube.discovery import ResourceType
from kube.errors import Gone, KubeError, TooManyRequests
from kube.transport import AsyncTransport
from kube.watch import WatchEvent, watch
from resources.changes import Change, Topic
from resources.lists.entries import include, state_of, stateful

log = logging.getLogger(__name__)

FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0
# As client-go: not all watches of a worker end in the same moment.
WATCH_SECONDS = (300, 600)
# A state's reason may be any text of an operator's, however long.
_REASON = 500
# Not sent to pages: kubectl keeps the whole object in it.
_HIDDEN = frozenset({"kubectl.kubernetes.io/last-applied-configuration"})


@dataclass(frozen=True, slots=True)
class Batch:
    """Changes that came together; `version`: the stream is complete up to here; `columns` when they are new."""

    changes: tuple[Change, ...]
    version: str
    columns: tuple[str, bytes] | None = None


class Reflector:
    """`problem`: why it can't watch just now, '' while it does."""

    def __init__(self, transport: AsyncTransport, type_: ResourceType, topic: Topic, version: str = "") -> None:
        self.topic = topic
        self.problem: KubeError | None = None
        self._transport = transport
        self._type = type_
        self._version = version
        self._columns = ""
        self._pause = FIRST_PAUSE

    @property
    def version(self) -> str:
        """The resourceVersion up to which changes were handed out."""
        return self._version

    async def batches(self) -> AsyncGenerator[Batch, None]:
        """Never ends by itself. Level one: what to do when a watch ends."""
        while True:
            try:
                if not self._version:
                    yield await self._start()
                began = time.monotonic()
                async for batch in self._watch():
                    yield batch
                if time.monotonic() - began < 1:
                    await self._rest(None)
            except Gone:
                log.info("%s: version %s is too old, starting anew", self.topic, self._version)
                self._version = ""
                await self._rest(None)
            except KubeError as error:
                if self.problem is None:
                    log.warning("%s: %s", self.topic, error)
                self.problem = error
                await self._rest(error)

    async def _start(self) -> Batch:
        """Level two: where to begin."""
        request = requests.list_table(self._type, self.topic.namespace, limit=1, include="None")
        answer = await self._transport.send(request)
        metadata = msgspec.json.decode(answer.body).get("metadata") or {}
        self._version = str(metadata.get("resourceVersion") or "")
        return Batch((Change("RESYNC"),), self._version)

    async def _watch(self) -> AsyncIterator[Batch]:
        """Level three: one request."""
        seconds = random.randint(*WATCH_SECONDS)  # noqa: S311  spreads load
        request = requests.watch_table(self._type, self.topic.namespace, self._version, seconds, include(self._type))
        async for burst in watch(self._transport, request):
            self.problem = None
            self._pause = FIRST_PAUSE if burst else self._pause
            columns: tuple[str, bytes] | None = None
            changes: list[Change] = []
            for event in burst:
                document = event.document()
                if definitions := document.get("columnDefinitions"):
                    text = msgspec.json.encode(definitions)
                    digest = hashlib.blake2b(text, digest_size=6).hexdigest()
                    columns, self._columns = (digest, text), digest
                changes += self._changes(event, document)
            if burst:
                yield Batch(tuple(changes), self._version, columns)

    def _changes(self, event: WatchEvent, document: dict[str, Any]) -> list[Change]:
        """A server that can't make Tables sends plain objects: then there is no row, and pages list again."""
        is_table = document.get("kind") == "Table"
        rows = document.get("rows") or () if is_table else ({"object": document},)
        found = []
        for row in rows:
            metadata = (row.get("object") or {}).get("metadata") or {}
            self._version = str(metadata.get("resourceVersion") or self._version)
            if event.type != "BOOKMARK":
                found.append(self._change(event.type, row if is_table else {}, metadata))
        return found

    def _change(self, kind: Any, row: dict[str, Any], metadata: dict[str, Any]) -> Change:
        metadata.pop("managedFields", None)
        for name in _HIDDEN & (metadata.get("annotations") or {}).keys():
            del metadata["annotations"][name]
        return Change(
            kind=kind,
            uid=str(metadata.get("uid") or ""),
            name=str(metadata.get("name") or ""),
            namespace=str(metadata.get("namespace") or ""),
            row=self._row(row, metadata) if row else b"",
            columns=self._columns,
        )

    def _row(self, row: dict[str, Any], metadata: dict[str, Any]) -> bytes:
        """Of the object only the metadata goes on; its state is judged here, where the whole is at hand, once for each language."""
        found: dict[str, Any] = {"cells": row.get("cells"), "object": {"metadata": metadata}}
        if stateful(self._type):
            found["health"] = {}
            for language, _name in settings.LANGUAGES:
                with translation.override(language):
                    state = state_of(self._type, row.get("object") or {})
                found["health"][language] = (state.state, state.reason[:_REASON])
        return msgspec.json.encode(found)

    async def _rest(self, error: KubeError | None) -> None:
        """Longer after each failure, never all at once; as long as the server asks for, when it does."""
        wanted = error.retry_after if isinstance(error, TooManyRequests) else 0.0
        await asyncio.sleep(max(wanted, self._pause * random.uniform(0.5, 1.0)))  # noqa: S311
        self._pause = min(self._pause * 2, LONGEST_PAUSE)
