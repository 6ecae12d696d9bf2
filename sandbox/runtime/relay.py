"""Bytes both ways between two connections, each direction until its sender ends."""

from __future__ import annotations

import asyncio
import contextlib

_CHUNK = 64 * 1024


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One direction; the end of ``reader`` is passed on."""
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()


async def relay(
    near_reader: asyncio.StreamReader,
    near_writer: asyncio.StreamWriter,
    far_reader: asyncio.StreamReader,
    far_writer: asyncio.StreamWriter,
) -> None:
    """Until both directions have ended; both connections are closed."""
    try:
        await asyncio.gather(copy(near_reader, far_writer), copy(far_reader, near_writer))
    finally:
        for writer in (near_writer, far_writer):
            writer.close()
