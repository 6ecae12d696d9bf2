"""As whom a request acts: the signed-in user, or a user whom they impersonate.

Without a user, requests get only the sign-in page; with one, a client with the user's credentials. With SIGN_IN=local
only requests to /api/ with a token and impersonations get a client of their own. After the end of an impersonation,
requests get only an offer to stop it.
"""

import time
from collections.abc import Callable
from functools import partial
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _

from console.signin import bearer, clients, impersonation, judge, sessions
from console.signin.impersonation import Acting
from console.signin.oidc import renewal
from console.signin.oidc.provider import provider_name as provider_name
from console.web import errors
from console.web.errors import Problem, as_json, wants_json
from console.web.request import wants_fragment
from kube.client import ClusterClient
from kube.errors import KubeError, Unauthorized

#: Paths without sign-in: probes, metrics, the sign-in itself. Static files are served before this.
_OPEN = frozenset({"/healthz", "/readyz", "/metrics"})
_WAYS = ("sign-in", "sign-out", "oidc", "oidc-back")
#: Header with the identity that a page was rendered for, so that its parts don't mix with another identity's.
_WHO = "X-Console-Who"


def no_client() -> ClusterClient:
    """Raises Unauthorized: a request without a user has no client, and never uses the console's own identity."""
    raise Unauthorized(_("You aren't signed in."))


class SignInMiddleware:
    """Sets `person` on the request (None: not signed in, or SIGN_IN=local), and `client_of`, by which ClusterMiddleware
    gets the client.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.person = None  # type: ignore[attr-defined]
        if bearer.brought(request):
            return private(_program(request, self.get_response))
        if settings.SIGN_IN == "local":
            return self.get_response(request)
        person = request.person = sessions.person_of(request)  # type: ignore[attr-defined]
        if person is None:
            request.client_of = no_client  # type: ignore[attr-defined]
            return private(self.get_response(request) if is_open(request) else refuse(request))
        request.client_of = partial(clients.client_of, person.session)  # type: ignore[attr-defined]
        response = self.get_response(request)
        if ended_meanwhile(person.session, response):
            request.person = None  # type: ignore[attr-defined]
            request.client_of = no_client  # type: ignore[attr-defined]
            response = refuse(request)
        return private(response)


def _program(request: HttpRequest, get_response: Callable[[HttpRequest], HttpResponse]) -> HttpResponse:
    """A request that is judged by its token alone: what its cookie says is not looked at."""
    request.by_token = True  # type: ignore[attr-defined]
    try:
        found = bearer.caller(request)
    except bearer.TokenRefused as error:
        return bearer.error_response(error)
    request.person = found.person  # type: ignore[attr-defined]
    request.client_of = lambda: found.client  # type: ignore[attr-defined]
    response = get_response(request)
    if response.status_code == 401:
        bearer.forget(found)
        response["WWW-Authenticate"] = f'{bearer.CHALLENGE}, error="invalid_token"'
    return response


def ended_meanwhile(session: str, response: HttpResponse) -> bool:
    """Whether the session ended while its request was answered: by the API server's word, or otherwise."""
    client = clients.take_refused(session)
    if client is not None and not renewal.again(session) and judge.refused(client):
        sessions.end(session, "refused")
        return True
    return response.status_code == 401 and sessions.find(session) is None


def is_open(request: HttpRequest) -> bool:
    """Choosing a language (a POST) is open: its page shows more."""
    if request.path_info in _OPEN or request.path in [reverse(f"signin:{name}") for name in _WAYS]:
        return True
    return request.method == "POST" and request.path == reverse("pages:settings")


def private(response: HttpResponse) -> HttpResponse:
    """Forbids caching in browsers and proxies: after a sign-out the back button shows no page."""
    if "immutable" not in response.get("Cache-Control", ""):
        response["Cache-Control"] = "no-store, private"
    elif "public" in response["Cache-Control"]:
        response["Cache-Control"] = response["Cache-Control"].replace("public", "private")
    return response


