"""/sign-in/ and /sign-out/."""

import logging

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from console.signin import judge, limits, page, sessions, signals
from console.signin.address import unheard
from console.signin.models import Session
from console.signin.oidc import provider_sign_out, redirect_addresses
from console.signin.oidc.troubles import name
from console.web.front import place_of
from kube.errors import KubeError

log = logging.getLogger("console.signin")


@sensitive_post_parameters("token")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """The page; a POST with a `token` signs in and goes to `next`. What was typed is never part of an answer."""
    if settings.SIGN_IN == "local":
        raise Http404
    back = page.safe(request, request.POST.get("next") or request.GET.get("next") or "")
    if request.method != "POST":
        if elsewhere := redirect_addresses.onward(request, "signin:sign-in"):
            return elsewhere
        if getattr(request, "person", None) is not None:
            return HttpResponseRedirect(back or reverse("pages:overview"))
        return page.sign_in(request, back, over=request.GET.get("why", ""))
    if "token" not in page.ways():
        words = _("This console doesn't accept tokens. Sign in with %(name)s.") % {"name": name()}
        return page.sign_in(request, back, error=words, status=403)
    if not unheard(request):
        words = _("A token must not be sent unencrypted. Use https, or the console's own machine.")
        return page.sign_in(request, back, error=words, status=403)
    try:
        return _entered(request, back, judge.clean(request.POST.get("token", "")))
    except judge.NotKnown as error:
        log.warning("a sign-in from %s was refused with %d", request.META.get("REMOTE_ADDR", ""), error.status)
        signals.refused.send(sender=Session, why=error.status, request=request)
        return page.sign_in(request, back, error=str(error), status=error.status)
    except limits.TooOften as error:
        signals.refused.send(sender=Session, why=429, request=request)
        words = _("Too many sign-ins failed. Wait %(minutes)d minutes, then try again.") % {"minutes": limits.MINUTES}
        response = page.sign_in(request, back, error=words, status=429)
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
        raise judge.NotKnown(
            _("The console's kubeconfig can't be used. The reason is in the console's log."), 503
        ) from None
    return page.entered(request, person, back)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """Ends the session, and with it its credentials and whatever is open for it; then the provider's, where that is
    how one came.
    """
    if settings.SIGN_IN == "local":
        raise Http404
    left = provider_sign_out.before(request)
    sessions.leave(request)
    address = provider_sign_out.after(request, left) if left else ""
    if address:
        # A page with a meta refresh: form-action would block a redirect of the form to another site.
        response = render(request, "signin/signed_out.html", {"address": address, "provider": name()})
    else:
        response = HttpResponseRedirect(reverse("signin:sign-in"))
    page.forget(response)
    return response
