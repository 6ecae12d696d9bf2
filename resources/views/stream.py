"""/stream: server-sent events of changes; and the base classes of the other endless answers.

`GET ?topic=T&notice=T&since=P` tells every object of each topic, rows as HTML for `topic`. `POST` asks with a body of
JSON, so that a page hears only of what it shows (resources/stream/subscriptions.py):

    {"since": P, "rows": [{"topic": "T" or "T?columns", "uids": [...], "moves": true}],
     "notices": [{"topic": T, "names": [...]}]}

Events, each with one line of JSON:

    hello {}                                          what came since P has been put before it, as far as it fits
    row {topic, uid, name, namespace, version, html}  html '': list again; without html for GET's `notice`
    added, gone {topic, uid, name, namespace, version}
    changed {topic, version, names?}                  several (POST); names [[namespace, name], ...], absent if too many
    resync {topic, version?}                          changes may have been missed: list again
    paused {topic, message}, resumed {topic}          the topic can't be watched just now; it can again
    refused {topic, message, lasting, gone}           no events of this topic (any longer); gone: its type isn't served
    health {part, ready, message}                     parts of the console: redis, worker, cluster
    ended {message}                                   the session ended: do not come back

`topic` is the name as it was asked, `version` the newest resourceVersion that the news speak of: what is listed after
them should not be older. `id` is a position, not the time of its event: resuming from the last one that came
(Last-Event-ID, `since`) repeats perhaps, and never skips. An id may come alone, with the heartbeat. A topic in `gone`
is no longer among the rows shown: should the object come again, `changed` tells it.

Raw ASGI applications, because Django's own handler would hold a thread for each open stream. The user is found by the
same middleware as for pages, in a thread. OpenEnded keeps its running tasks, so that a server that stops can end them
first; EventStream is one with server-sent events.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.db import close_old_connections

from console.web.asgi import Receive, Scope, Send
from resources.stream.broker import Broker
from resources.stream.gate import Asker, Gate, Sessions, Verdict
from resources.stream.line import BrowserConnection, limit_buffers
from resources.stream.live_update import RETRY, encode_event
from resources.stream.subscriptions import subscribed_topics
from resources.views.stream_request import Refused, StreamRequest, asked_of, body_of

HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
]
# Threads that read requests, and others that ask the API server for rights, which may be silent.
_READERS, _ASKERS = 2, 4


@dataclass(slots=True, eq=False)
class _Visit:
    """One connection while it lasts. `topics`: those that may be followed, as the gate knows them."""

    line: BrowserConnection
    asker: Asker
    session: str
    topics: tuple[str, ...] = ()


class StreamApp:
    """Belongs to one event loop. stop() ends what this began; the broker is its owner's."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._pool = ThreadPoolExecutor(_READERS, thread_name_prefix="stream")
        self._askers = ThreadPoolExecutor(_ASKERS, thread_name_prefix="stream-rights")
        self._gate = Gate(self._askers, self._withdraw)
        self._sessions = Sessions(self._pool)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            asked, verdicts = await self._admit(scope, receive)
        except Refused as error:
            await plain(send, error.status, str(error))
            return
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        await send({"type": "http.response.body", "body": RETRY, "more_body": True})
        limit_buffers(send)
        visit = _Visit(
            self._broker.open(send, asked.language, asked.client.config.alias),
            Asker(asked.client, asked.language),
            asked.session,
        )
        try:
            await self._join(visit, asked, verdicts)
            # What follows may last for days: nothing of the request is kept.
            del asked, verdicts
            await visit.line.until_over(lambda: until_gone(receive))
        finally:
            self._sessions.leave(visit.session, visit.line)
            self._gate.release(visit.asker, visit.line, visit.topics)
            self._broker.leave(visit.line)

    async def stop(self) -> None:
        self._gate.stop()
        await self._sessions.stop()
        for pool in (self._pool, self._askers):
            pool.shutdown(wait=False, cancel_futures=True)

    async def _join(self, visit: "_Visit", asked: StreamRequest, verdicts: list[Verdict]) -> None:
        allowed = [verdict for verdict in verdicts if verdict.type_ and not verdict.refusal]
        for verdict in verdicts:
            if verdict.refusal:
                self._withdraw(visit.line, verdict)
        visit.topics = tuple(verdict.topic for verdict in allowed)
        self._gate.hold(visit.asker, visit.line, allowed)
        self._sessions.watch(visit.session, visit.line, asked.lives)
        types = {verdict.topic: verdict.type_ for verdict in allowed if verdict.type_}
        await self._broker.join(visit.line, asked.subscriptions, types, asked.since)
        visit.line.begin()

    async def _admit(self, scope: Scope, receive: Receive) -> tuple[StreamRequest, list[Verdict]]:
        if self._broker.closed:
            raise Refused(503, "the console is stopping")
        body = await body_of(scope, receive)
        asked = await asyncio.get_running_loop().run_in_executor(self._pool, copy_context().run, _asked, scope, body)
        if self._sessions.ended(asked.session):
            raise Refused(401, "this session ended")
        verdicts = await self._gate.judge(Asker(asked.client, asked.language), subscribed_topics(asked.subscriptions))
        if verdicts and all(verdict.refusal and verdict.lasting and not verdict.gone for verdict in verdicts):
            raise Refused(403, verdicts[0].refusal)
        return asked, verdicts

    def _withdraw(self, line: BrowserConnection, verdict: Verdict) -> None:
        data = {
            "topic": verdict.topic,
            "message": verdict.refusal,
            "lasting": verdict.lasting,
            "gone": verdict.gone,
        }
        self._broker.refuse(line, verdict.topic, encode_event("refused", data))


