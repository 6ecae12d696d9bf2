"""/view-as/: starts impersonation, if the API server allows it; and Stop, which always works."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console.signin import impersonation, impersonation_input
from console.signin.impersonation_input import ImpersonationInput
from console.web import audit
from console.web.request import ConsoleRequest, own_address


@require_http_methods(["GET", "HEAD", "POST"])
def view_as(request: ConsoleRequest) -> HttpResponse:
    """The form; a POST with `user` or `account`, and `groups`, begins."""
    if getattr(request, "acting", None) is not None:
        # No nested impersonation, even if the impersonated user has permission to impersonate.
        words = _("You are already impersonating another user. Stop impersonation first.")
        return _page(request, ImpersonationInput(errors={"nested": words}), 409 if request.method == "POST" else 200)
    if request.method != "POST":
        groups = "\n".join(request.GET.getlist("group"))
        typed = impersonation_input.read({"user": request.GET.get("user", ""), "groups": groups})
        return _page(request, ImpersonationInput(typed.user, typed.groups))
    client = request.cluster
    typed = impersonation_input.read(request.POST.dict())
    found, whom = impersonation_input.judged(client, typed)
    if not typed.errors:
        audit.record(request, "impersonate", impersonation.ref(typed.name, typed.groups), "ok" if whom else "Forbidden")
    if whom is None:
        return _page(request, found, 422 if typed.errors else 403)
    impersonation.begin(request, client, whom.name, typed.groups, whom.groups)
    return HttpResponseRedirect(_safe(request))


@require_safe
def offer(request: ConsoleRequest) -> HttpResponse:
    """The user menu's entry; empty for users who can't impersonate."""
    shown = getattr(request, "acting", None) is None and impersonation_input.offered(request.cluster)
    return render(request, "signin/_offer.html", {"shown": shown})


@require_POST
def stop(request: HttpRequest) -> HttpResponse:
    """Oneself again. Asks neither the cluster nor whether it still is: there is always a way back."""
    found: impersonation.Acting | None = getattr(request, "acting", None)
    impersonation.leave(request)
    if found is not None and found.cluster and not found.over:
        impersonation.note_stop(found.cluster, found.by, found.user, found.groups)
    return HttpResponseRedirect(_safe(request))


def _safe(request: HttpRequest) -> str:
    back = own_address(request, request.POST.get("next", ""))
    return back if back and not back.startswith(reverse("signin:view-as")) else reverse("pages:overview")


def _page(request: HttpRequest, found: ImpersonationInput, status: int = 200) -> HttpResponse:
    back = request.POST.get("next") or request.GET.get("next") or ""
    return render(request, "signin/view_as.html", {"wish": found, "back": back}, status=status)
