"""The current scene: starts and ends it, and records acts in it."""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice, repeat

from django.http import HttpRequest, HttpResponse

from console import request_id
from console.audit import entries
from console.audit.models import AuditEntry
from console.audit.scene import Scene, Where
from kube import recording
from kube.recording import Write

log = logging.getLogger("console.audit")

#: Of one person; an identity provider may tell of hundreds.
MOST_GROUPS = 50
_now: ContextVar[Scene | None] = ContextVar("audit", default=None)


@contextmanager
def scene(where: Where) -> Iterator[Scene]:
    """All acts within belong together, and are written at the end."""
    with recording.record_requests() as found:
        here = Scene(where=where, sent=found)
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
    _say(
        cluster=row.cluster,
        user=row.user,
        verb=row.verb,
        ref=place,
        outcome=row.outcome,
        where=where,
        as_user=row.as_user,
    )
    return row


def _say(cluster: str, user: str, verb: str, ref: str, outcome: str, where: Where, as_user: str = "") -> None:
    """The line in the log, which stays when the database is away."""
    extra = {"source": where.source, "address": where.address, "request_id": where.request_id}
    if as_user:
        user = f"{user} as={as_user}"
    log.info("user=%s cluster=%s verb=%s object=%s outcome=%s", user, cluster, verb, ref, outcome, extra=extra)


def note(
    cluster: str, user: str, verb: str, ref: str, outcome: str, where: Where | None = None, as_user: str = ""
) -> None:
    """An act: with the scene's others, or at once where there is none.

    `as_user`: as whom `user` acted, '' for himself.
    """
    here = _now.get()
    where = where or (here.where if here else Where("worker", request_id=request_id.current()))
    _say(cluster=cluster, user=user, verb=verb, ref=ref, outcome=outcome, where=where, as_user=as_user)
    row = entries.entry(
        cluster=cluster, user=user, verb=verb, ref=ref, outcome=outcome, where=where, scene=here, as_user=as_user
    )
    if here is None:
        entries.save([row])
    else:
        here.entries.append(row)


def write_now() -> None:
    """Writes what is recorded so far; for long scenes."""
    if (here := _now.get()) is not None:
        _write(here)


def _write(here: Scene) -> None:
    rows, here.entries[:] = list(here.entries), []
    entries.save(rows)


def where_now() -> Where:
    """The origin of the current scene; an empty one outside of a scene."""
    here = _now.get()
    return here.where if here else Where()


def bounded(groups: Iterable[str]) -> tuple[str, ...]:
    """As many groups, and as much of each, as a row keeps."""
    return tuple(str(group)[:253] for group in islice(groups, MOST_GROUPS))


def where_of(request: HttpRequest) -> Where:
    """A request's, with its number (console/request_id.py)."""
    person, acting = getattr(request, "person", None), getattr(request, "acting", None)
    number = request_id.current() or request_id.valid_or_new(request.headers.get("X-Request-Id", ""))
    source = "api" if request.path_info.startswith("/api/") else "page"
    address = str(request.META.get("REMOTE_ADDR") or "")
    return Where(source, address, number, bounded(acting.member_of if acting else person.groups if person else ()))


class AuditMiddleware:
    """Each request is a scene.

    What shows a Secret's value is kept nowhere: not by the browser, nor by console/web/soft_timeout.py.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        where = where_of(request)
        with scene(where) as here:
            response = self.get_response(request)
            if any(entry.verb == "reveal" for entry in here.entries):
                response.headers["Cache-Control"] = "no-store"
            return response
