"""What the palette offers for objects: to open one by its name, and to do something with it ("logs web-0", "delete
pod web-0").
"""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from console.web.request import ConsoleRequest
from kube.errors import KubeError
from resources.acting.actions import actions
from resources.podlogs import pods
from resources.searching import hits
from resources.searching.hits import Name

#: Fewer letters fit too many names.
_LETTERS = 3
_OBJECTS = 6
#: Each object's actions are asked about at the API server.
_ACTED, _LOOKED = 4, 100
# What people type for an action, and the last part of its page's address.
_VERBS = {
    "log": "logs",
    "logs": "logs",
    "terminal": "terminal",
    "shell": "terminal",
    "exec": "terminal",
    "forward": "forward",
    "port-forward": "forward",
    "delete": "delete",
    "remove": "delete",
    "edit": "edit",
    "change": "edit",
    "yaml": "yaml",
    "scale": "scale",
    "label": "labels",
    "labels": "labels",
    "restart": "restart",
    "suspend": "suspend",
    "resume": "resume",
    "pause": "pause",
    "evict": "evict",
    "run": "run",
}

Found = tuple[str, str, str]


def verb_of(q: str) -> tuple[str, list[str]]:
    """(the action's page, the words behind it); '' where no action is meant.

    The words of the person's own language count as well.
    """
    first, *rest = q.lower().split() or [""]
    own = {
        _("Logs").lower(): "logs",
        _("Terminal").lower(): "terminal",
        _("Delete").lower(): "delete",
        _("Edit").lower(): "edit",
        _("Scale").lower(): "scale",
        _("Port-forward").lower(): "forward",
    }
    return (_VERBS.get(first) or own.get(first, ""), rest)


def objects(request: ConsoleRequest, q: str) -> Iterator[Found]:
    """(label, address, what it is) of objects with that name."""
    if len(q) >= _LETTERS:
        for name in hits.find(request.cluster, request.namespace, q.split(), _OBJECTS):
            yield name.name, name.place.url(), _what(name)


def acts(request: ConsoleRequest, q: str) -> Iterator[Found]:
    """Actions on the objects found: links to their confirmation pages.

    Without those that the user lacks permission for.
    """
    verb, words = verb_of(q)
    if not verb or not any(len(word) >= 2 for word in words):
        return
    client = request.cluster
    named = hits.find(client, request.namespace, words, _LOOKED)
    for name in [hit for hit in named if _may(hit, verb)][:_ACTED]:
        try:
            offered = actions(client, name.place, name.place.get(client))
        except KubeError:
            continue
        for action in offered:
            path = action.url.partition("?")[0].rstrip("/").rpartition("/")[2]
            if path == verb and not action.refusal:
                yield f"{action.label}: {name.name}", action.url, _what(name)


def _may(name: Name, verb: str) -> bool:
    """Whether the kind can have the action at all; without asking the cluster."""
    is_pod = name.type.kind == "Pod" and not name.type.group
    if verb in ("terminal", "evict"):
        return is_pod
    if verb == "scale":
        return "scale" in name.type.subresources
    if verb in ("logs", "forward"):
        return is_pod or pods.may_have(name.type)
    return True


def _what(name: Name) -> str:
    return f"{name.type.kind} · {name.namespace}" if name.namespace else name.type.kind
