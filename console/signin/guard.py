"""Sign-in check in front of every raw ASGI application: 401 without a user, 429 for a user with too many open
connections; open connections close with the session.

Connections are streams, watches, followed logs and terminals. Each costs memory and a connection to the API server for
as long as it is open. They are counted per process, by the user name from the API server and its cluster, so over all
of a user's sessions. A browser's tabs share one stream (static/js/shared_stream.js): the limit is far above normal use,
and low enough to protect other users.
"""

import asyncio
import contextlib
import io
import json
import threading
from collections import Counter
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

from django.conf import settings
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.handlers.asgi import ASGIRequest
from django.db import DatabaseError, close_old_connections
from django.http import HttpRequest, HttpResponse

from console.signin import bearer, clients, impersonation, sessions
from console.signin.impersonation import Acting
from console.signin.sessions import Person
from console.web.asgi import Receive, Scope, Send, refuse
from kube import limits
from kube.errors import KubeError

App = Callable[[Scope, Receive, Send], Awaitable[None]]

#: What a WebSocket is closed with (RFC 6455, 7.4.2: 4000 to 4999 are an application's own).
_CLOSED, _CROWDED = 4401, 4429
_SIGN_IN_FIRST = "sign in first"
_TOO_MANY = (
    f"you have {limits.OPEN_AT_ONCE.value} streams, logs and terminals open here, and more are not given to one person:"
    " close some tabs"
)
#: Retry-After where too many are open.
_RETRY_SECONDS = 10
#: In this time a stream can report to its pages that the session ended, and close.
_GRACE_SECONDS = 0.5
_pool = ThreadPoolExecutor(2, thread_name_prefix="signin")

_open_connections: Counter[str] = Counter()
_lock = threading.Lock()


async def guarded(app: App, scope: Scope, receive: Receive, send: Send) -> None:
    """Calls the application for signed-in users, with SIGN_IN=local for all; closes the connection when the session, or
    the impersonation within it, ends.
    """
    if scope["type"] == "http" and bearer.brought(asked := _request(scope)):
        await _program(asked, app, scope, receive, send)
        return
    if settings.SIGN_IN == "local" and not _maybe_acting(scope):
        await app(scope, receive, send)
        return
    here = asyncio.get_running_loop()
    person, found = await here.run_in_executor(_pool, copy_context().run, _who, scope)
    if person is None and settings.SIGN_IN != "local":
        await _refuse(scope, receive, send)
        return
    known = {sessions.SCOPE: person, impersonation.SCOPE: found}
    who = person.counted if person else ""
    if not _take_connection(who):
        await _too_many(scope, receive, send)
        return
    work = asyncio.ensure_future(app({**scope, **{name: item for name, item in known.items() if item}}, receive, send))
    over = False

    def end() -> None:
        nonlocal over
        over = True
        with contextlib.suppress(RuntimeError):
            here.call_soon_threadsafe(lambda: here.call_later(_GRACE_SECONDS, work.cancel))

    forget = clients.when_over(found.key if found else person.session if person else "", end)
    try:
        await asyncio.shield(work)
    except asyncio.CancelledError:
        if not (over and work.cancelled()):
            work.cancel()
            raise
        await _close(scope, send)
    finally:
        forget()
        _release_connection(who)


def _take_connection(user: str) -> bool:
    """Counts a connection until _release_connection(). False if the user has too many.

    '' (SIGN_IN=local) has no limit: that is the task of a proxy in front.
    """
    if not user:
        return True
    with _lock:
        if _open_connections[user] >= limits.OPEN_AT_ONCE.value:
            return False
        _open_connections[user] += 1
        return True


def _release_connection(user: str) -> None:
    if user:
        with _lock:
            _open_connections[user] -= 1
            if _open_connections[user] <= 0:
                del _open_connections[user]


def _request(scope: Scope) -> ASGIRequest:
    return ASGIRequest({**scope, "type": "http", "method": "GET"}, io.BytesIO())


