"""A scene from its beginning to its end, and what is noted while it goes on."""

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import repeat
from uuid import uuid4

from django.http import HttpRequest, HttpResponse

from console.audit import entries
from console.audit.models import AuditEntry
from console.audit.scene import Scene, Where
from kube import sent
from kube.sent import Write

log = logging.getLogger("console.audit")

_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
_now: ContextVar[Scene | None] = ContextVar("audit", default=None)


@contextmanager
def scene(where: Where) -> Iterator[Scene]:
    """All acts within belong together, and are written at the end."""
    with sent.kept() as found:
        here = Scene(where, found)
        token = _now.set(here)
        try:
            yield here
        finally:
            _now.reset(token)
            here.entries += map(_unnoted, here.unclaimed(), repeat(where))
            _write(here)


def _unnoted(write: Write, where: Where) -> AuditEntry:
    row = entries.of_write(write, where)
    place = (
        f"{row.group or 'core'}/{row.version}/{row.resource} {row.namespace}{'/' if row.namespace else ''}{row.name}"
    )
    _say(row.cluster, row.user, row.verb, place, row.outcome, where)
    return row


def _say(cluster: str, user: str, verb: str, ref: str, outcome: str, where: Where) -> None:
    """The line in the log, which stays when the database is away."""
    extra = {"source": where.source, "address": where.address, "request_id": where.request_id}
    log.info("user=%s cluster=%s verb=%s object=%s outcome=%s", user, cluster, verb, ref, outcome, extra=extra)


def note(cluster: str, user: str, verb: str, ref: str, outcome: str, where: Where | None = None) -> None:
    """An act: with the scene's others, or at once where there is none."""
    here = _now.get()
    where = where or (here.where if here else Where("worker"))
    _say(cluster, user, verb, ref, outcome, where)
    row = entries.entry(cluster, user, verb, ref, outcome, where, here)
    if here is None:
        entries.save([row])
    else:
        here.entries.append(row)


def write_now() -> None:
    """For scenes that last: what was noted until now."""
    if (here := _now.get()) is not None:
        _write(here)


def _write(here: Scene) -> None:
    rows, here.entries[:] = list(here.entries), []
    entries.save(rows)


def where_of(request: HttpRequest) -> Where:
    """A request's. What a proxy calls it is taken over, so that its log and the audit can be laid side by side."""
    told = request.headers.get("X-Request-Id", "")
    source = "api" if request.path_info.startswith("/api/") else "page"
    return Where(source, str(request.META.get("REMOTE_ADDR") or ""), told if _ID.fullmatch(told) else uuid4().hex)


class AuditMiddleware:
    """Each request is a scene; its answer says its number in X-Request-Id."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        where = where_of(request)
        with scene(where):
            response = self.get_response(request)
        response.headers["X-Request-Id"] = where.request_id
        return response
