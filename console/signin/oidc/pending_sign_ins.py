"""Pending sign-ins at the provider: each in an encrypted cookie of the browser, removed when the browser comes back.

Not in the database, so that unauthenticated clients can't fill it.
"""

import hashlib
import json
import secrets
from dataclasses import asdict, dataclass

from cryptography.fernet import InvalidToken
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from console.signin import encryption

#: Seconds that a user has for the sign-in at the provider.
SECONDS = 600
#: Pending sign-ins per browser; the oldest are dropped.
_MOST = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Going:
    """`state` comes back through the browser, `nonce` in the ID token, `verifier` goes to the token endpoint (RFC
    7636).
    """

    state: str
    nonce: str
    verifier: str
    back: str
    redirect: str

    @classmethod
    def begin(cls, back: str, redirect: str, mark: str = "") -> "Going":
        """`mark`: of the cluster (redirect_addresses.py)."""
        state, nonce, verifier = (secrets.token_urlsafe(32) for _number in range(3))
        return cls(state=state + mark, nonce=nonce, verifier=verifier, back=back, redirect=redirect)


def remember(request: HttpRequest, response: HttpResponse, going: Going) -> None:
    mine = sorted(name for name in request.COOKIES if name.startswith(_prefix()))
    for old in mine[: max(0, len(mine) - _MOST + 1)]:
        forget(response, old)
    name = _name(going.state)
    value = encryption.seal(json.dumps(asdict(going)), _purpose(name)).decode()
    # Lax: it comes back by a link of the provider's.
    response.set_cookie(
        name,
        value,
        max_age=SECONDS,
        path=reverse("signin:sign-in"),
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )


def find(request: HttpRequest, state: str) -> Going | None:
    """The sign-in that this browser began with this state, not too long ago."""
    name = _name(state)
    try:
        found = Going(**json.loads(encryption.unseal(request.COOKIES.get(name, "").encode(), _purpose(name), SECONDS)))
    except (encryption.UnreadableCredentials, InvalidToken, ValueError, TypeError):
        return None
    return found if secrets.compare_digest(found.state.encode(), state.encode()) else None


def done(response: HttpResponse, state: str) -> None:
    """It is used up, whatever came of it."""
    forget(response, _name(state))


def forget(response: HttpResponse, name: str) -> None:
    response.delete_cookie(name, path=reverse("signin:sign-in"), samesite="Lax")


def _prefix() -> str:
    return f"{settings.SESSION_COOKIE_NAME}_oidc_"


def _name(state: str) -> str:
    return _prefix() + hashlib.sha256(state.encode()).hexdigest()[:16]


def _purpose(name: str) -> str:
    """What is sealed for it opens nothing else: no session has such a key."""
    return f"oidc:{name}"
