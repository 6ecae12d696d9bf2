"""/sign-in/ and /sign-out/."""

import logging

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from console.signin import judge, limits, sessions
from console.web.front import place_of
from console.web.request import NAMESPACE_COOKIE
from kube.errors import KubeError

_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
log = logging.getLogger("console.signin")
#: A digest of who used this browser last: what it keeps (drafts of forms) is not the next one's.
_LAST = f"{settings.SESSION_COOKIE_NAME}_last"
_YEAR = 365 * 24 * 3600


@sensitive_post_parameters("token")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """The page; a POST with a `token` signs in and goes to `next`. What was typed is never part of an answer."""
    if settings.SIGN_IN == "local":
        raise Http404
    back = _safe(request, request.POST.get("next") or request.GET.get("next") or "")
    if request.method != "POST":
        if getattr(request, "person", None) is not None:
            return HttpResponseRedirect(back or reverse("pages:overview"))
        return _page(request, back, over=request.GET.get("why") == "over")
    if not _unheard(request):
        words = _("A token must not be sent in the open: use https, or the console's own machine.")
        return _page(request, back, error=words, status=403)
    try:
        return _entered(request, back, judge.clean(request.POST.get("token", "")))
    except judge.NotKnown as error:
        log.warning("a sign-in from %s was refused with %d", request.META.get("REMOTE_ADDR", ""), error.status)
        return _page(request, back, error=str(error), status=error.status)
    except limits.TooOften as error:
        words = _("Too many sign-ins failed. Wait %(minutes)d minutes, then try again.") % {"minutes": limits.MINUTES}
        response = _page(request, back, error=words, status=429)
        response["Retry-After"] = str(error.seconds)
        return response


def _entered(request: HttpRequest, back: str, token: str) -> HttpResponse:
    """Raises NotKnown and TooOften."""
    number = limits.begin(request)
    try:
        known = judge.know(token, place_of(request))
    except judge.NotKnown as error:
        if not error.counts:
            limits.good(number)
        raise
    limits.good(number)
    try:
        person = sessions.begin(request, known, token)
    except KubeError:
        raise judge.NotKnown(_("The console's kubeconfig can't be used. Its log says why."), 503) from None
    response = HttpResponseRedirect(back or reverse("pages:overview"))
    mark = salted_hmac("console.signin.last", person.user).hexdigest()
    if request.COOKIES.get(_LAST) != mark:
        _forget(response)
        response.set_cookie(_LAST, mark, max_age=_YEAR, samesite="Lax", httponly=True, secure=settings.HTTPS)
    return response


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """Ends the session, and with it its credentials and whatever is open for it."""
    if settings.SIGN_IN == "local":
        raise Http404
    sessions.leave(request)
    response = HttpResponseRedirect(reverse("signin:sign-in"))
    _forget(response)
    return response


def _forget(response: HttpResponse) -> None:
    """Names of objects that the browser keeps: drafts of forms, messages, the chosen namespace.

    https://www.w3.org/TR/clear-site-data/ : browsers do it where the page is of https or localhost.
    """
    response["Clear-Site-Data"] = '"cache", "storage"'
    for name in (NAMESPACE_COOKIE, "messages"):
        response.delete_cookie(name, samesite="Lax")


def _page(request: HttpRequest, back: str, *, error: str = "", over: bool = False, status: int = 200) -> HttpResponse:
    return render(request, "signin/sign_in.html", {"back": back, "error": error, "over": over}, status=status)


def _safe(request: HttpRequest, back: str) -> str:
    """Only a page of this console; the sign-in itself is none to come back to."""
    good = url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()}, require_https=request.is_secure())
    return back if good and not back.startswith((reverse("signin:sign-in"), reverse("signin:sign-out"))) else ""


def _unheard(request: HttpRequest) -> bool:
    """Whether nobody on the way reads along: TLS, or this machine."""
    return request.is_secure() or request.get_host().rpartition(":")[0] in _LOOPBACK or request.get_host() in _LOOPBACK
