"""Signals of the sign-in, and what the audit records of them.

Recorded are sign-ins, refused sign-ins, sign-outs and ended sessions: user, time, origin and outcome; never a token.
"""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.dispatch import Signal, receiver
from django.http import HttpRequest
from django.utils import timezone

from console.audit import recorder
from console.audit.bounds import REFUSED_SIGN_IN, SIGN_IN
from console.audit.models import AuditEntry
from console.signin.models import Session
from console.web import clusters
from console.web.front import place_of
from kube.errors import KubeError

#: A user signed in. Sent with `session`, its key, `row` (models.Session) and the `request`.
began = Signal()

#: A sign-in was refused. Sent with `why`, an HTTP status, and the `request`; never with the input.
refused = Signal()

#: A session is over. Sent with `session`, its key, in the process that noticed; `why`: signed-out, replaced, expired,
#: refused (by the API server, or by the provider that renews it) or unreadable; `row` as it was.
ended = Signal()

#: A session is in use: receivers renew its credentials. Sent with `session`; a receiver returns False if the session
#: is over.
used = Signal()


#: At most so many refused sign-ins are recorded in so many minutes, so that unauthenticated clients can't fill the
#: audit. The log has all.
MOST_REFUSED = 20
_MINUTES = timedelta(minutes=5)
_REASONS = {401: "Unauthorized", 403: "Forbidden", 422: "Invalid", 429: "TooManyRequests", 503: "ServiceUnavailable"}


def _what(row: Session) -> str:
    """The session by the beginning of its digest, which opens nothing, so that its beginning, its end and its acts
    can be laid side by side.
    """
    return f"session {row.method} {row.key[:8]}"


@receiver(began, dispatch_uid="console-signin-noted-began")
def _began(row: Session, request: HttpRequest, **_kwargs: object) -> None:
    where = replace(recorder.where_of(request), groups=recorder.bounded(row.groups))
    recorder.note(cluster=row.cluster, user=row.user, verb=SIGN_IN, ref=_what(row), outcome="ok", where=where)


@receiver(refused, dispatch_uid="console-signin-noted-refused")
def _refused(why: int, request: HttpRequest, **_kwargs: object) -> None:
    try:
        cluster = clusters.endpoint_name(place_of(request))
    except KubeError:
        return  # the log has it
    lately = AuditEntry.objects.filter(at__gt=timezone.now() - _MINUTES, **REFUSED_SIGN_IN).count()
    if lately < MOST_REFUSED:
        recorder.note(
            cluster=cluster,
            user="",
            verb=SIGN_IN,
            ref="session",
            outcome=_REASONS.get(why, str(why)),
            where=recorder.where_of(request),
        )


@receiver(ended, sender=Session, dispatch_uid="console-signin-noted-ended")
def _ended(row: Session, why: str, **_kwargs: Any) -> None:
    where = replace(recorder.where_now(), groups=recorder.bounded(row.groups))
    verb = "sign-out" if why == "signed-out" else "session-end"
    recorder.note(cluster=row.cluster, user=row.user, verb=verb, ref=f"{_what(row)} {why}", outcome="ok", where=where)
