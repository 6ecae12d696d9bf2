"""The Celery application: short tasks on `default`, and the watch hub beside them on workers of the queue `watch`.

celery -A console.celery worker -Q default,watch -P threads

The worker's steps are named, not imported: this module is imported wherever a task is sent, and must stay small there.
Celery itself sets Django up in workers before it imports their tasks.

A task has the request ID of the request that sent it, else its own id.
"""

import os
from contextvars import Token
from typing import Any

from celery import Celery
from celery.signals import before_task_publish, task_postrun, task_prerun
from kombu import Queue

from console import request_id

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")
# Django's checks would import every page into the worker; `make lint` runs them.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

app = Celery("console")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.task_queues = [Queue("default"), Queue("watch")]
app.autodiscover_tasks(["console.audit", "operatorhub", "resources"])
app.steps["worker"].update(
    ("resources.watch.bootstep:WatchStep", "resources.history.bootstep:HistoryStep", "console.celery_steps:BeatStep")
)
app.steps["consumer"].add("console.celery_steps:AliveStep")

_REQUEST_ID_HEADER = "console_request_id"
#: By the task's id, which begins and ends in one thread.
_request_ids: dict[str, Token[str]] = {}


@before_task_publish.connect(dispatch_uid="console-numbered")
def _send_request_id(headers: dict[str, Any] | None = None, **_more: Any) -> None:
    if headers is not None and (number := request_id.current()):
        headers[_REQUEST_ID_HEADER] = number


@task_prerun.connect(dispatch_uid="console-numbered")
def _set_request_id(task_id: str, task: Any, **_more: Any) -> None:
    _request_ids[task_id] = request_id._now.set(getattr(task.request, _REQUEST_ID_HEADER, None) or task_id)


@task_postrun.connect(dispatch_uid="console-numbered")
def _reset_request_id(task_id: str, **_more: Any) -> None:
    if (token := _request_ids.pop(task_id, None)) is not None:
        request_id._now.reset(token)
