"""A CustomResourceDefinition's schema as a tree that is opened part by part, and searched as a whole. Pure, over any CRD.

The largest schemas are a megabyte and 7,800 fields: nothing but the asked part is turned into words. A place in a schema is an address of segments, as a JSON
pointer is: property names, `[]` for what a list holds, `{}` for the values of a map.
https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from django.utils.translation import gettext as _

from operatorhub.csv import items, mapping, strings, text

Schema = Mapping[str, Any]
Place = tuple[str, ...]
LIST, MAP = "[]", "{}"
FOUND = 100
_DEPRECATED = re.compile(r"\bdeprecated\b", re.I)
# What the API server takes care of in every object.
_COMMON = frozenset({"apiVersion", "kind", "metadata"})


@dataclass(frozen=True, slots=True)
class Version:
    name: str
    served: bool
    storage: bool
    deprecated: str
    schema: Schema


@dataclass(frozen=True, slots=True)
class Field:
    """One field in words. `at`: its address for links; `path`: as people write it; `children`: how many fields are inside."""

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

    @property
    def id(self) -> str:
        """For the page: one for each place, of letters and digits."""
        return f"{crc32(self.at.encode()):08x}"


@dataclass(frozen=True, slots=True)
class Found:
    """What a search finds: the first of them, and how many there are."""

    fields: tuple[Field, ...]
    total: int


def versions(crd: Mapping[str, Any]) -> tuple[Version, ...]:
    """In the CRD's order; those that are served only, where any is."""
    every = tuple(
        Version(
            text(one.get("name")),
            one.get("served") is True,
            one.get("storage") is True,
            (text(one.get("deprecationWarning")) or _("This version is deprecated.")) if one.get("deprecated") else "",
            mapping(mapping(one.get("schema")).get("openAPIV3Schema")),
        )
        for one in items(mapping(crd.get("spec")).get("versions"))
    )
    return tuple(one for one in every if one.served) or every


def place(at: str) -> Place:
    """`/spec/items/[]` as its segments."""
    return tuple(one.replace("~1", "/").replace("~0", "~") for one in at.split("/")[1:]) if at.startswith("/") else ()


def address(where: Place) -> str:
    return "".join(f"/{one.replace('~', '~0').replace('/', '~1')}" for one in where)


def path(where: Place) -> str:
    """As people write it: `spec.items[].name`, `spec.labels.*`."""
    written = ""
    for one in where:
        if one == LIST:
            written += "[]"
        else:
            written += f"{'.' if written else ''}{'*' if one == MAP else one}"
    return written


def at(schema: Schema, where: Place) -> Schema | None:
    """The schema of that place; None where there is none."""
    here: Any = schema
    for one in where:
        if one == LIST:
            here = mapping(here).get("items")
        elif one == MAP:
            here = mapping(here).get("additionalProperties")
        else:
            here = mapping(mapping(here).get("properties")).get(one)
        if not isinstance(here, Mapping):
            return None
    return mapping(here)


def field(schema: Schema, where: Place) -> Field | None:
    """One field in words."""
    here = at(schema, where)
    if here is None or not where:
        return None
    return _field(here, at(schema, where[:-1]) or {}, where)


def children(schema: Schema, where: Place) -> tuple[Field, ...]:
    """The fields inside one, the required ones first. What a list or a map holds is looked through: its fields are theirs."""
    inner, where = _inside(at(schema, where) or {}, where)
    fields = [
        _field(mapping(one), inner, (*where, name))
        for name, one in mapping(inner.get("properties")).items()
        if where or name not in _COMMON
    ]
    return tuple(sorted(fields, key=lambda one: (not one.required, one.name.casefold())))


def search(schema: Schema, query: str, limit: int = FOUND) -> Found:
    """Fields with every word in their path or description, those with all of them in their path first."""
    words = query.casefold().split()
    if not words:
        return Found((), 0)
    found: list[tuple[int, int, Place]] = []
    for where, one in walk(schema):
        name, whole = where[-1].casefold(), path(where).casefold()
        if all(word in whole for word in words):
            rank = 0 if name == words[-1] else 1 if words[-1] in name else 2
        else:
            rest = text(one.get("description")).casefold()
            if not all(word in whole or word in rest for word in words):
                continue
            rank = 3
        found.append((rank, len(where), where))
    found.sort(key=lambda one: one[:2])
    shown = (field(schema, where) for _rank, _depth, where in found[:limit])
    return Found(tuple(one for one in shown if one), len(found))


def walk(schema: Schema, where: Place = ()) -> Iterator[tuple[Place, Schema]]:
    """Every field with its place, parents first."""
    inner, where = _inside(schema, where)
    for name, one in mapping(inner.get("properties")).items():
        if (where or name not in _COMMON) and isinstance(one, Mapping):
            yield (*where, name), one
            yield from walk(one, (*where, name))


def _inside(here: Schema, where: Place) -> tuple[Schema, Place]:
    while not here.get("properties"):
        if isinstance(here.get("items"), Mapping):
            here, where = here["items"], (*where, LIST)
        elif isinstance(here.get("additionalProperties"), Mapping):
            here, where = here["additionalProperties"], (*where, MAP)
        else:
            break
    return here, where


def _field(here: Schema, parent: Schema, where: Place) -> Field:
    description = text(here.get("description"))
    inner, _place = _inside(here, where)
    return Field(
        address(where),
        path(where),
        where[-1],
        type_words(here),
        where[-1] in strings(parent.get("required")),
        description,
        _json(here["default"]) if "default" in here else "",
        tuple(_json(one) for one in here.get("enum") or ()),
        _limits(here),
        tuple((text(one.get("rule")), text(one.get("message"))) for one in items(here.get("x-kubernetes-validations"))),
        bool(_DEPRECATED.search(description[:400])),
        len(mapping(inner.get("properties"))),
    )


def type_words(here: Schema) -> str:
    """“list of string”, “map of object”, “integer or string”, “anything”."""
    if here.get("x-kubernetes-int-or-string"):
        return _("integer or string")
    kind = text(here.get("type"))
    if kind == "array":
        return _("list of %(what)s") % {"what": type_words(mapping(here.get("items")))}
    if kind == "object" and isinstance(here.get("additionalProperties"), Mapping):
        return _("map of %(what)s") % {"what": type_words(here["additionalProperties"])}
    if here.get("x-kubernetes-embedded-resource"):
        return _("a whole object")
    if not here.get("properties") and (here.get("x-kubernetes-preserve-unknown-fields") or not kind):
        return _("anything")
    form = text(here.get("format"))
    return f"{kind} ({form})" if form else kind


def _limits(here: Schema) -> tuple[str, ...]:
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
    found = [template % here[name] for name, template in words.items() if here.get(name) is not None]
    if here.get("uniqueItems") or here.get("x-kubernetes-list-type") == "set":
        found.append(_("every item once"))
    if keys := strings(here.get("x-kubernetes-list-map-keys")):
        found.append(_("one item for each %s") % ", ".join(keys))
    if here.get("nullable") is True:
        found.append(_("may be null"))
    if here.get("x-kubernetes-preserve-unknown-fields") and here.get("properties"):
        found.append(_("and any other fields"))
    return tuple(found)


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
