"""/settings/: preferences, saved for the signed-in user or else in this browser; and the user's saved searches."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.prefer import store
from console.prefer.store import SIZES, TIMES
from console.reach import discovery
from console.web.errors import wants_json
from console.web.request import NAMESPACE_COOKIE, own_address
from kube.errors import KubeError
from resources.lists import saved_searches
from resources.lists.saved_searches import Saved


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferencesPage:
    """`typed`: the fields' values; `errors`: why a field is refused.

    `person`: the user whose preferences they are, '' for this browser's.
    """

    typed: Mapping[str, str]
    person: str
    errors: Mapping[str, str] = field(default_factory=dict)
    searches: tuple[Saved, ...] = ()
    sizes: tuple[int, ...] = SIZES
    times: tuple[str, ...] = TIMES


@require_http_methods(["GET", "HEAD", "POST"])
def preferences(request: HttpRequest) -> HttpResponse:
    """The form; a POST keeps what it names, or nothing if any of it is wrong, and goes back to where it came from.

    JSON is answered to scripts.
    """
    if request.method != "POST":
        return render(
            request, "console/preferences.html", {"page": _page(request, store.preferences_of(request).texts())}
        )
    posted = {key: request.POST[key].strip() for key in store.KEYS if key in request.POST}
    errors = store.errors_of(posted) or _missing(request, posted)
    if errors and _may_see(request):
        if wants_json(request):
            return JsonResponse({"errors": errors}, status=422)
        typed = {**store.preferences_of(request).texts(), **posted}
        return render(request, "console/preferences.html", {"page": _page(request, typed, errors)}, status=422)
    response = _answer(request)
    store.keep(request, response, {key: value for key, value in posted.items() if key not in errors})
    if "namespace" in posted:
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


def _missing(request: HttpRequest, posted: Mapping[str, str]) -> dict[str, str]:
    """A namespace that is not there, where this user may know."""
    name = posted.get("namespace", "")
    if name in ("", store.ALL_NAMESPACES) or not _may_see(request):
        return {}
    try:
        listed = discovery.listed(request.cluster)  # type: ignore[attr-defined]
    except KubeError:
        return {}  # an unreachable cluster doesn't make it invalid
    if listed is None or name in listed:
        return {}
    return {"namespace": _("The namespace %(name)s doesn't exist.") % {"name": name}}


def _page(request: HttpRequest, typed: Mapping[str, str], errors: Mapping[str, str] | None = None) -> PreferencesPage:
    try:
        searches = saved_searches.all_of(request.cluster)  # type: ignore[attr-defined]
    except KubeError:
        searches = ()
    return PreferencesPage(typed=typed, person=store.person_of(request), errors=errors or {}, searches=searches)
