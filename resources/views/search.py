"""/resources/search/: objects of any kind, by name, labels or annotations."""

from dataclasses import dataclass

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from console.web import render
from console.web.request import ConsoleRequest
from kube.errors import BadRequest
from resources import lookup as subject
from resources.lookup import Found, Wish
from resources.types import kinds


@dataclass(frozen=True, slots=True)
class SearchPage:
    """`choices`: (`group/plural`, kind, group) of all kinds; `label_error`: why the labels are no selector."""

    wish: Wish
    namespace: str
    found: Found
    choices: tuple[tuple[str, str, str], ...]
    label_error: str = ""


@require_safe
def search(request: ConsoleRequest) -> HttpResponse:
    """`?q=`, `labels`, `annotation`, `kind` (many); only the results when htmx asks."""
    get = request.GET
    wish = Wish(
        " ".join(get.get("q", "").split())[:253],
        get.get("labels", "").strip()[:2000],
        get.get("annotation", "").strip()[:2000],
        tuple(one for one in get.getlist("kind") if one)[:50],
    )
    found, error, status = Found(), "", 200
    try:
        found = subject.search(request.cluster, request.namespace, wish)
    except BadRequest as refused:
        error, status = str(refused), 422
    listed = kinds(request.cluster.types())
    choices = sorted((f"{one.type.group_or_core}/{one.type.plural}", one.type.kind, one.type.group) for one in listed)
    page = SearchPage(wish, request.namespace, found, tuple(sorted(choices, key=lambda one: one[1])), error)
    return render.page(
        request, "resources/search.html", {"page": page}, fragment="resources/_search.html", status=status
    )
