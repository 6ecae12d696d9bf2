"""…/<plural>/explain/: the schema of a kind as a tree."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from console.web import render
from console.web.access import can
from console.web.request import ConsoleRequest
from kube.errors import KubeError
from resources.place import Place, place_of
from resources.types import explain as subject
from resources.types.manager import DEFINITIONS


@require_safe
def explain(request: ConsoleRequest, group: str, version: str, plural: str) -> HttpResponse:
    """`?at=` is a place in it, `?q=` searches all of it.

    An opened field gets its part only; so does a search while the user types.
    """
    place = place_of(request, group, version, plural)
    found = subject.explain(request.cluster, place.type, request.GET.get("at", ""), request.GET.get("q", ""))
    context = {
        "explained": found,
        "place": place,
        "verbs": sorted(place.type.verbs),
        "subresources": sorted(place.type.subresources),
        "definition": _definition(request, place),
        "root": request.path,
        "address": "?",
        "kind": place.type.kind,
        **{name: getattr(found, name) for name in ("description", "here", "trail", "fields", "inner", "found", "top")},
    }
    part = "_schema_fields.html" if request.headers.get("HX-Target", "").startswith("in-") else "_schema.html"
    status = 404 if found.missing else 200
    return render.page(request, "resources/explain.html", context, fragment=f"resources/{part}", status=status)


def _definition(request: ConsoleRequest, place: Place) -> str:
    """The address of the kind's definition, '' for kinds that have none and users who can't read it."""
    if "." not in place.type.group:
        return ""
    try:
        type_ = request.cluster.find(*DEFINITIONS)
        definition = Place(type_, "", f"{place.type.plural}.{place.type.group}")
        return definition.detail_url if can(request.cluster, "get", type_, "", definition.name).allowed else ""
    except KubeError:
        return ""
