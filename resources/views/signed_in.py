"""By what the streams of a signed-in person are known to belong to one session, and how its end is told to them.

The console's sessions are signed cookies: the cookie's text changes whenever something is put into the session, so it names nothing for long. Signing
in therefore puts a random word into the session; its digest is what other processes and Redis see. Imported by the stream, so connected where streams are.
"""

import hashlib
import logging
import secrets
from collections.abc import Callable
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.dispatch import receiver
from django.http import HttpRequest

from resources.changes import RedisError
from resources.changes.sessions import end

log = logging.getLogger(__name__)

_KEY = "console_streams"


def digest_of(request: HttpRequest) -> str:
    """Of the session, '' when nobody signed in."""
    return _digest(request.session.get(_KEY, ""))


def still_lives(request: HttpRequest) -> Callable[[], bool]:
    """Asks the store whether the session is still there: it may have expired. Holds on to its key only, not to the request."""
    cookie, word = request.session.session_key or "", request.session.get(_KEY, "")

    def ask() -> bool:
        store: Any = import_module(settings.SESSION_ENGINE).SessionStore
        return bool(store(cookie).get(_KEY) == word)

    return ask


def _digest(word: str) -> str:
    return hashlib.sha256(word.encode()).hexdigest()[:32] if word else ""


@receiver(user_logged_in, dispatch_uid="console-streams")
def _begin(request: HttpRequest, **_kwargs: Any) -> None:
    request.session[_KEY] = secrets.token_urlsafe(18)


@receiver(user_logged_out, dispatch_uid="console-streams")
def _end(request: HttpRequest | None, **_kwargs: Any) -> None:
    if request is None or not (digest := digest_of(request)):
        return
    try:
        end(digest)
    except RedisError as error:
        # The logout itself must not fail. Who holds the stream open learns nothing new while Redis is away.
        log.error("open streams of a session that ended could not be told: %s", error)
