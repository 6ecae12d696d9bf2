"""`Authorization: Bearer` for /api/: a program acts with its own token, without sign-in or cookie.

The token is checked as at sign-in, with the same limits on guesses, and its client is cached for seconds: in memory
only, under a digest. A token takes precedence over a cookie. With SIGN_IN=local it is refused: a program that expects
to act with its own identity must not act as the console.
https://www.rfc-editor.org/rfc/rfc6750
"""

import threading
from dataclasses import dataclass
from datetime import datetime

from cachetools import TTLCache
from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from console.signin import judge, rate_limits, signals
from console.signin.address import unheard
from console.signin.sessions import Person
from console.web import clusters
from console.web.clusters import Offered
from console.web.errors import Problem, as_json
from console.web.front import place_of
from kube.client import ClusterClient
from kube.config import user_config

#: A token is checked again after so many seconds.
SECONDS = 30.0
#: How many clients are cached; and how many digests of tokens that were valid within the hour, whose next check doesn't
#: count as a guess.
_KEPT, _GOOD, _HOUR = 64, 1024, 3600.0
_PREFIX = "api-"
_SCHEME = "bearer"
#: WWW-Authenticate of a response to a request without credentials.
CHALLENGE = 'Bearer realm="operator-console"'


@dataclass(frozen=True, slots=True)
class Caller:
    """A program whose token was valid at its last check.

    `person.session` begins with api-: it has no row and no cookie, and workers don't use it.
    """

    person: Person
    client: ClusterClient


class TokenRefused(Exception):
    """`status` and `words` of the response; `seconds` to wait, 0 if unknown."""

    def __init__(self, words: str, status: int, seconds: int = 0) -> None:
        super().__init__(words)
        self.status, self.seconds = status, seconds


_callers: TTLCache[str, Caller] = TTLCache(_KEPT, SECONDS)
_good: TTLCache[str, bool] = TTLCache(_GOOD, _HOUR)
_judging: dict[str, threading.Lock] = {}
_lock = threading.Lock()


def brought(request: HttpRequest) -> bool:
    """Whether this request is to be judged by its headers. Pages take none; other schemes may be a proxy's in front."""
    if not request.path_info.startswith("/api/"):
        return False
    scheme = request.headers.get("Authorization", "").partition(" ")[0]
    return scheme.lower() == _SCHEME or _impersonates(request)


def _impersonates(request: HttpRequest) -> bool:
    return any(name.lower().startswith("impersonate-") for name in request.headers)


def is_program(session: str) -> bool:
    return session.startswith(_PREFIX)


def caller(request: HttpRequest) -> Caller:
    """Whose token it is. Raises TokenRefused."""
    if _impersonates(request):
        raise TokenRefused(
            _(
                "The console doesn't forward Impersonate headers, so this request would not run as the user "
                "they name. Nothing was changed."
            ),
            400,
        )
    if settings.SIGN_IN == "local":
        raise TokenRefused(
            _(
                "This console has no sign-in (SIGN_IN=local) and doesn't accept tokens: all requests use "
                "the console's own identity. Nothing was changed."
            ),
            400,
        )
    if not unheard(request):
        raise TokenRefused(_("A token must not be sent unencrypted. Use https, or the console's own machine."), 403)
    token = request.headers.get("Authorization", "").partition(" ")[2].strip()
    place = place_of(request)
    digest = _digest(token, place)
    if found := _known(digest):
        return found
    with _lock:
        mine = _judging.setdefault(digest, threading.Lock())
    try:
        with mine:
            return _known(digest) or _judged(request, token, digest, place)
    finally:
        with _lock:
            _judging.pop(digest, None)


def still(request: HttpRequest) -> bool:
    """For open connections: whether the token is still valid. Errors other than a refusal count as valid."""
    try:
        caller(request)
    except TokenRefused as error:
        return error.status != 401
    return True


def forget(found: Caller) -> None:
    """The API server answered 401 to something of it."""
    with _lock:
        _callers.pop(found.person.session, None)


def error_response(error: TokenRefused) -> JsonResponse:
    """The refusal in the format of all errors under /api/."""
    title = _("This token isn't accepted") if error.status == 401 else _("This request can't be processed")
    reason = {401: "Unauthorized", 403: "Forbidden", 429: "TooManyRequests"}.get(
        error.status, "BadRequest" if error.status < 500 else "ServiceUnavailable"
    )
    response = JsonResponse(
        as_json(Problem(status=error.status, title=title, advice="", detail=str(error), reason=reason)),
        status=error.status,
    )
    if error.status == 401:
        response["WWW-Authenticate"] = f'{CHALLENGE}, error="invalid_token"'
    if error.seconds:
        response["Retry-After"] = str(error.seconds)
    return response


def _known(digest: str) -> Caller | None:
    with _lock:
        found = _callers.get(digest)
    return found if found and found.person.until > timezone.now() else None


def _judged(request: HttpRequest, token: str, digest: str, place: Offered) -> Caller:
    with _lock:
        again = digest in _good
    number = 0
    try:
        if not again:
            number = rate_limits.begin_attempt(request)
        known = judge.know(judge.strict(token), place)
    except rate_limits.TooOften as error:
        signals.refused.send(sender=Caller, why=429, request=request)
        words = _("Too many sign-ins failed. Wait %(minutes)d minutes, then try again.") % {
            "minutes": rate_limits.MINUTES
        }
        raise TokenRefused(words, 429, error.seconds) from None
    except judge.NotKnown as error:
        with _lock:
            if error.counts:
                _good.pop(digest, None)
        if not error.counts and number:
            rate_limits.forget_attempt(number)
        signals.refused.send(sender=Caller, why=error.status, request=request)
        raise TokenRefused(str(error), 401 if error.status == 422 else error.status) from None
    if number:
        rate_limits.forget_attempt(number)
    until = known.expires or datetime.max.replace(tzinfo=timezone.get_default_timezone())
    found = Caller(
        Person(
            session=digest, user=known.user, groups=known.groups, until=until, cluster=clusters.endpoint_name(place)
        ),
        ClusterClient(user_config(clusters.endpoint_of(place), known.user, token, digest)),
    )
    with _lock:
        _callers[digest] = found
        _good[digest] = True
    return found


def _digest(token: str, place: Offered) -> str:
    """A digest with a salt of its own, so that a digest in a run's row reveals nothing about the token.

    It includes the cluster: another cluster checks the token itself.
    """
    material = f"{token}\n{place.context}" if place.prefix else token
    return _PREFIX + salted_hmac("console.signin.bearer", material, algorithm="sha256").hexdigest()[:60]
