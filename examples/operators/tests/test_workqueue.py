"""The queue: one pass at a time for each object, none missed, failed ones again."""

import asyncio

import pytest

from examples.operators import workqueue
from examples.operators.kubeapi import ApiError
from examples.operators.workqueue import NotYet, WorkQueue


async def until_idle(queue: WorkQueue) -> None:
    async with asyncio.timeout(5):
        while queue._running:
            await asyncio.sleep(0.001)


async def test_many_changes_during_a_pass_are_one_more_pass() -> None:
    begun: list[str] = []
    go_on = asyncio.Event()

    async def work(namespace: str, name: str) -> None:
        begun.append(name)
        await go_on.wait()

    queue = WorkQueue(work)
    queue.add("demo", "one")
    await asyncio.sleep(0)
    for _ in range(10):
        queue.add("demo", "one")
    queue.add("demo", "other")
    await asyncio.sleep(0)
    assert begun == ["one", "other"]
    go_on.set()
    await until_idle(queue)
    assert begun == ["one", "other", "one"]


async def test_a_failed_pass_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workqueue, "FIRST", 0.001)
    problems = [ApiError(500, "", "no"), NotYet("later"), TimeoutError(), ZeroDivisionError("a mistake of ours")]
    tries: list[str] = []

    async def work(namespace: str, name: str) -> None:
        tries.append(name)
        if problems:
            raise problems.pop()

    queue = WorkQueue(work)
    queue.add("demo", "one")
    await until_idle(queue)
    assert len(tries) == 5


async def test_a_change_overtakes_the_pause_after_a_failure() -> None:
    """After a fix the next pass doesn't wait for the longest pause."""
    tries: list[float] = []
    clock = asyncio.get_running_loop()

    async def work(namespace: str, name: str) -> None:
        tries.append(clock.time())
        if len(tries) < 4:
            raise NotYet("the third pause would be two seconds")

    queue = WorkQueue(work)
    queue.add("demo", "one")
    async with asyncio.timeout(5):
        while len(tries) < 3:
            await asyncio.sleep(0.01)
    queue.add("demo", "one")
    await until_idle(queue)
    assert len(tries) == 4
    assert workqueue.FIRST - 0.05 <= tries[3] - tries[2] < 1.5


async def test_a_pass_may_ask_for_a_later_look_which_a_change_overtakes() -> None:
    looks: list[str] = []

    async def work(namespace: str, name: str) -> float | None:
        looks.append(name)
        return {1: 0.01, 2: 60.0}.get(len(looks))

    queue = WorkQueue(work)
    queue.add("demo", "one")
    async with asyncio.timeout(5):
        while len(looks) < 2:
            await asyncio.sleep(0.001)
    queue.add("demo", "one")
    await until_idle(queue)
    assert len(looks) == 3
    assert not queue._wanted


async def test_stopping_ends_what_runs() -> None:
    ended: list[bool] = []

    async def work(namespace: str, name: str) -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(True)

    queue = WorkQueue(work)
    queue.add("demo", "one")
    await asyncio.sleep(0)
    await queue.stop()
    assert ended == [True]
    assert not queue._running