def refuse(request: HttpRequest) -> HttpResponse:
    """Response without a session: an error for programs and parts of pages, else a redirect to the sign-in.

    Form input is preserved.
    """
    over = ("refused" if renewal.refused(sessions.key_of(request)) else "over") if sessions.named(request) else ""
    title = _("You are signed out") if over else _("Sign in first")
    if over == "refused":
        advice = _(
            "Your session has ended because %(name)s didn't renew your sign-in. Sign in again in "
            "another tab, then repeat the request."
        ) % {"name": provider_name()}
    else:
        advice = _(
            "Your session has ended: you signed out, the token expired or was revoked, or the session "
            "timed out. Sign in again in another tab, then repeat the request."
        )
    problem = Problem(status=401, title=title, advice=advice if over else "", detail="", reason="Unauthorized")
    if wants_json(request):
        return JsonResponse(as_json(problem), status=401, headers={"WWW-Authenticate": bearer.CHALLENGE})
    if over and request.method == "POST" and request.POST and errors.is_own_origin(request):
        # The page around it asks for what ClusterMiddleware, which comes later, would have put there.
        for name, value in (("cluster", SimpleLazyObject(no_client)), ("namespace", ""), ("started", time.monotonic())):
            setattr(request, name, value)
        return errors.preserved_response(request, problem)
    if wants_fragment(request):
        response = HttpResponse(status=401)
        response["HX-Redirect"] = address(_seen(request), over=over)
        return response
    if request.method in ("GET", "HEAD"):
        return HttpResponseRedirect(address(request.get_full_path(), over=over))
    return HttpResponseRedirect(address("", over=over))


def address(back: str, *, over: str = "") -> str:
    """Of the sign-in, with the way back. `over`: `over`, or `refused` where the provider did not renew it."""
    query = urlencode({**({"next": back} if back and back != "/" else {}), **({"why": over} if over else {})})
    return f"{reverse('signin:sign-in')}{'?' + query if query else ''}"


def _seen(request: HttpRequest) -> str:
    """The page in which a part was asked for, as far as it is one of ours (htmx tells: HX-Current-URL)."""
    url = urlsplit(request.headers.get("HX-Current-URL", ""))
    if url.netloc != request.get_host():
        return ""
    return f"{url.path}?{url.query}" if url.query else url.path


def set_impersonation(request: HttpRequest) -> Acting | None:
    """Sets `acting` on the request (None: no impersonation), and its client."""
    found = impersonation.impersonation_of(request)
    request.acting = found  # type: ignore[attr-defined]
    if found is not None:
        request.client_of = no_client if found.over else partial(clients.client_of, found.key)  # type: ignore[attr-defined]
    return found


class ActingMiddleware:
    """Sets `acting` on the request, and the impersonated user's client. After SignInMiddleware."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.acting = None  # type: ignore[attr-defined]
        if getattr(request, "by_token", False) or getattr(request, "client_of", None) is no_client:
            return self.get_response(request)
        found = set_impersonation(request)
        mark = request.headers.get(_WHO)
        if mark is not None and mark != (found.mark if found else "") and request.method in ("GET", "HEAD"):
            return _load_again()
        if found is None or is_open(request) or request.path == reverse("signin:view-as-stop"):
            return self.get_response(request)
        if found.over or _over(found):
            return refuse_ended_impersonation(request, found)
        response = self.get_response(request)
        if response.status_code == 403 and clients.is_revoked(found.key, now=True):
            return refuse_ended_impersonation(request, found)
        return response


def _over(found: Acting) -> bool:
    try:
        clients.client_of(found.key)
    except KubeError:
        # The page itself says that the cluster is away.
        return False
    return clients.is_revoked(found.key)


def _load_again() -> HttpResponse:
    response = HttpResponse(status=409)
    response["HX-Refresh"] = "true"
    return response


def refuse_ended_impersonation(request: HttpRequest, found: Acting) -> HttpResponse:
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
    response = render(request, "console/problem.html", {"problem": problem, "skeleton": "base.html"}, status=403)
    response["Cache-Control"] = "no-store, private"
    return response
