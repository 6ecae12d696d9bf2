"""The worker's own boot steps: a liveness file for probes, and Celery's beat as a thread."""

from contextlib import suppress
from pathlib import Path
from typing import Any

from celery import bootsteps
from celery.beat import EmbeddedService
from django.conf import settings

TOUCH_SECONDS = 5.0


class AliveStep(bootsteps.StartStopStep):
    """Touches settings.ALIVE_FILE every few seconds, if set: `celery inspect ping` starts a second Celery each time.

    The file's age shows that the worker's threads run and that it connected to Redis once: the step is part of the
    consumer, so it begins once Redis answers. /readyz reports whether a hub watches the cluster.
    """

    requires = ("celery.worker.consumer.connection:Connection",)

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        self._entry: Any = None

    def include_if(self, parent: Any) -> bool:
        return bool(settings.ALIVE_FILE)

    def start(self, parent: Any) -> None:
        # A consumer that lost its Redis is started again: one timer is enough.
        if self._entry is None:
            Path(settings.ALIVE_FILE).touch()
            self._entry = parent.timer.call_repeatedly(TOUCH_SECONDS, Path(settings.ALIVE_FILE).touch)

    def shutdown(self, parent: Any) -> None:
        if self._entry is not None:
            self._entry.cancel()
        with suppress(OSError):
            Path(settings.ALIVE_FILE).unlink(missing_ok=True)


class BeatStep(bootsteps.StartStopStep):
    """Beat as a thread, if settings.BEAT_IN_WORKER is set, for consoles with one worker (`make run`): a process takes
    75 MB for one entry.

    With several workers beat is a process (`celery -A console.celery beat`) and BEAT_IN_WORKER stays off, or each
    worker would send every task.
    """

    requires = ("celery.worker.components:Pool",)

    def include_if(self, parent: Any) -> bool:
        return bool(settings.BEAT_IN_WORKER)

    def create(self, parent: Any) -> Any:
        return EmbeddedService(parent.app, thread=True, schedule_filename=parent.app.conf.beat_schedule_filename)
