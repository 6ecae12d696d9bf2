"""Served resources: one :class:`Resource` for each (group, version, plural), and their registry.

The built-in ones are a table (builtins.py); those of CustomResourceDefinitions come and go while the server runs.
Versions of one resource share their storage under the key ``plural.group`` (``deployments.apps``, ``pods``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from .errors import qualified

ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")


@dataclass(frozen=True, slots=True)
class Scale:
    """The paths of the scale subresource's values in the object."""

    replicas: str = ".spec.replicas"
    status_replicas: str = ".status.replicas"
    selector: str = ""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Resource:
    """One served resource in one version. ``custom`` is the name of its CRD, empty for the built-in ones."""

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool
    singular: str = ""
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ALL_VERBS
    status: bool = False
    scale: Scale | None = None
    list_kind: str = ""
    custom: str = ""
    storage_version: str = ""
    #: spec changes count generations (the kinds whose strategy does so)
    generations: bool = True
    columns: tuple[dict[str, Any], ...] = ()
    subresources: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    deprecation: str = ""
    #: JSON paths that a CRD makes selectable
    selectable: tuple[str, ...] = ()
    #: another resource's key, when this one is its objects in another shape (conversion.py)
    shares: str = ""
    #: objects stored before this version, under another schema, are read through ``reading`` (schemas.py)
    since: int = 0
    reading: Callable[[Resource, Any], bytes] | None = None
    #: this version's schema is not that of the stored one
    reshaped: bool = False
    #: raises when the objects, stored in that version, can't be converted to another (crds.py)
    converting: Callable[[str], None] | None = None
    key: str = field(init=False)
    api_version: str = field(init=False)
    storage_api_version: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", self.shares or qualified(self.plural, self.group))
        prefix = f"{self.group}/" if self.group else ""
        object.__setattr__(self, "api_version", prefix + self.version)
        object.__setattr__(self, "storage_api_version", prefix + (self.storage_version or self.version))

    @property
    def collection_kind(self) -> str:
        """``PodList``."""
        return self.list_kind or f"{self.kind}List"


class Registry:
    """Everything that is served now. ``generation`` grows with each change: a cache key for discovery."""

    def __init__(self, builtin: Iterable[Resource]):
        self._by_path: dict[tuple[str, str, str], Resource] = {}
        self._preferred: dict[str, Resource] = {}
        self._by_kind: dict[tuple[str, str], Resource] = {}
        self._crds: dict[str, list[Resource]] = {}
        self.generation = 0
        for resource in builtin:
            self._add(resource)

    def _add(self, resource: Resource) -> None:
        self._by_path[resource.group, resource.version, resource.plural] = resource
        self._preferred.setdefault(resource.key, resource)
        self._by_kind[resource.api_version, resource.kind] = resource
        self.generation += 1

    def replace_crd(self, name: str, resources: list[Resource]) -> None:
        """The resources (one for each served version, preferred first) that CRD ``name`` brings from now on."""
        for old in self._crds.pop(name, []):
            self._by_path.pop((old.group, old.version, old.plural), None)
            self._preferred.pop(old.key, None)
            self._by_kind.pop((old.api_version, old.kind), None)
        if resources:
            self._crds[name] = resources
        for resource in resources:
            self._add(resource)
        self.generation += 1

    def since(self, crd: str, unknown: int) -> int:
        """From which version on objects are stored under the schema that ``crd`` has now."""
        return min((resource.since for resource in self._crds.get(crd, [])), default=unknown)

    def find(self, group: str, version: str, plural: str) -> Resource | None:
        return self._by_path.get((group, version, plural))

    def by_key(self, key: str) -> Resource | None:
        """``deployments.apps`` in its preferred version."""
        return self._preferred.get(key)

    def by_kind(self, api_version: str, kind: str) -> Resource | None:
        return self._by_kind.get((api_version, kind))

    def all(self) -> list[Resource]:
        """Every resource in every version, in the order of registration."""
        return list(self._by_path.values())

    def preferred(self) -> list[Resource]:
        """Every resource once."""
        return list(self._preferred.values())
