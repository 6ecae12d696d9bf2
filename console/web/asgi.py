"""ASGI's types, and an answer for code that refuses a request before Django sees it.

https://asgi.readthedocs.io/en/latest/specs/www.html
"""

import json
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ResponseHeaders = Sequence[tuple[bytes, bytes]]


async def refuse(
    scope: Scope, send: Send, status: int, title: str, *, reason: str = "", headers: ResponseHeaders = ()
) -> None:
    """Sends the whole answer: JSON below /api/, one line of text elsewhere.

    `reason` is the machine-readable word of the JSON (Unauthorized, TooManyRequests, …).
    """
    api = scope["path"].startswith("/api/")
    problem = {"status": status, "title": title, "detail": "", "advice": "", "reason": reason}
    body = json.dumps(problem).encode() if api else f"{title}\n".encode()
    kind = b"application/json" if api else b"text/plain; charset=utf-8"
    own = [(b"content-type", kind), (b"cache-control", b"no-store"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*own, *headers]})
    await send({"type": "http.response.body", "body": body})
