"""The hubs inside a Celery worker: a step of the *worker* blueprint, which lives as long as the worker does.

Not of the consumer's: that one is taken down at every loss of the broker, and watches must not end with it. Not a task:
a task that never ends is delivered again and again. The pool must not fork under the hub's thread: `-P threads` or
`solo`.

The default cluster is always followed, each other one while it is active. Each has a thread with an event loop of its
own: one that does not answer holds up no other.
"""

import asyncio
import contextlib
import hashlib
import logging
import os
import socket
import threading
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from celery import bootsteps

from console.web import clusters
from console.web.clusters import Offered
from kube.errors import KubeError
from resources.changes import RedisError
from resources.changes.heartbeats import active_of
from resources.watch.hub import WatchHub

log = logging.getLogger(__name__)
_LOOK_SECONDS = 1.0
_STOP_SECONDS = 5.0
_RETRY_SECONDS = 2.0


class WatchStep(bootsteps.StartStopStep):
    """Starts the hubs' loops in threads after the pool, and ends them with the worker."""

    requires = ("celery.worker.components:Pool",)
    thread_name = "watch-hub"

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        # Only a worker that consumes `watch` is a hub: others run tasks and nothing else.
        queues = parent.app.amqp.queues.consume_from
        self.enabled = "watch" in queues
        self._ending = threading.Event()
        self._runners: dict[str, Runner] = {}
        self._thread: threading.Thread | None = None

    def include_if(self, parent: Any) -> bool:
        return self.enabled

    def start(self, parent: Any) -> None:
        self._begin(clusters.default())
        self._thread = threading.Thread(target=self._look, name=f"{self.thread_name}-others", daemon=True)
        self._thread.start()

    def stop(self, parent: Any) -> None:
        self._ending.set()
        if self._thread is not None:
            self._thread.join(_LOOK_SECONDS * 5)
        runners = [*self._runners.values()]
        for runner in runners:
            runner.end()
        for runner in runners:
            runner.join()

    terminate = stop

    def _begin(self, place: Offered) -> None:
        name = f"{self.thread_name} {place.alias}".strip()
        runner = self._runners[place.alias] = Runner(name, partial(self._work, place))
        runner.start()

    def _look(self) -> None:
        """Who is looked at is followed; who is not any more is left alone.

        While Redis does not answer it stays as it is.
        """
        while not self._ending.wait(_LOOK_SECONDS):
            others = {offered.alias: offered for offered in clusters.offered() if offered.alias}
            if not others:
                continue
            try:
                wanted = active_of(others)
            except RedisError:
                continue
            for alias in wanted - self._runners.keys():
                log.info("following the cluster %s: somebody looks at it", alias)
                self._begin(others[alias])
            for alias in self._runners.keys() - wanted - {""}:
                log.info("no longer following the cluster %s: nobody looks at it", alias)
                runner = self._runners.pop(alias)
                runner.end()
                runner.join()

    async def _work(self, place: Offered) -> None:
        """What a thread is for, until it is cancelled."""
        client = await asyncio.to_thread(clusters.client_of, place)
        await WatchHub(client, worker_id(place)).run()


class Runner:
    """Runs `work()`, a coroutine that runs until it is cancelled, in a thread of its own, and starts it again if it
    fails.
    """

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


def worker_id(place: Offered) -> str:
    """The id of what this worker does for a cluster: no two are the same."""
    tag = f"-{hashlib.sha256(place.alias.encode()).hexdigest()[:8]}" if place.alias else ""
    return f"{socket.gethostname()}-{os.getpid()}-{int(time.time())}{tag}"
