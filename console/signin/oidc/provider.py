"""The OpenID Connect provider: its metadata (Discovery 1.0), its token endpoint, verification of its ID tokens, the
console's addresses that are registered there, and its errors.

Tokens are read by Authlib, and signatures by joserfc, which Authlib uses. Only public data is kept in memory: metadata
and keys.

An ID token must be signed by the provider, for this console and this sign-in, and be valid now (OpenID Connect Core
1.0, 3.1.3.7). The API server then authenticates the same token by its own configuration; its answer says who the user
is.

Two redirect addresses are registered, both of the default cluster, for sign-in to any cluster. A `state` ends with the
mark of its cluster, and the response is redirected to the same page there. A forged mark leads to a cluster without a
pending sign-in of this browser: the proof is in the cookie of that cluster's own address (PendingSignIn in views.py).
"""

import hashlib
import threading
import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from ssl import SSLContext
from typing import Any

from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken
from django.conf import settings
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from joserfc import jwt
from joserfc.errors import BadSignatureError, ExpiredTokenError, InvalidClaimError, InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet
from joserfc.jws import JWSRegistry
from requests import RequestException
from requests.adapters import HTTPAdapter
from requests.utils import DEFAULT_CA_BUNDLE_PATH, get_environ_proxies

from console.signin.oidc.options import safe
from console.web import clusters
from console.web.clusters import Offered
from console.web.front import addresses_of, place_of
from kube.config import client_context

#: What is asked for where OIDC_SCOPES says nothing, as far as the provider has it.
_SCOPES = ("profile", "email", "groups", "offline_access")
#: Seconds: a request, metadata in memory, and before the provider is asked again for what it did not give or for keys
#: that are new.
_TIMEOUT, _FRESH, _PAUSE = 10.0, 3600.0, 3.0
# https://datatracker.ietf.org/doc/html/rfc6749#section-5.2 : the provider judged what was sent, and it is worth
# nothing.
_JUDGED = frozenset({"invalid_grant", "access_denied"})


class SignInError(Exception):
    """Its words say what to do, and nothing of what was sent.

    `status`: of the response. `counts`: it counts as a guess: the cause may be the client, not the console or the
    provider. `log`: for the console's log.
    """

    def __init__(self, words: str, status: int = 401, *, counts: bool = False, log: str = "") -> None:
        super().__init__(words)
        self.status, self.counts, self.log = status, counts, log or words


class Away(SignInError):
    """The provider does not answer, or answers what it should not: it may do better in a while."""


class SignInRefused(SignInError):
    """The provider refuses the code or the refresh token."""


@dataclass(slots=True, kw_only=True)
class Provider:
    """`found`: its metadata. `read_at`, `keys_at`: time.monotonic()."""

    found: dict[str, Any]
    read_at: float
    keys: KeySet | None = None
    keys_at: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def address(self, what: str) -> str:
        """Of an endpoint; '' where there is none."""
        return str(self.found.get(what) or "")


_known: dict[tuple[str, ...], Provider] = {}
_failed: dict[tuple[str, ...], tuple[float, SignInError]] = {}
_lock = threading.Lock()


def provider() -> Provider:
    """The provider's metadata, cached for an hour.

    Raises Away and SignInError; errors are cached for seconds.
    """
    key = (settings.OIDC_ISSUER, settings.OIDC_CA_FILE)
    with _lock:
        known = _known.get(key)
        if known is not None and time.monotonic() - known.read_at < _FRESH:
            return known
        at, error = _failed.get(key, (-_PAUSE, None))
        if error is not None and time.monotonic() - at < _PAUSE:
            raise error
        try:
            found = _checked(_read(f"{settings.OIDC_ISSUER.rstrip('/')}/.well-known/openid-configuration"))
        except SignInError as raised:
            _failed[key] = time.monotonic(), raised
            if known is not None and isinstance(raised, Away):
                return known
            raise
        _failed.pop(key, None)
        _known[key] = Provider(found=found, read_at=time.monotonic())
        return _known[key]


def provider_name() -> str:
    """What people call the provider."""
    return settings.OIDC_NAME or settings.OIDC_ISSUER.partition("://")[2].partition("/")[0]


def _checked(found: dict[str, Any]) -> dict[str, Any]:
    """Validates the metadata. Discovery 1.0, 4.3: the issuer must be exactly the configured one."""
    issuer = str(found.get("issuer") or "")
    if issuer != settings.OIDC_ISSUER:
        words = _(
            "The provider at %(asked)s reports the issuer %(said)s. If that is correct, set OIDC_ISSUER "
            "to exactly this value."
        )
        raise SignInError(words % {"asked": settings.OIDC_ISSUER, "said": issuer or "-"}, 503)
    needed = ("authorization_endpoint", "token_endpoint", "jwks_uri")
    for what in (*needed, "end_session_endpoint", "revocation_endpoint"):
        address = str(found.get(what) or "")
        if (what in needed and not address) or (address and not safe(address)):
            words = _("%(name)s has no usable %(what)s. Ask its administrator to fix its configuration.")
            raise SignInError(
                words % {"name": provider_name(), "what": what}, 503, log=f"{what} of {issuer} is {address!r}"
            )
    return found


