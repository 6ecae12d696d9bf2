"""Server-sent events as bytes. https://html.spec.whatwg.org/multipage/server-sent-events.html"""

from typing import Any

import msgspec

# How long a browser waits before it reconnects; live.js waits longer, with jitter, after refusals.
RETRY = b"retry: 1500\n\n"
HEARTBEAT = b": still here\n\n"


def encode(event: str, data: dict[str, Any], id_: str = "") -> bytes:
    """One event; `data` as one line of JSON. With an id, the browser resumes from there."""
    head = f"id: {id_}\n" if id_ else ""
    return f"{head}event: {event}\n".encode() + b"data: " + msgspec.json.encode(data) + b"\n\n"
