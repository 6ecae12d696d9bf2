"""The served versions of a kind, its default version, and which versions are deprecated.

Used by everything that links to a kind, creates an object of it or warns of a version.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any

from cachetools import TTLCache, cached
from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.discovery import ResourceType, api_version_priority, is_custom
from kube.errors import KubeError, NotFound
from kube.reader import read
from kube.types.extensions import CustomResourceDefinition
from resources.types.manager import DEFINITIONS

_TTL_SECONDS = 10.0
_MAX_KINDS = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinedVersion:
    """What a CustomResourceDefinition says of a version.

    `warning`: the author's words, '' where it has none of its own.
    """

    name: str
    served: bool = True
    storage: bool = False
    deprecated: bool = False
    warning: str = ""


@dataclass(frozen=True, slots=True)
class KindVersion:
    """A served version of a kind. `deprecation`: '' for one that is not deprecated; `preferred`: the one to use."""

    type: ResourceType
    deprecation: str
    preferred: bool


def defined(crd: Mapping[str, Any]) -> tuple[DefinedVersion, ...]:
    """The versions of a CustomResourceDefinition, in its order. Pure."""
    return tuple(
        DefinedVersion(
            name=version.name,
            served=version.served,
            storage=version.storage,
            deprecated=version.deprecated,
            warning=version.deprecation_warning,
        )
        for version in read(crd, CustomResourceDefinition).spec.versions
    )


def preferred(versions: Iterable[DefinedVersion]) -> str:
    """The version to use: the storage version, else the newest; a deprecated one only where there is no other.

    '' for no version. Pure.
    """
    served = [version for version in versions if version.served]
    served.sort(key=lambda version: (version.deprecated, not version.storage, api_version_priority(version.name)))
    return served[0].name if served else ""


def versions(client: ClusterClient, group: str, plural: str) -> tuple[KindVersion, ...]:
    """Every served version of a kind, the preferred one first; none where the cluster serves none.

    Without permission to read the definition, Kubernetes' order of versions decides and no version counts as
    deprecated.
    """
    group = "" if group == "core" else group
    types = _served(client, group, plural)
    known = {version.name: version for version in _defined(client, f"{plural}.{group}")} if is_custom(group) else {}
    found = [known.get(name) or DefinedVersion(name=name) for name in types]
    first = preferred(version if version.served else DefinedVersion(name=version.name) for version in found)
    found.sort(key=lambda version: (version.name != first, api_version_priority(version.name)))
    return tuple(
        KindVersion(types[version.name], _deprecation(version, first, types[version.name]), version.name == first)
        for version in found
    )


def preferred_type(client: ClusterClient, group: str, plural: str) -> ResourceType | None:
    """The kind in the version to use; None where the cluster does not serve it."""
    types = _served(client, group, plural)
    if len(types) == 1:
        return next(iter(types.values()))
    return next((version.type for version in versions(client, group, plural)), None)


def deprecation(client: ClusterClient, type_: ResourceType) -> str:
    """Why this version should not be used any more, '' where nothing speaks against it."""
    if not is_custom(type_.group):
        return ""
    found = versions(client, type_.group, type_.plural)
    return next((version.deprecation for version in found if version.type.version == type_.version), "")


def _served(client: ClusterClient, group: str, plural: str) -> dict[str, ResourceType]:
    """By version. For kinds that cached discovery doesn't have, discovery is read again: their CRD may be new."""
    try:
        client.find(group, "", plural)
    except NotFound:
        return {}
    return {type_.version: type_ for type_ in client.types() if (type_.group, type_.plural) == (group, plural)}


def _deprecation(version: DefinedVersion, first: str, type_: ResourceType) -> str:
    if not version.deprecated:
        return ""
    if version.warning or first == version.name:
        return version.warning or _("%(version)s is deprecated.") % {"version": type_.api_version}
    words = _("%(version)s is deprecated. Use %(preferred)s.")
    return words % {"version": type_.api_version, "preferred": f"{type_.group}/{first}"}


@cached(TTLCache(_MAX_KINDS, _TTL_SECONDS), key=lambda client, name: (client.host, client.who, name), lock=Lock())
def _defined(client: ClusterClient, name: str) -> tuple[DefinedVersion, ...]:
    """At most ten seconds old; nothing where the definition can't be read."""
    try:
        return defined(client.get(client.find(*DEFINITIONS), name))
    except KubeError:
        return ()
