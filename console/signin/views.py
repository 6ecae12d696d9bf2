"""/sign-in/, /sign-out/ and /view-as/, and what all methods of sign-in share: the page, the address to return to, and
the data that a browser deletes.

/view-as/ starts impersonation, if the API server allows it. Stop always works.
"""

import logging
from urllib.parse import urlencode

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console.signin import impersonation, judge, rate_limits, sessions, signals
from console.signin.address import unheard
from console.signin.impersonation import ImpersonationForm
from console.signin.models import Session
from console.signin.oidc import provider, renewal
from console.signin.oidc.provider import provider_name
from console.signin.sessions import Person
from console.web import audit
from console.web.front import place_of
from console.web.quick_starts import OPEN_COOKIE
from console.web.render import page as render_page
from console.web.request import NAMESPACE_COOKIE, ConsoleRequest, own_address
from kube.errors import KubeError

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
    back = safe_address(request, request.POST.get("next") or request.GET.get("next") or "")
    if request.method != "POST":
        if elsewhere := provider.redirect_to_cluster(request, "signin:sign-in"):
            return elsewhere
        if getattr(request, "person", None) is not None:
            return HttpResponseRedirect(back or reverse("pages:overview"))
        return sign_in_page(request, back, over=request.GET.get("why", ""))
    if "token" not in ways():
        words = _("This console doesn't accept tokens. Sign in with %(name)s.") % {"name": provider_name()}
        return sign_in_page(request, back, error=words, status=403)
    if not unheard(request):
        words = _("A token must not be sent unencrypted. Use https, or the console's own machine.")
        return sign_in_page(request, back, error=words, status=403)
    try:
        return _entered(request, back, judge.SignInForm(request.POST))
    except judge.NotKnown as error:
        log.warning("a sign-in from %s was refused with %d", request.META.get("REMOTE_ADDR", ""), error.status)
        signals.refused.send(sender=Session, why=error.status, request=request)
        return sign_in_page(request, back, error=str(error), status=error.status)
    except rate_limits.TooOften as error:
        signals.refused.send(sender=Session, why=429, request=request)
        words = _("Too many sign-ins failed. Wait %(minutes)d minutes, then try again.") % {
            "minutes": rate_limits.MINUTES
        }
        response = sign_in_page(request, back, error=words, status=429)
        response["Retry-After"] = str(error.seconds)
        return response


def _entered(request: HttpRequest, back: str, form: judge.SignInForm) -> HttpResponse:
    """Raises NotKnown and TooOften."""
    if not form.is_valid():
        raise judge.NotKnown(str(form.errors["token"][0]), 422)
    token = form.cleaned_data["token"]
    number = rate_limits.begin_attempt(request)
    try:
        known = judge.know(token, place_of(request))
    except judge.NotKnown as error:
        if not error.counts:
            rate_limits.forget_attempt(number)
        raise
    rate_limits.forget_attempt(number)
    try:
        person = sessions.begin(request, known, token)
    except KubeError:
        raise judge.NotKnown(
            _("The console's kubeconfig can't be used. The reason is in the console's log."), 503
        ) from None
    return signed_in_response(request, person, back)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """Ends the session, and with it its credentials and whatever is open for it; then the provider's, where that is
    how one came.
    """
    if settings.SIGN_IN == "local":
        raise Http404
    left = renewal.prepare_sign_out(request)
    sessions.leave(request)
    address = renewal.finish_sign_out(request, left) if left else ""
    if address:
        # A page with a meta refresh: form-action would block a redirect of the form to another site.
        response = render(request, "signin/signed_out.html", {"address": address, "provider": provider_name()})
    else:
        response = HttpResponseRedirect(reverse("signin:sign-in"))
    clear_browser_data(response)
    return response


def ways() -> frozenset[str]:
    """The enabled methods of sign-in: `token`, `oidc`; none with SIGN_IN=local."""
    return frozenset(settings.SIGN_IN.split(",")) - {"local"}


