"""GET /stream: server-sent events, as a raw ASGI application.

Beside Django's own handler, which would hold a thread for each open stream. Who asks is found in a short Django context, by the same middleware
as for pages; the streaming itself is outside of it.
"""

import asyncio
import contextlib
import io
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.exceptions import DisallowedHost
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils import translation
from django_htmx.middleware import HtmxDetails

from console.web.language import LanguageMiddleware
from console.web.request import ClusterMiddleware
from kube.client import ClusterClient
from kube.errors import KubeError
from resources.stream.broker import Broker, Subscription
from resources.stream.gate import AGAIN_SECONDS, Verdict, may_follow
from resources.stream.sse import HEARTBEAT, RETRY, encode

log = logging.getLogger(__name__)

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

HEARTBEAT_SECONDS = 15.0
# A page shows a handful of topics, twenty tabs some hundred.
TOPIC_LIMIT = 200
HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
]


@dataclass(frozen=True, slots=True)
class Asked:
    """One connection's wish: `topics` with rows or without, `since`: where to go on."""

    client: ClusterClient
    language: str
    topics: tuple[str, ...]
    rows: frozenset[str]
    since: str


class Refused(Exception):
    """An answer that is no stream."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class StreamApp:
    """`topic=` wants rows as HTML (`<topic>?<columns>` with columns of its own), `notice=` only the news. `since=` or Last-Event-ID says where to go on."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            asked, verdicts = await self._admit(scope)
        except Refused as error:
            await plain(send, error.status, str(error))
            return
        allowed = {verdict.topic: verdict.type_ for verdict in verdicts if verdict.type_ and not verdict.refusal}
        subscription = await self._broker.subscribe(allowed, asked.rows, asked.language, asked.since)
        for verdict in verdicts:
            if verdict.refusal:
                subscription.put(_refusal(verdict))
        jobs = [
            asyncio.ensure_future(job)
            for job in (until_gone(receive), _stream(subscription, send), self._judge_again(asked, subscription))
        ]
        try:
            await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._broker.unsubscribe(subscription)
            for job in jobs:
                job.cancel()
            await asyncio.gather(*jobs, return_exceptions=True)

    async def _admit(self, scope: Scope) -> tuple[Asked, list[Verdict]]:
        if self._broker.closed:
            raise Refused(503, "the console is stopping")
        if scope["method"] != "GET":
            raise Refused(405, "only GET")
        async with ThreadSensitiveContext():
            asked = await sync_to_async(_asked)(scope)
            verdicts = await sync_to_async(_judge)(asked)
        if verdicts and all(verdict.refusal and verdict.lasting for verdict in verdicts):
            raise Refused(403, verdicts[0].refusal)
        return asked, verdicts

    async def _judge_again(self, asked: Asked, subscription: Subscription) -> None:
        """Rights may go while a connection is open."""
        while True:
            await asyncio.sleep(AGAIN_SECONDS)
            async with ThreadSensitiveContext():
                verdicts = await sync_to_async(_judge)(asked)
            for verdict in verdicts:
                if verdict.refusal and verdict.lasting and verdict.topic in subscription.topics:
                    del subscription.topics[verdict.topic]
                    subscription.put(_refusal(verdict))


def _refusal(verdict: Verdict) -> bytes:
    return encode("refused", {"topic": verdict.topic, "message": verdict.refusal, "lasting": verdict.lasting})


def _capture(request: HttpRequest) -> HttpResponse:
    """The innermost "view": what the middleware found stays on the request."""
    return HttpResponse()


# As settings.MIDDLEWARE has them, as far as a stream needs them: who asks, in which language, of which cluster.
_chain: Any = ClusterMiddleware(_capture)
for _layer in (AuthenticationMiddleware, LanguageMiddleware, SessionMiddleware):
    _chain = _layer(_chain)


def request_of(scope: Scope) -> Any:
    """The request as a view would get it: who asks, of which cluster, in which language. Raises Refused."""
    request: Any = ASGIRequest(dict(scope), io.BytesIO())
    try:
        request.get_host()
    except DisallowedHost as error:
        raise Refused(400, "this host name is not the console's: see ALLOWED_HOSTS") from error
    request.htmx = HtmxDetails(request)  # ?namespace= asks for it
    _chain(request)
    return request


def _asked(scope: Scope) -> Asked:
    request = request_of(scope)
    query: QueryDict = request.GET
    rows, notices = query.getlist("topic"), query.getlist("notice")
    # A list that shows columns of its own wants its topic under a name that says so: <topic>?<columns>.
    topics = tuple(dict.fromkeys(name.partition("?")[0] for name in (*rows, *notices)))
    if max(len(topics), len(rows)) > TOPIC_LIMIT:
        raise Refused(400, f"more than {TOPIC_LIMIT} topics on one connection")
    try:
        client: ClusterClient = request.cluster
        assert client.name is not None
    except KubeError as error:
        raise Refused(503, str(error)) from error
    since = request.headers.get("Last-Event-ID") or query.get("since", "")
    return Asked(client, request.LANGUAGE_CODE, topics, frozenset(rows), since)


def _judge(asked: Asked) -> list[Verdict]:
    with translation.override(asked.language):
        return [may_follow(asked.client, topic) for topic in asked.topics]


async def until_gone(receive: Receive) -> None:
    """Returns when the browser has left."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _stream(subscription: Subscription, send: Send) -> None:
    """What is in the queue at once goes out at once; silence is broken by a comment, so that proxies keep the line open."""
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    await send({"type": "http.response.body", "body": RETRY, "more_body": True})
    queue, more = subscription.queue, True
    while more:
        pieces: list[bytes] = []
        with contextlib.suppress(TimeoutError):
            # Not wait_for, which swallows a cancellation that comes together with a piece (Python 3.11).
            async with asyncio.timeout(HEARTBEAT_SECONDS):
                piece = await queue.get()
            while piece is not None:
                pieces.append(piece)
                if queue.empty():
                    break
                piece = queue.get_nowait()
            more = piece is not None
        await send({"type": "http.response.body", "body": b"".join(pieces) or HEARTBEAT, "more_body": more})


async def plain(send: Send, status: int, text: str) -> None:
    """An answer of one line."""
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": f"{text}\n".encode()})
