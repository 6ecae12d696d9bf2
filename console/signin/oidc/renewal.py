"""Renews ID tokens, which last minutes, with the refresh token (Grant); and ends the sign-in at the provider.

A token is renewed before it expires, wherever its session is used (signals.used): by a request, a worker's task, the
thread that watches open connections. Each process has the current token in memory. A lock in the database decides which
process renews, since a refresh token can be used only once. A refusal of the provider ends the session. An unreachable
provider doesn't: requests show an error until it responds.

Sign-out revokes the refresh token and goes to the provider's own sign-out, if it has one (OpenID Connect RP-Initiated
Logout 1.0).
"""

import logging
import threading
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.db.models import Q
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from requests import RequestException

from console.signin import judge, sessions, signals
from console.signin.models import Session
from console.signin.oidc import provider
from console.signin.oidc.models import Grant
from console.signin.oidc.provider import SignInError, SignInRefused, provider_name
from console.web import clusters
from console.web.front import place_of
from kube.errors import KubeError, NotRenewed, Unauthorized

log = logging.getLogger("console.signin")

#: A token is renewed this long before its end, or when a third of its time is left, whichever comes later.
_BEFORE = timedelta(seconds=60)
#: The lease of the renewing process; the others wait for half of it. And the pause after a failure, in seconds.
_LEASE, _PAUSE = timedelta(seconds=30), 5.0
#: The reason of a refused renewal is kept for so long.
_TOLD = timedelta(days=1)


class _Held:
    """The present token of one session in this process.

    `due`: from then on it is to be renewed. `pause`: time.monotonic(), not before.
    """

    __slots__ = ("due", "good_until", "pause", "token", "trouble")

    def __init__(self, token: str, grant: Grant) -> None:
        self.pause, self.trouble = 0.0, ""
        self.put(token, grant)

    def put(self, token: str, grant: Grant) -> None:
        self.token, self.good_until = token, grant.good_until
        self.due = due(grant.given_at, grant.good_until)

    def ask(self) -> str:
        """The token, for one request. Raises NotRenewed when it has run out."""
        if self.trouble and self.good_until <= timezone.now():
            raise NotRenewed(self.trouble)
        return self.token


_held: dict[str, _Held] = {}
_lock = threading.Lock()


def due(given: datetime, end: datetime) -> datetime:
    return end - min(_BEFORE, (end - given) / 3)


def begin(session: str, token: provider.IdToken, refresh: str) -> None:
    """The session can renew itself from now on."""
    now = timezone.now()
    sealed_refresh = sessions.seal(refresh, _purpose(session))
    Grant.objects.create(
        session=session, subject=token.subject, sealed=sealed_refresh, given_at=now, good_until=token.good_until
    )
    _forgotten().delete()


def bearer(session: str, token: str) -> Any:
    """What kube.config takes as token: itself, or where it is renewed, something that is asked for the present one.

    Raises Unauthorized.
    """
    grant = Grant.objects.filter(session=session, refused=False).first()
    if grant is None:
        return token
    with _lock:
        held = _held.setdefault(session, _Held(token, grant))
    if not _used(session):
        raise Unauthorized("this session is over")
    return held.ask


def refresh_of(grant: Grant) -> str:
    """Raises UnreadableCredentials."""
    return sessions.unseal(grant.sealed, _purpose(grant.session))


def refused(session: str) -> bool:
    """Whether this session is over because the provider gave no new token."""
    return Grant.objects.filter(session=session, refused=True).exists()


def again(session: str) -> bool:
    """The API server said 401: whether another token is there now.

    With clocks that differ it may have ended before we knew.
    """
    with _lock:
        held = _held.get(session)
    if held is None or time.monotonic() < held.pause:
        return False
    before = held.token
    held.due = timezone.now()
    return _renew(session, held) and held.token != before


@receiver(signals.used, dispatch_uid="console-signin-oidc-used")
def _used(session: str, **_kwargs: object) -> bool:
    """Renews the session's token if it is due. False if the session is over."""
    with _lock:
        held = _held.get(session)
    if held is None or timezone.now() < held.due or time.monotonic() < held.pause:
        return True
    return _renew(session, held)


@receiver(signals.ended, dispatch_uid="console-signin-oidc-ended")
def _ended(session: str, **_kwargs: object) -> None:
    with _lock:
        _held.pop(session, None)
    Grant.objects.filter(session=session, refused=False).delete()


def _renew(session: str, held: _Held) -> bool:
    """By this process, or by the one that does it already. False: the session is over."""
    until = time.monotonic() + _LEASE.total_seconds() / 2
    while True:
        grant = Grant.objects.filter(session=session).first()
        if grant is None or grant.refused:
            return False
        if grant.good_until > held.good_until:
            return _take(session, held, grant)
        now = timezone.now()
        free = Q(renewing_until=None) | Q(renewing_until__lt=now)
        mine = Grant.objects.filter(free, session=session, sealed=grant.sealed).update(renewing_until=now + _LEASE)
        if mine:
            return _ask(session, held, grant)
        if held.good_until > now or time.monotonic() > until:
            return True
        time.sleep(0.1)