async def _program(request: ASGIRequest, app: App, scope: Scope, receive: Receive, send: Send) -> None:
    """What is open by a token is closed when the token is good no more."""
    here = asyncio.get_running_loop()
    refused = await here.run_in_executor(_pool, _refusal, request)
    if refused is not None:
        headers = [(name.lower().encode(), value.encode()) for name, value in refused.items()]
        await send({"type": "http.response.start", "status": refused.status_code, "headers": headers})
        await send({"type": "http.response.body", "body": refused.content})
        return
    who = bearer.caller(request).person.counted  # cached: checked a moment ago
    if not _take_connection(who):
        await _too_many(scope, receive, send)
        return
    work = asyncio.ensure_future(app(scope, receive, send))
    try:
        while not (await asyncio.wait([work], timeout=bearer.SECONDS))[0]:
            if not await here.run_in_executor(_pool, _still, request):
                work.cancel()
                await asyncio.wait([work])
                await _close(scope, send)
                return
        work.result()
    finally:
        work.cancel()
        _release_connection(who)


def _refusal(request: ASGIRequest) -> HttpResponse | None:
    close_old_connections()
    try:
        bearer.caller(request)
    except bearer.TokenRefused as error:
        return bearer.error_response(error)
    finally:
        close_old_connections()
    return None


def _still(request: ASGIRequest) -> bool:
    close_old_connections()
    try:
        return bearer.still(request)
    except DatabaseError:
        return True
    finally:
        close_old_connections()


def _maybe_acting(scope: Scope) -> bool:
    """Whether the request has a session cookie, which could name an impersonation."""
    cookie = f"{settings.SESSION_COOKIE_NAME}=".encode()
    return any(cookie in value for name, value in scope["headers"] if name.lower() == b"cookie")


def _who(scope: Scope) -> tuple[Person | None, Acting | None]:
    close_old_connections()
    try:
        request: Any = _request(scope)
        SessionMiddleware(_nothing).process_request(request)
        request.person = sessions.person_of(request) if settings.SIGN_IN != "local" else None
        if request.person is None and settings.SIGN_IN != "local":
            return None, None
        found = impersonation.impersonation_of(request)
        key = found.key if found else request.person.session if request.person else ""
        if key and not (found and found.over):
            # Made here, so that the threads that need it ask no database.
            with contextlib.suppress(KubeError):
                clients.client_of(key)
        return request.person, found
    finally:
        close_old_connections()


def _nothing(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": _CLOSED, "reason": _SIGN_IN_FIRST})
        return
    challenge = [(b"www-authenticate", bearer.CHALLENGE.encode())] if scope["path"].startswith("/api/") else []
    await refuse(scope, send, 401, _SIGN_IN_FIRST, reason="Unauthorized", headers=challenge)


async def _too_many(scope: Scope, receive: Receive, send: Send) -> None:
    """Refuses a connection so that the page can show it: a terminal gets a Status on the error channel (3) as at a
    command's end, a stream gets an HTTP status.
    """
    if scope["type"] == "websocket":
        await receive()
        offered = scope.get("subprotocols") or [None]
        await send({"type": "websocket.accept", "subprotocol": offered[0]})
        status = {"status": "Failure", "reason": "TooManyRequests", "message": _TOO_MANY}
        await send({"type": "websocket.send", "bytes": b"\x03" + json.dumps(status).encode()})
        await send({"type": "websocket.close", "code": _CROWDED, "reason": "too many are open"})
        return
    retry = [(b"retry-after", str(_RETRY_SECONDS).encode())]
    await refuse(scope, send, 429, _TOO_MANY, reason="TooManyRequests", headers=retry)


async def _close(scope: Scope, send: Send) -> None:
    """It may be closed already."""
    with contextlib.suppress(RuntimeError, OSError):
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": _CLOSED, "reason": "the session ended"})
        else:
            await send({"type": "http.response.body", "body": b""})
