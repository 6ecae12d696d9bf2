"""/resources/: every kind that the cluster serves, and how many objects each has."""

from urllib.parse import urlencode

from django.http import HttpResponse
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from console.web import render
from console.web.request import ConsoleRequest
from resources import live_topics
from resources.lists.counts import counts
from resources.types.manager import DEFINITIONS, forget_definitions
from resources.types.types import ANY, KindQuery, every, find_kinds


@require_safe
def types(request: ConsoleRequest) -> HttpResponse:
    """`?q=`, `scope`, `custom` and `verb` filter; only the groups when htmx asks.

    `fresh`: asked for by a live region, since a CRD came or went.
    `count`: the numbers at once, for readers without scripts.
    """
    if "fresh" in request.GET:
        # A CRD has just come or gone: what discovery said a moment ago is no longer true.
        request.cluster.forget_types()
        forget_definitions()
    wish = KindQuery.from_query(request.GET)
    found = find_kinds(request.cluster, wish, request.namespace)
    if "count" in request.GET:
        counts(
            request.cluster,
            [kind.type for group in found.groups for kind in group.kinds if kind.listable],
            request.namespace,
        )
        found = find_kinds(request.cluster, wish, request.namespace)
    context = {
        "types": found,
        "any": ANY,
        "namespace": request.namespace,
        "topic": live_topics.topics(request.cluster, *DEFINITIONS),
        "further_query": f"&{urlencode(wish.query)}" if wish.query else "",
    }
    return render.page(request, "resources/types.html", context, part=True)


@require_safe
def numbers(request: ConsoleRequest) -> HttpResponse:
    """`?group=`: how many objects each kind of the group has in the picked namespace, or in all; each number for its
    own place in the page.
    """
    group = request.GET.get("group", "")
    wanted = [
        kind.type for kind in every(request.cluster.types()) if kind.type.group_or_core == group and kind.listable
    ]
    found = counts(request.cluster, wanted, request.namespace)
    parts = ({"type": type_, "count": count, "oob": True} for type_, count in found.items())
    response = HttpResponse("".join(render_to_string("resources/_count.html", part, request) for part in parts))
    response["Cache-Control"] = "no-cache, private"
    return response
