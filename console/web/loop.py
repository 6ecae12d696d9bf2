"""The web process' event loop, for sync views that start something which outlives their request (port-forwards,
followed logs).

Under uvicorn it is the server's loop, known from its lifespan on. Elsewhere (tests, `manage.py`) a loop in a thread is
made on first use.

The process' shutdown belongs here as well: close_all() ends what is open on the loop, and is_shutting_down() lets
/readyz fail, so that load balancers choose another process.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_closers: list[Callable[[], Coroutine[Any, Any, None]]] = []
_shutdown = threading.Event()


def use(loop: asyncio.AbstractEventLoop | None) -> None:
    """Called by the server when it starts; None when it ends."""
    global _loop
    with _lock:
        _loop = loop


def running_loop() -> asyncio.AbstractEventLoop:
    """The loop on which open-ended work belongs."""
    global _loop
    with _lock:
        if _loop is None or _loop.is_closed():
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="console-loop", daemon=True).start()
        return _loop


def submit(work: Coroutine[Any, Any, T]) -> "Future[T]":
    """Start `work` on the loop from any other thread; the future may be waited for, or not."""
    return asyncio.run_coroutine_threadsafe(work, running_loop())


def run_on_loop(work: Coroutine[Any, Any, T], seconds: float = 30.0) -> T:
    """Run `work` on the loop and wait for its result in this thread (never from the loop itself).

    Raises what it raises, or TimeoutError.
    """
    future = submit(work)
    try:
        return future.result(seconds)
    except TimeoutError:
        future.cancel()
        raise


def at_end(close: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """`close()` is awaited when the server ends: for whatever holds sockets or tasks open."""
    _closers.append(close)


async def close_all() -> None:
    await asyncio.gather(*(close() for close in _closers), return_exceptions=True)


def begin_shutdown() -> None:
    _shutdown.set()


def is_shutting_down() -> bool:
    return _shutdown.is_set()
