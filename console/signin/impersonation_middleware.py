"""Impersonation of requests: they get the impersonated user's client, or after its end only an offer to stop."""

from collections.abc import Callable
from functools import partial

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _

from console.signin import clients, impersonation, revocation
from console.signin.impersonation import Acting
from console.signin.middleware import is_open, no_client
from console.web.errors import Problem, as_json, wants_json
from console.web.request import wants_fragment
from kube.errors import KubeError

#: Header with the identity that a page was rendered for, so that its parts don't mix with another identity's.
_WHO = "X-Console-Who"


def place(request: HttpRequest) -> Acting | None:
    """Sets `acting` on the request (None: no impersonation), and its client."""
    found = impersonation.impersonation_of(request)
    request.acting = found  # type: ignore[attr-defined]
    if found is not None:
        request.client_of = no_client if found.over else partial(clients.client_of, found.key)  # type: ignore[attr-defined]
    return found


class ActingMiddleware:
    """After SignInMiddleware."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.acting = None  # type: ignore[attr-defined]
        if getattr(request, "by_token", False) or getattr(request, "client_of", None) is no_client:
            return self.get_response(request)
        found = place(request)
        mark = request.headers.get(_WHO)
        if mark is not None and mark != (found.mark if found else "") and request.method in ("GET", "HEAD"):
            return _load_again()
        if found is None or is_open(request) or request.path == reverse("signin:view-as-stop"):
            return self.get_response(request)
        if found.over or _over(found):
            return refuse(request, found)
        response = self.get_response(request)
        if response.status_code == 403 and revocation.is_revoked(found.key, now=True):
            return refuse(request, found)
        return response


def _over(found: Acting) -> bool:
    try:
        clients.client_of(found.key)
    except KubeError:
        # The page itself says that the cluster is away.
        return False
    return revocation.is_revoked(found.key)


def _load_again() -> HttpResponse:
    response = HttpResponse(status=409)
    response["HX-Refresh"] = "true"
    return response


def refuse(request: HttpRequest, found: Acting) -> HttpResponse:
    """Refuses requests after the impersonation ended: users continue as themselves only when they choose Stop."""
    found = impersonation.impersonation_of(request) or found
    title = _("You are no longer impersonating %(name)s") % {"name": found.user or _("another user")}
    if found.withdrawn:
        advice = _(
            "The cluster no longer lets you impersonate this user. Nothing was changed. Stop "
            "impersonation to continue as yourself."
        )
    else:
        advice = _(
            "Impersonation ended: it expired, or the session that started it ended. Nothing was "
            "changed. Stop impersonation to continue as yourself."
        )
    problem = Problem(status=403, title=title, advice=advice, detail="", reason="ImpersonationOver")
    if wants_json(request):
        return JsonResponse(as_json(problem), status=403)
    if wants_fragment(request):
        return _load_again()
    request.acting, request.namespace = found, ""  # type: ignore[attr-defined]
    request.cluster = SimpleLazyObject(no_client)  # type: ignore[attr-defined]
    response = render(request, "signin/acting_over.html", {"problem": problem}, status=403)
    response["Cache-Control"] = "no-store, private"
    return response
