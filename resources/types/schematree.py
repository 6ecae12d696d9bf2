"""A kind's schema as a tree that is opened part by part, and searched as a whole.

Pure, over any CRD and any document that a cluster publishes.

The largest schemas are a megabyte and 7,800 fields: nothing but the asked part is turned into words. A place in a
schema is an address of segments, as a JSON pointer is: property names, `[]` for what a list holds, `{}` for the values
of a map. Built-in kinds refer to parts that may contain themselves (`$ref`): a search enters each once on a path, while
opening fields has no end.
https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from django.utils.translation import gettext as _

from kube.objects import items, mapping, text
from resources.forms.schema import Schema as Resolver
from resources.types.schemawords import as_text, is_immutable, limits, referred, strings, type_words

Schema = Mapping[str, Any]
Place = tuple[str, ...]
LIST, MAP = "[]", "{}"
FOUND = 100
_DEEPEST = 100
_DEPRECATED = re.compile(r"\bdeprecated\b", re.I)
# What the API server takes care of in every object.
_COMMON = frozenset({"apiVersion", "kind", "metadata"})


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
            name=text(item.get("name")),
            served=item.get("served") is True,
            storage=item.get("storage") is True,
            deprecated=(text(item.get("deprecationWarning")) or _("This version is deprecated."))
            if item.get("deprecated")
            else "",
            schema=mapping(mapping(item.get("schema")).get("openAPIV3Schema")),
        )
        for item in items(mapping(crd.get("spec")).get("versions"))
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
    return _field(tree, raw, tree.node(_raw(tree, where[:-1])), where)


def children(schema: Schema, where: Place, common: bool = False) -> tuple[SchemaField, ...]:
    """The fields inside one, the required ones first.

    What a list or a map holds is looked through: its fields are theirs.

    `common`: with what every object has, at the top.
    """
    tree = Resolver.from_document(schema)
    inner, where, _refs = _inside(tree, _raw(tree, where) or {}, where)
    fields = [
        _field(tree, mapping(item), inner, (*where, name))
        for name, item in mapping(inner.get("properties")).items()
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
            rest = text(item.get("description")).casefold()
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
    for name, item in mapping(inner.get("properties")).items():
        if isinstance(item, Mapping):
            yield (*where, name), tree.node(item)
            yield from _walk(tree, item, (*where, name), seen)


def _raw(tree: Resolver, where: Place) -> Schema | None:
    """The schema of that place as it stands in the document: a reference is still one."""
    here: Any = tree.root
    for segment in where:
        inner = tree.node(here)
        if segment == LIST:
            here = inner.get("items")
        elif segment == MAP:
            here = inner.get("additionalProperties")
        else:
            here = mapping(inner.get("properties")).get(segment)
        if not isinstance(here, Mapping):
            return None
    return mapping(here)


def _inside(tree: Resolver, raw: Schema, where: Place) -> tuple[Schema, Place, frozenset[str]]:
    """What holds the fields of one: itself, or what its lists and maps hold; and the references passed on the way."""
    refs: list[str] = []
    for _step in range(_DEEPEST):
        if name := referred(raw):
            refs.append(name)
        here = tree.node(raw)
        if here.get("properties"):
            break
        if isinstance(here.get("items"), Mapping):
            raw, where = here["items"], (*where, LIST)
        elif isinstance(here.get("additionalProperties"), Mapping):
            raw, where = here["additionalProperties"], (*where, MAP)
        else:
            break
    return here, where, frozenset(refs)


def _field(tree: Resolver, raw: Schema, parent: Schema, where: Place) -> SchemaField:
    here = tree.node(raw)
    description = text(here.get("description"))
    inner, _place, _refs = _inside(tree, raw, where)
    rules = items(here.get("x-kubernetes-validations"))
    # What Kubernetes' own types publish for every structure and text says nothing.
    empty = bool(tree.components) and here.get("default") in ({}, "")
    return SchemaField(
        at=address(where),
        path=path(where),
        name=where[-1],
        type=type_words(tree, raw),
        required=where[-1] in strings(parent.get("required")),
        description=description,
        default=as_text(here["default"]) if "default" in here and not empty else "",
        enum=tuple(as_text(item) for item in _list(here.get("enum"))),
        limits=limits(here),
        rules=tuple((text(rule.get("rule")), text(rule.get("message"))) for rule in rules),
        deprecated=bool(here.get("deprecated")) or bool(_DEPRECATED.search(description[:400])),
        children=len(mapping(inner.get("properties"))),
        immutable=is_immutable(here),
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
