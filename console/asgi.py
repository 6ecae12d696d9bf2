"""What uvicorn serves: open-ended answers as raw ASGI applications, everything else through a bridge to Django's
WSGI handler.

uvicorn console.asgi:application --http console.web.http_protocol:BoundedProtocol --timeout-graceful-shutdown 2
"""

import asyncio
import gc
import signal
from importlib import import_module
from types import FrameType
from typing import Any

from a2wsgi import WSGIMiddleware

from console.wsgi import application as pages  # sets Django up: before models are imported

# isort: split
from django.conf import settings

from console import request_id
from console.signin import address, guard
from console.web import loop
from console.web.asgi import Receive, Scope, Send
from console.web.front import Front
from console.web.request_body import BodyFirst
from console.web.soft_timeout import SoftTimeout
from resources.lists.listing import row_html
from resources.stream import metrics
from resources.stream.broker import Broker
from resources.views.api_watch import ApiWatchApp
from resources.views.api_watch import wanted as wants_watch
from resources.views.follow import FOLLOW_ALL_PATH, FOLLOW_PATH, FollowAllApp, FollowApp
from resources.views.forward import FORWARDED_PATH, ProxiedApp
from resources.views.logs import RAW_LOG_PATH, RawLogApp
from resources.views.stream import StreamApp, plain
from resources.views.terminal import SOCKET_PATH, TerminalApp

# Threads for Django's pages. Open streams need none.
_WORKERS = 8
# And for frames of pages whose cluster does not answer, which ask it nothing.
_FRAME_WORKERS = 2


class Console:
    """Routes by path. Everything that belongs to the event loop is made when the server starts."""

    def __init__(self) -> None:
        bridged: Any = pages
        bridge: Any = WSGIMiddleware(bridged, workers=_WORKERS)
        frames: Any = WSGIMiddleware(bridged, workers=_FRAME_WORKERS)
        self._pages = SoftTimeout(BodyFirst(bridge), frames)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        number, scope = request_id.scoped(scope)
        with request_id.numbered(number):
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == "/healthz":
            # On the loop: who asks whether this process lives must not wait for a page thread.
            await plain(send, 200, "ok")
        elif scope["type"] == "http" and scope["path"] == "/stream":
            await guard.guarded(self._stream, scope, receive, send)
        elif scope["type"] == "http" and wants_watch(scope):
            await guard.guarded(self._watches, scope, receive, send)
        elif scope["type"] == "http" and FOLLOW_PATH.match(scope["path"]):
            await guard.guarded(self._follow, scope, receive, send)
        elif scope["type"] == "http" and FOLLOW_ALL_PATH.match(scope["path"]):
            await guard.guarded(self._follow_all, scope, receive, send)
        elif scope["type"] == "http" and FORWARDED_PATH.match(scope["path"]):
            # Its address is the secret, and ends with its owner's session: a sandboxed page brings no cookie.
            await self._proxied(scope, receive, send)
        elif scope["type"] == "http" and RAW_LOG_PATH.match(scope["path"]):
            await guard.guarded(self._raw_log, scope, receive, send)
        elif scope["type"] == "websocket" and SOCKET_PATH.match(scope["path"]):
            await guard.guarded(self._terminals, scope, receive, send)
        elif scope["type"] == "http":
            await self._pages(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        if refusal := address.refused():
            await send({"type": "lifespan.startup.failed", "message": refusal})
            return
        loop.use(asyncio.get_running_loop())
        self._broker = Broker(row_html)
        metrics.live.brokers.add(self._broker)
        self._stream = StreamApp(self._broker)
        self._follow = FollowApp()
        self._follow_all = FollowAllApp()
        self._watches = ApiWatchApp()
        self._raw_log = RawLogApp()
        self._proxied = ProxiedApp()
        self._terminals = TerminalApp()
        self._end_streams_first()
        # What was loaded stays. Left out of the count, the collector comes soon enough for what a thousand connections
        # leave behind at once.
        gc.collect()
        gc.freeze()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self._broker.stop()
        await self._stream.stop()
        await loop.close_all()
        loop.use(None)
        if settings.OTEL_EXPORTER_OTLP_ENDPOINT:
            # uvicorn ends by the signal that it got, at which Python's own endings don't run.
            await asyncio.to_thread(import_module("console.traces").end)
        await send({"type": "lifespan.shutdown.complete"})

    def _end_streams_first(self) -> None:
        """Handles the signal before uvicorn, which waits for open responses before it sends lifespan.shutdown: a stream
        never ends.

        After the signal /readyz answers 503; DRAIN_SECONDS later open streams are closed, and uvicorn gets the signal.
        """
        here = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            previous = signal.getsignal(number)

            def handle(number: int, frame: FrameType | None, previous: Any = previous) -> None:
                # Told a second time: at once.
                wait = 0 if loop.is_shutting_down() else settings.DRAIN_SECONDS
                loop.begin_shutdown()
                here.call_soon_threadsafe(here.call_later, wait, self._end, number, previous)

            signal.signal(number, handle)

    def _end(self, number: int, previous: Any) -> None:
        """In the event loop: what is open ends, and then the server, which lets requests under way end first."""
        apps = (
            self._broker,
            self._follow,
            self._follow_all,
            self._watches,
            self._raw_log,
            self._proxied,
            self._terminals,
        )
        for app in apps:
            app.close()
        if callable(previous):
            previous(number, None)


application = Front(Console())
