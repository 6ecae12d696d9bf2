"""A kind's schema as `kubectl explain` reads it: a tree that is opened field by field, and searched as a whole.

explain() takes any kind that the cluster serves, from the document that the API server publishes of the kind's group
and version (kube/catalog.py): the same for built-in kinds, custom ones and those of aggregated servers. The rest is
pure, over any CRD and any such document.

The largest schemas are a megabyte and 7,800 fields: nothing but the asked part is turned into words. A place in a
schema is an address of segments, as a JSON pointer is: property names, `[]` for what a list holds, `{}` for the values
of a map. Built-in kinds refer to parts that may contain themselves (`$ref`): a search enters each once on a path, while
opening fields has no end.
https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.reader import read
from kube.types.extensions import CustomResourceDefinition, JSONSchemaProps
from resources.forms.schema import Node, kind_of
from resources.forms.schema import Schema as Resolver

Schema = Mapping[str, Any]
Place = tuple[str, ...]
LIST, MAP = "[]", "{}"
FOUND = 100
_DEEPEST = 100
_DEPRECATED = re.compile(r"\bdeprecated\b", re.I)
# What the API server takes care of in every object.
_COMMON = frozenset({"apiVersion", "kind", "metadata"})
_SAME = frozenset({"self==oldSelf", "oldSelf==self"})
# Characters of a search.
_LONGEST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaVersion:
    name: str
    served: bool
    storage: bool
    deprecated: str
    schema: Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaField:
    """One field in words.

    `at`: its address for links; `path`: as people write it; `children`: how many fields are inside.
    """

    at: str
    path: str
    name: str
    type: str
    required: bool
    description: str
    default: str
    enum: tuple[str, ...]
    limits: tuple[str, ...]
    rules: tuple[tuple[str, str], ...]
    deprecated: bool
    children: int
    immutable: bool = False

    @property
    def id(self) -> str:
        """For the page: one for each place, of letters and digits."""
        return f"{crc32(self.at.encode()):08x}"


@dataclass(frozen=True, slots=True)
class FieldMatches:
    """What a search finds: the first of them, and how many there are."""

    fields: tuple[SchemaField, ...]
    total: int


def versions(crd: Mapping[str, Any]) -> tuple[SchemaVersion, ...]:
    """In the CRD's order; those that are served only, where any is."""
    every = tuple(
        SchemaVersion(
            name=version.name,
            served=version.served,
            storage=version.storage,
            deprecated=(version.deprecation_warning or _("This version is deprecated.")) if version.deprecated else "",
            schema=version.schema.open_api_v3_schema,
        )
        for version in read(crd, CustomResourceDefinition).spec.versions
    )
    return tuple(version for version in every if version.served) or every


def place(at: str) -> Place:
    """`/spec/items/[]` as its segments."""
    if not at.startswith("/"):
        return ()
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in at.split("/")[1 : _DEEPEST + 1])


def address(where: Place) -> str:
    return "".join(f"/{segment.replace('~', '~0').replace('/', '~1')}" for segment in where)


def path(where: Place) -> str:
    """As people write it: `spec.items[].name`, `spec.labels.*`."""
    written = ""
    for segment in where:
        if segment == LIST:
            written += "[]"
        else:
            written += f"{'.' if written else ''}{'*' if segment == MAP else segment}"
    return written


def at(schema: Schema, where: Place) -> Schema | None:
    """The schema of that place, with its reference followed; None where there is none."""
    found = _raw(Resolver.from_document(schema), where)
    return None if found is None else Resolver.from_document(schema).node(found)


def field(schema: Schema, where: Place) -> SchemaField | None:
    """One field in words."""
    tree = Resolver.from_document(schema)
    raw = _raw(tree, where)
    if raw is None or not where:
        return None
    parent = read(tree.node(_raw(tree, where[:-1])), JSONSchemaProps)
    return _field(tree, raw, parent, where)


