"""/settings/: preferences, saved for the signed-in user or else in this browser; and the user's saved searches."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.prefer import store
from console.prefer.store import PreferencesForm
from console.reach import discovery
from console.web.errors import wants_json
from console.web.request import NAMESPACE_COOKIE, own_address
from kube.errors import KubeError
from resources.lists import saved_searches


@require_http_methods(["GET", "HEAD", "POST"])
def preferences(request: HttpRequest) -> HttpResponse:
    """The form; a POST keeps what it names, or nothing if any of it is wrong, and goes back to where it came from.

    JSON is answered to scripts.
    """
    form = PreferencesForm(request.POST if request.method == "POST" else None, store.preferences_of(request))
    if request.method != "POST":
        return _page(request, form)
    if form.is_valid() and "namespace" in form.data and _may_see(request):
        _check_namespace(request, form)
    if form.errors and _may_see(request):
        if wants_json(request):
            return JsonResponse({"errors": {name: errors[0] for name, errors in form.errors.items()}}, status=422)
        return _page(request, form, status=422)
    response = _answer(request)
    store.keep(request, response, form)
    if "namespace" in form.data:
        # In effect at once: the one that was picked before is let go.
        response.delete_cookie(NAMESPACE_COOKIE, samesite="Lax")
    return response


def _answer(request: HttpRequest) -> HttpResponse:
    if wants_json(request):
        return JsonResponse({"errors": {}})
    target = own_address(request, request.POST.get("next", ""))
    if not target:
        target = request.path
        messages.success(request, _("Your preferences are saved."))
    return HttpResponseRedirect(target)


def _may_see(request: HttpRequest) -> bool:
    """Before a sign-in a wrong value is passed over: there is no page to say it on."""
    return settings.SIGN_IN == "local" or getattr(request, "person", None) is not None


def _check_namespace(request: HttpRequest, form: PreferencesForm) -> None:
    """Adds an error for a namespace that is not there."""
    name = form.cleaned_data["namespace"]
    if name in ("", store.ALL_NAMESPACES):
        return
    try:
        listed = discovery.listed(request.cluster)  # type: ignore[attr-defined]
    except KubeError:
        return  # an unreachable cluster doesn't make it invalid
    if listed is not None and name not in listed:
        form.add_error("namespace", _("The namespace %(name)s doesn't exist.") % {"name": name})


def _page(request: HttpRequest, form: PreferencesForm, status: int = 200) -> HttpResponse:
    try:
        searches = saved_searches.all_of(request.cluster)  # type: ignore[attr-defined]
    except KubeError:
        searches = ()
    context = {"form": form, "owner": store.person_of(request), "searches": searches}
    return render(request, "console/preferences.html", context, status=status)
