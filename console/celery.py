"""The Celery application: short tasks on `default`, and the watch hub beside them on workers of the queue `watch`.

celery -A console.celery worker -Q default,watch -P threads

The worker's steps are named, not imported: this module is imported wherever a task is sent, and must stay small there.
Celery itself sets Django up in workers before it imports their tasks.
"""

import os

from celery import Celery
from kombu import Queue

from console import request_id_celery  # noqa: F401  each task gets its number

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")
# Django's checks would import every page into the worker; `make lint` runs them.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

app = Celery("console")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.task_queues = [Queue("default"), Queue("watch")]
app.autodiscover_tasks(["console.audit", "operatorhub", "resources"])
app.steps["worker"].update(
    ("resources.watch.bootstep:WatchStep", "resources.history.bootstep:HistoryStep", "console.beat:BeatStep")
)
app.steps["consumer"].add("console.liveness_file:AliveStep")
