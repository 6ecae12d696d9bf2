"""Helper: an API server whose watch of one type is as fast as it is read; everything else is the real one's, to
which it passes it on.

Parameters: {kubeconfig, path, objects}. Says {"port"}. Then each line asked is a rate ("0": as fast as it is read,
"-1": nothing), answered by {"sent", "seconds"} since the last. The events are the real server's first Table, with name,
uid, version and word replaced: every event is of the next of `objects` objects.
"""

import asyncio
import contextlib
import json
import time
from urllib.parse import parse_qs, urlsplit

from bench.live.helper import asked, read_parameters, say
from kube.config import load

_BURST = 20


class Feeder:
    def __init__(self, kubeconfig: str, path: str, objects: int) -> None:
        self.config = load(kubeconfig)
        self._parts = urlsplit(self.config.host)
        self._path, self._objects = path, objects
        self.rate, self.sent = -1.0, 0

    async def _upstream(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection(self._parts.hostname, self._parts.port, ssl=self.config.tls, limit=2**24)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        passing: asyncio.Task[None] | None = None
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                target = urlsplit(head.split(b" ", 2)[1].decode())
                if target.path == self._path and "watch" in parse_qs(target.query):
                    await self._feed(head, int(parse_qs(target.query).get("resourceVersion", ["0"])[0]), writer)
                    break
                length = next(
                    (int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0
                )
                body = await reader.readexactly(length)
                if upstream is None:
                    upstream = await self._upstream()
                    passing = asyncio.create_task(_pass(upstream[0], writer))
                upstream[1].write(head + body)
        if passing is not None:
            passing.cancel()
        for item in (writer, *([upstream[1]] if upstream else [])):
            item.close()

    async def _template(self, head: bytes) -> tuple[bytes, list[bytes]]:
        """The real server's first event as it is, with the columns; and a MODIFIED one in pieces, between which
        name, uid, version and word stand.
        """
        reader, writer = await self._upstream()
        first, rest = head.split(b"\r\n", 1)
        method, target, protocol = first.split(b" ")
        bare = b"&".join(
            part
            for part in target.partition(b"?")[2].split(b"&")
            if not part.startswith((b"resourceVersion", b"allowWatchBookmarks"))
        )
        writer.write(b" ".join((method, self._path.encode() + b"?" + bare, protocol)) + b"\r\n" + rest)
        line = b""
        while not line.startswith(b'{"'):
            line = await reader.readline()
        writer.close()
        event = json.loads(line)
        event["type"] = "MODIFIED"
        event["object"].pop("columnDefinitions", None)
        row = event["object"]["rows"][0]
        text = json.dumps(event, separators=(",", ":"))
        metadata = row["object"]["metadata"]
        for old, new in (
            (metadata["uid"], "\0u\0"),
            (metadata["name"], "\0n\0"),
            (metadata["resourceVersion"], "\0v\0"),
        ):
            text = text.replace(json.dumps(old), json.dumps(new).replace("\\u0000", "\0"))
        return line, [piece.encode() for piece in text.split("\0")]

    async def _feed(self, head: bytes, version: int, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n")
        first, pieces = await self._template(head)
        writer.write(first)
        due = time.monotonic()
        while True:
            if self.rate < 0:
                await asyncio.sleep(0.05)
                due = time.monotonic()
                continue
            lines = []
            for _ in range(_BURST):
                version += 1
                number = version % self._objects
                names = {
                    b"u": b"00000000-0000-4000-8000-%012d" % number,
                    b"n": b"fed-%06d" % number,
                    b"v": b"%d" % version,
                }
                lines.append(b"".join(names.get(piece, piece) for piece in pieces))
            writer.write(b"\n".join(lines) + b"\n")
            await writer.drain()
            self.sent += _BURST
            if self.rate:
                due += _BURST / self.rate
                await asyncio.sleep(max(0.0, due - time.monotonic()))


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()


async def main() -> None:
    feeder = Feeder(**read_parameters())
    server = await asyncio.start_server(feeder.serve, "127.0.0.1", 0, limit=2**20)
    say({"port": server.sockets[0].getsockname()[1]})
    began = time.monotonic()
    while (rate := await asked()) is not None:
        say({"sent": feeder.sent, "seconds": time.monotonic() - began})
        feeder.sent, began, feeder.rate = 0, time.monotonic(), float(rate)


if __name__ == "__main__":
    asyncio.run(main())
