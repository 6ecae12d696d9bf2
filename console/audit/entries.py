"""Acts become rows.

The act is done by then: a row that can't be written is logged, tried again for a while, and never stops anything.

SQLite lets one process write at a time: who asks waits for a second at most, and leaves the rows to be written a little
later.
"""

import atexit
import logging
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from django.db import Error, connection, transaction
from django.utils import timezone

from console.audit import changes
from console.audit.models import AuditEntry
from console.audit.scene import (
    Scene,
    Where,
    kind_of_write,
    target_in_text,
    target_of_write,
    uid_of_write,
)
from kube.recording import RequestTarget, Write

log = logging.getLogger("console.audit.entries")

#: Rows that wait for a database that is away; what is more is in the log alone.
LATE = 2000
AGAIN_SECONDS = 5.0
_WAIT_MILLISECONDS = 1000
_BATCH = 200
_METHODS = {"POST": "create", "PUT": "replace", "PATCH": "patch", "DELETE": "delete"}
_late: deque[AuditEntry] = deque(maxlen=LATE)
_lock = threading.Lock()
_timer: threading.Timer | None = None


def entry(
    cluster: str, user: str, verb: str, ref: str, outcome: str, where: Where, scene: Scene | None, as_user: str = ""
) -> AuditEntry:
    """The row of an act, not saved. What was sent to its object in this scene tells the rest."""
    found, rest = target_in_text(ref)
    write = scene.claim(found) if scene else None
    if found is None and write is None:
        found, rest = RequestTarget(group="", version="", plural="", name=changes.masked_text(rest)), ""
    target = target_of_write(write) if write else found
    assert target is not None
    if write is not None and write.reason and " " in outcome:  # the page's words for the reason
        outcome = write.reason
    return _row(
        cluster=cluster,
        user=user,
        verb=verb,
        target=target,
        outcome=outcome,
        where=where,
        write=write,
        detail=rest,
        as_user=as_user,
    )


def of_write(write: Write, where: Where) -> AuditEntry:
    """The row of a write that no view recorded."""
    verb = _METHODS.get(write.method, write.method.lower())
    target = target_of_write(write)
    config = write.config
    user, as_user = (config.by, config.user) if config.by else (config.user, "")
    return _row(
        cluster=config.name,
        user=user,
        verb=verb,
        target=target,
        outcome=write.reason or "ok",
        where=where,
        write=write,
        detail="",
        as_user=as_user,
    )


def _row(
    cluster: str,
    user: str,
    verb: str,
    target: RequestTarget,
    outcome: str,
    where: Where,
    write: Write | None,
    detail: str,
    as_user: str,
) -> AuditEntry:
    diff, number = changes.diff_of(write) if write else ([], 0)
    row = AuditEntry(
        at=timezone.now(),
        cluster=changes.plain(cluster, 512),
        user=changes.plain(user, 512),
        groups=groups(write) or list(where.groups),
        as_user=changes.plain(as_user, 512),
        verb=changes.plain(verb, 64),
        group=changes.plain(target.group, 253),
        version=changes.plain(target.version, 63),
        resource=changes.plain(target.plural, 253),
        kind=changes.plain(kind_of_write(write), 253) if write else "",
        namespace=changes.plain(target.namespace, 253),
        name=changes.plain(target.name, 512),
        subresource=changes.plain(target.subresource, 64),
        uid=uid_of_write(write) if write else "",
        detail=changes.plain(changes.masked_text(detail), 512),
        outcome=changes.plain(outcome, 64),
        request_id=changes.plain(where.request_id, 64),
        source=changes.plain(where.source, 8),
        address=changes.plain(where.address, 64),
        diff=diff,
        changed=number,
    )
    paths = " ".join(path for path, _before, _after in diff)
    searched = (
        row.user,
        row.as_user,
        row.verb,
        row.qualified,
        row.kind,
        row.namespace,
        row.name,
        row.subresource,
        row.detail,
    )
    row.words = " ".join((*searched, row.outcome, row.source, row.address, row.request_id, paths)).lower()[:4000]
    return row


def groups(write: Write | None) -> list[str]:
    """The impersonated groups in the request's headers. Without impersonation only the API server knows the groups."""
    headers = write.config.headers if write else ()
    return [value[:253] for name, value in headers if name.lower() == "impersonate-group"][:50]


def save(rows: Iterable[AuditEntry]) -> None:
    """Now, or a little later. Never raises."""
    with _lock:
        all_ = [*_late, *rows]
        _late.clear()
    if not all_:
        return
    try:
        with _briefly(), transaction.atomic():
            AuditEntry.objects.bulk_create(all_, batch_size=_BATCH)
    except Error as error:
        log.warning("%d audit entries can't be written now: %s", len(all_), error)
        for row in all_:
            row.pk = None
        with _lock:
            if len(_late) + len(all_) > LATE:
                log.error("the audit's database is away for too long: the oldest entries are in the log alone")
            _late.extend(all_)
        _later()
    except Exception:
        log.exception("%d audit entries can't be written", len(all_))


@contextmanager
def _briefly() -> Iterator[None]:
    """SQLite's patience of 20 s is for work that has to be done; this is not worth it."""
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        was = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
        cursor.execute(f"PRAGMA busy_timeout={min(was, _WAIT_MILLISECONDS)}")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA busy_timeout={int(was)}")


def _later() -> None:
    """Schedules another attempt, so that it doesn't depend on further acts."""
    global _timer
    with _lock:
        if _timer is None:
            _timer = threading.Timer(AGAIN_SECONDS, _again)
            _timer.daemon = True
            _timer.start()


def _again() -> None:
    global _timer
    with _lock:
        _timer = None
    try:
        save(())
    finally:
        connection.close()


@atexit.register
def _at_last() -> None:
    if _late:
        save(())
