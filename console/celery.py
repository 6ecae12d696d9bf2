"""The Celery application: short tasks on `default`, and the watch hub beside them on workers of the queue `watch`.

celery -A console.celery worker -Q default,watch -P threads
"""

import os

import django
from celery import Celery
from kombu import Queue

from resources.watch.bootstep import WatchStep

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")
# Django's checks would import every page into the worker; `make lint` runs them.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")
django.setup()

app = Celery("console")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.task_queues = [Queue("default"), Queue("watch")]
app.autodiscover_tasks(["operatorhub", "resources"])
app.steps["worker"].add(WatchStep)