def _asked(scope: Scope, body: bytes | None) -> StreamRequest:
    close_old_connections()
    try:
        return asked_of(scope, body)
    finally:
        close_old_connections()


async def until_gone(receive: Receive) -> None:
    """Returns when the browser has left."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def plain(send: Send, status: int, text: str) -> None:
    """An answer of one line."""
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": f"{text}\n".encode()})


W = TypeVar("W")


class OpenEnded:
    """Work that runs while a client is connected."""

    def __init__(self) -> None:
        self._open: set[asyncio.Task[None]] = set()

    def close(self) -> None:
        """End all of it: the server stops."""
        for task in self._open:
            task.cancel()

    async def until_first(self, *work: Coroutine[Any, Any, None]) -> None:
        """All at once, until one of them ends; then the others end too."""
        jobs = {asyncio.ensure_future(coroutine) for coroutine in work}
        self._open |= jobs
        try:
            await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for job in jobs:
                job.cancel()
            await asyncio.gather(*jobs, return_exceptions=True)
            self._open -= jobs


class EventStream(OpenEnded, Generic[W]):
    """Server-sent events.

    `read_request` runs in a thread of Django's and raises Refused; `follow` sends until there is nothing more to
    say.
    """

    def __init__(
        self, read_request: Callable[[Scope], W], follow: Callable[[W, Send], Coroutine[Any, Any, None]]
    ) -> None:
        super().__init__()
        self._read_request, self._follow = read_request, follow

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            if scope["method"] != "GET":
                raise Refused(405, "only GET")
            request = await in_thread(lambda: self._read_request(scope))
        except Refused as error:
            await plain(send, error.status, str(error))
            return
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        await self.until_first(until_gone(receive), self._follow(request, send))
        with contextlib.suppress(OSError):
            await send({"type": "http.response.body", "body": b""})


async def in_thread(call: Callable[[], W]) -> W:
    """Runs a call that blocks (Django, the cluster) in a thread, away from the event loop."""
    async with ThreadSensitiveContext():
        answer: Awaitable[W] = sync_to_async(call)()
        return await answer
