"""Operations that take longer than a request: started in one, continued by a Celery task, or by the page if there is no
worker.

A Run's document holds all that is needed to continue, so that a dead worker loses nothing but time. Optimistic locking:
a stale `revision` makes the second of two writers reload.
"""

import hashlib
import logging
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from celery import current_app
from django.utils import timezone
from kombu.exceptions import OperationalError

from console.signin import bearer
from kube.client import ClusterClient
from operatorhub.models import Run
from resources.changes import RedisError, ping

log = logging.getLogger("operatorhub.runs")

#: After this many seconds without a save the worker counts as dead or busy.
STALE_SECONDS = 12
#: Finished runs are kept for so long.
KEEP_HOURS = 24
#: Longest duration of one task; then another one continues.
TASK_SECONDS = 600
_SAVE_SECONDS = 1.0
Advance = Callable[[ClusterClient, Run, float], None]
#: operatorhub/tasks.py
_TASK = "operatorhub.tasks.go_on"


def key_of(*parts: str) -> str:
    """A key for what is done once for these."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:40]


def create(key: str, kind: str, client: ClusterClient, namespace: str, name: str, document: dict[str, Any]) -> Run:
    now = timezone.now()
    Run.objects.filter(touched_at__lt=now - timedelta(hours=KEEP_HOURS)).exclude(state="running").delete()
    run, _made = Run.objects.get_or_create(
        key=key,
        defaults={
            "kind": kind,
            "cluster": client.name,
            "namespace": namespace,
            "name": name,
            "user": client.owner,
            "session": client.config.session,
            "document": document,
            "started_at": now,
            "touched_at": now,
        },
    )
    return run


def save(run: Run) -> bool:
    """False if another writer saved it first: the next step finds in the cluster what was done."""
    changed = Run.objects.filter(key=run.key, revision=run.revision).update(
        document=run.document, state=run.state, revision=run.revision + 1, touched_at=timezone.now()
    )
    run.revision += 1
    return bool(changed)


def stale(run: Run) -> bool:
    """True if no worker advances a running run; always so for runs of API clients."""
    late = timezone.now() - run.touched_at > timedelta(seconds=STALE_SECONDS)
    return run.state == "running" and (late or bearer.is_program(run.session))


def go_on(client: ClusterClient, run: Run, advance: Advance, seconds: float) -> Run:
    """A little now, and the rest by a worker, with the credentials of who asks for it now."""
    if run.session != client.config.session:
        run.session = client.config.session
        Run.objects.filter(key=run.key).update(session=run.session)
    if run.state == "running":
        advance(client, run, seconds)
        save(run)
        if run.state == "running":
            hand_over(run)
    return run


def hand_over(run: Run) -> None:
    """Queue the rest for a worker; without a broker the page continues.

    Runs of API clients advance with their requests only: no worker has their token.
    """
    if bearer.is_program(run.session):
        return
    try:
        # Celery tries for seconds to reach a Redis that is not there.
        ping()
        current_app.send_task(_TASK, args=[run.key], retry=False, ignore_result=True)
    except (OperationalError, RedisError) as error:
        log.warning("no worker goes on with %s: %s", run, error)


def abandon(run: Run) -> None:
    """Stop a run whose user has signed out: no other credentials are used for it. It can be resumed."""
    run.state = "stopped"
    run.document["abandoned"] = True
    log.info("%s: it stops, since the session of %s is over", run, run.user)


def work(of: Callable[[Run], ClusterClient | None], key: str, advance: Advance) -> None:
    """The body of the task: advance the run until it is done, saving every second. Ends if another worker has taken
    over.

    `of`: returns the client for the run, called again each second; None if its session has ended: then the run is
    stopped.
    """
    end = time.monotonic() + TASK_SECONDS
    while time.monotonic() < end:
        run = Run.objects.filter(key=key).first()
        if run is None or run.state != "running":
            return
        client = of(run)
        if client is None:
            abandon(run)
        else:
            advance(client, run, _SAVE_SECONDS)
        if not save(run):
            log.info("%s: somebody else goes on with it", run)
            return
    run = Run.objects.filter(key=key, state="running").first()
    if run is not None:
        hand_over(run)
