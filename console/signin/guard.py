"""Before every raw ASGI application: nobody is answered 401, and what stays open for somebody ends with his session."""

import asyncio
import contextlib
import io
import json
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

from django.conf import settings
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.handlers.asgi import ASGIRequest
from django.db import close_old_connections
from django.http import HttpRequest, HttpResponse

from console.signin import clients, ending, sessions
from console.signin.sessions import Person
from console.web.asgi import Receive, Scope, Send
from kube.errors import KubeError

App = Callable[[Scope, Receive, Send], Awaitable[None]]

#: What a WebSocket is closed with (RFC 6455, 7.4.2: 4000 to 4999 are an application's own).
_CLOSED = 4401
_WORDS = "sign in first"
#: A stream tells its pages that the session ended, and closes by itself.
_GRACE_SECONDS = 0.5
_pool = ThreadPoolExecutor(2, thread_name_prefix="signin")


async def guarded(app: App, scope: Scope, receive: Receive, send: Send) -> None:
    """Lets through who is signed in, and everybody while SIGN_IN=local."""
    if settings.SIGN_IN == "local":
        await app(scope, receive, send)
        return
    here = asyncio.get_running_loop()
    person = await here.run_in_executor(_pool, _who, scope)
    if person is None:
        await _refuse(scope, receive, send)
        return
    work = asyncio.ensure_future(app({**scope, sessions.SCOPE: person}, receive, send))
    over = False

    def end() -> None:
        nonlocal over
        over = True
        with contextlib.suppress(RuntimeError):
            here.call_soon_threadsafe(lambda: here.call_later(_GRACE_SECONDS, work.cancel))

    forget = ending.when_over(person.session, end)
    try:
        await asyncio.shield(work)
    except asyncio.CancelledError:
        if not (over and work.cancelled()):
            work.cancel()
            raise
        await _close(scope, send)
    finally:
        forget()


def _who(scope: Scope) -> Person | None:
    close_old_connections()
    try:
        request = ASGIRequest({**scope, "type": "http", "method": "GET"}, io.BytesIO())
        SessionMiddleware(_nothing).process_request(request)
        person = sessions.of(request)
        if person is not None:
            # Made here, so that the threads that need it ask no database.
            with contextlib.suppress(KubeError):
                clients.of(person.session)
        return person
    finally:
        close_old_connections()


def _nothing(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": _CLOSED, "reason": _WORDS})
        return
    problem = {"status": 401, "title": _WORDS, "detail": "", "advice": "", "reason": "Unauthorized"}
    api = scope["path"].startswith("/api/")
    body = json.dumps(problem).encode() if api else f"{_WORDS}\n".encode()
    kind = b"application/json" if api else b"text/plain; charset=utf-8"
    headers = [(b"content-type", kind), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _close(scope: Scope, send: Send) -> None:
    """It may be closed already."""
    with contextlib.suppress(RuntimeError, OSError):
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": _CLOSED, "reason": "the session ended"})
        else:
            await send({"type": "http.response.body", "body": b""})
