"""A client for the Redis protocol, as small as the Jobs need it: one connection, one command at a time, no dependency.

The Jobs start, say a few words to the database and end; importing a full client would take longer than their work.
"""

from __future__ import annotations

import socket
import time
from types import TracebackType


class RefusedError(Exception):
    """The database answered a command with an error; the message is its own."""


#: An error inside a list is a value: it is one command's of a transaction.
Reply = str | int | bytes | None | RefusedError | list["Reply"]


class RespConnection:
    """A connection to a database; ``timeout`` is seconds for each read."""

    def __init__(self, host: str, port: int, password: str = "", timeout: float = 30.0):
        self._socket = socket.create_connection((host, port), timeout=timeout)
        self._file = self._socket.makefile("rb")
        if password:
            self.call("AUTH", password)

    def __enter__(self) -> RespConnection:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection."""
        self._file.close()
        self._socket.close()

    def send(self, *words: str | bytes | int) -> None:
        """Sends one command without waiting for its answer."""
        parts = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        body = b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)
        self._socket.sendall(b"*%d\r\n%s" % (len(parts), body))

    def call(self, *words: str | bytes | int) -> Reply:
        """Sends one command and returns its answer; raises RefusedError when the database answers with an error."""
        self.send(*words)
        reply = self._reply()
        if isinstance(reply, RefusedError):
            raise reply
        return reply

    def transfer(self) -> bytes:
        """The whole data set in the engine's own file format, as a follower would get it (the SYNC command)."""
        self.send("SYNC")
        line = self._line()
        while not line:  # the server sends empty lines while it prepares the file
            line = self._line()
        if line.startswith(b"-"):
            raise RefusedError(line[1:].decode())
        return self._exactly(int(line[1:]))

    def _line(self) -> bytes:
        line = self._file.readline()
        if not line:
            raise ConnectionError("the database closed the connection")
        return line.rstrip(b"\r\n")

    def _exactly(self, size: int) -> bytes:
        data = self._file.read(size)
        if len(data) < size:
            raise ConnectionError("the database closed the connection in the middle of an answer")
        return data

    def _reply(self) -> Reply:
        line = self._line()
        mark, rest = line[:1], line[1:]
        if mark == b"+":
            return rest.decode()
        if mark == b"-":
            return RefusedError(rest.decode())
        if mark == b":":
            return int(rest)
        if mark == b"$":
            return None if rest == b"-1" else self._exactly(int(rest) + 2)[:-2]
        if mark == b"*":
            return None if rest == b"-1" else [self._reply() for _ in range(int(rest))]
        raise ConnectionError(f"not an answer of a database: {line[:40]!r}")


def wait(host: str, port: int, password: str, seconds: float) -> RespConnection:
    """A connection to a database that answers PING, tried for ``seconds``; then the last error is raised."""
    deadline = time.monotonic() + seconds
    pause = 0.05
    while True:
        try:
            connection = RespConnection(host, port, password)
            connection.call("PING")
        except (OSError, ConnectionError, RefusedError):
            if time.monotonic() > deadline:
                raise
        else:
            return connection
        time.sleep(pause)
        pause = min(pause * 1.5, 1.0)
