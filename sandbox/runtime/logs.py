"""Container logs: one file for each start of a container, a line for each line, with its time in front.

The writer wakes those that follow a log, without polling. A file that grows over 10 MB is rotated, and the one before
it is kept beside it, as a kubelet does.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from pathlib import Path

ROTATE_BYTES = 10 * 1024 * 1024
#: A line without end is cut here.
LONGEST_LINE = 16 * 1024


def stamp(nanoseconds: int) -> bytes:
    """A time in RFC 3339 with nanoseconds."""
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{rest:09d}Z".encode()


class LogWriter:
    """Writes one start of a container."""

    def __init__(self, path: Path):
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._file = path.open("ab", buffering=0)
        self._size = self._file.tell()
        self._partial = b""
        self._waiters: set[asyncio.Future[None]] = set()
        self.closed = False

    def write(self, data: bytes) -> None:
        """Takes output in pieces; only whole lines are written."""
        *lines, self._partial = (self._partial + data).split(b"\n")
        while len(self._partial) > LONGEST_LINE:
            lines.append(self._partial[:LONGEST_LINE])
            self._partial = self._partial[LONGEST_LINE:]
        if lines:
            moment = stamp(time.time_ns())
            self._append(b"".join(moment + b" " + line + b"\n" for line in lines))

    def _append(self, data: bytes) -> None:
        """A full disk loses lines, and never the container's output pipe."""
        with contextlib.suppress(OSError):
            self._append_now(data)
        self._wake()

    def _append_now(self, data: bytes) -> None:
        if self._size + len(data) > ROTATE_BYTES:
            self._file.close()
            self.path.replace(self.path.with_suffix(".log.1"))
            self._file = self.path.open("ab", buffering=0)
            self._size = 0
        self._file.write(data)
        self._size += len(data)

    def _wake(self) -> None:
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
        self._waiters.clear()

    async def changed(self) -> None:
        """Returns when something was written or the log has ended."""
        if self.closed:
            return
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.add(waiter)
        try:
            await waiter
        finally:
            self._waiters.discard(waiter)

    def close(self) -> None:
        """The container has ended."""
        if self.closed:
            return
        if self._partial:
            self._append(stamp(time.time_ns()) + b" " + self._partial + b"\n")
            self._partial = b""
        self.closed = True
        self._file.close()
        self._wake()


def read_lines(path: Path) -> list[bytes]:
    """Every line (with its time, without its end) of a log, the file before it first."""
    lines: list[bytes] = []
    for part in (path.with_suffix(".log.1"), path):
        try:
            lines += part.read_bytes().splitlines()
        except FileNotFoundError:
            continue
    return lines
