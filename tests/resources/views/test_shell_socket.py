"""What is typed reaches the command, and its last output the page, whichever side closes first."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp

from resources.views.terminal import _carry

_STATUS = b'\x03{"status":"Failure","message":"no-such-program: not found"}'


class _Over:
    """A channel whose far side has said its last and left: what is sent to it fails before what it said is read.

    That can't be arranged with a real one.
    """

    async def send_bytes(self, data: bytes) -> None:
        raise aiohttp.ClientConnectionResetError("Cannot write to closing transport")

    async def __aiter__(self) -> AsyncIterator[aiohttp.WSMessage]:
        await asyncio.sleep(0.05)
        yield aiohttp.WSMessage(aiohttp.WSMsgType.BINARY, _STATUS, None)


async def test_a_command_that_ended_while_the_page_said_its_size() -> None:
    sent: list[bytes] = []
    messages = [b'\x04{"Width":80,"Height":24}', b"\x00x"]

    async def receive() -> dict[str, Any]:
        if not messages:
            await asyncio.Event().wait()
        return {"type": "websocket.receive", "bytes": messages.pop(0)}

    async def send(message: Any) -> None:
        sent.append(message["bytes"])

    async with asyncio.timeout(5):
        await _carry(_Over(), receive, send)  # type: ignore[arg-type]
    assert sent == [_STATUS]


class _Echo:
    """A channel that echoes its input, until there is a line end."""

    def __init__(self) -> None:
        self.told: asyncio.Queue[bytes] = asyncio.Queue()

    async def send_bytes(self, data: bytes) -> None:
        await self.told.put(data)

    async def __aiter__(self) -> AsyncIterator[aiohttp.WSMessage]:
        while (data := await self.told.get()) != b"\x00\n":
            yield aiohttp.WSMessage(aiohttp.WSMsgType.BINARY, data, None)


async def test_what_is_typed_reaches_the_command_and_what_it_says_the_page() -> None:
    sent: list[bytes] = []
    typed = [b"\x00l", b"\x00s", b"\x00\n"]

    async def receive() -> dict[str, Any]:
        if not typed:
            await asyncio.Event().wait()
        return {"type": "websocket.receive", "bytes": typed.pop(0)}

    async def send(message: Any) -> None:
        sent.append(message["bytes"])

    async with asyncio.timeout(5):
        await _carry(_Echo(), receive, send)  # type: ignore[arg-type]
    assert sent == [b"\x00l", b"\x00s"]
