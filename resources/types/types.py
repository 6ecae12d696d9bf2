"""Which kinds the cluster serves, as people look for them: custom resources first, each kind once, whatever the
number of its versions.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kube.client import ClusterClient
from kube.discovery import ResourceType, is_custom
from resources.lists.counts import Count, last
from resources.types.manager import Manager, read_definitions

# OLM's own kinds come behind those that it installed.
_OLM = ("operators.coreos.com", "packages.operators.coreos.com")
SCOPES = ("namespaced", "cluster")
ANY = "any"
_UNSERVED = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind in its preferred version; `served`: all that are, that one first.

    `owner`: the operator that it came with, if known.

    `count`: the last number known, None before the first count. `defined`: by a definition that this user can read.
    """

    type: ResourceType
    served: tuple[ResourceType, ...]
    owner: Manager | None = None
    count: Count | None = None
    defined: bool = False

    @property
    def versions(self) -> tuple[str, ...]:
        return tuple(type_.version for type_ in self.served)

    @property
    def names(self) -> str:
        """All that it may be looked for by, in lower case."""
        of = self.type
        words = (of.kind, of.plural, of.singular, of.group_or_core, *of.short_names, *of.categories)
        return " ".join((*words, self.owner.name if self.owner else "")).lower()

    @property
    def listable(self) -> bool:
        return "list" in self.type.verbs


@dataclass(frozen=True, slots=True)
class ApiGroup:
    """The kinds of one API group, by kind. `custom`: not a group of Kubernetes itself."""

    name: str
    custom: bool
    kinds: tuple[Kind, ...]

    @property
    def countable(self) -> bool:
        return any(kind.listable for kind in self.kinds)


@dataclass(frozen=True, slots=True)
class KindQuery:
    """`scope`: namespaced, cluster or ''. `verb`: one that the kind must have, or ANY."""

    q: str = ""
    scope: str = ""
    custom: bool = False
    verb: str = "list"

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> "KindQuery":
        """From an address; unknown values are ignored."""
        scope, verb = query.get("scope", ""), query.get("verb", "")
        return cls(
            query.get("q", "").strip()[:200],
            scope if scope in SCOPES else "",
            bool(query.get("custom")),
            verb or "list",
        )

    @property
    def parameters(self) -> dict[str, str]:
        """For an address, with what differs from the usual."""
        values = {
            "q": self.q,
            "scope": self.scope,
            "custom": "1" if self.custom else "",
            "verb": self.verb if self.verb != "list" else "",
        }
        return {key: value for key, value in values.items() if value}

    def fits(self, kind: Kind) -> bool:
        of, names = kind.type, kind.names
        return (
            all(word in names for word in self.q.lower().split())
            and self.scope in ("", "namespaced" if of.namespaced else "cluster")
            and (not self.custom or is_custom(of.group))
            and (self.verb == ANY or self.verb in of.verbs)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Types:
    """`total`: kinds before the filter.

    `errors`: groups whose server does not answer, a sentence each. `verbs`: all that any kind has.

    `unserved`: definitions whose kind is not served: not accepted, not yet, or in no version.
    """

    groups: tuple[ApiGroup, ...]
    query: KindQuery
    total: int
    errors: tuple[str, ...]
    verbs: tuple[str, ...]
    unserved: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        return sum(len(group.kinds) for group in self.groups)


def kind_letters(kind: str) -> str:
    """A kind's capitals, three at most: "RS" for ReplicaSet."""
    return ("".join(letter for letter in kind if letter.isupper()) or kind[:1].upper())[:3]


def kinds(types: Iterable[ResourceType]) -> list[Kind]:
    """Those that can be listed, each once. Discovery has the preferred version first."""
    return [kind for kind in every(types) if kind.listable]


def every(types: Iterable[ResourceType]) -> list[Kind]:
    """Also those of which the server keeps no objects, such as reviews."""
    versions: dict[tuple[str, str], list[ResourceType]] = {}
    for type_ in types:
        if "/" not in type_.plural:  # OLM's package server tells a subresource as if it were a type
            versions.setdefault((type_.group, type_.plural), []).append(type_)
    return [Kind(type=served[0], served=tuple(served)) for served in versions.values()]


def find_kinds(client: ClusterClient, query: KindQuery, namespace: str = "") -> Types:
    """Kinds in which every word of the query occurs (kind, plural, short names, group, categories, operator)."""
    definitions = read_definitions(client)
    all_ = [
        Kind(
            type=kind.type,
            served=kind.served,
            owner=definitions.owners.get(kind.type.qualified),
            count=last(client, kind.type, namespace),
            defined=kind.type.qualified in definitions.names,
        )
        for kind in every(client.types())
    ]
    groups: dict[str, list[Kind]] = {}
    for kind in all_:
        if query.fits(kind):
            groups.setdefault(kind.type.group, []).append(kind)
    found = [
        ApiGroup(name or "core", is_custom(name), tuple(sorted(members, key=lambda kind: kind.type.kind)))
        for name, members in groups.items()
    ]
    found.sort(key=lambda group: (not group.custom, group.name in _OLM, group.name != "core", group.name))
    verbs = tuple(sorted({verb for kind in all_ for verb in kind.type.verbs}))
    unserved = definitions.names - {kind.type.qualified for kind in all_}
    return Types(
        groups=tuple(found),
        query=query,
        total=len(all_),
        errors=client.discovery_errors,
        verbs=verbs,
        unserved=tuple(sorted(unserved)[:_UNSERVED]),
    )