def _take(session: str, held: _Held, grant: Grant) -> bool:
    credentials = sessions.credentials_of(session)
    if credentials is not None:
        held.put(credentials[1], grant)
        held.trouble = ""
    return credentials is not None


def _ask(session: str, held: _Held, grant: Grant) -> bool:
    try:
        refresh = refresh_of(grant)
        here = provider.provider()
        answer = provider.ask(here, "refresh_token", refresh_token=refresh)
        token = provider.verified_id_token(
            here, str(answer.get("id_token") or ""), access_token=str(answer.get("access_token") or "")
        )
        if token.subject != grant.subject:
            raise SignInRefused(
                _("%(name)s no longer accepts this sign-in. Start again.") % {"name": provider_name()},
                log="the new ID token is somebody else's",
            )
        _keep(session, held, grant, token, str(answer.get("refresh_token") or refresh))
    except (SignInRefused, sessions.UnreadableCredentials) as error:
        return _refuse(session, getattr(error, "log", str(error)))
    except SignInError as error:
        log.warning("a sign-in could not be renewed: %s", error.log)
        held.pause = time.monotonic() + _PAUSE
        held.trouble = str(error)
        Grant.objects.filter(session=session).update(renewing_until=None)
        return True
    return _still_theirs(session, token.text)


def _keep(session: str, held: _Held, grant: Grant, token: provider.IdToken, refresh: str) -> None:
    """In the database first: the old refresh token is worth nothing any more."""
    grant.given_at, grant.good_until, grant.renewing_until = timezone.now(), token.good_until, None
    grant.sealed = sessions.seal(refresh, _purpose(session))
    Session.objects.filter(key=session).update(sealed=sessions.seal(token.text, session))
    Grant.objects.filter(session=session).update(
        given_at=grant.given_at, good_until=grant.good_until, sealed=grant.sealed, renewing_until=None
    )
    held.put(token.text, grant)
    held.trouble = ""
    log.info("a sign-in was renewed until %s", token.good_until.isoformat(timespec="seconds"))


def _still_theirs(session: str, token: str) -> bool:
    """Groups change with a token; a name must not. An API server that does not answer says nothing against it."""
    row = Session.objects.filter(key=session).first()
    if row is None:
        return False
    place = clusters.named(row.cluster)
    if place is None:
        return True  # no other cluster is asked; sessions.credentials_of() fails on the next use
    try:
        known = judge.know(token, place)
    except judge.NotKnown as error:
        return True if error.status != 401 else _refuse(session, f"the cluster does not accept the new token: {error}")
    if row.user != known.user:
        return _refuse(session, f"the new token is of {known.user!r}, the session of {row.user!r}")
    if row.groups != list(known.groups):
        Session.objects.filter(key=session).update(groups=list(known.groups))
    return True


def _refuse(session: str, why: str) -> bool:
    """Ends the session, and records the reason for the sign-in page."""
    log.warning("a sign-in was not renewed, and is over: %s", why)
    Grant.objects.filter(session=session).update(refused=True, sealed=b"", renewing_until=None)
    sessions.end(session, "refused")
    return False


def _forgotten() -> Any:
    """Rows of sessions that expired without a sign-out."""
    return Grant.objects.filter(good_until__lt=timezone.now() - _TOLD).exclude(session__in=Session.objects.values("pk"))


def _purpose(session: str) -> str:
    return f"refresh:{session}"


@dataclass(frozen=True, slots=True)
class ProviderSignOut:
    """What is left to do after the session has ended here.

    `token`: the ID token, `refresh`: the refresh token; '' where there is none.
    """

    token: str = ""
    refresh: str = ""


def prepare_sign_out(request: HttpRequest) -> ProviderSignOut | None:
    """What the sign-out at the provider needs; call it before the session ends. None without OpenID Connect."""
    key = sessions.key_of(request)
    if not key or not Session.objects.filter(key=key, method="oidc").exists():
        return None
    try:
        credentials = sessions.credentials_of(key)
        grant = Grant.objects.filter(session=key, refused=False).first()
        refresh = refresh_of(grant) if grant else ""
    except (KubeError, sessions.UnreadableCredentials):
        return ProviderSignOut()
    return ProviderSignOut(credentials[1] if credentials else "", refresh)


def finish_sign_out(request: HttpRequest, leaving: ProviderSignOut) -> str:
    """The refresh token is revoked, where that can be done at once; the provider's address at which its own session
    ends, ''.
    """
    try:
        here = provider.provider()
        if leaving.refresh:
            provider.revoke(here, leaving.refresh)
    except (SignInError, RequestException, ValueError, OSError) as error:
        log.warning("the provider did not hear of a sign-out: %s", error)
        return ""
    end = here.address("end_session_endpoint")
    if not end:
        return ""
    query = {
        "post_logout_redirect_uri": provider.redirect_address(request, "signin:sign-in"),
        "client_id": settings.OIDC_CLIENT_ID,
    }
    if mark := provider.cluster_mark(place_of(request)):
        query["state"] = mark
    if leaving.token:
        query["id_token_hint"] = leaving.token
    return f"{end}{'&' if '?' in end else '?'}{urlencode(query)}"
