"""A schema as it is walked: one SchemaNode for each place, made when an object first gets there.

CRD schemas reach 900 KB and an object uses a few hundred bytes of one, so nothing is compiled ahead. ``$ref`` (built-in
kinds only) is resolved on the way; recursive schemas therefore cost nothing. Nodes are kept as long as their schema is
in use and never change; schemas are never changed here.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

#: Schemas whose nodes are kept; callers keep about as many decoded CRDs, several versions each.
KEPT = 96

_STRING_FORMATS = frozenset(
    {
        "bsonobjectid",
        "uri",
        "email",
        "hostname",
        "ipv4",
        "ipv6",
        "cidr",
        "mac",
        "uuid",
        "uuid3",
        "uuid4",
        "uuid5",
        "isbn",
        "isbn10",
        "isbn13",
        "creditcard",
        "ssn",
        "hexcolor",
        "rgbcolor",
        "byte",
        "password",
        "date",
        "duration",
        "datetime",
        "k8sshortname",
        "k8slongname",
    }
)
_FORMATS = {"integer": {"int32", "int64"}, "number": {"float", "double"}}


def _usable_format(types: tuple[str, ...], format_: str) -> str:
    """The format, or nothing where the API server ignores it (apiextensions pkg/apiserver/validation/formats.go)."""
    if not format_:
        return ""
    kind = types[0] if len(types) == 1 else "string"
    if kind == "string":
        return format_ if format_.replace("-", "") in _STRING_FORMATS else ""
    return format_ if format_ in _FORMATS.get(kind, ()) else ""


class Family:
    """The nodes of one schema, or of all built-in kinds, which share their components."""

    __slots__ = ("builtin", "components", "nodes", "root", "ruled")

    def __init__(self, root: Schema, components: Mapping[str, Schema]):
        self.root = root
        self.components = components
        self.builtin = bool(components)
        self.nodes: dict[int, tuple[Schema, SchemaNode]] = {}
        #: Identities of the parts with CEL rules in or under them, once rules.py has searched them.
        self.ruled: frozenset[int] | None = None

    def node(self, raw: Schema) -> SchemaNode:
        """The one node of this piece of schema."""
        raw = self.resolve(raw)
        found = self.nodes.get(id(raw))
        if found is None or found[0] is not raw:
            found = self.nodes[id(raw)] = (raw, SchemaNode(self, raw))
        return found[1]

    def resolve(self, raw: Schema) -> Schema:
        """Follows ``$ref``, and ``allOf`` with nothing but one, which OpenAPI v3 documents wrap references in."""
        while self.builtin:
            alone = raw.get("allOf")
            if "$ref" not in raw and alone and len(alone) == 1 and "type" not in raw and "properties" not in raw:
                raw = alone[0]
            reference = raw.get("$ref")
            if reference is None:
                return raw
            raw = self.components.get(reference.rpartition("/")[2]) or {}
        return raw

    def needed(self, raw: Schema, name: str) -> bool:
        """Built-in kinds: whether validation reports the required field as missing. Go decodes absent numbers, booleans
        and lists as their zero value.
        """
        inner = self.resolve((raw.get("properties") or {}).get(name) or {})
        return inner.get("type") in ("string", "object")


class SchemaNode:
    """One place in a schema. ``fields``, ``items`` and the like make their nodes when asked."""

    __slots__ = (
        "_additional",
        "_branches",
        "_fields",
        "_items",
        "embedded",
        "enum",
        "family",
        "format",
        "nullable",
        "plain",
        "preserve",
        "properties",
        "raw",
        "required",
        "types",
    )

    def __init__(self, family: Family, raw: Schema):
        self.family = family
        self.raw = raw
        kind = raw.get("type")
        self.types: tuple[str, ...] = (kind,) if kind else ()
        if raw.get("x-kubernetes-int-or-string"):
            self.types = ("integer", "string")
        self.format = _usable_format(self.types, raw.get("format") or "")
        self.nullable = bool(raw.get("nullable"))
        self.enum: list[Any] = raw.get("enum") or []
        self.required: list[str] = raw.get("required") or []
        if family.builtin:
            self.required = [name for name in self.required if family.needed(raw, name)]
        self.properties: dict[str, Schema] = raw.get("properties") or {}
        self.embedded = bool(raw.get("x-kubernetes-embedded-resource"))
        self.preserve = bool(raw.get("x-kubernetes-preserve-unknown-fields"))
        if (
            family.builtin
            and not self.properties
            and "additionalProperties" not in raw
            and self.types in ((), ("object",))
        ):
            self.preserve = True
        #: Without anyOf, oneOf, allOf and not.
        self.plain = not (raw.get("anyOf") or raw.get("oneOf") or raw.get("allOf") or raw.get("not") is not None)
        self._fields: dict[str, SchemaNode] = {}
        self._items: SchemaNode | None = None
        self._additional: SchemaNode | None = None
        self._branches: dict[str, list[SchemaNode]] = {}

    def declared(self, name: str) -> SchemaNode | None:
        """The node of a declared property; None for any other name."""
        found = self._fields.get(name)
        if found is None and name in self.properties:
            found = self._fields[name] = self.family.node(self.properties[name])
        return found

    @property
    def items(self) -> SchemaNode | None:
        """The node of a list's items; None when the schema says nothing about them."""
        if self._items is None and isinstance(self.raw.get("items"), dict):
            self._items = self.family.node(self.raw["items"])
        return self._items

    @property
    def open(self) -> bool:
        """Whether ``additionalProperties`` allows other names."""
        more = self.raw.get("additionalProperties")
        return isinstance(more, dict) or more is True

    @property
    def additional(self) -> SchemaNode | None:
        """The node of values under names that are not declared."""
        more = self.raw.get("additionalProperties")
        if self._additional is None and isinstance(more, dict):
            self._additional = self.family.node(more)
        return self._additional

    def branches(self, keyword: str) -> list[SchemaNode]:
        """The alternatives under ``anyOf``, ``oneOf`` or ``allOf``."""
        found = self._branches.get(keyword)
        if found is None:
            found = self._branches[keyword] = [self.family.node(item) for item in self.raw.get(keyword) or []]
        return found

    def child(self, name: str) -> SchemaNode | None:
        """The node of a value under this name, declared or not."""
        return self.declared(name) or self.additional

    @property
    def default(self) -> Any:
        """The value to fill in; None for none.

        In built-in kinds Go's zero values are written as defaults: they are not.
        """
        found = self.raw.get("default")
        return None if self.family.builtin and found in ("", 0, False, {}, []) else found


_FAMILIES: OrderedDict[int, tuple[Any, Family]] = OrderedDict()


def node_of(schema: Schema | SchemaNode) -> SchemaNode:
    """The root node of a schema as it is stored or served; warm calls are a dictionary look-up.

    A caller with a cache of its own passes the node, which is returned as it is.
    """
    if isinstance(schema, SchemaNode):
        return schema
    components = (schema.get("components") or {}).get("schemas") or {}
    key = components or schema
    found = _FAMILIES.get(id(key))
    if found is None or found[0] is not key:
        found = _FAMILIES[id(key)] = (key, Family(schema, components))
        while len(_FAMILIES) > KEPT:
            _FAMILIES.popitem(last=False)
    _FAMILIES.move_to_end(id(key))
    return found[1].node(schema)
