"""What Kubernetes leaves out of OpenAPI v3 and what it adds, keyword by keyword (validation.go, ...OpenAPISchema)."""

from __future__ import annotations

from typing import Any, NamedTuple

from structural.causes import Cause
from structural.words import forbidden, invalid, not_supported, required

from .expressions import check_expressions

Schema = dict[str, Any]

_TYPES = ["array", "boolean", "integer", "number", "object", "string"]
_UNSUPPORTED = ("id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref")
_JUNCTORS = ("allOf", "oneOf", "anyOf")
_META = ("metadata", "kind", "apiVersion")


class Place(NamedTuple):
    """Where the walk is: the path, and what holds there because of what lies above."""

    path: str
    root: bool = False
    no_defaults: str | None = None
    in_meta: bool = False
    #: The nearest list or map above whose parts cannot be told apart between two versions of an object.
    uncorrelatable: str = ""
    #: Rules are compiled only on the structure, and only when that is sound.
    compile: bool = False

    def at(self, suffix: str) -> Place:
        return self._replace(path=self.path + suffix, root=False)


def unsupported(schema: Any) -> bool:
    """Whether the schema or a part of it uses what Kubernetes does not have."""
    if not isinstance(schema, dict):
        return False
    if any(schema.get(name) not in (None, "") for name in _UNSUPPORTED):
        return True
    inner = [schema.get("items"), schema.get("additionalProperties"), schema.get("not")]
    inner += (schema.get("properties") or {}).values()
    return any(map(unsupported, inner + [part for word in _JUNCTORS for part in schema.get(word) or []]))


def check_keywords(schema: Schema, path: str, compile_rules: bool) -> list[Cause]:
    """Complaints about the schema and all its parts; about CEL rules last."""
    found, rules = _check(schema, Place(path, root=True, compile=compile_rules))
    return found + rules


def _check(schema: Schema, place: Place) -> tuple[list[Cause], list[Cause]]:
    causes = _check_supported(schema, place)
    rules: list[Cause] = []
    for inner, where in _parts(schema, place):
        if isinstance(inner, dict):
            more, more_rules = _check(inner, where)
            causes += more
            rules += more_rules
    causes += _check_extensions(schema, place.path) + _check_keys(schema, place.path)
    if schema.get("x-kubernetes-validations"):
        ready = place.compile and not causes
        wrong, uncompiled = check_expressions(schema, place.path, ready, place.uncorrelatable)
        causes += wrong
        rules += uncompiled
    return causes, rules


def _parts(schema: Schema, place: Place) -> list[tuple[Any, Place]]:
    more = schema.get("additionalProperties")
    inside = place
    if place.in_meta:
        inside = place._replace(no_defaults="inside additionalProperties applying to object metadata")
    parts: list[tuple[Any, Place]] = [(more, inside.at(".additionalProperties"))]
    for name, inner in (schema.get("properties") or {}).items():
        where = place.at(f".properties[{name}]")
        if (place.root or schema.get("x-kubernetes-embedded-resource")) and name in _META:
            where = where._replace(
                in_meta=True, no_defaults=f"in top-level {name}" if place.root else where.no_defaults
            )
        parts.append((inner, where))
    logic = place._replace(compile=False)
    parts.append((schema.get("not"), logic.at(".not")))
    for keyword in ("allOf", "oneOf", "anyOf"):
        parts += [(part, logic.at(f".{keyword}[{index}]")) for index, part in enumerate(schema.get(keyword) or [])]
    items = place.at(".items")
    if schema.get("x-kubernetes-list-type") != "map" and not items.uncorrelatable:
        items = items._replace(uncorrelatable=place.path)
    parts.append((schema.get("items"), items))
    return parts


def _check_supported(schema: Schema, place: Place) -> list[Cause]:
    path = place.path
    causes: list[Cause] = []
    kind = schema.get("type") or ""
    if kind and kind not in _TYPES:
        causes.append(not_supported(f"{path}.type", kind, _TYPES))
    if schema.get("default") is not None and place.no_defaults is not None:
        causes.append(forbidden(f"{path}.default", f"must not be set {place.no_defaults}".rstrip()))
    causes += [
        forbidden(f"{path}.{name}", f"{name} is not supported")
        for name in _UNSUPPORTED
        if schema.get(name) not in (None, "")
    ]
    if kind == "null":
        causes.append(forbidden(f"{path}.type", "type cannot be set to null, use nullable as an alternative"))
    if isinstance(schema.get("items"), list):
        causes.append(forbidden(f"{path}.items", "items must be a schema object and not an array"))
    if place.in_meta and schema.get("x-kubernetes-embedded-resource"):
        causes.append(forbidden(f"{path}.x-kubernetes-embedded-resource", "must not be used inside of resource meta"))
    if schema.get("uniqueItems"):
        detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        causes.append(forbidden(f"{path}.uniqueItems", detail))
    more = schema.get("additionalProperties")
    if schema.get("properties") and (more is False or isinstance(more, dict)):
        causes.append(
            forbidden(f"{path}.additionalProperties", "additionalProperties and properties are mutual exclusive")
        )
    return causes


