"""Clients of people who signed in: one for each session in this process, dropped with it. They hold the token in memory, and nothing of the console's."""

import threading
from collections import OrderedDict

from django.dispatch import receiver

from console.signin import sessions, signals
from kube.client import ClusterClient
from kube.config import ClusterConfig
from kube.errors import Unauthorized
from kube.person import person

#: More than so many are made anew when they are asked for again: each knows the cluster's types and schemas.
KEPT = 64


class _Kept:
    """`refused`: the API server answered 401 to something of it."""

    __slots__ = ("client", "refused")

    def __init__(self, session: str, user: str, token: str, way: ClusterConfig) -> None:
        self.refused = threading.Event()
        self.client = ClusterClient(person(way, user, token, session, self.refused.set))


_kept: "OrderedDict[str, _Kept]" = OrderedDict()
_lock = threading.Lock()


def of(session: str) -> ClusterClient:
    """The client of a session that is known to live. Raises Unauthorized when it is over, and InvalidConfig."""
    with _lock:
        if found := _kept.get(session):
            _kept.move_to_end(session)
            return found.client
    told = sessions.credentials_of(session)
    if told is None:
        raise Unauthorized("this session is over")
    made = _Kept(session, *told)
    with _lock:
        found = _kept.setdefault(session, made)
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
        return found.client


def living(session: str) -> ClusterClient | None:
    """The same, asking first whether the session still lives: for what goes on without a request of its person."""
    if not session or sessions.find(session) is None:
        drop(session)
        return None
    try:
        return of(session)
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


@receiver(signals.ended, dispatch_uid="console-signin-clients")
def _ended(session: str, **_kwargs: object) -> None:
    drop(session)
