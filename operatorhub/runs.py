"""What takes longer than a request: begun in one, gone on with by a Celery task, and by the page itself when no
worker does.

A Run's document says all that is needed to go on, so that a dead worker loses nothing but time. Two that go on at once
don't harm each other: who saves second is told by `revision` that it is late, and looks again.
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

#: Nobody has touched a run for so long: the worker is dead or busy.
STALE_SECONDS = 12
#: Finished runs are kept for so long.
KEEP_HOURS = 24
#: A task goes on for so long at most, then another one begins.
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
    """False when somebody else saved it meanwhile: what was done is found again by looking at the cluster."""
    changed = Run.objects.filter(key=run.key, revision=run.revision).update(
        document=run.document, state=run.state, revision=run.revision + 1, touched_at=timezone.now()
    )
    run.revision += 1
    return bool(changed)


def stale(run: Run) -> bool:
    """True while it should go on and nobody does: no worker, where a program began it."""
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
    """To a worker; without a broker the page goes on, and says so.

    A program goes on with its own by asking: its token is nowhere but in its requests.
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
    """Who began it is signed out: nobody else's rights are lent to it. It can be gone on with."""
    run.state = "stopped"
    run.document["abandoned"] = True
    log.info("%s: it stops, since the session of %s is over", run, run.user)


def work(of: Callable[[Run], ClusterClient | None], key: str, advance: Advance) -> None:
    """What the task does: go on until it is over, saving every second. Ends when another one does the same.

    `of`: whose client goes on with it, asked again each second; None when there is nobody's any more: then it stops,
    and says so.
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
