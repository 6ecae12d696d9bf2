"""Sync code starting work on the web process' loop."""

import asyncio
import threading

import pytest

from console.web import loop


async def _where() -> tuple[str, int]:
    return threading.current_thread().name, id(asyncio.get_running_loop())


def test_without_a_server_a_loop_is_made_once() -> None:
    first, second = loop.run_on_loop(_where()), loop.run_on_loop(_where())
    assert first == second
    assert first[0] == "console-loop"


def test_errors_come_back() -> None:
    async def fails() -> None:
        raise ValueError("as raised")

    with pytest.raises(ValueError, match="as raised"):
        loop.run_on_loop(fails())


def test_what_takes_too_long_is_cancelled() -> None:
    cancelled = threading.Event()

    async def sleeps() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    with pytest.raises(TimeoutError):
        loop.run_on_loop(sleeps(), seconds=0.05)
    assert cancelled.wait(5)


async def test_the_servers_loop_is_used_and_its_end_is_told() -> None:
    here = asyncio.get_running_loop()
    loop.use(here)
    try:
        assert (await asyncio.to_thread(loop.run_on_loop, _where()))[1] == id(here)
        closed: list[str] = []

        async def close() -> None:
            closed.append("desk")

        loop.at_end(close)
        await loop.close_all()
        assert closed == ["desk"]
    finally:
        loop.use(None)
