"""Which types the cluster serves: aggregated discovery (one answer for all groups), or group by group where that is
not known. And the REST paths of these types.

A group whose own server is down is left out and named in `errors`; all others stay usable.
https://kubernetes.io/docs/concepts/overview/kubernetes-api/#discovery-api
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Any
from urllib.parse import quote

from kube.errors import NotFound

ACCEPT = (
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"
)
# Kubernetes' own groups have no dot, or are among these (k8s.io/api, aggregated metrics). Every other group comes from
# an operator, OLM or an add-on: other projects' groups end with .k8s.io too (gateway.networking.k8s.io, app.k8s.io).
_KUBERNETES_GROUPS = frozenset(
    f"{name}.k8s.io"
    for name in (
        "admissionregistration",
        "apiextensions",
        "apiregistration",
        "authentication",
        "authorization",
        "certificates",
        "coordination",
        "custom.metrics",
        "discovery",
        "events",
        "external.metrics",
        "flowcontrol.apiserver",
        "imagepolicy",
        "internal.apiserver",
        "metrics",
        "networking",
        "node",
        "rbac.authorization",
        "resource",
        "scheduling",
        "storage",
        "storagemigration",
    )
)


def is_custom(group: str) -> bool:
    """Whether a group was brought by an operator or add-on."""
    return "." in group and group not in _KUBERNETES_GROUPS


def is_definition(type_: "ResourceType") -> bool:
    """Whether its objects are CustomResourceDefinitions."""
    return (type_.group, type_.kind) == ("apiextensions.k8s.io", "CustomResourceDefinition")


def known_type(types: Iterable["ResourceType"], group: str, version: str, plural: str) -> "ResourceType | None":
    """One of `types`, or None. For types that most clusters lack: ClusterClient.find() asks the server again for what
    it doesn't know.
    """
    wanted = (group, version, plural)
    return next((type_ for type_ in types if (type_.group, type_.version, type_.plural) == wanted), None)


# As names they would change the path: clients and proxies remove dot segments (RFC 3986, 6.2.2.3).
_DOT_SEGMENTS = frozenset({".", ".."})
_API_VERSION = re.compile(r"v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?")
_STAGES = {None: 0, "beta": 1, "alpha": 2}


def qualified(plural: str, group: str) -> str:
    """'deployments.apps', or 'pods' of the core group."""
    return f"{plural}.{group}" if group else plural


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceType:
    """One served type in one version."""

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool
    verbs: frozenset[str] = frozenset()
    singular: str = ""
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    subresources: frozenset[str] = frozenset()

    @property
    def api_version(self) -> str:
        """'apps/v1', or 'v1' for the core group: what stands in an object's apiVersion."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def group_or_core(self) -> str:
        return self.group or "core"

    @property
    def kinds(self) -> str:
        """'Pods', 'NetworkPolicies': the kind in the plural, as people write it; the kind where the plural is
        another word.
        """
        pairs = zip(self.kind.lower(), self.plural, strict=False)
        alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        return self.kind[:alike] + self.plural[alike:] if alike >= len(self.kind) - 1 else self.kind

    @property
    def qualified(self) -> str:
        """'deployments.apps', 'pods': what kubectl and RBAC call it, whatever else has the same plural."""
        return qualified(self.plural, self.group)

    @property
    def topic_part(self) -> str:
        """'apps/v1/deployments', 'core/v1/pods': its place in page addresses and in topics."""
        return f"{self.group_or_core}/{self.version}/{self.plural}"

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        """The REST path. A namespace is ignored for cluster-scoped types; without one, a list is over all namespaces.

        Raises NotFound for a namespace or a name that nothing can have.
        """
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        place = f"/namespaces/{path_segment(namespace)}" if namespace and self.namespaced else ""
        ends = "".join(f"/{path_segment(part)}" for part in (name, subresource) if part)
        return f"{root}{place}/{self.plural}{ends}"


def path_segment(name: str) -> str:
    """A name from user input as one segment of a REST path.

    Raises NotFound for what Kubernetes refuses in a name (k8s.io/apimachinery, api/validation/path: ".", "..", "/" and
    "%"): the path would be another one than was meant. HTTP clients and proxies remove dot segments, so that ".." of a
    namespace's ConfigMaps is the namespace itself; a server that decodes %2F before it looks for subresources takes
    "web/exec" for one.
    """
    if name in _DOT_SEGMENTS or "/" in name or "%" in name:
        raise NotFound(f'no object or namespace can be called "{name}"')
    return quote(name, safe="")


