"""Structural schemas: types told once, outside of anyOf, oneOf, allOf and not (pkg/apiserver/schema/validation.go).

Pruning and defaulting follow the structure alone, so it has to be complete and free of contradictions.
"""

from __future__ import annotations

from typing import Any

from structural.causes import Cause
from structural.patterns import fault
from structural.words import forbidden, invalid, required

Schema = dict[str, Any]

_INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]
_EMPTY_TYPE = {
    "root": "must not be empty at the root",
    "item": "must not be empty for specified array items",
    "field": "must not be empty for specified object fields",
}
#: Keywords that say something about structure, and what is said when they stand within a junctor.
_NESTED = {
    "type": "must be empty to be structural",
    "additionalProperties": "must be undefined to be structural",
    "default": "must be undefined to be structural",
    "title": "must be empty to be structural",
    "description": "must be empty to be structural",
    "nullable": "must be false to be structural",
    "x-kubernetes-preserve-unknown-fields": "must be false to be structural",
    "x-kubernetes-embedded-resource": "must be false to be structural",
    "x-kubernetes-int-or-string": "must be false to be structural",
    "x-kubernetes-list-map-keys": "must be empty to be structural",
    "x-kubernetes-list-type": "must be undefined to be structural",
    "x-kubernetes-map-type": "must be undefined to be structural",
    "x-kubernetes-validations": "must be empty to be structural",
}
_UNDEFINED = {"additionalProperties", "default", "x-kubernetes-list-type", "x-kubernetes-map-type"}


def check_structural(schema: Schema, path: str) -> list[Cause]:
    """Everything that keeps the schema from being structural, sorted as the API server sorts it."""
    causes: list[Cause] = []
    _check(schema, "root", path, causes)
    _check_completeness(schema, schema, path, path, causes)
    return sorted(causes, key=lambda cause: f"{cause.field}: {cause.message}")


def _check(schema: Schema, level: str, path: str, causes: list[Cause]) -> None:
    items, more = schema.get("items"), schema.get("additionalProperties")
    if schema.get("type") == "array" and items is None:
        causes.append(required(f"{path}.items", "must be specified"))
    if isinstance(items, dict):
        _check(items, "item", f"{path}.items", causes)
    for name, inner in (schema.get("properties") or {}).items():
        _check(inner, "field", f"{path}.properties[{name}]", causes)
    if more is not None and level == "root":
        causes.append(forbidden(f"{path}.additionalProperties", "must not be used at the root"))
    if isinstance(more, dict):
        _check(more, "field", f"{path}.additionalProperties", causes)
    if schema.get("x-kubernetes-int-or-string"):
        causes += [
            invalid(f"{path}.{name}", True, "must be false if x-kubernetes-int-or-string is true")
            for name in ("x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource")
            if schema.get(name)
        ]
    _check_junctors(schema, path, causes, spine=True)
    _check_type(schema, level, path, causes)
    _check_meta(schema, level, path, causes)


def _check_type(schema: Schema, level: str, path: str, causes: list[Cause]) -> None:
    kind = schema.get("type") or ""
    embedded = schema.get("x-kubernetes-embedded-resource")
    exempt = schema.get("x-kubernetes-int-or-string") or schema.get("x-kubernetes-preserve-unknown-fields")
    if embedded and kind != "object":
        detail = "must be object if x-kubernetes-embedded-resource is true"
        causes.append(invalid(f"{path}.type", kind, detail) if kind else required(f"{path}.type", detail))
    elif not kind and not exempt:
        causes.append(required(f"{path}.type", _EMPTY_TYPE[level]))
    if embedded and schema.get("additionalProperties") is not None:
        detail = "must not be used if x-kubernetes-embedded-resource is set"
        causes.append(forbidden(f"{path}.additionalProperties", detail))
    if level == "root" and kind and kind != "object":
        causes.append(invalid(f"{path}.type", kind, "must be object at the root"))
    if embedded and not schema.get("x-kubernetes-preserve-unknown-fields") and not schema.get("properties"):
        detail = (
            "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"
        )
        causes.append(required(f"{path}.properties", detail))


