"""One open connection: its mailbox, and the writing of what waits there. No task of its own while nothing waits.

ASGI gives no access to a connection's socket, so this reaches behind uvicorn's `send` (limit_buffers, abort). With
another server those do nothing, and slow connections are held by that server's own buffers.
"""

import asyncio
import contextlib
import socket
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from console.web.asgi import Send
from resources.stream.counts import counts
from resources.stream.live_update import HEARTBEAT
from resources.stream.mailbox import Mailbox

# What is not sent yet waits where news of the same object can still take its place (resources/stream/mailbox.py), not
# in the kernel.
_UNSENT_BYTES = 16 * 1024
# Python names it from 3.12 on; 25 is Linux' (include/uapi/linux/tcp.h).
_TCP_NOTSENT_LOWAT: int = getattr(socket, "TCP_NOTSENT_LOWAT", 25 if sys.platform == "linux" else 0)


class BrowserConnection:
    """`begin()` when the answer has begun; before that everything waits.

    `over` is set when there is nothing more to send or the client is gone.
    """

    __slots__ = (
        "_at",
        "_begun",
        "_ending",
        "_loop",
        "_over",
        "_send",
        "_task",
        "_timer",
        "_writing",
        "_wrote",
        "cluster",
        "joined",
        "language",
        "mailbox",
    )

    def __init__(self, send: Send, language: str, cluster: str = "") -> None:
        self.language, self.cluster = language, cluster
        self.joined = 0  # ms on Redis' clock: changes before that were missed
        self.mailbox = Mailbox()
        self._over = False
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._begun = self._ending = False
        self._at = 0.0  # when the timer fires
        self._timer: asyncio.TimerHandle | asyncio.Handle | None = None
        self._writing: asyncio.Task[None] | None = None
        self._wrote = self._loop.time()
        self._task: asyncio.Task[Any] | None = None

    @property
    def over(self) -> bool:
        return self._over

    def begin(self) -> None:
        self._begun = True
        if self._ending:
            self._flush()
        else:
            self.wake()

    def wake(self) -> None:
        """Something was put into the mailbox."""
        if not self._begun or self._writing is not None or self._over:
            return
        now = self._loop.time()
        if self._timer is not None and self._at <= now:
            return
        due = self.mailbox.due(now)
        if due is None or (self._timer is not None and self._at <= due):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._at = due
        self._timer = self._loop.call_at(due, self._flush) if due > now else self._loop.call_soon(self._flush)

    def end(self) -> None:
        """Sends the pending events about the connection itself, then ends the response."""
        self._ending = True
        if self._begun and self._writing is None:
            self._flush()

    def tick(self, now: float, silence: float, patience: float) -> None:
        """Called now and then: breaks a silence, and gives up on a connection that takes nothing."""
        if self._over or not self._begun:
            return
        if self._writing is None:
            if self._timer is None and now - self._wrote >= silence:
                position = self.mailbox.resume()
                self._write(HEARTBEAT + (f"id: {position}\n\n".encode() if position else b""))
        elif now - self._wrote >= (1.0 if self._ending else patience):
            counts.stuck += 1
            self.cut()

    def cut(self) -> None:
        abort(self._send)
        self._finish()

    async def until_over(self, gone: Callable[[], Awaitable[None]]) -> None:
        """Until gone() returns or the line is over: in the task that is there anyway, since a thousand idle ones
        cost memory.
        """
        if self.over:
            return
        self._task = asyncio.current_task()
        try:
            await gone()
        except asyncio.CancelledError:
            if not self._over or _still_cancelled():
                raise
        finally:
            self._task = None
            self.close()

    def close(self) -> None:
        """The browser has left."""
        self._over = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._writing is not None:
            self._writing.cancel()

    def _finish(self) -> None:
        self._over = True
        if self._task is not None:
            self._task.cancel()

    def _flush(self) -> None:
        self._timer = None
        if self._writing is not None or self._over:
            return
        body, times = self.mailbox.take(self._loop.time())
        if body or self._ending:
            self._write(body, times)
        else:
            self.wake()

    def _write(self, body: bytes, times: list[int] | None = None) -> None:
        self._wrote = self._loop.time()
        # Judged here and not when the task begins: what is put into the mailbox in between is not in this body.
        self._writing = self._loop.create_task(self._send_out(body, times or [], last=self._ending))

    async def _send_out(self, body: bytes, times: list[int], last: bool) -> None:
        try:
            await self._send({"type": "http.response.body", "body": body, "more_body": not last})
            counts.bytes += len(body)
            counts.events += len(times)
            # What was missed before says nothing of how fast we are.
            counts.observe([number for number in times if number >= self.joined], time.time() * 1000)
        except OSError:
            self._finish()
            return
        finally:
            self._writing = None
        self._wrote = self._loop.time()
        if last:
            self._finish()
        elif self._ending:
            self._flush()
        else:
            self.wake()


def _still_cancelled() -> bool:
    """Takes our own cancellation back; True if the task was also cancelled elsewhere."""
    task = asyncio.current_task()
    return task is not None and task.uncancel() > 0


def limit_buffers(send: Any) -> None:
    """Little waits below us: the writer is held up as soon as the browser reads more slowly than we write."""
    transport = _transport_of(send)
    if transport is None:
        return
    with contextlib.suppress(OSError, AttributeError, NotImplementedError):
        transport.set_write_buffer_limits(high=_UNSENT_BYTES)
        found = transport.get_extra_info("socket")
        if _TCP_NOTSENT_LOWAT and found is not None and found.family in (socket.AF_INET, socket.AF_INET6):
            found.setsockopt(socket.IPPROTO_TCP, _TCP_NOTSENT_LOWAT, _UNSENT_BYTES)


def abort(send: Any) -> None:
    """End the connection at once, whatever was not read of it."""
    transport = _transport_of(send)
    if transport is not None:
        transport.abort()


def _transport_of(send: Any) -> Any:
    """uvicorn's transport behind the `send` of a request, else None."""
    return getattr(getattr(send, "__self__", None), "transport", None)
