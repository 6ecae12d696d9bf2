"""/resources/: every kind that the cluster serves."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from console.web import render
from console.web.request import ConsoleRequest
from resources.changes import Topic
from resources.types import look


@require_safe
def types(request: ConsoleRequest) -> HttpResponse:
    """`?q=` filters; only the groups when htmx asks. `fresh`: asked for by a live region, since a CRD came or went."""
    if "fresh" in request.GET:
        # A CRD has just come or gone: what discovery said a moment ago is no longer true.
        request.cluster.forget_types()
    found = look(request.cluster, request.GET.get("q", "").strip())
    topic = str(Topic(request.cluster.name, "apiextensions.k8s.io", "v1", "customresourcedefinitions"))
    return render.page(
        request, "resources/types.html", {"types": found, "topic": topic}, fragment="resources/_types.html"
    )
