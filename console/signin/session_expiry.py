"""Closes a session's open connections (terminals, followed logs, watches, port-forwards) within seconds of its end, in
whichever process the end was noticed.

One thread per process, while anything is open: it checks all sessions with one database query, and with the API server
those that received a 401.
"""

import itertools
import logging
import threading
import time
from collections.abc import Callable

from django.db import DatabaseError, close_old_connections
from django.dispatch import receiver

from console.signin import clients, impersonation, judge, sessions, signals
from console.signin.models import Session
from console.signin.oidc import renewal

log = logging.getLogger("console.signin")

SECONDS = 2.0

_calls: dict[str, dict[int, Callable[[], object]]] = {}
_numbers = itertools.count()
_lock = threading.Lock()
_thread: threading.Thread | None = None


def when_over(session: str, call: Callable[[], object]) -> Callable[[], None]:
    """`call` is called once in some thread when the session is over; what is returned forgets it.

    Nothing for '', the console's own identity.
    """
    global _thread
    if not session:
        return lambda: None
    number = next(_numbers)
    with _lock:
        _calls.setdefault(session, {})[number] = call
        if _thread is None:
            _thread = threading.Thread(target=_look, name="signin-ending", daemon=True)
            _thread.start()

    def forget() -> None:
        with _lock:
            mine = _calls.get(session, {})
            mine.pop(number, None)
            if not mine:
                _calls.pop(session, None)

    return forget


def _look() -> None:
    global _thread
    while True:
        time.sleep(SECONDS)
        with _lock:
            if not _calls:
                _thread = None
                return
            known = [*_calls]
        close_old_connections()
        try:
            for session in {*known, *impersonation.owners(known)}:
                signals.used.send(sender=Session, session=session)
            for session in known:
                client = clients.take_refused(session)
                if client is not None and not renewal.again(session) and judge.refused(client):
                    sessions.end(session, "refused")
                clients.is_revoked(session)
            for session in impersonation.over(known):
                _end(session)
        except DatabaseError as error:
            # An unreachable database closes no connection; the next round asks again.
            log.warning("whether sessions still live can't be told: %s", error)
        finally:
            close_old_connections()


@receiver(signals.ended, dispatch_uid="console-signin-ending")
def _ended(session: str, **_kwargs: object) -> None:
    _end(session)


def _end(session: str) -> None:
    clients.drop(session)
    with _lock:
        calls = _calls.pop(session, {})
    for call in calls.values():
        try:
            call()
        except Exception:
            log.exception("what was open for a session could not be ended")
