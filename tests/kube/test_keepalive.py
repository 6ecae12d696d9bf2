"""A connection whose other end vanished is noticed by the kernel: both transports ask it to look."""

import asyncio
import socket
import sys

import pytest
from aiohttp import web

from kube.requests import ApiRequest
from kube.transport import AsyncTransport, SyncTransport

from .script_server import serving, stream

REQUEST = ApiRequest(method="GET", path="/api/v1/pods")


@pytest.mark.skipif(sys.platform != "linux", reason="names of options are Linux'")
async def test_dead_connections_are_noticed_within_half_a_minute() -> None:
    async def respond(request: web.Request) -> web.StreamResponse:
        found = await stream(request, b"{}")
        await asyncio.sleep(30)
        return found

    def check(item: socket.socket) -> None:
        assert item.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        idle, every, times = (
            item.getsockopt(socket.IPPROTO_TCP, name)
            for name in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
        )
        assert idle + every * times <= 30
        assert item.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) <= 30_000

    async with serving(respond) as config, AsyncTransport(config) as transport, transport.open(REQUEST) as response:
        assert response.connection is not None
        assert response.connection.transport is not None
        check(response.connection.transport.get_extra_info("socket"))
    pool = SyncTransport(config)._pool.connections
    options = pool.connection_pool_kw["socket_options"]
    with socket.socket() as plain_socket:
        for option in options:
            plain_socket.setsockopt(*option)
        check(plain_socket)
        assert plain_socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