def children(schema: Schema, where: Place, common: bool = False) -> tuple[SchemaField, ...]:
    """The fields inside one, the required ones first.

    What a list or a map holds is looked through: its fields are theirs.

    `common`: with what every object has, at the top.
    """
    tree = Resolver.from_document(schema)
    inner, where, _refs = _inside(tree, _raw(tree, where) or {}, where)
    fields = [
        _field(tree, item, inner, (*where, name))
        for name, item in inner.properties.items()
        if where or common or name not in _COMMON
    ]
    # What every object has comes behind what this kind is about.
    last = frozenset() if where else _COMMON
    return tuple(sorted(fields, key=lambda field: (field.name in last, not field.required, field.name.casefold())))


def search(schema: Schema, query: str, limit: int = FOUND, common: bool = False) -> FieldMatches:
    """Fields with every word in their path or description, those with all of them in their path first."""
    words = query.casefold().split()
    if not words:
        return FieldMatches((), 0)
    found: list[tuple[int, int, Place]] = []
    for where, item in walk(schema, common):
        name, whole = where[-1].casefold(), path(where).casefold()
        if all(word in whole for word in words):
            rank = 0 if name == words[-1] else 1 if words[-1] in name else 2
        else:
            rest = read(item, JSONSchemaProps).description.casefold()
            if not all(word in whole or word in rest for word in words):
                continue
            rank = 3
        found.append((rank, len(where), where))
    found.sort(key=lambda place: place[:2])
    shown = (field(schema, where) for _rank, _depth, where in found[:limit])
    return FieldMatches(tuple(field for field in shown if field), len(found))


def walk(schema: Schema, common: bool = False) -> Iterator[tuple[Place, Schema]]:
    """Every field with its place, parents first. What holds itself is not entered again."""
    for where, item in _walk(Resolver.from_document(schema), schema, (), frozenset()):
        if common or where[0] not in _COMMON:
            yield where, item


def _walk(tree: Resolver, raw: Schema, where: Place, seen: frozenset[str]) -> Iterator[tuple[Place, Schema]]:
    inner, where, refs = _inside(tree, raw, where)
    if refs & seen or len(where) > _DEEPEST:
        return
    seen = seen | refs if refs else seen
    for name, item in inner.properties.items():
        if isinstance(item, Mapping):
            yield (*where, name), tree.node(item)
            yield from _walk(tree, item, (*where, name), seen)


def _raw(tree: Resolver, where: Place) -> Schema | None:
    """The schema of that place as it stands in the document: a reference is still one."""
    here: Schema = tree.root
    for segment in where:
        schema = read(tree.node(here), JSONSchemaProps)
        if segment == LIST:
            below = schema.items
        elif segment == MAP:
            below = schema.additional_properties
        else:
            below = schema.properties.get(segment)
        if not isinstance(below, Mapping):
            return None
        here = below
    return here


def _inside(tree: Resolver, raw: Any, where: Place) -> tuple[JSONSchemaProps, Place, frozenset[str]]:
    """What holds the fields of one: itself, or what its lists and maps hold; and the references passed on the way."""
    refs: list[str] = []
    for _step in range(_DEEPEST):
        if name := reference_name(raw):
            refs.append(name)
        here = read(tree.node(raw), JSONSchemaProps)
        if here.properties:
            break
        if isinstance(here.items, Mapping):
            raw, where = here.items, (*where, LIST)
        elif isinstance(here.additional_properties, Mapping):
            raw, where = here.additional_properties, (*where, MAP)
        else:
            break
    return here, where, frozenset(refs)


def _field(tree: Resolver, raw: Any, parent: JSONSchemaProps, where: Place) -> SchemaField:
    node = tree.node(raw)
    here = read(node, JSONSchemaProps)
    inner, _place, _refs = _inside(tree, raw, where)
    # What Kubernetes' own types publish for every structure and text says nothing.
    empty = bool(tree.components) and node.get("default") in ({}, "")
    return SchemaField(
        at=address(where),
        path=path(where),
        name=where[-1],
        type=type_words(tree, raw),
        required=where[-1] in parent.required,
        description=here.description,
        default=as_text(node["default"]) if "default" in node and not empty else "",
        enum=tuple(as_text(item) for item in here.enum),
        limits=limit_words(node),
        rules=tuple((rule.rule, rule.message) for rule in here.x_kubernetes_validations),
        deprecated=here.deprecated or bool(_DEPRECATED.search(here.description[:400])),
        children=len(inner.properties),
        immutable=is_immutable(node),
    )


