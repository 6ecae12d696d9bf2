"""Sessions of people who signed in: begun, found by the word in the browser's cookie, and ended.

Their credentials are encrypted at rest, with a key derived from SECRET_KEY, each for one session only: Fernet, which is
AES-128-CBC with HMAC-SHA256 (https://github.com/fernet/spec). After a change of SECRET_KEY, the keys of
SECRET_KEY_FALLBACKS still decrypt older credentials.
"""

import base64
import hashlib
import logging
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.contrib.sessions.backends.signed_cookies import SessionStore
from django.db.models import QuerySet
from django.http import HttpRequest
from django.middleware.csrf import rotate_token
from django.utils import timezone

from console.signin import signals
from console.signin.judge import TokenUser
from console.signin.models import Session
from console.web import clusters, front
from console.web.clusters import Offered
from console.web.front import place_of
from kube.config import ClusterConfig

log = logging.getLogger("console.signin")

_WORD = "console_person"
#: Key in the ASGI scope under which console/signin/guard.py caches the user of a connection.
SCOPE = "console.person"
#: A session's last use is saved at most this often.
_SEEN = timedelta(seconds=60)
#: Each sign-in deletes at most so many expired sessions; the next one continues.
_SWEPT = 200


class UnreadableCredentials(Exception):
    """Made with another key, for another session, or not by us."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Who asks. `session`: its key, which opens nothing."""

    session: str
    user: str
    groups: tuple[str, ...]
    until: datetime
    #: The name of the cluster whose credentials these are.
    cluster: str = ""

    @property
    def counted(self) -> str:
        """The key for limits per user over all sessions; another cluster's user of the same name is another user."""
        return f"{self.user}\n{self.cluster}"


def begin(request: HttpRequest, known: TokenUser, token: str, method: str = "token") -> Person:
    """What the browser had before is worth nothing afterwards: neither its session nor its CSRF token (fixation)."""
    leave(request, "replaced")
    cluster = clusters.endpoint_name(place_of(request))
    now = timezone.now()
    until = now + timedelta(hours=settings.SIGN_IN_HOURS)
    if known.expires is not None:
        until = min(until, known.expires)
    word = secrets.token_urlsafe(32)
    key = _key(word)
    row = Session.objects.create(
        key=key,
        method=method,
        cluster=cluster,
        user=known.user,
        groups=list(known.groups),
        sealed=seal(token, key),
        began_at=now,
        seen_at=now,
        until=until,
    )
    request.session[_WORD] = word
    request.session.set_expiry(settings.SIGN_IN_HOURS * 3600)
    rotate_token(request)
    for over_ in _expired().values_list("key", flat=True)[:_SWEPT]:
        end(over_, "expired")
    signals.began.send(sender=Session, session=key, row=row, request=request)
    log.info("user=%s signed in until %s", known.user, until.isoformat(timespec="seconds"))
    return Person(session=key, user=known.user, groups=known.groups, until=until, cluster=cluster)


def user_at(request: HttpRequest, place: Offered) -> str:
    """The user who is signed in to another cluster in this browser, for display only; '' without one."""
    word = front.cookie_of(request, place, settings.SESSION_COOKIE_NAME)
    session_word = SessionStore(word).get(_WORD) if word else None
    found = find(_key(str(session_word))) if session_word else None
    return found.user if found and found.cluster == clusters.name_of(place) else ""


def named(request: HttpRequest) -> bool:
    """Whether the browser brings a session's word, of one that may be over."""
    return _WORD in request.session


def key_of(request: HttpRequest) -> str:
    """The key of the session in the browser's cookie, active or over; '' without one."""
    word = request.session.get(_WORD)
    return _key(str(word)) if word else ""


