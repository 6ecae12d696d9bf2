"""Port-forward frames and followed logs, against a scripted kubelet."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from aiohttp import WSMsgType, web

from kube import limits
from kube.channels import follow_log, port_forward, relay
from kube.config import ClusterConfig
from kube.errors import NotFound, ServerError
from kube.transport import AsyncTransport

from .scripted import serving, status, stream

PORT = (5432).to_bytes(2, "little")


async def _echo(request: web.Request) -> web.StreamResponse:
    """Answers each piece in capitals; hangs up after 'bye'; has an error for 'fail', and too much for 'flood'."""
    channel = web.WebSocketResponse(protocols=("v4.channel.k8s.io",))
    await channel.prepare(request)
    await channel.send_bytes(b"\x00" + PORT)
    await channel.send_bytes(b"\x01" + PORT)
    async for message in channel:
        assert message.type is WSMsgType.BINARY
        data = message.data[1:]
        if data == b"fail":
            await channel.send_bytes(b"\x01connection refused by the container")
            continue
        await channel.send_bytes(b"\x00" + data.upper())
        if data == b"bye":
            break
        if data == b"flood":
            await channel.send_bytes(b"\x00" + b"x" * limits.API_MESSAGE.value)
    await channel.close()
    return channel


@asynccontextmanager
async def _socket(config: ClusterConfig) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter, list]]:
    """A local TCP connection that is relayed to the scripted Pod; failures are noted in the list."""
    failures: list[BaseException] = []
    async with AsyncTransport(config) as transport:

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                async with port_forward(transport, "db-0", "shop", 5432) as channel:
                    await relay(reader, writer, channel)
            except ServerError as error:
                failures.append(error)
            finally:
                writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            yield reader, writer, failures
            writer.close()


async def test_s10_a_message_without_an_end_ends_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "API_MESSAGE", replace(limits.API_MESSAGE, value=64 * 1024))
    async with serving(_echo) as config, _socket(config) as (reader, writer, failures), asyncio.timeout(20):
        writer.write(b"flood")
        assert await reader.read() == b"FLOOD"
        assert failures == []
        async with asyncio.timeout(20):
            other, to_other = await asyncio.open_connection(*writer.get_extra_info("peername"))
            to_other.write(b"more")
            assert await other.readexactly(4) == b"MORE"
            to_other.close()


async def test_bytes_go_both_ways_until_the_pod_hangs_up() -> None:
    async with serving(_echo) as config, _socket(config) as (reader, writer, failures):
        big = b"a" * 300_000
        writer.write(big)
        assert await reader.readexactly(len(big)) == big.upper()
        writer.write(b"bye")
        assert await reader.read() == b"BYE"
        assert failures == []


async def test_the_pods_words_are_kept() -> None:
    async with serving(_echo) as config, _socket(config) as (reader, writer, failures):
        writer.write(b"fail")
        assert await reader.read() == b""
        assert [str(failure) for failure in failures] == ["connection refused by the container"]


async def test_a_refused_tunnel_says_why() -> None:
    async def respond(request: web.Request) -> web.StreamResponse:
        return status(404, "NotFound", 'pods "db-0" not found')

    async with serving(respond) as config, AsyncTransport(config) as transport:
        with pytest.raises(NotFound, match='pods "db-0" not found'):
            async with port_forward(transport, "db-0", "shop", 5432):
                pass


async def test_a_log_is_followed_to_its_end() -> None:
    async def respond(request: web.Request) -> web.StreamResponse:
        assert dict(request.query) == {"container": "main", "tailLines": "10", "follow": "true"}
        return await stream(request, b"one\n", b"two\n")

    async with serving(respond) as config, AsyncTransport(config) as transport:
        pieces = [piece async for piece in follow_log(transport, "web-0", "shop", container="main", tail=10)]
    assert b"".join(pieces) == b"one\ntwo\n"
