"""/resources/search/: objects of any kind, by name, labels or annotations."""

from dataclasses import dataclass

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web import render
from console.web.request import ConsoleRequest, wants_fragment
from kube.errors import BadRequest
from resources.lists import saved_searches
from resources.lists.saved_searches import Saved
from resources.searching import lookup
from resources.searching.lookup import ObjectMatches, ObjectQuery
from resources.state.health import LABELS
from resources.types.types import kinds


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPage:
    """`choices`: (`group/plural`, kind, group) of all kinds; `typed`, `labels`, `annotation`, `chosen`: as they stand
    in the fields; `label_error`: why the label selector is invalid, or what else is wrong.
    """

    wish: ObjectQuery
    typed: str
    labels: str
    annotation: str
    chosen: tuple[str, ...]
    namespace: str
    found: ObjectMatches
    choices: tuple[tuple[str, str, str], ...]
    label_error: str = ""
    saved: tuple[Saved, ...] = ()


@require_safe
def search(request: ConsoleRequest) -> HttpResponse:
    """`?q=`, `labels`, `annotation`, `kind` (many); only the results when htmx asks."""
    get = request.GET
    typed = " ".join(get.get("q", "").split())[:1000]
    labels, annotation = get.get("labels", "").strip()[:2000], get.get("annotation", "").strip()[:2000]
    chosen = tuple(value for value in get.getlist("kind") if value)[:50]
    wish = lookup.parse_query(typed, labels, annotation, chosen)
    found, error, status = ObjectMatches(), "", 200
    if wish.unknown_states:
        words = {"states": ", ".join(wish.unknown_states), "known": ", ".join(word.lower() for word in LABELS)}
        error, status = _("Unknown state: %(states)s. Available states: %(known)s.") % words, 422
    try:
        if not error:
            found = lookup.search(request.cluster, request.namespace, wish)
    except BadRequest as refused:
        error, status = str(refused), 422
    listed = kinds(request.cluster.types())
    choices = sorted(
        (f"{kind.type.group_or_core}/{kind.type.plural}", kind.type.kind, kind.type.group) for kind in listed
    )
    page = SearchPage(
        wish=wish,
        typed=typed,
        labels=labels,
        annotation=annotation,
        chosen=chosen,
        namespace=request.namespace,
        found=found,
        choices=tuple(sorted(choices, key=lambda choice: choice[1])),
        label_error=error,
        saved=() if wants_fragment(request) else saved_searches.mine(request.cluster, None),
    )
    return render.page(request, "resources/search.html", {"page": page}, part=True, status=status)
