"""Many browsers that come back at once are one question to Redis, and rows are drawn once for all of them."""

import asyncio
from collections import Counter
from typing import Any

import pytest

from kube.discovery import ResourceType
from resources.changes import Change, ChangeLog, Topic, position
from resources.stream.broker import Replay
from resources.views.stream import StreamApp
from tests.resources.stream.browser import COLUMNS, opened, row_of


async def test_who_comes_while_one_is_read_shares_the_next(pipe: Any, log: ChangeLog, topic: Topic) -> None:
    start = position()
    asked = 0
    real = log.since

    async def slow(*args: Any) -> Any:
        nonlocal asked
        asked += 1
        await asyncio.sleep(0.05)
        return await real(*args)

    log.since = slow  # type: ignore[method-assign]
    replay = Replay(log)
    await log.append(topic, [row_of("a"), row_of("b")], "1", COLUMNS)
    middle = position()
    await asyncio.sleep(0.01)
    await log.append(topic, [row_of("c")], "2")
    first = asyncio.create_task(replay.since(str(topic), start))
    await asyncio.sleep(0.02)
    await log.append(topic, [row_of("d")], "3")
    later = await asyncio.gather(*(replay.since(str(topic), item) for item in (middle, start, middle, start) * 25))
    assert asked == 2
    assert [entry.change.name for entry in await first or ()][:3] == ["a", "b", "c"]
    names = {tuple(entry.change.name for entry in found or ()) for found in later}
    # What was written while the first was read is in what the others got.
    assert names == {("c", "d"), ("a", "b", "c", "d")} or names == {("a", "b", "c", "d")}
    # One that was away for too long does not cost the others.
    assert await asyncio.gather(replay.since(str(topic), f"5-0@{log.epoch}"), replay.since(str(topic), middle)) != [
        None,
        None,
    ]


async def test_rows_that_many_missed_are_drawn_once(
    app: StreamApp, log: ChangeLog, topic: Topic, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: Counter[str] = Counter()

    def render(type_: ResourceType, name: str, columns: bytes, change: Change, language: str) -> str:
        drawn[change.name] += 1
        return "<tr></tr>"

    monkeypatch.setattr(app._broker, "_render", render)
    start = position()
    await log.append(topic, [row_of("a"), row_of("b")], "1", COLUMNS)

    async def connect() -> None:
        async with opened(app, [("topic", str(topic)), ("since", start)]) as browser:
            await browser.get("row", name="b")

    await asyncio.gather(*(connect() for _ in range(20)))
    assert drawn == {"a": 1, "b": 1}
