"""Clients and open connections of signed-in and impersonated users, both dropped with the session.

Each process has one client per session. It holds the user's token in memory, not the console's credentials. With
SIGN_IN=local, impersonation uses the console's credentials with impersonation headers. A revoked permission to
impersonate sends no signal: is_revoked() asks the API server again.

Open connections (terminals, followed logs, watches, port-forwards) are closed within seconds of the session's end, in
whichever process the end was noticed. One thread per process, while anything is open, checks all sessions with one
database query, and with the API server those that received a 401.
"""

import itertools
import logging
import threading
import time
from collections.abc import Callable

from cachetools import LRUCache, TTLCache
from django.db import DatabaseError, close_old_connections
from django.dispatch import receiver

from console.signin import impersonation, judge, sessions, signals
from console.signin.models import Session
from console.signin.oidc import renewal
from console.web import clusters
from kube.client import ClusterClient
from kube.config import ClusterConfig, impersonated_config, user_config
from kube.errors import Forbidden, KubeError, Unauthorized

log = logging.getLogger("console.signin")

#: Cached clients; each caches the cluster's types and schemas. Evicted ones are created again on use.
KEPT = 64
#: is_revoked() keeps an answer for so long.
REVOCATION_SECONDS = 10.0
#: Between two checks of the sessions that have open connections.
EXPIRY_SECONDS = 2.0


class _Kept:
    """`refused`: the API server answered 401 to something of it."""

    __slots__ = ("client", "refused")

    def __init__(self, made: Callable[[Callable[[], None]], ClusterConfig]) -> None:
        self.refused = threading.Event()
        self.client = ClusterClient(made(self.refused.set))


_kept: LRUCache[str, _Kept] = LRUCache(KEPT)
#: Sessions that is_revoked() has just asked about.
_asked: TTLCache[str, bool] = TTLCache(10 * KEPT, REVOCATION_SECONDS)
_lock = threading.Lock()


def client_of(session: str) -> ClusterClient:
    """The client of a session that was just found active. Raises Unauthorized if it is over, and InvalidConfig."""
    with _lock:
        if found := _kept.get(session):
            return found.client
    made = _made(session)
    with _lock:
        return _kept.setdefault(session, made).client


def _made(session: str) -> _Kept:
    if credentials := sessions.credentials_of(session):
        user, first, way = credentials
        token = renewal.bearer(session, first)
        return _Kept(lambda refused: user_config(way, user, token, session, refused))
    row = impersonation.living().filter(key=session).first()
    if row is None:
        raise Unauthorized("this session is over")
    # With the credentials of the impersonating user, whose session handles a 401.
    own = (
        client_of(row.session) if row.session else clusters.client_of(clusters.named(row.cluster) or clusters.default())
    )
    if own.name != row.cluster:
        raise Unauthorized("this session is of another cluster")
    return _Kept(lambda _refused: impersonated_config(own.config, row.user, tuple(row.groups), session))


def cached_client(session: str) -> ClusterClient | None:
    """The session's client, if this process has one."""
    with _lock:
        found = _kept.get(session)
    return found.client if found else None


def living(session: str) -> ClusterClient | None:
    """The client if the session is still active, else None: for work that runs without a request of its user."""
    if not session or not impersonation.lives(session):
        drop(session)
        return None
    try:
        return client_of(session)
    except Unauthorized:
        return None


def take_refused(session: str) -> ClusterClient | None:
    """The client, if a 401 came since this was asked last."""
    with _lock:
        found = _kept.get(session)
    if found is None or not found.refused.is_set():
        return None
    found.refused.clear()
    return found.client


def drop(session: str) -> None:
    with _lock:
        _kept.pop(session, None)


def is_revoked(key: str, *, now: bool = False) -> bool:
    """True if the impersonation was revoked. `now` bypasses the cache.

    False if `key` isn't an impersonation.
    """
    client = cached_client(key)
    if client is None or not client.by:
        return False
    with _lock:
        if not now and key in _asked:
            return False
        _asked[key] = True
    if is_still_allowed(client):
        return False
    impersonation.withdraw(key)
    return True


def is_still_allowed(client: ClusterClient) -> bool:
    """Whether the API server lets the user impersonate; also true while it doesn't respond."""
    try:
        client.whoami()
    except Forbidden:
        return False
    except KubeError:
        return True
    return True


_calls: dict[str, dict[int, Callable[[], object]]] = {}
_numbers = itertools.count()
_calls_lock = threading.Lock()
_thread: threading.Thread | None = None


def when_over(session: str, call: Callable[[], object]) -> Callable[[], None]:
    """`call` is called once in some thread when the session is over; what is returned forgets it.

    Nothing for '', the console's own identity.
    """
    global _thread
    if not session:
        return lambda: None
    number = next(_numbers)
    with _calls_lock:
        _calls.setdefault(session, {})[number] = call
        if _thread is None:
            _thread = threading.Thread(target=_check_sessions, name="signin-ending", daemon=True)
            _thread.start()

    def forget() -> None:
        with _calls_lock:
            mine = _calls.get(session, {})
            mine.pop(number, None)
            if not mine:
                _calls.pop(session, None)

    return forget


def _check_sessions() -> None:
    global _thread
    while True:
        time.sleep(EXPIRY_SECONDS)
        with _calls_lock:
            if not _calls:
                _thread = None
                return
            known = [*_calls]
        close_old_connections()
        try:
            for session in {*known, *impersonation.owners(known)}:
                signals.used.send(sender=Session, session=session)
            for session in known:
                client = take_refused(session)
                if client is not None and not renewal.again(session) and judge.refused(client):
                    sessions.end(session, "refused")
                is_revoked(session)
            for session in impersonation.over(known):
                _close_connections(session)
        except DatabaseError as error:
            # An unreachable database closes no connection; the next round asks again.
            log.warning("whether sessions still live can't be told: %s", error)
        finally:
            close_old_connections()


@receiver(signals.ended, dispatch_uid="console-signin-clients")
def _ended(session: str, **_kwargs: object) -> None:
    _close_connections(session)


def _close_connections(session: str) -> None:
    """Drops the client, too."""
    drop(session)
    with _calls_lock:
        calls = _calls.pop(session, {})
    for call in calls.values():
        try:
            call()
        except Exception:
            log.exception("what was open for a session could not be ended")