@dataclass(frozen=True)
class Discovery:
    """What was found.

    `types` are in the server's order of preference: of one group the preferred version comes first.
    """

    types: tuple[ResourceType, ...]
    errors: tuple[str, ...] = ()

    @cached_property
    def by_plural(self) -> dict[tuple[str, str], list[ResourceType]]:
        found: dict[tuple[str, str], list[ResourceType]] = {}
        for type_ in self.types:
            found.setdefault((type_.group, type_.plural), []).append(type_)
        return found

    @cached_property
    def by_kind(self) -> dict[tuple[str, str], list[ResourceType]]:
        found: dict[tuple[str, str], list[ResourceType]] = {}
        for type_ in self.types:
            found.setdefault((type_.group, type_.kind), []).append(type_)
        return found


def aggregated(document: dict[str, Any]) -> Discovery | None:
    """Types of an APIGroupDiscoveryList; None when the server answered something else (it does not know
    aggregation).
    """
    if document.get("kind") != "APIGroupDiscoveryList":
        return None
    types: list[ResourceType] = []
    errors: list[str] = []
    for api_group in document.get("items") or ():
        group = str((api_group.get("metadata") or {}).get("name") or "")
        for version in api_group.get("versions") or ():
            if version.get("freshness") == "Stale":
                errors.append(
                    f"{group}/{version.get('version')}: its API server does not answer; what it served may be missing"
                )
            types += (
                _aggregated_type(group, str(version.get("version") or ""), entry)
                for entry in version.get("resources") or ()
                if entry.get("responseKind")
            )
    return Discovery(tuple(types), tuple(errors))


def _aggregated_type(group: str, version: str, entry: dict[str, Any]) -> ResourceType:
    return ResourceType(
        group=group,
        version=version,
        plural=str(entry.get("resource") or ""),
        kind=str(entry["responseKind"].get("kind") or ""),
        namespaced=entry.get("scope") == "Namespaced",
        verbs=frozenset(entry.get("verbs") or ()),
        singular=str(entry.get("singularResource") or ""),
        short_names=tuple(entry.get("shortNames") or ()),
        categories=tuple(entry.get("categories") or ()),
        subresources=frozenset(str(sub.get("subresource")) for sub in entry.get("subresources") or ()),
    )


def group_versions(groups: dict[str, Any]) -> list[tuple[str, str]]:
    """(group, version) of an APIGroupList, preferred versions first."""
    found: list[tuple[str, str]] = []
    for group in groups.get("groups") or ():
        preferred = str((group.get("preferredVersion") or {}).get("version") or "")
        versions = [str(entry.get("version") or "") for entry in group.get("versions") or ()]
        ordered = sorted(versions, key=lambda version: version != preferred)
        found += ((str(group.get("name") or ""), version) for version in ordered)
    return found


def resource_list(group: str, version: str, document: dict[str, Any]) -> list[ResourceType]:
    """Types of an APIResourceList; subresources are collected under their type."""
    subresources: dict[str, set[str]] = {}
    for entry in document.get("resources") or ():
        name, _, sub = str(entry.get("name") or "").partition("/")
        if sub:
            subresources.setdefault(name, set()).add(sub)
    return [
        ResourceType(
            group=group,
            version=version,
            plural=str(entry["name"]),
            kind=str(entry.get("kind") or ""),
            namespaced=bool(entry.get("namespaced")),
            verbs=frozenset(entry.get("verbs") or ()),
            singular=str(entry.get("singularName") or ""),
            short_names=tuple(entry.get("shortNames") or ()),
            categories=tuple(entry.get("categories") or ()),
            subresources=frozenset(subresources.get(str(entry["name"]), ())),
        )
        for entry in document.get("resources") or ()
        if "/" not in str(entry.get("name") or "/")
    ]


def api_version_priority(version: str) -> tuple[int, int, int, str]:
    """Sort key: the version that the API server prefers comes first: v2, v1, v1beta2, v1beta1, v1alpha1, then others.

    https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority
    """
    found = _API_VERSION.fullmatch(version)
    if found is None:
        return 3, 0, 0, version
    major, stage, minor = found.groups()
    return _STAGES[stage], -int(major), -int(minor or 0), version
