"""What the guard does with a stream's work when the stream ends, without a session or a cluster."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from console.signin import bearer, guard


async def test_a_stream_that_its_server_ends_ends_what_is_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A token's stream: uvicorn cancels it when the program at the other end is gone."""
    monkeypatch.setattr(guard, "_refusal", lambda request: None)
    person = SimpleNamespace(counted="somebody")
    monkeypatch.setattr(bearer, "caller", lambda request: SimpleNamespace(person=person))
    left: list[str] = []
    monkeypatch.setattr(guard, "_take_connection", lambda who: True)
    monkeypatch.setattr(guard, "_release_connection", left.append)
    begun, ended = asyncio.Event(), asyncio.Event()

    async def app(*_arguments: Any) -> None:
        begun.set()
        try:
            await asyncio.sleep(600)
        finally:
            ended.set()

    async def nothing(*_arguments: Any) -> Any:
        return None

    scope = {"type": "http"}
    stream = asyncio.ensure_future(guard._program(SimpleNamespace(), app, scope, nothing, nothing))  # type: ignore[arg-type]
    await asyncio.wait_for(begun.wait(), 20)
    stream.cancel()
    await asyncio.wait([stream])
    await asyncio.wait_for(ended.wait(), 5)
    assert left == ["somebody"]
