"""One object of a list, made small: what rows, filters, orders and counts need, and nothing else.

A list of 100,000 objects is kept as these (resources/lists/snapshot.py), so texts that repeat are shared: labels,
owners, images, phases.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from kube.discovery import ResourceType, is_definition
from kube.objects import Column, TableRow
from kube.reader import read
from kube.types.extensions import CustomResourceDefinition
from kube.types.meta import ObjectMeta
from resources.causes.engine import explained_health
from resources.state.health import UNKNOWN, Health
from resources.state.kind_health import has_state
from resources.usage import Usage

Labels = tuple[tuple[str, str], ...]
NO_STATE = Health()
# A Pool that holds more than this many texts for each entry has mostly those of rows that changed since.
_LEAST_POOL = 20_000


@dataclass(frozen=True, slots=True)
class Owner:
    """Who made an object and looks after it: its controller, as ownerReferences tell."""

    api_version: str
    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}"

    @property
    def query(self) -> str:
        """For the address of /resources/owner/."""
        return urlencode({"of": self.api_version, "kind": self.kind, "name": self.name}, quote_via=quote, safe="")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListEntry:
    """`cells`: as the server printed them, for its own columns. `health.state` is '' for kinds that have none.

    `version`: its resourceVersion. `usage`: of a Pod or node, where the list shows it.
    """

    uid: str
    name: str
    namespace: str
    created: str
    cells: tuple[Any, ...]
    health: Health = NO_STATE
    labels: Labels = ()
    owner: Owner | None = None
    terminating: bool = False
    version: str = ""
    usage: Usage | None = None

    @property
    def key(self) -> str:
        """Its place in the order of the API server: that of etcd's keys."""
        return f"{self.namespace}/{self.name}"


class Pool:
    """Values that are equal become one, so that they are kept once."""

    def __init__(self) -> None:
        self._values: dict[Any, Any] = {}

    def share(self, value: Any) -> Any:
        """The same value, as it was first seen."""
        return self._values.setdefault(value, value)

    def tidy(self, entries: int) -> None:
        """Forget what is probably unused: sharing is then worth less for a while, nothing else."""
        if len(self._values) > max(_LEAST_POOL, 6 * entries):
            self._values.clear()


def stateful(type_: ResourceType) -> bool:
    """Whether objects of this type have a state at all; if not, their metadata is enough for a list."""
    return has_state(type_.group, type_.kind)


def include(type_: ResourceType) -> str:
    """What a Table's rows have to bring along (its includeObject)."""
    return "Object" if stateful(type_) else "Metadata"


def _column(name: str, description: str, *, wide: bool = False) -> Column:
    return Column(name=name, type="string", format="", priority=int(wide), description=description)


#: Of CustomResourceDefinitions, API servers before 1.37 print the name and the age only. In their words, as what they
#: print.
_DEFINITION_COLUMNS = (
    _column("Group", "API group of the custom resource"),
    _column("Kind", "Kind of the custom resource"),
    _column("Scope", "Whether objects are in a namespace (Namespaced) or not (Cluster)"),
    _column("Versions", "Served versions; (storage) is the one in which objects are stored"),
    _column("Established", "Whether the API server serves the custom resource (status.conditions)", wide=True),
)


def added_columns(type_: ResourceType) -> tuple[Column, ...]:
    """What stands behind the columns that the server prints; added_cells() fills them."""
    return _DEFINITION_COLUMNS if is_definition(type_) else ()


def added_cells(type_: ResourceType, obj: Mapping[str, Any]) -> tuple[str, ...]:
    """Of a whole object, behind the cells that the server printed."""
    if not is_definition(type_):
        return ()
    found = read(obj, CustomResourceDefinition)
    versions = ", ".join(
        f"{version.name}{' (storage)' if version.storage else ''}{'' if version.served else ' (not served)'}"
        for version in found.spec.versions
    )
    conditions = found.status.conditions
    established = next((condition.status for condition in conditions if condition.type == "Established"), "")
    return (found.spec.group, found.spec.names.kind, found.spec.scope, versions, established)


def entry_of(type_: ResourceType, row: TableRow, pool: Pool | None = None, health: Health | None = None) -> ListEntry:
    """`health`: the state, if it is known already; the row's object may be partial then, and has its added cells."""
    share = pool.share if pool else _same
    cells = row.cells if health is not None or not row.cells else (*row.cells, *added_cells(type_, row.object))
    metadata = read(row.object.get("metadata"), ObjectMeta)
    return ListEntry(
        uid=metadata.uid,
        name=metadata.name,
        namespace=sys.intern(metadata.namespace),
        created=share(metadata.creation_timestamp),
        cells=tuple(share(cell) if isinstance(cell, str) else cell for cell in cells),
        health=share(state_of(type_, row.object) if health is None else health),
        labels=share(tuple(sorted(metadata.labels.items()))),
        owner=share(_owner(metadata)),
        terminating=bool(metadata.deletion_timestamp),
        version=metadata.resource_version,
    )


def _same(value: Any) -> Any:
    return value


def _owner(metadata: ObjectMeta) -> Owner | None:
    """The controller, or the only owner there is."""
    owners = metadata.owner_references
    found = next((owner for owner in owners if owner.controller), owners[0] if len(owners) == 1 else None)
    return Owner(found.api_version, found.kind, found.name) if found else None


def state_of(type_: ResourceType, obj: Mapping[str, Any]) -> Health:
    """The state of a whole object of this type.

    A kind that was made without a status says nothing by not having one.
    """
    if not stateful(type_):
        return NO_STATE
    found = explained_health({**obj, "apiVersion": type_.api_version, "kind": type_.kind})
    if found.state == UNKNOWN and not obj.get("status") and "status" not in type_.subresources:
        return NO_STATE
    return found
