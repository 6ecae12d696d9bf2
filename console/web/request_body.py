"""Bodies of requests: read on the event loop, within bounds, before a page thread is taken; JSON of /api/ parsed within
the limit of levels.

Django's WSGI handler reads a body in the thread of its page: eight clients that send slowly would hold all eight
threads.
"""

import asyncio
import codecs
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from http import HTTPStatus
from tempfile import SpooledTemporaryFile
from typing import Any

from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser
from rest_framework.settings import api_settings
from rest_framework.utils import json

from console.web.asgi import Message, Receive, Scope, Send, refuse
from kube import limits
from untrusted import json_bounds

log = logging.getLogger("console.web")

App = Callable[[Scope, Receive, Send], Awaitable[None]]

#: Of each body this much stays in memory; the rest goes to a file in DATA_DIR.
IN_MEMORY_BYTES = 64 * 1024
#: Beside REQUEST_BODY_SECONDS a body has one second for each so many bytes of it.
BYTES_A_SECOND = 64 * 1024
_CHUNK_BYTES = 256 * 1024
_CLOSE = (b"connection", b"close")


class BodyRefused(Exception):
    """`status` and `title` of the response. Status 0: the client has disconnected and gets no response."""

    def __init__(self, status: int, title: str) -> None:
        super().__init__(title)
        self.status, self.title = status, title


async def read_chunks(scope: Scope, receive: Receive, limit_bytes: int) -> AsyncIterator[bytes]:
    """The body piece by piece. Raises BodyRefused when it is too large or too slow, or when the client leaves."""
    too_large = BodyRefused(413, f"The request body can have at most {limit_bytes} bytes")
    length = dict(scope["headers"]).get(b"content-length", b"")
    if length.isdigit() and int(length) > limit_bytes:
        raise too_large
    loop, size, more = asyncio.get_running_loop(), 0, True
    deadline = loop.time() + limits.REQUEST_BODY_SECONDS.value
    while more:
        try:
            async with asyncio.timeout_at(deadline + size / BYTES_A_SECOND):
                message = await receive()
        except TimeoutError:
            raise BodyRefused(408, "The request body did not arrive in time") from None
        if message["type"] == "http.disconnect":
            raise BodyRefused(0, "the client left before its body ended")
        piece, more = message.get("body", b""), message.get("more_body", False)
        size += len(piece)
        if size > limit_bytes:
            raise too_large
        yield piece


async def read_body(scope: Scope, receive: Receive, limit_bytes: int) -> bytes:
    """The whole body, for small ones. Raises BodyRefused."""
    return b"".join([piece async for piece in read_chunks(scope, receive, limit_bytes)])


async def send_refusal(scope: Scope, send: Send, error: BodyRefused) -> None:
    """Answers and closes the connection: what is left of the body must not be taken for the next request."""
    if error.status:
        phrase = HTTPStatus(error.status).phrase.replace(" ", "")
        retry = ((b"retry-after", b"10"),) if error.status == 503 else ()
        await refuse(scope, send, error.status, error.title, reason=phrase, headers=(_CLOSE, *retry))


class BodyFirst:
    """Calls `app` once the body of the request is here. Belongs to one event loop."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._held_bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        if headers.get(b"content-length", b"0") == b"0" and b"transfer-encoding" not in headers:
            await self._app(scope, receive, send)
            return
        upload = headers.get(b"content-type", b"").lower().startswith(b"multipart/form-data")
        limit = limits.REQUEST_UPLOAD_BYTES if upload else limits.REQUEST_BODY_BYTES
        body = _Body(receive)
        try:
            async for piece in read_chunks(scope, receive, limit.value):
                self._hold(body, len(piece))
                body.add(piece)
            body.rewind()
            await self._app(scope, body.receive, send)
        except BodyRefused as error:
            await send_refusal(scope, send, error)
        finally:
            self._held_bytes -= body.counted_bytes
            body.close()

    def _hold(self, body: "_Body", size: int) -> None:
        """Counts what goes beyond the first IN_MEMORY_BYTES of each body. Raises BodyRefused."""
        more = max(0, body.size + size - IN_MEMORY_BYTES) - body.counted_bytes
        if more and self._held_bytes + more > limits.REQUEST_BODIES_BYTES.value:
            raise BodyRefused(503, "Too many large requests are being received. Try again in a moment")
        body.counted_bytes += more
        self._held_bytes += more


class _Body:
    """A body that has arrived, replayed as ASGI messages."""

    def __init__(self, receive: Receive) -> None:
        self._after = receive
        self._file = SpooledTemporaryFile(IN_MEMORY_BYTES, dir=str(settings.DATA_DIR))  # noqa: SIM115  closed by close()
        self.size = self.counted_bytes = self._sent = 0
        self._ended = False

    def add(self, piece: bytes) -> None:
        try:
            self._file.write(piece)
        except OSError as error:
            log.error("the body of a request can't be written to %s: %s", settings.DATA_DIR, error)
            raise BodyRefused(503, "The console has no room for this request. Try again later") from error
        self.size += len(piece)

    def rewind(self) -> None:
        self._file.seek(0)

    async def receive(self) -> Message:
        """As the server's own `receive`; after the body it waits for the client to leave."""
        if self._ended:
            return await self._after()
        piece = self._file.read(_CHUNK_BYTES)
        self._sent += len(piece)
        self._ended = self._sent >= self.size
        return {"type": "http.request", "body": piece, "more_body": not self._ended}

    def close(self) -> None:
        self._file.close()


class BoundedJSONParser(JSONParser):
    """DRF's, within the console's limit of levels: JSON that is too deep is answered 400, like invalid JSON."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        encoding = (parser_context or {}).get("encoding", settings.DEFAULT_CHARSET)
        strict = json.strict_constant if self.strict and api_settings.STRICT_JSON else None
        try:
            return json_bounds.loads(codecs.getreader(encoding)(stream).read(), parse_constant=strict)
        except ValueError as error:
            raise ParseError(f"JSON parse error - {error}") from error
