"""Celery's beat as a thread of the worker, for consoles with one worker (`make run`): a process of its own takes 75
MB for one entry.

With several workers beat is a process (`celery -A console.celery beat`) and BEAT_IN_WORKER stays off, or each worker
would send every task.
"""

from typing import Any

from celery import bootsteps
from celery.beat import EmbeddedService
from django.conf import settings


class BeatStep(bootsteps.StartStopStep):
    """Only where settings.BEAT_IN_WORKER says so."""

    requires = ("celery.worker.components:Pool",)

    def include_if(self, parent: Any) -> bool:
        return bool(settings.BEAT_IN_WORKER)

    def create(self, parent: Any) -> Any:
        return EmbeddedService(parent.app, thread=True, schedule_filename=parent.app.conf.beat_schedule_filename)
