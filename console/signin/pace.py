"""How often one person may ask for what is expensive: searches over everything, whole lists as files, uploads,
catalogs from elsewhere, checks of all instances.

A process has eight threads for pages; without this, one person's eight searches would be everybody's wait. Counted in
each process, by the name that the API server gave and its cluster. While SIGN_IN=local all are one person, and who may
knock how often is for whoever stands in front.
"""

import threading
import time
from collections.abc import Callable
from math import ceil
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _

from console.web.errors import Problem, problem_response

#: So many in a row, then one a second; and so many at once, of a process' eight threads.
BURST, A_SECOND, AT_ONCE = 60, 1.0, 4
#: People of whom it is remembered; whoever was forgotten begins anew.
_KEPT = 4096
#: Addresses by their names. Reading one object, a page of a list or a form is not among them.
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
    """0, and leave() is owed; or how many seconds to wait."""
    with _lock:
        person, now = _people.setdefault(user, _Person()), time.monotonic()
        while len(_people) > _KEPT and (idle := next((name for name, one in _people.items() if not one.now), None)):
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
            # A file is made while it is sent: its thread is held until its end, or until nobody reads it any more.
            response._resource_closers.append(lambda: _give_back(request))  # type: ignore[attr-defined]
        else:
            _give_back(request)
        return response

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponseBase | None:
        person, match = getattr(request, "person", None), request.resolver_match
        if person is None or match is None or match.view_name not in EXPENSIVE:
            return None
        if wait := enter(person.counted):
            title = _("You ask for this too often")
            advice = _(
                "It is work for the console and the cluster, and others wait for them too. Try again in a moment."
            )
            return problem_response(
                request,
                Problem(
                    status=429, title=title, advice=advice, detail="", reason="TooManyRequests", retry_after=ceil(wait)
                ),
            )
        request.paced = person.counted  # type: ignore[attr-defined]
        return None
