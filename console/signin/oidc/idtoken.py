"""An ID token: signed by the provider, for this console, for this sign-in, and of now (OpenID Connect Core 1.0,
3.1.3.7).

The API server judges the same token once more, by its own configuration; what it says of its owner is what counts.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from authlib.oidc.core import CodeIDToken
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _
from joserfc import jwt
from joserfc.errors import BadSignatureError, ExpiredTokenError, InvalidClaimError, InvalidKeyIdError, JoseError
from joserfc.jws import JWSRegistry

from console.signin.oidc.provider import Provider, keys
from console.signin.oidc.troubles import SignInError, name

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


def judged(of: Provider, text: str, *, nonce: str = "", access_token: str = "") -> IdToken:
    """Raises SignInError. Without a `nonce` it is one of a renewal, which need not have it (Core 1.0, 12.2)."""
    if not text:
        words = _("%(name)s returned no ID token. OIDC_SCOPES must include openid.")
        raise SignInError(words % {"name": name()}, 503)
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
        raise SignInError(words % {"name": name(), "minutes": SKEW // 60}, 503, log=f"ID token: {error}") from None
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
    return SignInError(words % {"name": name()}, counts=True, log=why)
