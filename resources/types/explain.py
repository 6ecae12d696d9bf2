"""The schema of any kind that the cluster serves, as `kubectl explain` reads it: opened field by field, searched as
a whole.

From the document that the API server publishes of the kind's group and version (kube/catalog.py): the same for built-in
kinds, custom ones and those of aggregated servers.
"""

import shlex
from dataclasses import dataclass

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import text
from resources.types import schematree
from resources.types.schematree import LIST, MAP, FieldMatches, Place, Schema, SchemaField

_LONGEST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """One place in the schema of a kind.

    `known`: there is a schema. `here`: None at the top, `found`: None without a search, `missing`: no such place.

    `inner`: the fields of spec, which are open at once at the top. `versions`: all that are served of the kind, this
    one among them.
    """

    type: ResourceType
    versions: tuple[ResourceType, ...]
    known: bool
    description: str
    where: Place
    here: SchemaField | None
    trail: tuple[tuple[str, str], ...]
    fields: tuple[SchemaField, ...]
    inner: tuple[SchemaField, ...]
    query: str
    found: FieldMatches | None

    @property
    def top(self) -> bool:
        return not self.where

    @property
    def missing(self) -> bool:
        return bool(self.where) and self.here is None

    @property
    def command(self) -> str:
        """What kubectl is asked for the same: lists and maps have no segment of their own there."""
        segments = ".".join((self.type.plural, *(segment for segment in self.where if segment not in (LIST, MAP))))
        return f"kubectl explain {shlex.quote(segments)} --api-version={self.type.api_version}"


def explain(client: ClusterClient, type_: ResourceType, at: str = "", query: str = "") -> Explained:
    """`at`: an address of schematree, '' for the top. Raises KubeError."""
    schema: Schema | None = client.schema(type_)
    tree: Schema = schema or {}
    where, query = schematree.place(at), query.strip()[:_LONGEST]
    return Explained(
        type=type_,
        versions=versions(client, type_),
        known=schema is not None,
        description=text(tree.get("description")),
        where=where,
        here=schematree.field(tree, where),
        trail=tuple((schematree.path(where[:end]), schematree.address(where[:end])) for end in range(1, len(where))),
        fields=schematree.children(tree, where, common=True),
        # What people write is open at once.
        inner=schematree.children(tree, ("spec",)) if not where and not query else (),
        query=query,
        found=schematree.search(tree, query, common=True) if query else None,
    )


def versions(client: ClusterClient, type_: ResourceType) -> tuple[ResourceType, ...]:
    """In the server's order of preference."""
    return tuple(served for served in client.types() if (served.group, served.plural) == (type_.group, type_.plural))
