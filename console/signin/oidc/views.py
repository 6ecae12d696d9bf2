"""/sign-in/oidc/, which leads to the provider, and /sign-in/oidc/back/, to which the provider leads back (the code
flow, with PKCE).

A pending sign-in is in an encrypted cookie of the browser, removed when the browser comes back; not in the database, so
that unauthenticated clients can't fill it.
"""

import hashlib
import json
import logging
import secrets
from dataclasses import asdict, dataclass, replace

from cryptography.fernet import InvalidToken
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_GET

from console.signin import judge, rate_limits, sessions, signals, views
from console.signin.address import unheard
from console.signin.models import Session
from console.signin.oidc import provider, renewal
from console.signin.oidc.provider import SignInError
from console.signin.oidc.provider import provider_name as provider_name
from console.web.front import place_of
from kube.errors import KubeError

log = logging.getLogger("console.signin")

#: Time that a user has for the sign-in at the provider.
PENDING_SECONDS = 600
#: Per browser; the oldest are dropped.
_MAX_PENDING = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingSignIn:
    """`state` comes back through the browser, `nonce` in the ID token, `verifier` goes to the token endpoint (RFC
    7636).
    """

    state: str
    nonce: str
    verifier: str
    back: str
    redirect: str

    @classmethod
    def begin(cls, back: str, redirect: str, mark: str = "") -> "PendingSignIn":
        """`mark`: of the cluster, see cluster_mark()."""
        state, nonce, verifier = (secrets.token_urlsafe(32) for _number in range(3))
        return cls(state=state + mark, nonce=nonce, verifier=verifier, back=back, redirect=redirect)


@require_GET
def begin(request: HttpRequest) -> HttpResponse:
    """To the provider. A link and no form: browsers would hold a form's redirect against the page's form-action."""
    _offered()
    back = views.safe_address(request, request.GET.get("next") or "")
    if getattr(request, "person", None) is not None:
        return HttpResponseRedirect(back or reverse("pages:overview"))
    if not unheard(request):
        words = _("Credentials must not be sent unencrypted. Use https, or the console's own machine.")
        return views.sign_in_page(request, back, error=words, status=403)
    try:
        here = provider.provider()
    except SignInError as error:
        return _refused(request, back, error)
    fresh = PendingSignIn.begin(
        back, provider.redirect_address(request, "signin:oidc-back"), provider.cluster_mark(place_of(request))
    )
    with provider.session(here, fresh.redirect) as made:
        url, _state = made.create_authorization_url(
            here.address("authorization_endpoint"), state=fresh.state, code_verifier=fresh.verifier, nonce=fresh.nonce
        )
    response = HttpResponseRedirect(url)
    _remember_pending(request, response, fresh)
    return response


@require_GET
@sensitive_variables()
def back(request: HttpRequest) -> HttpResponse:
    """With a code, or with why there is none. Whatever comes of it, this state is used up."""
    _offered()
    if elsewhere := provider.redirect_to_cluster(request, "signin:oidc-back"):
        return elsewhere
    state = request.GET.get("state", "")
    found = _pending(request, state)
    where = found.back if found else ""
    try:
        response = _entered(request, found)
    except SignInError as error:
        response = _refused(request, where, error)
    except judge.NotKnown as error:
        response = _refused(request, where, _not_known(error))
    except rate_limits.TooOften as error:
        signals.refused.send(sender=Session, why=429, request=request)
        words = _("Too many sign-ins failed. Wait %(minutes)d minutes, then try again.") % {
            "minutes": rate_limits.MINUTES
        }
        response = views.sign_in_page(request, where, error=words, status=429)
        response["Retry-After"] = str(error.seconds)
    _forget_pending(response, state)
    return response


@sensitive_variables()
def _entered(request: HttpRequest, found: PendingSignIn | None) -> HttpResponse:
    """Raises SignInError, NotKnown and TooOften."""
    number = rate_limits.begin_attempt(request)
    try:
        token, refresh = _tokens(request, found)
        known = judge.know(token.text, place_of(request))
    except SignInError as error:
        if not error.counts:
            rate_limits.forget_attempt(number)
        raise
    except judge.NotKnown:
        rate_limits.forget_attempt(number)
        raise
    rate_limits.forget_attempt(number)
    try:
        # With a refresh token the session is as long as the settings say; without one as long as its only token.
        lasts = replace(known, expires=None if refresh else token.good_until)
        person = sessions.begin(request, lasts, token.text, "oidc")
    except KubeError:
        raise judge.NotKnown(
            _("The console's kubeconfig can't be used. The reason is in the console's log."), 503
        ) from None
    if refresh:
        renewal.begin(person.session, token, refresh)
    return views.signed_in_response(request, person, found.back if found else "")


