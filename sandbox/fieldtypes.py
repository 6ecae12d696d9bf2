"""How lists and maps merge, for server-side apply: by a CRD's schema, or for built-in kinds by listmaps.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from .listmaps import ATOMIC_MAPS, map_keys
from .resources import Resource


@dataclass(frozen=True, slots=True)
class Type:
    """The type at one place of an object. ``schema`` is None for built-in kinds and for metadata."""

    path: tuple[str, ...]
    schema: dict[str, Any] | None = None

    def field(self, name: str) -> Type:
        """The type of a field of this map."""
        path = (*self.path, name)
        if self.schema is None or path == ("metadata",):
            return Type(path)
        properties = self.schema.get("properties") or {}
        child = properties.get(name)
        if child is None:
            more = self.schema.get("additionalProperties")
            child = more if isinstance(more, dict) else {}
        return Type(path, child)

    def declares(self, name: str) -> bool:
        """Whether a field is one of a struct; otherwise it is an entry of a map, and counts itself."""
        return self.schema is None or self.path in ((), ("metadata",)) or name in (self.schema.get("properties") or {})

    def item(self) -> Type:
        """The type of an item of this list."""
        if self.schema is None:
            return self
        items = self.schema.get("items")
        return Type(self.path, items if isinstance(items, dict) else {})

    def list_keys(self) -> tuple[str, ...] | None:
        """Keys of a list that is a map; () for a set; None for an atomic list."""
        if not self.path:
            return None
        if self.schema is None:
            return map_keys(self.path)
        match self.schema.get("x-kubernetes-list-type"):
            case "map":
                return tuple(self.schema.get("x-kubernetes-list-map-keys") or ())
            case "set":
                return ()
        return None

    def atomic_map(self) -> bool:
        """Whether a map is owned as a whole."""
        if self.schema is None:
            return bool(self.path) and self.path[-1] in ATOMIC_MAPS and self.path != ("spec", "selector", "matchLabels")
        return self.schema.get("x-kubernetes-map-type") == "atomic"

    def key_default(self, name: str) -> Any:
        """The value of a key that an item leaves out."""
        if self.schema is None:
            return "TCP" if name == "protocol" else None
        items = self.schema.get("items") or {}
        return ((items.get("properties") or {}).get(name) or {}).get("default")


def type_of(resource: Resource, schema: dict[str, Any] | None) -> Type:
    """The type of whole objects of a resource."""
    return Type((), schema if resource.custom and schema is not None else None)


def identity(type_: Type, keys: tuple[str, ...], item: Any) -> str:
    """The path element of a list item: ``k:{"name":"a"}`` or ``v:"x"``."""
    if not keys:
        return "v:" + msgspec.json.encode(item).decode()
    found = {}
    for key in sorted(keys):
        value = item.get(key) if isinstance(item, dict) else None
        found[key] = type_.key_default(key) if value is None else value
    return "k:" + msgspec.json.encode({key: value for key, value in found.items() if value is not None}).decode()
