"""Ties the streams of a signed-in user to their session, and ends them with it.

A session's digest grants no access, so other processes and Redis may see it. Imported by the stream, so connected where
streams are.
"""

import logging
from collections.abc import Callable
from typing import Any

from django.dispatch import receiver
from django.http import HttpRequest

from console.signin import impersonation, sessions, signals
from resources.changes import RedisError
from resources.changes.sessions import end

log = logging.getLogger(__name__)


def digest_of(request: HttpRequest) -> str:
    """Of the session, or of the impersonation within it; '' without sign-in."""
    person: sessions.Person | None = getattr(request, "person", None)
    as_another: impersonation.Acting | None = getattr(request, "acting", None)
    return as_another.key if as_another else person.session if person else ""


def still_lives(request: HttpRequest) -> Callable[[], bool]:
    """Asks the database whether the session is still there. Holds on to its key only, not to the request."""
    session = digest_of(request)
    return lambda: impersonation.lives(session)


@receiver(signals.ended, dispatch_uid="console-streams")
def _ended(session: str, **_kwargs: Any) -> None:
    try:
        end(session)
    except RedisError as error:
        # The sign-out itself must not fail. The periodic check ends the streams later.
        log.error("open streams of a session that ended could not be notified: %s", error)
