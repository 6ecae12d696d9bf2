"""The hub inside a Celery worker: a step of the *worker* blueprint, which lives as long as the worker does.

Not of the consumer's: that one is taken down at every loss of the broker, and watches must not end with it. Not a task: a task that never ends
is delivered again and again. The pool must not fork under the hub's thread: `-P threads` or `solo`.
"""

import asyncio
import contextlib
import logging
import os
import socket
import threading
import time
from typing import Any

from celery import bootsteps

from console.web.clusters import console_client
from kube.errors import KubeError
from resources.watch.hub import WatchHub

log = logging.getLogger(__name__)
_STOP_SECONDS = 5.0
_RETRY_SECONDS = 2.0


class WatchStep(bootsteps.StartStopStep):
    """Starts the hub's loop in a thread after the pool, and ends it with the worker."""

    requires = ("celery.worker.components:Pool",)
    thread_name = "watch-hub"

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        # Only a worker that consumes `watch` is a hub: others run tasks and nothing else.
        queues = parent.app.amqp.queues.consume_from
        self.enabled = "watch" in queues
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None

    def include_if(self, parent: Any) -> bool:
        return self.enabled

    def start(self, parent: Any) -> None:
        self._thread = threading.Thread(target=self._run, name=self.thread_name, daemon=True)
        self._thread.start()

    def stop(self, parent: Any) -> None:
        self._ending.set()
        if self._loop is not None and self._task is not None:
            # Closed already where the hub failed and waits to be started again.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._task.cancel)
        if self._thread is not None:
            self._thread.join(_STOP_SECONDS)

    terminate = stop

    def _run(self) -> None:
        """The hub, made anew when it fails; a kubeconfig that can't be read is tried again until it can."""
        said = ""
        while not self._ending.is_set():
            try:
                asyncio.run(self._main())
            except asyncio.CancelledError:
                return
            except KubeError as error:
                if str(error) != said:
                    log.error("%s", error)
                said = str(error)
            except Exception:
                log.exception("%s failed and is started again", self.thread_name)
            self._ending.wait(_RETRY_SECONDS)

    async def _main(self) -> None:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        await self._work()

    async def _work(self) -> None:
        """What the thread is for, until it is cancelled."""
        client = await asyncio.to_thread(console_client)
        id_ = f"{socket.gethostname()}-{os.getpid()}-{int(time.time())}"
        await WatchHub(client, id_).run()
