"""As whom: a request of a browser that acts as another gets that one's client, or nothing but the way back once it
may not any more.
"""

from collections.abc import Callable
from functools import partial

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _

from console.signin import acting, clients, withdrawn
from console.signin.acting import Acting
from console.signin.middleware import is_open, nobody
from console.web.errors import Problem, as_json, wants_json
from console.web.request import wants_fragment
from kube.errors import KubeError

#: A page says here as whom it was made: parts of it are not mixed with what another one sees.
_WHO = "X-Console-Who"


def place(request: HttpRequest) -> Acting | None:
    """Puts `acting` on the request (None: as oneself), and whose client it is."""
    found = acting.of(request)
    request.acting = found  # type: ignore[attr-defined]
    if found is not None:
        request.client_of = nobody if found.over else partial(clients.of, found.key)  # type: ignore[attr-defined]
    return found


class ActingMiddleware:
    """After SignInMiddleware."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.acting = None  # type: ignore[attr-defined]
        if getattr(request, "by_token", False) or getattr(request, "client_of", None) is nobody:
            return self.get_response(request)
        found = place(request)
        told = request.headers.get(_WHO)
        if told is not None and told != (found.mark if found else "") and request.method in ("GET", "HEAD"):
            return _load_again()
        if found is None or is_open(request) or request.path == reverse("signin:view-as-stop"):
            return self.get_response(request)
        if found.over or _over(found):
            return refuse(request, found)
        response = self.get_response(request)
        if response.status_code == 403 and withdrawn.look(found.key, now=True):
            return refuse(request, found)
        return response


def _over(found: Acting) -> bool:
    try:
        clients.of(found.key)
    except KubeError:
        # The page itself says that the cluster is away.
        return False
    return withdrawn.look(found.key)


def _load_again() -> HttpResponse:
    response = HttpResponse(status=409)
    response["HX-Refresh"] = "true"
    return response


def refuse(request: HttpRequest, found: Acting) -> HttpResponse:
    """Nobody acts as himself because he may not act as another any more: that has to be asked for."""
    found = acting.of(request) or found
    title = _("You are no longer acting as %(name)s") % {"name": found.user or _("another user")}
    if found.withdrawn:
        advice = _(
            "The cluster no longer lets you impersonate this user. Nothing was done. Stop impersonation to continue"
            " as yourself."
        )
    else:
        advice = _(
            "Impersonation ended: its time is over, or the session in which it began ended. Nothing was done. Stop"
            " impersonation to continue as yourself."
        )
    problem = Problem(403, title, advice, "", "ImpersonationOver")
    if wants_json(request):
        return JsonResponse(as_json(problem), status=403)
    if wants_fragment(request):
        return _load_again()
    request.acting, request.namespace = found, ""  # type: ignore[attr-defined]
    request.cluster = SimpleLazyObject(nobody)  # type: ignore[attr-defined]
    response = render(request, "signin/acting_over.html", {"problem": problem}, status=403)
    response["Cache-Control"] = "no-store, private"
    return response
