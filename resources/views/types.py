"""The kinds that the cluster serves, with the number of objects of each (/resources/), and whether one is still served.

…/<plural>/served/: a region of the pages of a custom kind that says when the kind itself is no longer served. Its
definition may be terminating, deleted, or have lost the version while objects of the kind are on a page.
"""

from dataclasses import dataclass
from urllib.parse import urlencode

from django import shortcuts
from django.http import HttpResponse
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from console.web import render
from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.discovery import ResourceType, is_custom
from kube.errors import KubeError, NotFound
from kube.reader import read
from kube.types.meta import Object
from resources import live_topics
from resources.lists.counts import counts
from resources.state.health import conditions
from resources.types.manager import DEFINITIONS, read_definitions
from resources.types.types import ANY, KindQuery, every, find_kinds

SERVED, GOING, OTHER, GONE = "served", "going", "other", "gone"


@require_safe
def types(request: ConsoleRequest) -> HttpResponse:
    """`?q=`, `scope`, `custom` and `verb` filter; only the groups when htmx asks.

    `fresh`: asked for by a live region, since a CRD came or went.
    `count`: the numbers at once, for readers without scripts.
    """
    if "fresh" in request.GET:
        # A CRD has just come or gone: what discovery said a moment ago is no longer true.
        request.cluster.forget_types()
        read_definitions.cache_clear()
    query = KindQuery.from_query(request.GET)
    found = find_kinds(request.cluster, query, request.namespace)
    if "count" in request.GET:
        counts(
            request.cluster,
            [kind.type for group in found.groups for kind in group.kinds if kind.listable],
            request.namespace,
        )
        found = find_kinds(request.cluster, query, request.namespace)
    context = {
        "types": found,
        "any": ANY,
        "namespace": request.namespace,
        "topic": live_topics.topics(request.cluster, DEFINITIONS),
        "further_query": f"&{urlencode(query.parameters)}" if query.parameters else "",
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


@dataclass(frozen=True, slots=True)
class KindState:
    """`state`: SERVED; GOING: it is being deleted, and `reason` says what it waits for; OTHER: `others` are served,
    this version is not; GONE.
    """

    state: str
    name: str
    reason: str = ""
    others: tuple[ResourceType, ...] = ()


@require_safe
def kind_state(request: ConsoleRequest, group: str, version: str, plural: str) -> HttpResponse:
    """Requested when the kind's definition changed; an empty region as long as all is well."""
    found = _read_kind_state(request.cluster, group, version, plural)
    context = {"kind_state": found, "group": group, "version": version, "plural": plural}
    response = shortcuts.render(request, "resources/_kind_state.html", context)
    response["Cache-Control"] = "no-cache, private"
    return response


def _read_kind_state(client: ClusterClient, group: str, version: str, plural: str) -> KindState:
    """Reads discovery and the definition from the cluster, not from the cache.

    Raises KubeError if the cluster doesn't answer; a definition that can't be read is taken for a served one.
    """
    client.forget_types()
    group = "" if group == "core" else group
    name = f"{plural}.{group}"
    found = tuple(type_ for type_ in client.types() if (type_.group, type_.plural) == (group, plural))
    if not found:
        return KindState(GONE, name)
    if version not in {type_.version for type_ in found}:
        return KindState(OTHER, name, others=found)
    try:
        definition = client.get(client.find(*DEFINITIONS), name)
    except NotFound:
        # Of a kind with a definition the API server's list of types is a moment behind.
        return KindState(GONE if is_custom(group) else SERVED, name)
    except KubeError:
        return KindState(SERVED, name)
    if not read(definition, Object).metadata.deletion_timestamp:
        return KindState(SERVED, name)
    words = [
        condition.message
        for condition in conditions(definition)
        if condition.type == "Terminating" and condition.message
    ]
    return KindState(GOING, name, words[0] if words else "")
