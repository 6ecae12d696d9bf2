"""From ASGI to handlers and back: responses, whole or streamed, and errors."""

from __future__ import annotations

import asyncio
import gzip
import logging
from typing import Any

from .errors import ApiError, InternalError
from .http import Message, Receive, Request, Response, Scope, Send

log = logging.getLogger("sandbox")

#: Answers above this size are compressed for clients that take gzip, as kube-apiserver does.
GZIP_ABOVE = 128 * 1024


class AsgiApplication:
    """An ASGI application. A subclass says what :meth:`answer` is."""

    def __init__(self) -> None:
        self._streams: set[asyncio.Task[Any]] = set()

    async def respond(self, request: Request) -> Response:
        """The response; raises ApiError."""
        raise NotImplementedError

    def answered(self) -> None:
        """Called before a response that isn't an error is sent; an ApiError that it raises replaces the response."""

    def written(self, request: Request, response: Response) -> Response:
        """The answer in the form that the request asks for."""
        return response

    def refused(self, problem: ApiError) -> Response:
        """The answer for an error."""
        return Response.json(problem.status(), problem.code, problem.headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return
        request = Request(scope, receive, send)
        try:
            response = await self.respond(request)
            if not response.sent:
                self.answered()
        except ApiError as problem:
            response = self.refused(problem)
        except Exception as problem:
            log.exception("%s %s", request.method, request.path)
            response = self.refused(InternalError(f"{type(problem).__name__}: {problem}"))
        if response.sent:
            return
        response = self.written(request, response)
        if request.is_websocket:
            await _refuse_websocket(response, scope, send)
        elif response.chunks is not None:
            await self._stream(request, response, send)
        else:
            await _send(request, response, send)

    async def _stream(self, request: Request, response: Response, send: Send) -> None:
        """Sends chunks until there are no more, the client disconnects, or the sandbox stops."""
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
    """A refusal before the handshake, with its status and body."""
    if "websocket.http.response" in (scope.get("extensions") or {}):
        kind = response.headers["content-type"].encode()
        headers = [(b"content-type", kind), (b"content-length", str(len(response.body)).encode())]
        await send({"type": "websocket.http.response.start", "status": response.status, "headers": headers})
        await send({"type": "websocket.http.response.body", "body": response.body})
    else:
        reason = response.body.decode("utf-8", "replace")[:120]
        await send({"type": "websocket.close", "code": 1008, "reason": reason})
