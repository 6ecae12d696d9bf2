"""A list and then a watch of one resource, without end: an event for each object that is added, changed or deleted."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import aiohttp
import msgspec

from ..client import ObjectEvent
from ..errors import ApiError, Gone
from ..objects import Object
from .access import ServerAccess
from .paths import Served
from .refusals import of_status, refusal

log = logging.getLogger("sandbox.node")

#: Before the API server is asked again after a failure, and how long a watch lasts before it is renewed.
PAUSE, WATCH_SECONDS = 1.0, 300
_BIGGEST_EVENT = 8 * 1024 * 1024


def open_session(access: ServerAccess) -> aiohttp.ClientSession:
    """A session for watches, without a total timeout."""
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=10)
    connector = aiohttp.TCPConnector(ssl=access.tls if access.tls is not None else True)
    return aiohttp.ClientSession(headers=access.headers, timeout=timeout, connector=connector)


class Reflector:
    """Lists and watches one resource (client-go's Reflector). ``fields`` is a selector."""

    def __init__(
        self, session: aiohttp.ClientSession, server: str, key: str, find: Callable[[str], Served], fields: str
    ):
        self._session = session
        self._server = server
        self._key = key
        self._find = find
        self._fields = fields
        #: The metadata of what there is, by namespace and name: a later list shows what has gone meanwhile.
        self._known: dict[tuple[str, str], Object] = {}

    async def run(self, events: asyncio.Queue[ObjectEvent]) -> None:
        """Runs until cancelled."""
        version = ""
        while True:
            try:
                served = self._find(self._key)
                if not version:
                    version = await self._list(served, events)
                version = await self._watch(served, version, events)
            except Gone:
                version = ""
            except (ApiError, aiohttp.ClientError, TimeoutError, OSError) as problem:
                log.warning("watching %s: %s; trying again", self._key, problem)
                version = ""
                await asyncio.sleep(PAUSE)

    async def _list(self, served: Served, events: asyncio.Queue[ObjectEvent]) -> str:
        async with self._session.get(self._server + served.path(fieldSelector=self._fields)) as answer:
            body = await answer.read()
            if answer.status >= 400:
                raise refusal(answer.status, body)
        found = msgspec.json.decode(body)
        present = {}
        for item in found.get("items") or []:
            item["kind"], item["apiVersion"] = served.kind, served.api_version
            present[_place(item)] = item
        for place, old in list(self._known.items()):
            if place not in present or present[place]["metadata"]["uid"] != old["metadata"]["uid"]:
                await self._emit("DELETED", old, events)
        for place, item in present.items():
            known = self._known.get(place)
            if known is None:
                await self._emit("ADDED", item, events)
            elif known["metadata"]["resourceVersion"] != item["metadata"]["resourceVersion"]:
                await self._emit("MODIFIED", item, events)
        return str(found["metadata"]["resourceVersion"])

    async def _watch(self, served: Served, version: str, events: asyncio.Queue[ObjectEvent]) -> str:
        """Until the server ends it; the version that was reached."""
        path = served.path(
            fieldSelector=self._fields,
            watch="true",
            resourceVersion=version,
            allowWatchBookmarks="true",
            timeoutSeconds=WATCH_SECONDS,
        )
        async with self._session.get(self._server + path, read_bufsize=_BIGGEST_EVENT) as answer:
            if answer.status >= 400:
                raise refusal(answer.status, await answer.read())
            buffer = b""
            async for chunk in answer.content.iter_any():
                *lines, buffer = (buffer + chunk).split(b"\n")
                for line in filter(None, lines):
                    version = await self._event(msgspec.json.decode(line), events)
        return version

    async def _event(self, event: Object, events: asyncio.Queue[ObjectEvent]) -> str:
        obj: Object = event["object"]
        if event["type"] == "ERROR":
            raise of_status(obj)
        if event["type"] != "BOOKMARK":
            await self._emit(str(event["type"]), obj, events)
        return str(obj["metadata"]["resourceVersion"])

    async def _emit(self, kind: str, obj: Object, events: asyncio.Queue[ObjectEvent]) -> None:
        place = _place(obj)
        if kind == "DELETED":
            self._known.pop(place, None)
        else:
            identity = {name: obj["metadata"].get(name) for name in ("namespace", "name", "uid", "resourceVersion")}
            self._known[place] = {"kind": obj["kind"], "apiVersion": obj["apiVersion"], "metadata": identity}
        await events.put(ObjectEvent(kind, self._key, obj))


def _place(obj: Object) -> tuple[str, str]:
    return str(obj["metadata"].get("namespace") or ""), str(obj["metadata"]["name"])
