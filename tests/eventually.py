"""Waiting for what other programs do: a question is asked until its answer is true."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")
_PAUSE_SECONDS = 0.05


def until(
    ask: Callable[[], T], what: str = "", *, seconds: float = 120.0, not_yet: tuple[type[Exception], ...] = ()
) -> T:
    """The first true answer.

    Fails with `what` was waited for and the last answer; an error of `not_yet` counts as no.
    """
    end = time.monotonic() + seconds
    while True:
        answer: object = None
        try:
            if found := ask():
                return found
            answer = found
        except not_yet as error:
            answer = error
        assert time.monotonic() < end, f"not after {seconds:.0f} s: {what or ask} (the last answer: {answer!r})"
        time.sleep(_PAUSE_SECONDS)


async def reached(ask: Callable[[], T | Awaitable[T]], what: str = "", *, seconds: float = 20.0) -> T:
    """The same on an event loop. The answer may be awaitable."""
    end = time.monotonic() + seconds
    while True:
        answer = ask()
        found = await answer if isinstance(answer, Awaitable) else answer
        if found:
            return found
        assert time.monotonic() < end, f"not after {seconds:.0f} s: {what or ask} (the last answer: {found!r})"
        await asyncio.sleep(_PAUSE_SECONDS / 5)
