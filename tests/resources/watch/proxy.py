"""A way to the API server that a test can break: cut every connection, or swallow what comes without a word."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from urllib.parse import urlsplit

from kube.client import ClusterClient
from kube.config import ClusterConfig


class Proxy:
    """`silent`: connections stand and bring nothing; what came meanwhile is lost for good."""

    def __init__(self, host: str, port: int) -> None:
        self.silent = False
        self._to = (host, port)
        self._open: set[asyncio.StreamWriter] = set()
        self._dead: set[asyncio.StreamWriter] = set()

    def cut(self) -> None:
        for writer in self._open:
            writer.transport.abort()

    def silence(self) -> None:
        """Also those that stand now never say anything again."""
        self.silent = True
        self._dead |= self._open

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        if self.silent:
            self._dead.add(writer)
        try:
            there, back = await asyncio.open_connection(*self._to)
            self._open.add(back)
            await asyncio.gather(self._pump(reader, back, writer), self._pump(there, writer, writer))
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            for item in (writer, locals().get("back")):
                if item is not None:
                    item.transport.abort()
                    self._open.discard(item)

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, of: asyncio.StreamWriter) -> None:
        while data := await source.read(65536):
            if of in self._dead:
                continue
            sink.write(data)
            await sink.drain()
        sink.transport.abort()


@asynccontextmanager
async def through_a_proxy(client: ClusterClient, **changed: object) -> AsyncIterator[tuple[Proxy, ClusterClient]]:
    """The same cluster by way of a proxy; `changed`: other fields of the configuration."""
    now = client.config.current()
    parts = urlsplit(now.host)
    proxy = Proxy(str(parts.hostname), parts.port or 443)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    host = f"{parts.scheme}://127.0.0.1:{port}"
    config: ClusterConfig = replace(
        now, host=host, server_name=now.server_name or str(parts.hostname), renewed=None, **changed
    )  # type: ignore[arg-type]
    try:
        yield proxy, ClusterClient(config)
    finally:
        server.close()
        proxy.cut()
