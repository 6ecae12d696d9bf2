"""The search for objects of any kind, and the searches that a user saved.

/resources/search/: by name, state, labels or annotations.
/resources/saved/: this user's saved searches. Lists and the search of all kinds show theirs and send new ones here.
"""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from console.web import render
from console.web.request import ConsoleRequest, own_address, wants_fragment
from kube.errors import BadRequest
from resources import object_search
from resources.lists import saved_searches
from resources.lists.saved_searches import Saved, SavedSearchForm
from resources.object_search import ObjectMatches, ObjectQuery
from resources.place import Place, place_of
from resources.state.health import LABELS
from resources.types.types import kinds


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPage:
    """`choices`: (`group/plural`, kind, group) of all kinds; `typed`, `labels`, `annotation`, `chosen`: as they stand
    in the fields; `label_error`: why the label selector is invalid, or what else is wrong.
    """

    query: ObjectQuery
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
    query = object_search.parse_query(typed, labels, annotation, chosen)
    found, error, status = ObjectMatches(), "", 200
    if query.unknown_states:
        words = {"states": ", ".join(query.unknown_states), "known": ", ".join(word.lower() for word in LABELS)}
        error, status = _("Unknown state: %(states)s. Available states: %(known)s.") % words, 422
    try:
        if not error:
            found = object_search.search(request.cluster, request.namespace, query)
    except BadRequest as refused:
        error, status = str(refused), 422
    listed = kinds(request.cluster.types())
    choices = sorted(
        (f"{kind.type.group_or_core}/{kind.type.plural}", kind.type.kind, kind.type.group) for kind in listed
    )
    page = SearchPage(
        query=query,
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


@require_http_methods(["GET", "HEAD", "POST"])
def searches(request: ConsoleRequest) -> HttpResponse:
    """POST `name` with `query` and, for a list, `group`, `version`, `plural`; or `delete`, the number of one.

    Redirects to `next`, or to the saved search.
    """
    client = request.cluster
    if request.method != "POST":
        return render.page(request, "resources/saved.html", {"searches": saved_searches.all_of(client)})
    if "delete" in request.POST:
        return _delete_saved(request)
    form = SavedSearchForm(_searched_place(request), request.POST)
    made = saved_searches.save(client, form) if form.is_valid() else None
    if made is None:
        context = {"searches": saved_searches.all_of(client), "form": form}
        return render.page(request, "resources/saved.html", context, status=422)
    messages.success(request, _("“%(name)s” saved.") % {"name": made.name})
    return HttpResponseRedirect(made.url)


def _delete_saved(request: ConsoleRequest) -> HttpResponse:
    key = request.POST["delete"]
    gone = saved_searches.delete(request.cluster, int(key) if key.isascii() and key.isdigit() and len(key) < 20 else 0)
    if gone:
        messages.success(request, _("“%(name)s” deleted from your saved searches.") % {"name": gone})
    return HttpResponseRedirect(own_address(request, request.POST.get("next", "")) or request.path)


def _searched_place(request: ConsoleRequest) -> Place | None:
    """Raises NotFound for a kind that is not served."""
    post = request.POST
    group, version, plural = (post.get(key, "")[:253] for key in ("group", "version", "plural"))
    return place_of(request, group, version, plural) if plural else None
