"""Helper: a TCP relay that counts and that can be cut. Parameters: {host, port}. Says {"port"}.

Lines: "count" → {"down", "up", "seconds"} in bytes since it was asked last (down: from the server); "silent": packets
are dropped without a reset; "refuse": every connection is broken, and new ones are; "open": as before.
"""

import asyncio
import contextlib
import time

from bench.live.helper import asked, read_parameters, say


class Relay:
    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port
        self.down = self.up = 0
        self.refuse = False
        self.flowing = asyncio.Event()
        self.flowing.set()
        self._open: set[asyncio.StreamWriter] = set()

    def cut(self) -> None:
        for writer in self._open:
            writer.transport.abort()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self.flowing.wait()
        if self.refuse:
            writer.transport.abort()
            return
        try:
            back, forth = await asyncio.open_connection(self._host, self._port)
        except OSError:
            writer.close()
            return
        self._open |= {writer, forth}
        await asyncio.gather(self._pass(reader, forth, "up"), self._pass(back, writer, "down"))
        self._open -= {writer, forth}

    async def _pass(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, way: str) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(65536):
                await self.flowing.wait()
                setattr(self, way, getattr(self, way) + len(data))
                sink.write(data)
                await sink.drain()
        sink.close()


async def main() -> None:
    relay = Relay(**read_parameters())
    server = await asyncio.start_server(relay.serve, "127.0.0.1", 0)
    say({"port": server.sockets[0].getsockname()[1]})
    began = time.monotonic()
    while (line := await asked()) is not None:
        match line:
            case "silent":
                relay.flowing.clear()
            case "refuse":
                relay.refuse = True
                relay.cut()
            case "open":
                relay.refuse = False
                relay.flowing.set()
        say({"down": relay.down, "up": relay.up, "seconds": time.monotonic() - began})
        if line == "count":
            relay.down, relay.up, began = 0, 0, time.monotonic()


if __name__ == "__main__":
    asyncio.run(main())
