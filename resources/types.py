"""Which kinds the cluster serves, as people look for them: custom resources first, each kind once, whatever the number of its versions."""

from collections.abc import Iterable
from dataclasses import dataclass

from kube.client import ClusterClient
from kube.discovery import ResourceType

# OLM's own kinds come behind those that it installed.
_OLM = ("operators.coreos.com", "packages.operators.coreos.com")
# Groups of Kubernetes itself have no dot, or end so. Everything else was brought by somebody: an operator, OLM, an add-on.
_OWN = ".k8s.io"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind in its preferred version; `versions`: all that are served, that one first."""

    type: ResourceType
    versions: tuple[str, ...]

    @property
    def names(self) -> str:
        """All that it may be looked for by, in lower case."""
        of = self.type
        return " ".join((of.kind, of.plural, of.singular, of.group_or_core, *of.short_names, *of.categories)).lower()


@dataclass(frozen=True, slots=True)
class Group:
    """The kinds of one API group, by kind. `custom`: it is no group of Kubernetes itself."""

    name: str
    custom: bool
    kinds: tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class Types:
    """`total`: kinds before the filter. `errors`: groups whose server does not answer, a sentence each."""

    groups: tuple[Group, ...]
    q: str
    total: int
    errors: tuple[str, ...]

    @property
    def count(self) -> int:
        return sum(len(group.kinds) for group in self.groups)


def is_custom(group: str) -> bool:
    """Whether a group was brought by an operator or add-on."""
    return "." in group and not group.endswith(_OWN)


def kinds(types: Iterable[ResourceType]) -> list[Kind]:
    """Those that can be listed, each once. Discovery has the preferred version first."""
    versions: dict[tuple[str, str], list[ResourceType]] = {}
    for type_ in types:
        if "list" in type_.verbs:
            versions.setdefault((type_.group, type_.plural), []).append(type_)
    return [Kind(served[0], tuple(type_.version for type_ in served)) for served in versions.values()]


def look(client: ClusterClient, q: str) -> Types:
    """Kinds in which every word of `q` occurs (kind, plural, short names, group, categories)."""
    all_ = kinds(client.types())
    words = q.lower().split()
    groups: dict[str, list[Kind]] = {}
    for kind in all_:
        names = kind.names
        if all(word in names for word in words):
            groups.setdefault(kind.type.group, []).append(kind)
    found = [
        Group(name or "core", is_custom(name), tuple(sorted(members, key=lambda kind: kind.type.kind)))
        for name, members in groups.items()
    ]
    found.sort(key=lambda group: (not group.custom, group.name in _OLM, group.name != "core", group.name))
    return Types(tuple(found), q, len(all_), client.discovery_errors)
