"""A browser, as far as the stream sees one, and the hub's part played by hand."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from kube.discovery import ResourceType
from resources.changes import Change
from resources.views.stream import StreamApp

COLUMNS = ("c1", b'[{"name":"Name","type":"string"}]')


def row_of(name: str, kind: Any = "MODIFIED", version: str = "") -> Change:
    row = {"cells": [name], "object": {"metadata": {"name": name, "uid": f"uid-{name}", "namespace": "default"}}}
    return Change(
        kind=kind,
        uid=f"uid-{name}",
        name=name,
        namespace="default",
        row=json.dumps(row).encode(),
        columns="c1",
        version=version,
    )


def render(type_: ResourceType, topic: str, columns: bytes, change: Change, language: str) -> str:
    return f"<tr>{type_.kind} {change.name} {language}</tr>"


@dataclass(kw_only=True)
class Browser:
    """One connection to the stream; `events` as (event, data, id) in the order they came."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    events: list[tuple[str, dict[str, Any], str]] = field(default_factory=list)
    comments: int = 0
    text: str = ""
    ended: bool = False
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            *parts, self.text = (self.text + message["body"].decode()).split("\n\n")
            for part in parts:
                self.comments += part.startswith(":")
                fields = dict(line.split(": ", 1) for line in part.split("\n") if not line.startswith(":"))
                if "data" in fields:
                    self.events.append((fields["event"], json.loads(fields["data"]), fields.get("id", "")))
            self.ended = not message.get("more_body")
        self.arrived.set()

    async def get(self, event: str, **wanted: Any) -> tuple[dict[str, Any], str]:
        """The first such event; it is taken off the list together with what came before."""
        async with asyncio.timeout(10):
            while True:
                for number, (kind, data, id_) in enumerate(self.events):
                    if kind == event and all(data.get(key) == value for key, value in wanted.items()):
                        del self.events[: number + 1]
                        return data, id_
                self.arrived.clear()
                await self.arrived.wait()


@asynccontextmanager
async def opened(
    app: StreamApp, query: list[tuple[str, str]], body: Any = None, method: str = "", **headers: str
) -> AsyncIterator[Browser]:
    """`body`: what is POSTed, as JSON unless it is bytes."""
    browser, gone = Browser(), asyncio.Event()
    sent = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    waiting = [] if sent is None else [sent[:10], sent[10:]]

    async def receive() -> dict[str, Any]:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(0), "more_body": bool(waiting)}
        await gone.wait()
        return {"type": "http.disconnect"}

    pairs = {
        "host": "localhost:9000",
        **({} if sent is None else {"content-type": "application/json"}),
        **{key.replace("_", "-"): value for key, value in headers.items()},
    }
    scope = {
        "type": "http",
        "method": method or ("GET" if sent is None else "POST"),
        "path": "/stream",
        "query_string": urlencode(query).encode(),
        "headers": [(key.encode(), value.encode()) for key, value in pairs.items()],
        "server": ("127.0.0.1", 9000),
        "client": ("127.0.0.1", 1),
        "scheme": "http",
    }
    task = asyncio.create_task(app(scope, receive, browser.send))
    try:
        async with asyncio.timeout(10):
            while not browser.status:
                browser.arrived.clear()
                await browser.arrived.wait()
        yield browser
    finally:
        gone.set()
        async with asyncio.timeout(10):
            await task