def person_of(request: HttpRequest) -> Person | None:
    """The signed-in user; None without one, or if the session is over."""
    if found := getattr(request, "scope", {}).get(SCOPE):
        return found  # type: ignore[no-any-return]
    word = request.session.get(_WORD)
    found = find(_key(str(word)), seen=True) if word else None
    # '' while the kubeconfig can't be read: then credentials_of() raises, and the user isn't signed out.
    if found is None or clusters.name_of(place_of(request)) in ("", found.cluster):
        return found
    # A session of another cluster than the address' stays active there; one of a removed cluster ends.
    if clusters.endpoint_of_named(found.cluster) is None:
        end(found.session, "unreadable")
    return None


def find(key: str, *, seen: bool = False) -> Person | None:
    """The user of an active session. `seen`: the user is active now."""
    row = living().filter(key=key).defer("sealed").first()
    if row is None:
        if seen:
            end(key, "expired")
        return None
    responses: list[tuple[Any, Any]] = signals.used.send(sender=Session, session=key)
    if any(alive is False for _receiver, alive in responses):
        return None
    now = timezone.now()
    if seen and now - row.seen_at > _SEEN:
        Session.objects.filter(key=key).update(seen_at=now)
    return Person(session=row.key, user=row.user, groups=tuple(row.groups), until=row.until, cluster=row.cluster)


def credentials_of(key: str) -> tuple[str, str, ClusterConfig] | None:
    """(user, token, the way to the cluster that judged it) of a living session; nowhere else does a token go.

    Raises InvalidConfig.
    """
    row = living().filter(key=key).first()
    if row is None:
        return None
    try:
        found = clusters.endpoint_of_named(row.cluster)
        if found is None:
            raise UnreadableCredentials(f"its credentials are of the cluster {row.cluster!r}")
        return row.user, unseal(row.sealed, key), found
    except UnreadableCredentials as error:
        log.warning("the session of %s is over: %s", row.user, error)
        end(key, "unreadable")
        return None


def over(keys: Iterable[str]) -> set[str]:
    """Those of them that are over."""
    wanted = set(keys)
    return wanted - set(living().filter(key__in=wanted).values_list("key", flat=True))


def end(key: str, why: str) -> None:
    """Deletes the session with its credentials and sends signals.ended, which closes its open connections.

    `why`: as in signals.ended.
    """
    row = Session.objects.filter(key=key).defer("sealed").first()
    gone, _each = Session.objects.filter(key=key).delete()
    if gone and row is not None:
        signals.ended.send(sender=Session, session=key, why=why, row=row)


def leave(request: HttpRequest, why: str = "signed-out") -> None:
    """The session of this browser ends, and the browser forgets its word."""
    if word := request.session.get(_WORD):
        key = _key(str(word))
        end(key, why if find(key) is not None else "expired")
    request.session.flush()


def living() -> QuerySet[Session]:
    now = timezone.now()
    return Session.objects.filter(until__gt=now, seen_at__gt=now - _idle())


def _expired() -> QuerySet[Session]:
    return Session.objects.exclude(pk__in=living().values("pk"))


def _idle() -> timedelta:
    return timedelta(minutes=settings.SIGN_IN_IDLE_MINUTES)


def _key(word: str) -> str:
    return hashlib.sha256(word.encode()).hexdigest()


def seal(text: str, session: str) -> bytes:
    return _encryption_keys().encrypt(f"{session}\n{text}".encode())


def unseal(data: bytes | memoryview, session: str, seconds: int | None = None) -> str:
    """Raises UnreadableCredentials, with `seconds` also for what was sealed longer ago."""
    try:
        owner, _line, text = _encryption_keys().decrypt(bytes(data), seconds).decode().partition("\n")
    except (InvalidToken, UnicodeDecodeError):
        raise UnreadableCredentials("these credentials can't be read: was SECRET_KEY changed?") from None
    if owner != session:
        raise UnreadableCredentials("these credentials belong to another session")
    return text


def _encryption_keys() -> MultiFernet:
    return MultiFernet([_encryption_key(secret) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def _encryption_key(secret: str) -> Fernet:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"console sign-in credentials").derive(
        secret.encode()
    )
    return Fernet(base64.urlsafe_b64encode(derived))
