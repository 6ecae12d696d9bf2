"""Impersonation: rows in the database, found by a random word in the browser's signed cookie, limited to one session.

The word only selects a row, and the row only adds impersonation headers to the credentials of its session. A forged or
copied word gains no permission that the API server wouldn't grant. A browser with a word but no active row gets no
client until the user chooses Stop: a silent fallback to the user's own, greater permissions could let them delete
objects that they think they view as another user (docs/decisions/0024-impersonation.md).
"""

import hashlib
import logging
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models import Q, QuerySet
from django.dispatch import receiver
from django.http import HttpRequest
from django.middleware.csrf import rotate_token
from django.utils import timezone

from console.audit import recorder
from console.signin import sessions, signals
from console.signin.models import Impersonation, Session
from console.web import clusters
from console.web.front import place_of
from console.web.preserve_input import SWITCHED
from kube.client import ClusterClient

log = logging.getLogger("console.signin")

_WORD = "console_acting"
#: Key in the ASGI scope under which console/signin/guard.py caches the impersonation of a connection.
SCOPE = "console.acting"
# Ended rows are kept for so long, so that a browser that returns late can show whom it impersonated.
_KEPT = timedelta(days=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Acting:
    """`by` acts as `user`.

    `over`: not any more, and nothing but Stop is answered; `withdrawn`: since the API server said so.
    """

    key: str
    cluster: str
    by: str
    user: str
    groups: tuple[str, ...]
    member_of: tuple[str, ...]
    over: bool = False
    withdrawn: bool = False

    @property
    def mark(self) -> str:
        """By which a page tells as whom it was made; it opens nothing."""
        return self.key[:16]


def impersonation_of(request: HttpRequest) -> Acting | None:
    """The browser's impersonation; None without one."""
    if found := getattr(request, "scope", {}).get(SCOPE):
        return found  # type: ignore[no-any-return]
    if not (word := request.session.get(_WORD)):
        return None
    key = _key(str(word))
    row = Impersonation.objects.filter(key=key).first()
    person: sessions.Person | None = getattr(request, "person", None)
    if row is None or row.session != (person.session if person else "") or _elsewhere(request, row):
        # Of another session or cluster, or deleted: reveal none of it.
        return Acting(key=key, cluster="", by="", user="", groups=(), member_of=(), over=True)
    over = row.until <= timezone.now()
    return Acting(
        key=key,
        cluster=row.cluster,
        by=row.by,
        user=row.user,
        groups=tuple(row.groups),
        member_of=tuple(row.member_of),
        over=over,
        withdrawn=row.withdrawn,
    )


def begin(
    request: HttpRequest, client: ClusterClient, user: str, groups: Iterable[str], member_of: Iterable[str]
) -> Acting:
    """`client`: of who acts. Forms that were made before are of another and can't be sent any more."""
    now = timezone.now()
    person: sessions.Person | None = getattr(request, "person", None)
    until = person.until if person else now + timedelta(hours=settings.SIGN_IN_HOURS)
    word = secrets.token_urlsafe(32)
    row = Impersonation.objects.create(
        key=_key(word),
        session=person.session if person else "",
        cluster=client.name,
        by=client.user,
        user=user,
        groups=list(groups),
        member_of=list(member_of),
        began_at=now,
        until=until,
    )
    Impersonation.objects.filter(until__lt=now - _KEPT).delete()
    _switch(request, word)
    log.info("user=%s acts as %s until %s", row.by, row.user, until.isoformat(timespec="seconds"))
    return Acting(
        key=row.key,
        cluster=row.cluster,
        by=row.by,
        user=row.user,
        groups=tuple(row.groups),
        member_of=tuple(row.member_of),
    )


def leave(request: HttpRequest) -> None:
    """Oneself again, whatever became of the row. Asks no cluster."""
    if word := request.session.get(_WORD):
        key = _key(str(word))
        gone, _each = Impersonation.objects.filter(key=key).delete()
        if gone:
            signals.ended.send(sender=Impersonation, session=key)
    _switch(request, "")


def withdraw(key: str) -> None:
    """Ends an impersonation that the API server no longer allows; its browser shows the reason."""
    row = living().filter(key=key).first()
    if row is not None and living().filter(key=key).update(until=timezone.now(), withdrawn=True):
        note_stop(row.cluster, row.by, row.user, row.groups, "withdrawn")
        signals.ended.send(sender=Impersonation, session=key)


def living() -> QuerySet[Impersonation]:
    """With those whose session is over, they are over too."""
    within = Q(session="") | Q(session__in=sessions.living().values("key"))
    return Impersonation.objects.filter(within, until__gt=timezone.now())


def over(keys: Iterable[str]) -> set[str]:
    """Those of these sessions and impersonations that are over."""
    left = sessions.over(keys)
    return left - set(living().filter(key__in=left).values_list("key", flat=True)) if left else left


def owners(keys: Iterable[str]) -> set[str]:
    """The sessions in which these impersonations act."""
    return set(Impersonation.objects.filter(key__in=list(keys)).exclude(session="").values_list("session", flat=True))


def lives(key: str) -> bool:
    return not over([key])


def _elsewhere(request: HttpRequest, row: Impersonation) -> bool:
    """Whether it belongs to another cluster than the address.

    False for a cluster that the console no longer has: its client is refused (clients.py).
    """
    found = clusters.named(row.cluster)
    return found is not None and found != place_of(request)


def _switch(request: HttpRequest, word: str) -> None:
    if word:
        request.session[_WORD] = word
    else:
        request.session.pop(_WORD, None)
    request.session[SWITCHED] = True
    rotate_token(request)


@receiver(signals.ended, dispatch_uid="console-signin-acting")
def _ended(session: str, sender: object, **_kwargs: object) -> None:
    """What was done as another ends with the session."""
    if sender is not Session:
        return
    for row in Impersonation.objects.filter(session=session):
        alive = row.until > timezone.now()
        key = row.key
        row.delete()
        if alive:
            note_stop(row.cluster, row.by, row.user, row.groups, "session-ended")
        signals.ended.send(sender=Impersonation, session=key)


def ref(user: str, groups: Iterable[str]) -> str:
    """The impersonated user and groups, in the audit's format."""
    names = ",".join(groups)
    return f"core/v1/users {user} groups={names}" if names else f"core/v1/users {user}"


def note_stop(cluster: str, by: str, user: str, groups: Iterable[str], why: str = "") -> None:
    """Records the end of an impersonation, also one that no user requested."""
    recorder.note(
        cluster=cluster,
        user=by,
        verb="stop-impersonating",
        ref=f"{ref(user, groups)} {why}".rstrip(),
        outcome="ok",
        where=None,
        as_user=user,
    )


def _key(word: str) -> str:
    return hashlib.sha256(word.encode()).hexdigest()
