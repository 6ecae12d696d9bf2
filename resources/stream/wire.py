"""Access to a connection's socket.

ASGI has no API for it, so this reaches behind uvicorn's `send`; with another server it does nothing, and slow
connections are held by that server's own buffers.
"""

import contextlib
import socket
import sys
from typing import Any

# What is not sent yet waits where news of the same object can still take its place (resources/stream/mailbox.py), not
# in the kernel.
_UNSENT_BYTES = 16 * 1024
# Python names it from 3.12 on; 25 is Linux' (include/uapi/linux/tcp.h).
_TCP_NOTSENT_LOWAT: int = getattr(socket, "TCP_NOTSENT_LOWAT", 25 if sys.platform == "linux" else 0)


def transport_of(send: Any) -> Any:
    """uvicorn's transport behind the `send` of a request, else None."""
    return getattr(getattr(send, "__self__", None), "transport", None)


def keep_short(send: Any) -> None:
    """Little waits below us: the writer is held up as soon as the browser reads more slowly than we write."""
    transport = transport_of(send)
    if transport is None:
        return
    with contextlib.suppress(OSError, AttributeError, NotImplementedError):
        transport.set_write_buffer_limits(high=_UNSENT_BYTES)
        found = transport.get_extra_info("socket")
        if _TCP_NOTSENT_LOWAT and found is not None and found.family in (socket.AF_INET, socket.AF_INET6):
            found.setsockopt(socket.IPPROTO_TCP, _TCP_NOTSENT_LOWAT, _UNSENT_BYTES)


def cut(send: Any) -> None:
    """End the connection at once, whatever was not read of it."""
    transport = transport_of(send)
    if transport is not None:
        transport.abort()