def sign_in_page(
    request: HttpRequest, back: str, *, error: str = "", over: str = "", status: int = 200
) -> HttpResponse:
    """The sign-in page. `over`: why the user was redirected here, see middleware.address()."""
    # A change of the language returns to this page, never to an address with a code in it.
    here = f"{reverse('signin:sign-in')}{'?' + urlencode({'next': back}) if back else ''}"
    context = {"back": back, "here": here, "error": error, "over": over, "ways": ways(), "provider": provider_name()}
    return render(request, "signin/sign_in.html", context, status=status)


def signed_in_response(request: HttpRequest, person: Person, back: str) -> HttpResponse:
    """Redirects a user who just signed in to the page that they wanted."""
    response = HttpResponseRedirect(back or reverse("pages:overview"))
    mark = salted_hmac("console.signin.last", person.user).hexdigest()
    if request.COOKIES.get(_LAST) != mark:
        clear_browser_data(response)
        response.set_cookie(_LAST, mark, max_age=_YEAR, samesite="Lax", httponly=True, secure=settings.HTTPS)
    return response


def clear_browser_data(response: HttpResponse) -> None:
    """Makes the browser delete what has names of objects in it: drafts of forms, messages, the chosen namespace,
    the open quick start.

    https://www.w3.org/TR/clear-site-data/ : browsers do it where the page is of https or localhost.
    """
    response["Clear-Site-Data"] = '"cache", "storage"'
    for cookie in (NAMESPACE_COOKIE, OPEN_COOKIE, "messages"):
        response.delete_cookie(cookie, samesite="Lax")


def safe_address(request: HttpRequest, back: str) -> str:
    """The address to return to, or '' unless it is a page of this console other than sign-in and sign-out."""
    back = own_address(request, back)
    return "" if back.startswith((reverse("signin:sign-in"), reverse("signin:sign-out"))) else back


@require_http_methods(["GET", "HEAD", "POST"])
def view_as(request: ConsoleRequest) -> HttpResponse:
    """The form; a POST with `user`, `groups` or both begins."""
    if getattr(request, "acting", None) is not None:
        # No nested impersonation, even if the impersonated user has permission to impersonate.
        return _view_as_page(request, ImpersonationForm(), 409 if request.method == "POST" else 200)
    if request.method != "POST":
        typed = {"user": request.GET.get("user", ""), "groups": "\n".join(request.GET.getlist("group"))}
        return _view_as_page(request, ImpersonationForm(initial=typed))
    form = ImpersonationForm(request.POST)
    if not form.is_valid():
        return _view_as_page(request, form, 422)
    client, groups = request.cluster, form.cleaned_data["groups"]
    target = impersonation.ref(form.name, groups)
    whom = impersonation.check_form(client, form)
    audit.record(request, "impersonate", target, "ok" if whom else "Forbidden")
    if whom is None:
        return _view_as_page(request, form, 403)
    impersonation.begin(request, client, whom.name, groups, whom.groups)
    return HttpResponseRedirect(_safe_next(request))


@require_safe
def view_as_offer(request: ConsoleRequest) -> HttpResponse:
    """The user menu's entry; empty for users who can't impersonate."""
    shown = getattr(request, "acting", None) is None and impersonation.can_impersonate(request.cluster)
    return render_page(request, "signin/view_as.html", {}, block="offer") if shown else HttpResponse("")


@require_POST
def stop_view_as(request: HttpRequest) -> HttpResponse:
    """Oneself again. Asks neither the cluster nor whether it still is: there is always a way back."""
    found: impersonation.Acting | None = getattr(request, "acting", None)
    impersonation.leave(request)
    if found is not None and found.cluster and not found.over:
        impersonation.note_stop(found.cluster, found.by, found.user, found.groups)
    return HttpResponseRedirect(_safe_next(request))


def _safe_next(request: HttpRequest) -> str:
    back = own_address(request, request.POST.get("next", ""))
    return back if back and not back.startswith(reverse("signin:view-as")) else reverse("pages:overview")


def _view_as_page(request: HttpRequest, form: ImpersonationForm, status: int = 200) -> HttpResponse:
    back = request.POST.get("next") or request.GET.get("next") or ""
    return render_page(request, "signin/view_as.html", {"form": form, "back": back}, status=status)