def _check_extensions(schema: Schema, path: str) -> list[Cause]:
    causes: list[Cause] = []
    kind = schema.get("type") or ""
    if schema.get("x-kubernetes-preserve-unknown-fields") is False:
        causes.append(invalid(f"{path}.x-kubernetes-preserve-unknown-fields", False, "must be true or undefined"))
    for name, needed, values in (
        ("x-kubernetes-map-type", "object", ["atomic", "granular"]),
        ("x-kubernetes-list-type", "array", ["atomic", "set", "map"]),
    ):
        value = schema.get(name)
        if value is None:
            continue
        if kind != needed:
            detail = f"must be {needed} if {name} is specified"
            causes.append(invalid(f"{path}.type", kind, detail) if kind else required(f"{path}.type", detail))
        elif value == "set":
            causes += _check_set_items(schema, path)
        if value not in values:
            causes.append(not_supported(f"{path}.{name}", value, values))
    return causes


def _check_set_items(schema: Schema, path: str) -> list[Cause]:
    items = schema.get("items")
    if not isinstance(items, dict):
        return []
    detail = "must be atomic as item of a list with x-kubernetes-list-type=set"
    shown = items.get("x-kubernetes-list-type")
    if items.get("type") == "array" and shown not in (None, "atomic"):
        return [invalid(f"{path}.items.x-kubernetes-list-type", shown, detail)]
    if items.get("type") == "object" and items.get("x-kubernetes-map-type") != "atomic":
        return [invalid(f"{path}.items.x-kubernetes-map-type", shown, detail)]
    return []


def _check_keys(schema: Schema, path: str) -> list[Cause]:
    """``x-kubernetes-list-map-keys``, and what lists with identities ask of their items."""
    kind, keys = schema.get("x-kubernetes-list-type"), schema.get("x-kubernetes-list-map-keys") or []
    items = schema.get("items")
    causes: list[Cause] = []
    if keys and kind != "map":
        place, detail = f"{path}.x-kubernetes-list-type", "must be map if x-kubernetes-list-map-keys is non-empty"
        causes.append(required(place, detail) if kind is None else invalid(place, kind, detail))
    if kind == "map":
        if not keys:
            detail = "must not be empty if x-kubernetes-list-type is map"
            causes.append(required(f"{path}.x-kubernetes-list-map-keys", detail))
        if items is None:
            causes.append(required(f"{path}.items", "must have a schema if x-kubernetes-list-type is map"))
        elif isinstance(items, dict) and items.get("type") != "object":
            detail = "must be object if parent array's x-kubernetes-list-type is map"
            causes.append(invalid(f"{path}.items.type", items.get("type") or "", detail))
        elif isinstance(items, dict):
            causes += _check_key_names(items, keys, path)
    if kind in ("map", "set") and isinstance(items, dict):
        causes += _check_identities(items, kind, keys, path)
    return causes


def _check_key_names(items: Schema, keys: list[str], path: str) -> list[Cause]:
    causes: list[Cause] = []
    properties = items.get("properties") or {}
    for index, key in enumerate(keys):
        place = f"{path}.x-kubernetes-list-map-keys"
        if key not in properties:
            causes.append(invalid(place, keys, "entries must all be names of item properties"))
        elif properties[key].get("type") in ("array", "object"):
            detail = "must be a scalar type if parent array's x-kubernetes-list-type is map"
            causes.append(invalid(f"{path}.items.properties[{key}].type", items.get("type"), detail))
        if key in keys[:index]:
            causes.append(invalid(place, keys, "must not contain duplicate entries"))
    return causes


def _check_identities(items: Schema, kind: str, keys: list[str], path: str) -> list[Cause]:
    causes: list[Cause] = []
    if items.get("nullable"):
        causes.append(forbidden(f"{path}.items.nullable", f"cannot be nullable when x-kubernetes-list-type is {kind}"))
    about = "this property is in x-kubernetes-list-map-keys, so it "
    for key in keys if kind == "map" else ():
        known = (items.get("properties") or {}).get(key)
        if known is None:
            continue
        place = f"{path}.items.properties[{key}]"
        if key not in (items.get("required") or []) and known.get("default") is None:
            causes.append(required(f"{place}.default", f"{about}must have a default or be a required property"))
        if known.get("nullable"):
            causes.append(forbidden(f"{place}.nullable", f"{about}cannot be nullable"))
    return causes
