"""Waiting for what other programs do: a question is asked until its answer is true."""

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
_PAUSE_SECONDS = 0.05


def until(
    ask: Callable[[], T], what: str = "", *, seconds: float = 120.0, not_yet: tuple[type[Exception], ...] = ()
) -> T:
    """The first true answer. Fails with `what` was waited for and the last answer; an error of `not_yet` counts as no."""
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


async def reached(ask: Callable[[], object], what: str = "", *, seconds: float = 20.0) -> None:
    """The same on an event loop."""
    end = time.monotonic() + seconds
    while not (answer := ask()):
        assert time.monotonic() < end, f"not after {seconds:.0f} s: {what or ask} (the last answer: {answer!r})"
        await asyncio.sleep(_PAUSE_SECONDS / 5)