def _check_meta(schema: Schema, level: str, path: str, causes: list[Cause]) -> None:
    """apiVersion, kind and metadata are the server's own; a schema may only narrow names."""
    properties = schema.get("properties") or {}
    checked = level == "root" or bool(schema.get("x-kubernetes-embedded-resource"))
    for name in ("kind", "apiVersion"):
        if checked and name in properties and properties[name].get("type") != "string":
            place = f"{path}.properties[{name}].type"
            causes.append(invalid(place, properties[name].get("type") or "", "must be string"))
    metadata = properties.get("metadata")
    if metadata is None:
        return
    place = f"{path}.properties[metadata]"
    if checked and metadata.get("type") != "object":
        causes.append(invalid(f"{place}.type", metadata.get("type") or "", "must be object"))
    if level == "root":
        known = set(metadata.get("properties") or {}) - {"name", "generateName"}
        rest = {key for key, value in metadata.items() if value not in (None, False, "", [], {})}
        if known or rest - {"type", "default", "properties"}:
            detail = "must not specify anything other than name and generateName, but metadata is implicitly specified"
            causes.append(forbidden(place, detail))


def _check_junctors(schema: Schema, path: str, causes: list[Cause], spine: bool = False) -> None:
    """anyOf, allOf, oneOf and not of one schema; only on the spine may an int-or-string tell its two types there."""
    any_of, all_of = schema.get("anyOf") or [], schema.get("allOf") or []
    if not (spine and any_of == _INT_OR_STRING):
        for index, inner in enumerate(any_of):
            _check_nested(inner, f"{path}.anyOf[{index}]", causes)
    for index, inner in enumerate(all_of):
        first = spine and index == 0 and inner.get("anyOf") == _INT_OR_STRING
        _check_nested(inner, f"{path}.allOf[{index}]", causes, skip_any=first)
    for index, inner in enumerate(schema.get("oneOf") or []):
        _check_nested(inner, f"{path}.oneOf[{index}]", causes)
    if isinstance(schema.get("not"), dict):
        _check_nested(schema["not"], f"{path}.not", causes)
    pattern = schema.get("pattern")
    if pattern and (wrong := fault(pattern)):
        detail = f"must be a valid regular expression, but isn't: {wrong}"
        causes.append(invalid(f"{path}.pattern", pattern, detail))


def _check_nested(schema: Schema, path: str, causes: list[Cause], skip_any: bool = False) -> None:
    rest = {key: value for key, value in schema.items() if key != "anyOf"} if skip_any else schema
    _check_junctors(rest, path, causes)
    if isinstance(schema.get("items"), dict):
        _check_nested(schema["items"], f"{path}.items", causes)
    for name, inner in (schema.get("properties") or {}).items():
        _check_nested(inner, f"{path}.properties[{name}]", causes)
    for keyword, detail in _NESTED.items():
        value = schema.get(keyword)
        if value is not None if keyword in _UNDEFINED else value:
            causes.append(forbidden(f"{path}.{keyword}", detail))
    if "metadata" in (schema.get("properties") or {}):
        causes.append(forbidden(f"{path}.properties[metadata]", "must not be specified in a nested context"))


def _check_completeness(
    nested: Schema, spine: Schema | None, spine_path: str, path: str, causes: list[Cause], inside: bool = False
) -> None:
    """What a junctor talks about must be in the structure too. ``inside``: ``nested`` stands within a junctor."""
    if spine is None:
        causes.append(required(spine_path, f"because it is defined in {path}"))
        return
    branches = [(f"{path}.not", nested["not"])] if isinstance(nested.get("not"), dict) else []
    for keyword in ("allOf", "anyOf", "oneOf"):
        branches += [(f"{path}.{keyword}[{index}]", part) for index, part in enumerate(nested.get(keyword) or [])]
    for place, part in branches:
        _check_completeness(part, spine, spine_path, place, causes, inside=True)
    if not inside:
        return
    if isinstance(nested.get("items"), dict):
        items = spine.get("items")
        known = items if isinstance(items, dict) else None
        _check_completeness(nested["items"], known, f"{spine_path}.items", f"{path}.items", causes, inside=True)
    for name, inner in (nested.get("properties") or {}).items():
        place = f"{spine_path}.properties[{name}]"
        known = (spine.get("properties") or {}).get(name)
        _check_completeness(inner, known, place, f"{path}.properties[{name}]", causes, inside=True)
