"""…/<plural>/served/: a region of the pages of a custom kind that says when the kind itself is no longer served.

Its definition may be terminating, deleted, or have lost the version while objects of the kind are on a page.
"""

from dataclasses import dataclass

from django import shortcuts
from django.http import HttpResponse
from django.views.decorators.http import require_safe

from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError, NotFound
from kube.objects import mapping
from resources.state.health import conditions
from resources.types.manager import DEFINITIONS
from resources.types.types import is_custom

SERVED, GOING, OTHER, GONE = "served", "going", "other", "gone"


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
def served(request: ConsoleRequest, group: str, version: str, plural: str) -> HttpResponse:
    """Requested when the kind's definition changed; an empty region as long as all is well."""
    found = _kind_state(request.cluster, group, version, plural)
    context = {"kind_state": found, "group": group, "version": version, "plural": plural}
    response = shortcuts.render(request, "resources/_kind_state.html", context)
    response["Cache-Control"] = "no-cache, private"
    return response


def _kind_state(client: ClusterClient, group: str, version: str, plural: str) -> KindState:
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
    if not mapping(definition.get("metadata")).get("deletionTimestamp"):
        return KindState(SERVED, name)
    words = [
        condition.message
        for condition in conditions(definition)
        if condition.type == "Terminating" and condition.message
    ]
    return KindState(GOING, name, words[0] if words else "")
