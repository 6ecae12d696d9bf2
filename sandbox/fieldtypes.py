"""How lists and maps merge, for server-side apply and strategic merge patch: by the schema of the kind.

Schemas of built-in kinds say it in the same words as those of CRDs (x-kubernetes-list-type), and the keys of strategic
merge patch besides. Metadata is the same everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from .resources import Resource
from .schema.builtin import COMPONENTS

Schema = dict[str, Any]

_METADATA: Schema = {"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}
_ROOT = ("apiVersion", "kind", "metadata")
_NO_COMPONENTS: Mapping[str, Schema] = {}


def _resolved(raw: Schema, components: Mapping[str, Schema]) -> Schema:
    while components:
        alone = raw.get("allOf")
        inner = alone[0] if alone and len(alone) == 1 else raw
        reference = inner.get("$ref")
        if reference is None:
            return raw
        raw = components.get(reference.rpartition("/")[2]) or {}
    return raw


@dataclass(frozen=True, slots=True)
class Type:
    """The type at one place of an object. ``raw`` is what stands at the place, ``schema`` what it refers to."""

    raw: Schema
    components: Mapping[str, Schema] = field(default_factory=dict, repr=False)
    root: bool = False
    #: a field that Go always writes, even when it has no value
    written: bool = False
    schema: Schema = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "schema", _resolved(self.raw, self.components))

    @property
    def builtin(self) -> bool:
        """Whether the kind is built in, so that Go has a struct for it."""
        return bool(self.components)

    def field(self, name: str) -> Type:
        """The type of a field of this map."""
        if self.root and name == "metadata":
            return Type(_METADATA, COMPONENTS, written=True)
        child = (self.schema.get("properties") or {}).get(name)
        if child is None:
            more = self.schema.get("additionalProperties")
            return Type(more if isinstance(more, dict) else {}, self.components)
        written = self.builtin and ("default" in child or name in (self.schema.get("required") or ()))
        return Type(child, self.components, written=written)

    def declares(self, name: str) -> bool:
        """Whether a field is one of a struct; otherwise it is an entry of a map, and counts itself."""
        return (self.root and name in _ROOT) or name in (self.schema.get("properties") or {})

    def item(self) -> Type:
        """The type of an item of this list."""
        items = self.schema.get("items")
        return Type(items if isinstance(items, dict) else {}, self.components)

    def _says(self, name: str) -> Any:
        return self.raw.get(name, self.schema.get(name))

    def list_keys(self) -> tuple[str, ...] | None:
        """Keys of a list that is a map; () for a set; None for an atomic list."""
        match self._says("x-kubernetes-list-type"):
            case "map":
                return tuple(self._says("x-kubernetes-list-map-keys") or ())
            case "set":
                return ()
        return None

    def atomic_map(self) -> bool:
        """Whether a map is owned as a whole."""
        return bool(self._says("x-kubernetes-map-type") == "atomic")

    def key_default(self, name: str) -> Any:
        """The value of a key that an item leaves out."""
        return ((self.item().schema.get("properties") or {}).get(name) or {}).get("default")

    # Strategic merge patch

    @property
    def strategies(self) -> tuple[str, ...]:
        """``merge``, ``replace``, ``retainKeys``; none: maps are merged, lists replaced."""
        return tuple(str(self.raw.get("x-kubernetes-patch-strategy") or "").split(","))

    @property
    def merge_key(self) -> str:
        """The key by which a list's items are merged; empty when they are plain values."""
        return str(self.raw.get("x-kubernetes-patch-merge-key") or "")


def type_of(resource: Resource, schema: Schema | None) -> Type:
    """The type of whole objects of a resource."""
    components = (schema or {}).get("components") or {}
    named = _NO_COMPONENTS if resource.custom else components.get("schemas") or _NO_COMPONENTS
    return Type(schema or {}, named, root=True)


def identity(type_: Type, keys: tuple[str, ...], item: Any) -> str:
    """The path element of a list item: ``k:{"name":"a"}`` or ``v:"x"``."""
    if not keys:
        return "v:" + msgspec.json.encode(item).decode()
    found = {}
    for key in sorted(keys):
        value = item.get(key) if isinstance(item, dict) else None
        found[key] = type_.key_default(key) if value is None else value
    return "k:" + msgspec.json.encode({key: value for key, value in found.items() if value is not None}).decode()
