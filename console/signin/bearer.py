"""`Authorization: Bearer` for /api/: a program acts with its own token, without a sign-in and without a cookie.

The token is judged as at the sign-in, with the same limits on guesses, and its client is kept for seconds: in memory
alone, under a digest. A request that has both a token and a cookie is the token's. Where nobody signs in
(SIGN_IN=local) it is refused: a program that thinks it acts as somebody must not act as the console.
https://www.rfc-editor.org/rfc/rfc6750
"""

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from console.signin import judge, limits, signals, way
from console.signin.address import unheard
from console.signin.sessions import Person
from console.web.clusters import Offered
from console.web.errors import Problem, as_json
from console.web.front import place_of
from kube.client import ClusterClient
from kube.person import person

#: Judged anew after so many seconds.
SECONDS = 30.0
#: Of so many tokens at once; and of so many it is remembered, by digest alone, that they were good within the hour: to
#: judge those again is no guess.
_KEPT, _GOOD, _HOUR = 64, 1024, 3600.0
_PREFIX = "api-"
_SCHEME = "bearer"
#: What a request without credentials is told to bring.
CHALLENGE = 'Bearer realm="operator-console"'


@dataclass(frozen=True, slots=True)
class Caller:
    """A program, while its token is believed in.

    `person.session` begins with api-: no row, no cookie and no worker knows it.
    """

    person: Person
    client: ClusterClient
    until: float


class Refused(Exception):
    """`status` and `words` of the answer; `seconds` to wait, 0 if not said."""

    def __init__(self, words: str, status: int, seconds: int = 0) -> None:
        super().__init__(words)
        self.status, self.seconds = status, seconds


_callers: "OrderedDict[str, Caller]" = OrderedDict()
_good: "OrderedDict[str, float]" = OrderedDict()
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
    """Whose token it is. Raises Refused."""
    if _impersonates(request):
        raise Refused(
            _(
                "The console passes no Impersonate header on, so this would not be done as the one it names. Nothing"
                " was done."
            ),
            400,
        )
    if settings.SIGN_IN == "local":
        raise Refused(
            _(
                "This console has no sign-in (SIGN_IN=local) and takes no token: everyone who reaches it acts as its"
                " own identity. Nothing was changed."
            ),
            400,
        )
    if not unheard(request):
        raise Refused(_("A token must not be sent unencrypted. Use https, or the console's own machine."), 403)
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
    """For what stays open: whether the token is good by now. Other trouble than a refusal ends nothing."""
    try:
        caller(request)
    except Refused as error:
        return error.status != 401
    return True


def forget(found: Caller) -> None:
    """The API server answered 401 to something of it."""
    with _lock:
        _callers.pop(found.person.session, None)


def answer(error: Refused) -> JsonResponse:
    """In the shape of every error under /api/."""
    title = _("This token is not accepted") if error.status == 401 else _("This request can't be answered")
    reason = {401: "Unauthorized", 403: "Forbidden", 429: "TooManyRequests"}.get(
        error.status, "BadRequest" if error.status < 500 else "ServiceUnavailable"
    )
    response = JsonResponse(as_json(Problem(error.status, title, "", str(error), reason)), status=error.status)
    if error.status == 401:
        response["WWW-Authenticate"] = f'{CHALLENGE}, error="invalid_token"'
    if error.seconds:
        response["Retry-After"] = str(error.seconds)
    return response


def _known(digest: str) -> Caller | None:
    now = time.monotonic()
    with _lock:
        for key in [key for key, one in _callers.items() if one.until <= now or one.person.until <= timezone.now()]:
            del _callers[key]
        return _callers.get(digest)


def _judged(request: HttpRequest, token: str, digest: str, place: Offered) -> Caller:
    with _lock:
        again = _good.get(digest, -_HOUR) > time.monotonic() - _HOUR
    number = 0
    try:
        if not again:
            number = limits.begin(request)
        known = judge.know(judge.strict(token), place)
    except limits.TooOften as error:
        signals.refused.send(sender=Caller, why=429, request=request)
        words = _("Too many sign-ins failed. Wait %(minutes)d minutes, then try again.") % {"minutes": limits.MINUTES}
        raise Refused(words, 429, error.seconds) from None
    except judge.NotKnown as error:
        with _lock:
            if error.counts:
                _good.pop(digest, None)
        if not error.counts and number:
            limits.good(number)
        signals.refused.send(sender=Caller, why=error.status, request=request)
        raise Refused(str(error), 401 if error.status == 422 else error.status) from None
    if number:
        limits.good(number)
    until = known.expires or datetime.max.replace(tzinfo=timezone.get_default_timezone())
    found = Caller(
        Person(digest, known.user, known.groups, until, way.name(place)),
        ClusterClient(person(way.config(place), known.user, token, digest)),
        time.monotonic() + SECONDS,
    )
    with _lock:
        _callers[digest] = found
        _good[digest] = time.monotonic()
        _good.move_to_end(digest)
        for kept, most in ((_callers, _KEPT), (_good, _GOOD)):
            while len(kept) > most:
                kept.popitem(last=False)
    return found


def _digest(token: str, place: Offered) -> str:
    """Under another key than any other digest here: who reads one of a run's row learns nothing of the token.

    What one cluster said of it is no word of another.
    """
    told = f"{token}\n{place.context}" if place.prefix else token
    return _PREFIX + salted_hmac("console.signin.bearer", told, algorithm="sha256").hexdigest()[:60]
