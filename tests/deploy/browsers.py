"""Connections to /stream as pages have them, and waiting for their events."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from ssl import SSLContext
from typing import Any

import aiohttp

from kube.client import ClusterClient
from tests.eventually import reached

#: What a buffer keeps back comes never: this is for a busy machine.
SOON = 30.0


@dataclass(eq=False, kw_only=True)
class Browser:
    """One connection to /stream taken up again where it was whenever it ends, as static/js does it."""

    url: str
    body: dict[str, Any] | None = None
    seen: list[str] = field(default_factory=list)  # names of objects that came
    events: list[str] = field(default_factory=list)
    heartbeats: int = 0
    connections: int = 0
    since: str = ""

    async def run(self, session: aiohttp.ClientSession) -> None:
        while True:
            with contextlib.suppress(aiohttp.ClientError, OSError):
                async with self._open(session) as answer:
                    if answer.status == 200:
                        self.connections += 1
                        await self._read(answer)
            await asyncio.sleep(0.2)

    def _open(self, session: aiohttp.ClientSession) -> Any:
        # Closed at once after the answer's end: the next connection is another one, as of another browser.
        options = {
            "timeout": aiohttp.ClientTimeout(total=None),
            "headers": {"Origin": self.url.rpartition("/stream")[0]},
        }
        since = {"since": self.since} if self.since else {}
        if self.body is None:
            more = "".join(f"&since={self.since}" for _ in since)
            return session.get(self.url + more, **options)
        return session.post(self.url, json={**self.body, **since}, **options)

    async def _read(self, answer: aiohttp.ClientResponse) -> None:
        event = ""
        async for line in answer.content:
            text = line.decode().rstrip("\r\n")
            name, _, value = text.partition(":")
            value = value.removeprefix(" ")
            if text.startswith(":"):
                self.heartbeats += 1
            elif name == "id":
                self.since = value
            elif name == "event":
                event = value
            elif name == "data":
                self.events.append(event)
                if event in ("row", "added"):
                    self.seen.append(str(json.loads(value)["name"]))


@asynccontextmanager
async def opened(*browsers: Browser, tls: SSLContext | bool = True) -> AsyncIterator[None]:
    """Each with cookies of its own, so that nginx spreads them. Until all are greeted."""
    jobs, sessions = [], []
    for browser in browsers:
        jar = aiohttp.CookieJar()
        session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=tls, resolver=Here()), cookie_jar=jar)
        sessions.append(session)
        jobs.append(asyncio.create_task(browser.run(session)))
    try:
        await reached(lambda: all("hello" in browser.events for browser in browsers), "all are greeted")
        yield
    finally:
        for job in jobs:
            job.cancel()
        await asyncio.gather(*jobs, return_exceptions=True)
        for session in sessions:
            await session.close()


class Here(aiohttp.abc.AbstractResolver):
    """The console's name is this machine's."""

    async def resolve(self, host: str, port: int = 0, family: Any = 0) -> list[Any]:
        return [{"hostname": host, "host": "127.0.0.1", "port": port, "family": 2, "proto": 0, "flags": 0}]

    async def close(self) -> None:
        """Nothing is open."""


async def make(client: ClusterClient, namespace: str, name: str) -> None:
    type_ = client.find("", "v1", "configmaps")
    await asyncio.to_thread(client.create, type_, {"metadata": {"name": name}}, namespace)


async def watched(client: ClusterClient, namespace: str, *browsers: Browser) -> None:
    """Waits until the hub watches the topic, which is a new one: earlier changes are listed, not sent."""
    for number in range(60):
        name = f"begin-{number}"
        await make(client, namespace, name)
        with contextlib.suppress(AssertionError):
            await reached(lambda: all(name in browser.seen for browser in browsers), "", seconds=1.0)  # noqa: B023
            return
    raise AssertionError("the topic is not watched")