def type_words(tree: Resolver, raw: Any, depth: int = 0) -> str:
    """“list of string”, “map of object”, “integer or string”, “PodSpec” as `kubectl explain` says it, “anything”."""
    node = tree.node(raw)
    here = read(node, JSONSchemaProps)
    name = reference_name(raw).rpartition(".")[2]
    if name == "Quantity":
        return _("quantity")
    if kind_of(node) == "int-or-string":
        return _("integer or string")
    kind = _(" or ").join(here.types)
    if kind == "array":
        return _("list of %(what)s") % {"what": _within(tree, here.items, depth)}
    if kind == "object" and isinstance(here.additional_properties, Mapping):
        return _("map of %(what)s") % {"what": _within(tree, here.additional_properties, depth)}
    if here.x_kubernetes_embedded_resource:
        return _("embedded object")
    if not here.properties and (here.x_kubernetes_preserve_unknown_fields or not kind):
        return _("anything")
    if name and here.properties:
        return name
    return f"{kind} ({here.format})" if here.format else kind or "object"


def _within(tree: Resolver, raw: Any, depth: int) -> str:
    return type_words(tree, raw, depth + 1) if depth < 20 else _("anything")


def limit_words(here: Node) -> tuple[str, ...]:
    """The bounds of a field in words."""
    low = ">" if here.get("exclusiveMinimum") is True else "≥"
    high = "<" if here.get("exclusiveMaximum") is True else "≤"
    words = {
        "minimum": f"{low} %s",
        "maximum": f"{high} %s",
        "minLength": _("at least %s characters"),
        "maxLength": _("at most %s characters"),
        "pattern": _("matches %s"),
        "minItems": _("at least %s items"),
        "maxItems": _("at most %s items"),
        "minProperties": _("at least %s entries"),
        "maxProperties": _("at most %s entries"),
        "multipleOf": _("a multiple of %s"),
    }
    found = [template % (here[name],) for name, template in words.items() if here.get(name) is not None]
    if here.get("uniqueItems") or here.get("x-kubernetes-list-type") == "set":
        found.append(_("no duplicates"))
    if keys := read(here, JSONSchemaProps).x_kubernetes_list_map_keys:
        found.append(_("unique by %s") % ", ".join(keys))
    if here.get("nullable") is True:
        found.append(_("can be null"))
    if here.get("x-kubernetes-preserve-unknown-fields") and here.get("properties"):
        found.append(_("and any other fields"))
    return tuple(found)


def is_immutable(here: Node) -> bool:
    """Whether a rule of its own forbids any change. https://kubernetes.io/docs/reference/using-api/cel/"""
    rules = read(here, JSONSchemaProps).x_kubernetes_validations
    return any(rule.rule.replace(" ", "") in _SAME for rule in rules)


def as_text(value: Any) -> str:
    """A default or one of the allowed values, as JSON but for texts."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def reference_name(raw: Any) -> str:
    """The name of the part that a node refers to, directly or wrapped to give it a default; '' for none."""
    schema = read(raw, JSONSchemaProps)
    if not schema.ref and len(schema.all_of) == 1:
        schema = schema.all_of[0]
    return schema.ref.rpartition("/")[2]


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
    """`at`: the address() of a place, '' for the top. Raises KubeError."""
    schema: Schema | None = client.schema(type_)
    tree: Schema = schema or {}
    where, query = place(at), query.strip()[:_LONGEST]
    return Explained(
        type=type_,
        versions=served_versions(client, type_),
        known=schema is not None,
        description=read(tree, JSONSchemaProps).description,
        where=where,
        here=field(tree, where),
        trail=tuple((path(where[:end]), address(where[:end])) for end in range(1, len(where))),
        fields=children(tree, where, common=True),
        # What people write is open at once.
        inner=children(tree, ("spec",)) if not where and not query else (),
        query=query,
        found=search(tree, query, common=True) if query else None,
    )


def served_versions(client: ClusterClient, type_: ResourceType) -> tuple[ResourceType, ...]:
    """In the server's order of preference."""
    return tuple(served for served in client.types() if (served.group, served.plural) == (type_.group, type_.plural))