def keys(of: Provider, *, again: bool = False) -> KeySet:
    """Its public keys.

    `again`: a signature names one that is not among them; asked no more often than every few seconds.
    """
    with of.lock:
        if of.keys is None or (again and time.monotonic() - of.keys_at > _PAUSE):
            try:
                of.keys = KeySet.import_key_set(_read(of.address("jwks_uri")))  # type: ignore[arg-type]
            except (JoseError, ValueError, TypeError, KeyError) as error:
                raise _away(f"its keys can't be read: {error!r}") from None
            of.keys_at = time.monotonic()
        return of.keys


def scopes(of: Provider) -> str:
    """Of a sign-in, with spaces."""
    if settings.OIDC_SCOPES:
        return " ".join(settings.OIDC_SCOPES)
    there = of.found.get("scopes_supported")
    return " ".join(("openid", *(scope for scope in _SCOPES if not isinstance(there, list) or scope in there)))


def session(of: Provider, redirect: str = "") -> OAuth2Session:
    """Authlib's client for one exchange.

    A public client sends its id, another one its secret in the way that the provider takes.
    """
    ways = of.found.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
    way = "client_secret_basic" if "client_secret_basic" in ways else "client_secret_post"
    made = OAuth2Session(
        settings.OIDC_CLIENT_ID,
        settings.OIDC_CLIENT_SECRET or None,
        token_endpoint_auth_method=way if settings.OIDC_CLIENT_SECRET else "none",
        scope=scopes(of),
        redirect_uri=redirect,
        code_challenge_method="S256",
        default_timeout=_TIMEOUT,
    )
    _guard(made)
    return made


def ask(of: Provider, grant: str, **what: str) -> dict[str, Any]:
    """Calls the token endpoint. Raises SignInRefused, Away and SignInError."""
    with session(of, what.pop("redirect_uri", "")) as made:
        try:
            if grant == "refresh_token":
                return dict(made.refresh_token(of.address("token_endpoint"), scope=None, allow_redirects=False, **what))
            return dict(made.fetch_token(of.address("token_endpoint"), grant_type=grant, allow_redirects=False, **what))
        except OAuthError as error:
            log_message = f"the token endpoint refused {grant}: {error.error} {error.description or ''}"[:500]
            # dex says invalid_request of a refresh token that it doesn't know, such as after a start with its storage
            # in memory. Answers of 500 and above raise other errors.
            if error.error in _JUDGED or (grant == "refresh_token" and error.error == "invalid_request"):
                raise SignInRefused(
                    _("%(name)s no longer accepts this sign-in. Start again.") % {"name": provider_name()},
                    log=log_message,
                ) from None
            if error.error in ("invalid_client", "unauthorized_client"):
                words = _(
                    "%(name)s doesn't accept this console. Check that OIDC_CLIENT_ID and OIDC_CLIENT_SECRET match the"
                    " client registered there."
                )
                raise SignInError(words % {"name": provider_name()}, 503, log=log_message) from None
            raise _away(log_message) from None
        except (RequestException, ValueError, TypeError, KeyError, OSError) as error:
            raise _away(f"the token endpoint: {error!r}"[:500]) from None


def revoke(of: Provider, token: str) -> None:
    """The refresh token is worth nothing afterwards, where the provider can do that (RFC 7009).

    Whether it did is its own affair.
    """
    if of.address("revocation_endpoint"):
        with session(of) as made:
            made.revoke_token(
                of.address("revocation_endpoint"), token, "refresh_token", timeout=3, allow_redirects=False
            )


class _Adapter(HTTPAdapter):
    """With the console's reading of certificates (kube/config.py)."""

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, **options, ssl_context=_tls())

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
        return super().proxy_manager_for(proxy, **options, ssl_context=_tls())


def _tls() -> SSLContext:
    """OIDC_CA_FILE alone is trusted where it is set, else the authorities that come with requests."""
    return client_context(authority_file=settings.OIDC_CA_FILE or DEFAULT_CA_BUNDLE_PATH)


def _guard(made: Any) -> None:
    """Proxies of the environment are used; its certificates and ~/.netrc would take the place of what the settings
    say.
    """
    made.trust_env = False
    made.proxies.update(get_environ_proxies(settings.OIDC_ISSUER))
    made.verify = settings.OIDC_CA_FILE or True
    made.mount("https://", _Adapter())
    made.headers["User-Agent"] = "operator-console/0.1"


def _read(url: str) -> dict[str, Any]:
    """A document. Raises Away."""
    with OAuth2Session(default_timeout=_TIMEOUT) as made:
        _guard(made)
        try:
            answer = made.get(url, withhold_token=True, allow_redirects=False)
            if answer.status_code != 200:
                raise _away(f"{url} answered {answer.status_code}")
            found = answer.json()
        except (RequestException, ValueError, OSError) as error:
            raise _away(f"{url}: {error!r}"[:500]) from None
    if not isinstance(found, dict):
        raise _away(f"{url} is no object")
    return found


