"""How often: expensive requests of a user, and failed sign-ins of an address.

Expensive requests are searches over all kinds, exports of whole lists, uploads, catalogs from other sources, and checks
of all instances. A process has eight threads for pages; without a limit, one user's eight searches would block all
users. Counted per process, by the user name from the API server and its cluster. With SIGN_IN=local all requests count
as one user, and a proxy in front can limit clients.

Failed sign-ins are counted by address in the database, so for all web processes together. An address that never failed
is never refused; while many addresses fail, each has fewer tries.
"""

import hashlib
import ipaddress
import logging
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from math import ceil
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _

from console.signin.models import Attempt
from console.web.errors import Problem, problem_response

log = logging.getLogger("console.signin")

#: Token bucket: burst, then requests per second; and concurrent requests, of a process' eight threads.
BURST, A_SECOND, AT_ONCE = 60, 1.0, 4
#: Users that are tracked; evicted ones start with a full bucket.
_KEPT = 4096
#: Names of URL patterns. Reading one object, a page of a list or a form isn't expensive.
EXPENSIVE = frozenset(
    {
        "api-schema",
        "pages:audit-export",
        "resources:search",
        "resources-api:search",
        "resources:download",
        "resources:import",
        "resources:bulk",
        "operatorhub:run",
        "operatorhub:source-new",
        "operatorhub:source-edit",
        "operatorhub:source-read",
        "operatorhub:source-refresh",
        "operatorhub:plan-check",
        "operatorhub:approve-updates",
        "operatorhub:export",
        "operatorhub:import",
        "operatorhub:compare",
        "operatorhub-api:compare",
        "operatorhub-api:export",
        "operatorhub-api:catalogs",
        "operatorhub-api:runs",
    }
)


class _Person:
    """`left`: how many are left of the burst, at `at`; `now`: how many are being answered."""

    __slots__ = ("at", "left", "now")

    def __init__(self) -> None:
        self.left, self.at, self.now = float(BURST), time.monotonic(), 0


_people: dict[str, _Person] = {}
_lock = threading.Lock()


def enter(user: str) -> float:
    """0 if the request can start, to be followed by leave(); else the seconds to wait."""
    with _lock:
        person, now = _people.setdefault(user, _Person()), time.monotonic()
        while len(_people) > _KEPT and (idle := next((name for name, known in _people.items() if not known.now), None)):
            del _people[idle]
        person.left, person.at = min(BURST, person.left + (now - person.at) * A_SECOND), now
        if person.left < 1:
            return (1 - person.left) / A_SECOND
        if person.now >= AT_ONCE:
            return 1.0
        person.left -= 1
        person.now += 1
        return 0.0


def leave(user: str) -> None:
    with _lock:
        if user in _people:
            _people[user].now -= 1


def _give_back(request: HttpRequest) -> None:
    """Once."""
    if held := getattr(request, "paced", ""):
        request.paced = ""  # type: ignore[attr-defined]
        leave(held)


class PaceMiddleware:
    """429 with Retry-After, as a page, a part or JSON, by who asks."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            response = self.get_response(request)
        except BaseException:
            _give_back(request)
            raise
        if response.streaming:
            # A file is generated while it is sent: it occupies its thread until its end or the client's disconnect.
            response._resource_closers.append(lambda: _give_back(request))  # type: ignore[attr-defined]
        else:
            _give_back(request)
        return response

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponseBase | None:
        person, match = getattr(request, "person", None), request.resolver_match
        if person is None or match is None or match.view_name not in EXPENSIVE:
            return None
        if wait := enter(person.counted):
            title = _("Too many requests")
            advice = _(
                "This request is expensive for the console and the cluster, and other users are waiting. "
                "Try again in a moment."
            )
            return problem_response(
                request,
                Problem(
                    status=429, title=title, advice=advice, detail="", reason="TooManyRequests", retry_after=ceil(wait)
                ),
            )
        request.paced = person.counted  # type: ignore[attr-defined]
        return None


#: Sign-in: within these minutes so many tries of one address can fail.
MINUTES = 5
BY_ADDRESS = 10
#: While more than so many fail in all, an address has fewer.
BY_ALL = 300
BY_ADDRESS_IN_A_CROWD = 3


class TooOften(Exception):
    """`seconds` to wait at most."""

    seconds = MINUTES * 60


def begin_attempt(request: HttpRequest) -> int:
    """Counts this try before it is judged, so that many at once don't slip through; its number, for forget_attempt().

    Raises TooOften.
    """
    now = timezone.now()
    Attempt.objects.filter(at__lt=now - timedelta(minutes=MINUTES)).delete()
    mine = Attempt.objects.create(address=_address(request), at=now)
    tried = Attempt.objects.filter(address=mine.address, pk__lte=mine.pk).count()
    crowd = Attempt.objects.filter(pk__lte=mine.pk).count() > BY_ALL
    if tried > (BY_ADDRESS_IN_A_CROWD if crowd else BY_ADDRESS):
        # A refused attempt doesn't count: otherwise constant attempts would lock the address out for good.
        mine.delete()
        if "X-Forwarded-For" in request.headers:
            peer = request.META.get("REMOTE_ADDR", "")
            log.warning("too many sign-ins failed from %s; if it is a proxy, name it in FORWARDED_ALLOW_IPS", peer)
        raise TooOften
    return int(mine.pk)


def forget_attempt(number: int) -> None:
    """Removes an attempt that wasn't a wrong guess."""
    Attempt.objects.filter(pk=number).delete()


def _address(request: HttpRequest) -> str:
    """The client's address as a digest. An IPv6 /64 counts as one address: each client has 2^64 of them."""
    text = request.META.get("REMOTE_ADDR", "")
    try:
        found = ipaddress.ip_address(text)
        if found.version == 6:
            text = str(ipaddress.ip_network(f"{text.partition('%')[0]}/64", strict=False))
    except ValueError:
        pass
    return hashlib.sha256(text.encode()).hexdigest()
