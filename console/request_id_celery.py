"""Sets a task's request ID: that of the request that sent it, else the task's own id.

Part of console/celery.py.
"""

from contextvars import Token
from typing import Any

from celery.signals import before_task_publish, task_postrun, task_prerun

from console import request_id

_KEY = "console_request_id"
#: By the task's id: begun and ended in one thread.
_begun: dict[str, Token[str]] = {}


@before_task_publish.connect(dispatch_uid="console-numbered")
def _publish(headers: dict[str, Any] | None = None, **_more: Any) -> None:
    if headers is not None and (number := request_id.current()):
        headers[_KEY] = number


@task_prerun.connect(dispatch_uid="console-numbered")
def _begin(task_id: str, task: Any, **_more: Any) -> None:
    _begun[task_id] = request_id._now.set(getattr(task.request, _KEY, None) or task_id)


@task_postrun.connect(dispatch_uid="console-numbered")
def _end(task_id: str, **_more: Any) -> None:
    if (token := _begun.pop(task_id, None)) is not None:
        request_id._now.reset(token)