def _away(why: str) -> Away:
    words = _(
        "%(name)s isn't responding correctly, so you can't sign in there now. Try again in a moment. The console's log"
        " has the reason."
    )
    return Away(words % {"name": provider_name()}, 503, log=why)


#: Asymmetric algorithms, whose key only the provider has: not `none`, and not HMAC with the client's secret.
_SIGNED = ("RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "EdDSA")
#: Seconds by which the two clocks may differ.
SKEW = 120


@dataclass(frozen=True, slots=True)
class IdToken:
    """`good_until` is by our own clock: what counts is for how long it was given."""

    text: str
    subject: str
    good_until: datetime


def verified_id_token(of: Provider, text: str, *, nonce: str = "", access_token: str = "") -> IdToken:
    """The token, verified. Raises SignInError.

    Without `nonce` it is from a renewal, which needn't have one (Core 1.0, 12.2).
    """
    if not text:
        words = _("%(name)s returned no ID token. OIDC_SCOPES must include openid.")
        raise SignInError(words % {"name": provider_name()}, 503)
    claims = _signed(of, text)
    token = CodeIDToken(
        claims.claims,
        claims.header,
        options={
            "iss": {"essential": True, "value": settings.OIDC_ISSUER},
            "aud": {"essential": True, "value": settings.OIDC_CLIENT_ID},
        },
        params={"nonce": nonce, "client_id": settings.OIDC_CLIENT_ID, "access_token": access_token},
    )
    try:
        token.validate(leeway=SKEW)
        lifetime = timedelta(seconds=float(token["exp"]) - float(token["iat"]))
    except (ExpiredTokenError, InvalidClaimError) as error:
        if error.claim not in ("exp", "iat", "nbf"):
            raise _forged(f"ID token: {error}") from None
        words = _(
            "The ID token from %(name)s has the wrong time: the clocks of the provider and of this "
            "console differ by more than %(minutes)d minutes. Synchronize the clocks."
        )
        raise SignInError(
            words % {"name": provider_name(), "minutes": SKEW // 60}, 503, log=f"ID token: {error}"
        ) from None
    except (JoseError, ValueError, TypeError, KeyError, OverflowError) as error:
        raise _forged(f"ID token: {error!r}") from None
    if lifetime <= timedelta(0):
        raise _forged(f"ID token: given for {lifetime}")
    return IdToken(text, str(token["sub"]), timezone.now() + lifetime)


def _signed(of: Provider, text: str) -> jwt.Token:
    supported = of.found.get("id_token_signing_alg_values_supported")
    algorithms = [algorithm for algorithm in _SIGNED if not isinstance(supported, list) or algorithm in supported]
    registry = JWSRegistry(algorithms=algorithms, strict_check_header=False)
    for again in (False, True):
        try:
            return jwt.decode(text, keys(of, again=again), registry=registry)
        except (InvalidKeyIdError, BadSignatureError) as error:
            # Keys rotate: fetch them once more before the token is rejected.
            if again:
                raise _forged(f"ID token: {error!r}") from None
        except (JoseError, ValueError, TypeError, KeyError) as error:
            raise _forged(f"ID token: {error!r}") from None
    raise AssertionError


def _forged(why: str) -> SignInError:
    words = _(
        "The ID token from %(name)s isn't for this sign-in, so you weren't signed in. Start again. If it happens again,"
        " see the console's log."
    )
    return SignInError(words % {"name": provider_name()}, counts=True, log=why)


def redirect_address(request: HttpRequest, page: str) -> str:
    """The address of one of our pages, as the provider knows it. `page`: the name of its URL pattern."""
    with addresses_of(clusters.default()):
        path = reverse(page)
    return f"{settings.CONSOLE_URL}{path}" if settings.CONSOLE_URL else request.build_absolute_uri(path)


def cluster_mark(place: Offered) -> str:
    """The end of `state` for a cluster; '' for the default one. A digest, so the provider learns no context's name."""
    return f".{hashlib.sha256(place.context.encode()).hexdigest()[:16]}" if place.prefix else ""


def redirect_to_cluster(request: HttpRequest, page: str) -> HttpResponseRedirect | None:
    """Redirect to the cluster of this response's state, with the whole query; None if it is the cluster of this address
    or unknown.
    """
    if "state" not in request.GET:
        return None
    _word, dot, segment = request.GET["state"].rpartition(".")
    place = next(
        (offered for offered in clusters.offered() if cluster_mark(offered) == (f".{segment}" if dot else "")), None
    )
    if place is None or place == place_of(request):
        return None
    with addresses_of(place):
        return HttpResponseRedirect(f"{reverse(page)}?{request.META.get('QUERY_STRING', '')}")
