"""Sign-out at the provider, if it has an endpoint for that (OpenID Connect RP-Initiated Logout 1.0)."""

import logging
from dataclasses import dataclass
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest
from requests import RequestException

from console.signin import encryption, sessions
from console.signin.models import Session
from console.signin.oidc import provider, renewal
from console.signin.oidc.models import Grant
from console.signin.oidc.troubles import SignInError
from console.web.front import place_of
from kube.errors import KubeError

log = logging.getLogger("console.signin")


@dataclass(frozen=True, slots=True)
class Leaving:
    """What is left to do after the session has ended here.

    `token`: the ID token, `refresh`: the refresh token; '' where there is none.
    """

    token: str = ""
    refresh: str = ""


def before(request: HttpRequest) -> Leaving | None:
    """What the sign-out at the provider needs; call it before the session ends. None without OpenID Connect."""
    key = sessions.key_of(request)
    if not key or not Session.objects.filter(key=key, method="oidc").exists():
        return None
    try:
        credentials = sessions.credentials_of(key)
        grant = Grant.objects.filter(session=key, refused=False).first()
        refresh = renewal.refresh_of(grant) if grant else ""
    except (KubeError, encryption.UnreadableCredentials):
        return Leaving()
    return Leaving(credentials[1] if credentials else "", refresh)


def after(request: HttpRequest, leaving: Leaving) -> str:
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
