"""The ASGI application: who asks, may they, what answers. What listens is in listener.py.

Order for every request: health without a name; authentication; impersonation; authorization by the path alone; routes
of controllers (logs, exec, aggregated APIs); discovery and OpenAPI; resources.
"""

from __future__ import annotations

import asyncio
import gzip
import logging
from typing import Any
from urllib.parse import unquote

import msgspec

from . import requestinfo
from .context import Context
from .discovery import Discovery
from .errors import ApiError, InternalError, NotFound, Unauthorized
from .http import ANONYMOUS, Message, Receive, Request, Response, Scope, Send, User
from .openapi import OpenApi
from .rbac import Attributes, Authorizer, attributes
from .rest import Rest
from .tokens import Tokens, authenticate, impersonate
from .verbs import Verbs

log = logging.getLogger("sandbox")

#: Answers above this size are compressed for clients that take gzip, as kube-apiserver does.
GZIP_ABOVE = 128 * 1024
HEALTH = frozenset({"healthz", "livez", "readyz"})
VERSION = {
    "major": "1",
    "minor": "36",
    "emulationMajor": "1",
    "emulationMinor": "36",
    "minCompatibilityMajor": "1",
    "minCompatibilityMinor": "35",
    "gitVersion": "v1.36.3+sandbox",
    "gitCommit": "",
    "gitTreeState": "clean",
    "buildDate": "2026-11-20T00:00:00Z",
    "goVersion": "none",
    "compiler": "python",
    "platform": "sandbox",
}
#: Paths that every authenticated user may read (system:discovery, system:public-info-viewer).
_OPEN_ROOTS = frozenset({"api", "apis", "openapi", "version", *HEALTH})


class Application:
    """ASGI entry point."""

    def __init__(self, verbs: Verbs, context: Context, tokens: Tokens, access: Authorizer):
        self._verbs = verbs
        self._store = verbs.store
        self._context = context
        self._tokens = tokens
        self._access = access
        self._discovery = Discovery(verbs.registry, context)
        self._openapi = OpenApi(verbs.store, verbs.registry)
        self._rest = Rest(verbs, access, tokens)
        self._streams: set[asyncio.Task[Any]] = set()
        self.ready = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return
        request = Request(scope, receive, send)
        try:
            response = await self._answer(request)
        except ApiError as refused:
            response = Response.json(refused.status(), refused.code, refused.headers)
        except Exception as problem:
            log.exception("%s %s", request.method, request.path)
            error = InternalError(f"{type(problem).__name__}: {problem}")
            response = Response.json(error.status(), error.code)
        if response.sent:
            return
        self._store.commit()
        if request.is_websocket:
            await _refuse_websocket(response, scope, send)
        elif response.chunks is not None:
            await self._stream(request, response, send)
        else:
            await _send(request, response, send)

    async def _answer(self, request: Request) -> Response:
        parts = [unquote(part) for part in request.raw_path.split("/") if part]
        root = parts[0] if parts else ""
        if root in HEALTH:
            return self._health(root)
        if root == "version":
            return Response.json(VERSION)
        info = self._admit(request, parts)
        for route in self._context.routes:
            params = route.match(request.method, parts)
            if params is not None:
                request.params = params
                return await route.handler(request)
        if info.is_resource:
            return await self._rest.handle(request, info)
        if root in ("api", "apis") and request.method in ("GET", "HEAD"):
            try:
                return self._discovery.answer(request, parts)
            except NotFound:
                if root == "api":
                    raise
                return _no_such_page()
        if root == "openapi":
            return await self._openapi.answer(request, parts)
        if not parts:
            return Response.json(
                {
                    "paths": [
                        "/api",
                        "/api/v1",
                        "/apis",
                        "/healthz",
                        "/livez",
                        "/openapi/v2",
                        "/openapi/v3",
                        "/readyz",
                        "/version",
                    ]
                }
            )
        return _no_such_page()

    def _admit(self, request: Request, parts: list[str]) -> requestinfo.RequestInfo:
        """Sets the user; Unauthorized or Forbidden."""
        user = authenticate(request, self._tokens)
        if user is ANONYMOUS:
            raise Unauthorized
        request.user = impersonate(request, user, self._may_impersonate)
        info = requestinfo.parse(request.method, request.path, parts, request.flag("watch"))
        if info.is_resource or not parts or parts[0] not in _OPEN_ROOTS:
            self._access.check(request.user, attributes(info))
        return info

    def _health(self, name: str) -> Response:
        if name == "readyz" and not self.ready:
            return Response(b"[-]controllers failed: starting\nreadyz check failed\n", 500, "text/plain; charset=utf-8")
        return Response(b"ok", 200, "text/plain; charset=utf-8")

    def _may_impersonate(self, user: User, group: str, resource: str, namespace: str, name: str) -> None:
        plural, _, subresource = resource.partition("/")
        self._access.check(user, Attributes("impersonate", group, plural, subresource, namespace, name))

    async def _stream(self, request: Request, response: Response, send: Send) -> None:
        """Sends chunks until there are no more, the client goes, or the sandbox stops."""
        task = asyncio.current_task()
        assert task is not None and response.chunks is not None
        await send(_start(request, response, {}))
        gone = asyncio.ensure_future(request.disconnected())

        def leave(_: asyncio.Future[None]) -> None:
            task.cancel()

        gone.add_done_callback(leave)
        self._streams.add(task)
        try:
            async for chunk in response.chunks:
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        except asyncio.CancelledError:
            task.uncancel()
        finally:
            self._streams.discard(task)
            gone.remove_done_callback(leave)
            gone.cancel()
            close = getattr(response.chunks, "aclose", None)
            if close is not None:
                await close()
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    def stop(self) -> None:
        """Ends all open watches; their clients see an orderly end and resume elsewhere."""
        for task in list(self._streams):
            task.cancel()


def _no_such_page() -> Response:
    """What the API server says of paths that nothing serves."""
    return Response(b"404 page not found\n", 404, "text/plain; charset=utf-8")


def _start(request: Request, response: Response, extra: dict[str, str]) -> Message:
    headers = {"cache-control": "no-cache, private", **response.headers, **extra}
    listed = [(name.encode(), value.encode("utf-8")) for name, value in headers.items()]
    for warning in dict.fromkeys(request.warnings):
        quoted = warning.replace("\\", "\\\\").replace('"', '\\"')
        listed.append((b"warning", f'299 - "{quoted}"'.encode()))
    return {"type": "http.response.start", "status": response.status, "headers": listed}


async def _send(request: Request, response: Response, send: Send) -> None:
    payload, extra = response.body, {}
    if len(payload) > GZIP_ABOVE and "gzip" in request.headers.get("accept-encoding", ""):
        payload = await asyncio.to_thread(gzip.compress, payload, 1)
        extra = {"content-encoding": "gzip", "vary": "Accept-Encoding"}
    extra["content-length"] = str(len(payload))
    await send(_start(request, response, extra))
    await send({"type": "http.response.body", "body": payload, "more_body": False})


async def _refuse_websocket(response: Response, scope: Scope, send: Send) -> None:
    """A refusal before the handshake, with its status and Status body."""
    if "websocket.http.response" in (scope.get("extensions") or {}):
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(response.body)).encode())]
        await send({"type": "websocket.http.response.start", "status": response.status, "headers": headers})
        await send({"type": "websocket.http.response.body", "body": response.body})
    else:
        reason = str(msgspec.json.decode(response.body).get("message", ""))[:120]
        await send({"type": "websocket.close", "code": 1008, "reason": reason})