def _tokens(request: HttpRequest, found: PendingSignIn | None) -> tuple[provider.IdToken, str]:
    """The ID token, and the refresh token or ''. Raises SignInError."""
    if found is None:
        words = _("This sign-in wasn't started in this browser, took too long, or was already used. Start again.")
        raise SignInError(words, counts=True)
    # RFC 9207: an answer of another provider, mixed up with this one's.
    if request.GET.get("iss", settings.OIDC_ISSUER) != settings.OIDC_ISSUER:
        raise SignInError(
            _("This response isn't from %(name)s, so you weren't signed in. Start again.") % {"name": provider_name()},
            counts=True,
        )
    if "code" not in request.GET:
        raise _denied(request.GET.get("error", ""))
    here = provider.provider()
    answer = provider.ask(
        here, "authorization_code", code=request.GET["code"], code_verifier=found.verifier, redirect_uri=found.redirect
    )
    access = str(answer.get("access_token") or "")
    token = provider.verified_id_token(here, str(answer.get("id_token") or ""), nonce=found.nonce, access_token=access)
    return token, str(answer.get("refresh_token") or "")


def _denied(code: str) -> SignInError:
    """An error response of the provider (https://openid.net/specs/openid-connect-core-1_0.html#AuthError), with our own
    message: the provider's text comes through the browser and is untrusted.
    """
    shown = code if code.isascii() and code.replace("_", "").isalnum() and len(code) < 60 else ""
    log_message = f"the provider answered {shown or 'no code'}"
    if code == "access_denied":
        words = _(
            "%(name)s denied the sign-in: you canceled it, or a rule there rejected it. Try again, or "
            "ask its administrator."
        )
        return SignInError(words % {"name": provider_name()}, 403, log=log_message)
    if code in ("server_error", "temporarily_unavailable"):
        return SignInError(
            _("%(name)s has a temporary problem. Try again in a moment.") % {"name": provider_name()},
            503,
            log=log_message,
        )
    if code == "invalid_scope":
        words = _(
            "%(name)s doesn't support the scopes that this console requests. Set OIDC_SCOPES to supported scopes."
        )
        return SignInError(words % {"name": provider_name()}, 503, log=log_message)
    words = _(
        "%(name)s refused the sign-in (%(code)s). Start again. If it happens again, show this to the console's"
        " administrator."
    )
    return SignInError(words % {"name": provider_name(), "code": shown or "-"}, 400, log=log_message, counts=not shown)


def _not_known(error: judge.NotKnown) -> SignInError:
    """The provider knows them, and the cluster does not."""
    if error.status != 401:
        return SignInError(str(error), error.status)
    words = _(
        "%(name)s signed you in, but the cluster doesn't accept its ID token. The API server must "
        "trust this issuer, this client ID and the claim with your name."
    )
    return SignInError(words % {"name": provider_name()}, 403)


def _refused(request: HttpRequest, where: str, error: SignInError) -> HttpResponse:
    log.warning(
        "a sign-in from %s was refused with %d: %s", request.META.get("REMOTE_ADDR", ""), error.status, error.log
    )
    signals.refused.send(sender=Session, why=error.status, request=request)
    return views.sign_in_page(request, where, error=str(error), status=error.status)


def _offered() -> None:
    if "oidc" not in views.ways():
        raise Http404


def _remember_pending(request: HttpRequest, response: HttpResponse, pending: PendingSignIn) -> None:
    mine = sorted(cookie for cookie in request.COOKIES if cookie.startswith(_cookie_prefix()))
    for old in mine[: max(0, len(mine) - _MAX_PENDING + 1)]:
        _delete_cookie(response, old)
    cookie = _cookie_name(pending.state)
    value = sessions.seal(json.dumps(asdict(pending)), _cookie_purpose(cookie)).decode()
    # Lax: it comes back by a link of the provider's.
    response.set_cookie(
        cookie,
        value,
        max_age=PENDING_SECONDS,
        path=reverse("signin:sign-in"),
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )


def _pending(request: HttpRequest, state: str) -> PendingSignIn | None:
    """The sign-in that this browser began with this state, not too long ago."""
    cookie = _cookie_name(state)
    try:
        sealed = request.COOKIES.get(cookie, "").encode()
        found = PendingSignIn(**json.loads(sessions.unseal(sealed, _cookie_purpose(cookie), PENDING_SECONDS)))
    except (sessions.UnreadableCredentials, InvalidToken, ValueError, TypeError):
        return None
    return found if secrets.compare_digest(found.state.encode(), state.encode()) else None


def _forget_pending(response: HttpResponse, state: str) -> None:
    """It is used up, whatever came of it."""
    _delete_cookie(response, _cookie_name(state))


def _delete_cookie(response: HttpResponse, name: str) -> None:
    response.delete_cookie(name, path=reverse("signin:sign-in"), samesite="Lax")


def _cookie_prefix() -> str:
    return f"{settings.SESSION_COOKIE_NAME}_oidc_"


def _cookie_name(state: str) -> str:
    return _cookie_prefix() + hashlib.sha256(state.encode()).hexdigest()[:16]


def _cookie_purpose(name: str) -> str:
    """What is sealed for it opens nothing else: no session has such a key."""
    return f"oidc:{name}"
