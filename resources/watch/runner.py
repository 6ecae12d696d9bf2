"""A thread with an event loop of its own, in which one cluster is followed: one that does not answer holds up no
other.
"""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Awaitable, Callable

from kube.errors import KubeError

log = logging.getLogger(__name__)
_STOP_SECONDS = 5.0
_RETRY_SECONDS = 2.0


class Runner:
    """Runs `work()`, a coroutine that runs until it is cancelled, in a thread, and starts it again if it fails."""

    def __init__(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        self._name, self._work = name, work
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Begins to stop."""
        self._ending.set()
        if self._loop is not None and self._task is not None:
            # Closed already where it failed and waits to be started again.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._task.cancel)

    def join(self) -> None:
        if self._thread is not None:
            self._thread.join(_STOP_SECONDS)

    def _run(self) -> None:
        """A kubeconfig that can't be read is tried again until it can."""
        logged = ""
        while not self._ending.is_set():
            try:
                asyncio.run(self._main())
            except asyncio.CancelledError:
                return
            except KubeError as error:
                if str(error) != logged:
                    log.error("%s", error)
                logged = str(error)
            except Exception:
                log.exception("%s failed and is started again", self._name)
            self._ending.wait(_RETRY_SECONDS)

    async def _main(self) -> None:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        if not self._ending.is_set():
            await self._work()
