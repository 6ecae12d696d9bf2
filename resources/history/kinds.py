"""Which types have a history: every kind of a CustomResourceDefinition, and the built-in ones that HISTORY_KINDS
names.
"""

from django.conf import settings

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError

_NEEDED = {"list", "watch"}
#: Never: what they hold must not lie anywhere else, or is history itself.
_NEVER = frozenset((("", "secrets"), ("", "events"), ("events.k8s.io", "events")))
CUSTOM = "custom"
#: More types than this are not followed: each is an open watch.
MOST = 300


def recorded(client: ClusterClient) -> tuple[ResourceType, ...]:
    """One version each, the preferred one, in the server's order; the first MOST of them. Raises KubeError."""
    return _all(client)[:MOST]


def left_out(client: ClusterClient, type_: ResourceType) -> bool:
    """Whether it would be recorded if there were not so many others."""
    try:
        return type_.qualified in {recorded_type.qualified for recorded_type in _all(client)[MOST:]}
    except KubeError:
        return False  # definitions that the user can't read are not mentioned


def _all(client: ClusterClient) -> tuple[ResourceType, ...]:
    if not settings.HISTORY_KINDS:
        return ()
    custom = _custom(client) if CUSTOM in settings.HISTORY_KINDS else frozenset()
    found: dict[str, ResourceType] = {}
    for type_ in client.types():
        if type_.qualified not in found and _wanted(type_, custom):
            found[type_.qualified] = type_
    return tuple(found.values())


def _wanted(type_: ResourceType, custom: frozenset[str]) -> bool:
    if (type_.group, type_.plural) in _NEVER or not type_.verbs >= _NEEDED:
        return False
    return type_.qualified in custom or type_.qualified in settings.HISTORY_KINDS


def _custom(client: ClusterClient) -> frozenset[str]:
    """The names of all CRDs: '<plural>.<group>'."""
    crds = client.find("apiextensions.k8s.io", "", "customresourcedefinitions")
    return frozenset(str(row.cells[0]) for row in client.table(crds, include="None").rows if row.cells)


def may_be_recorded(type_: ResourceType) -> bool:
    """Without asking anything: whether the page of such an object says something of its history."""
    if not settings.HISTORY_KINDS or (type_.group, type_.plural) in _NEVER or not type_.verbs >= _NEEDED:
        return False
    if type_.qualified in settings.HISTORY_KINDS:
        return True
    built_in = "." not in type_.group or type_.group.endswith(".k8s.io")
    return CUSTOM in settings.HISTORY_KINDS and not built_in
