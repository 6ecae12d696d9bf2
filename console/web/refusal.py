"""Refusing a request before Django sees it: JSON below /api/, one line of text elsewhere."""

import json
from collections.abc import Sequence

from console.web.asgi import Scope, Send

Headers = Sequence[tuple[bytes, bytes]]


async def refuse(scope: Scope, send: Send, status: int, title: str, *, reason: str = "", headers: Headers = ()) -> None:
    """Sends the whole answer. `reason` is the machine-readable word of the JSON (Unauthorized, TooManyRequests, …)."""
    api = scope["path"].startswith("/api/")
    problem = {"status": status, "title": title, "detail": "", "advice": "", "reason": reason}
    body = json.dumps(problem).encode() if api else f"{title}\n".encode()
    kind = b"application/json" if api else b"text/plain; charset=utf-8"
    own = [(b"content-type", kind), (b"cache-control", b"no-store"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*own, *headers]})
    await send({"type": "http.response.body", "body": body})
