"""Holds a value against its schema, in the words of k8s.io/kube-openapi/pkg/validation/validate.

Each check returns how many things held: where several alternatives fail, the API server repeats the complaints of the
one that held most, so the count is part of the contract. ``errors`` is a dict for its order and because it says nothing
twice.
"""

from __future__ import annotations

from typing import Any

from . import formats, patterns, scalars
from .causes import FieldCause
from .nodes import SchemaNode
from .words import NOWHERE, invalid, not_supported, required, show, too_many, type_invalid

Errors = dict[FieldCause, None]


class _Missing:
    """Stands for an old value that is not there, or cannot be found."""


MISSING = _Missing()


def field(path: str) -> str:
    return path.removeprefix(".") or NOWHERE


def kind_of(value: Any) -> str:
    """JSON Schema's name of the value's type."""
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    return "array" if isinstance(value, list) else "object" if isinstance(value, dict) else "null"


def same(item: Any, other: Any) -> bool:
    """Deep equality as Go sees it: true is not 1, and 1 is not 1.0."""
    if item != other or type(item) is not type(other):
        return False
    if isinstance(item, dict):
        return all(same(value, other[name]) for name, value in item.items())
    return not isinstance(item, list) or all(map(same, item, other))


def check(node: SchemaNode, value: Any, path: str, errors: Errors, old: Any = MISSING) -> int:
    """Adds what is wrong to ``errors``. Values equal to those in ``old`` are not checked, as in the API server."""
    if old is not MISSING and same(old, value):
        return 1
    if value is None:
        return _check_null(node, path, errors)
    kind = kind_of(value)
    held = 1
    if node.types or node.format:
        held += 2 if _check_type(node, value, kind, path, errors) else 1
    held += 2 if node.plain else 2 + _check_branches(node, value, path, errors)
    if kind == "string":
        _check_string(node, value, path, errors)
        held += 1
    elif kind in ("integer", "number"):
        scalars.check_number(node, value, path, errors)
        held += 2
    elif kind == "array":
        held += 2 + _check_list(node, value, path, errors, old)
    elif kind == "object":
        held += 1 + _check_object(node, value, path, errors, old)
    if node.enum and not _listed(value, node.enum):
        errors[not_supported(field(path), value, node.enum)] = None
    return held + 1


def _check_null(node: SchemaNode, path: str, errors: Errors) -> int:
    if node.family.builtin:
        return 1  # null is the same as absent to Go, and the server writes it itself (Event.firstTimestamp)
    held = 0
    if node.types and not node.nullable:
        errors[_wrong_type(path, ",".join(node.types), "null")] = None
    else:
        held = 1
    if node.enum:
        errors[not_supported(field(path), None, node.enum)] = None
    return held


def _wrong_type(path: str, wanted: str, given: str) -> FieldCause:
    return type_invalid(field(path), given, f'{path} in body must be of type {wanted}: "{given}"')


def _check_type(node: SchemaNode, value: Any, kind: str, path: str, errors: Errors) -> bool:
    wanted = node.types
    number = "number" in wanted or "integer" in wanted
    fits = (
        kind in wanted
        or (kind == "number" and "integer" in wanted and value == int(value))
        or (kind == "integer" and "number" in wanted)
    )
    if node.format and kind not in ("string", "array") and not fits:
        given = {"integer": "int64", "number": "float64"}.get(kind, "")
        if given != node.format:
            errors[_wrong_type(path, node.format, given)] = None
            return False
    if node.format and not number and kind in ("string", "array"):
        return True
    if not fits:
        errors[_wrong_type(path, ",".join(wanted), kind)] = None
    return fits


def _listed(value: Any, enum: list[Any]) -> bool:
    """Go converts the value to each item's type first: 1.5 is the 1 of whole numbers, and 97 the text "a"."""
    return any(_converted(value, item) == item and isinstance(item, bool) == isinstance(value, bool) for item in enum)


def _converted(value: Any, item: Any) -> Any:
    if isinstance(item, int) and isinstance(value, float):
        return int(value)
    if isinstance(item, str) and isinstance(value, int) and 0 <= value < 0x110000:
        return chr(value)
    return value


def _check_string(node: SchemaNode, value: str, path: str, errors: Errors) -> None:
    cause = scalars.length_cause(node, value, path)
    pattern = node.raw.get("pattern")
    if cause is None and pattern and not patterns.matches(pattern, value):
        cause = invalid(field(path), value, f"{path} in body should match '{pattern}'")
    if cause is not None:
        errors[cause] = None
    if node.format and not formats.holds(node.format, value):
        detail = f"{path} in body must be of type {node.format}: {show(value)}"
        errors[type_invalid(field(path), value, detail)] = None


def _check_list(node: SchemaNode, value: list[Any], path: str, errors: Errors, old: Any) -> int:
    held = 0
    items = node.items
    if items is not None:
        before = _correlated(node, value, old)
        for index, item in enumerate(value):
            held += check(items, item, f"{path}[{index}]", errors, before[index] if before else MISSING)
    least, most = node.raw.get("minItems"), node.raw.get("maxItems")
    size = len(value)
    if least is not None and size < least:
        errors[invalid(field(path), size, f"{path} in body should have at least {least} items")] = None
    if most is not None and size > most:
        errors[too_many(field(path), size, most)] = None
    if node.raw.get("uniqueItems") and any(item in value[:index] for index, item in enumerate(value)):
        errors[invalid(field(path), "", f"{path} in body shouldn't contain duplicates")] = None
    return held


def _correlated(node: SchemaNode, value: list[Any], old: Any) -> list[Any] | None:
    """For each item the old one with the same map keys; None for lists without them, whose items have no identity."""
    keys = node.raw.get("x-kubernetes-list-map-keys")
    if node.raw.get("x-kubernetes-list-type") != "map" or not keys or not isinstance(old, list):
        return None
    before = {_key(item, keys): item for item in reversed(old) if isinstance(item, dict)}
    return [before.get(_key(item, keys), MISSING) if isinstance(item, dict) else MISSING for item in value]


def _key(item: dict[str, Any], keys: list[str]) -> str:
    return repr([item.get(key) for key in keys])


def _check_object(node: SchemaNode, value: dict[str, Any], path: str, errors: Errors, old: Any) -> int:
    least, most = node.raw.get("minProperties"), node.raw.get("maxProperties")
    size = len(value)
    if least is not None and size < least:
        errors[invalid(field(path), size, f"{path} in body should have at least {least} properties")] = None
    if most is not None and size > most:
        errors[too_many(field(path), size, most)] = None
    before = old if isinstance(old, dict) else {}
    held = 0
    for name, inner in value.items():
        known = node.declared(name)
        if known is not None:
            place = f"{path}.{name}" if path else name
        elif node.additional is not None:
            known, place = node.additional, f"{path}.{name}"
        elif node.raw.get("additionalProperties") is False:
            errors[invalid(field(path), name, f"{path}.{name} in body is a forbidden property")] = None
            continue
        else:
            continue
        held += check(known, inner, place, errors, before.get(name, MISSING))
    for name in node.required:
        if name not in value:
            errors[required(field(f"{path}.{name}"))] = None
    return held


def _check_branches(node: SchemaNode, value: Any, path: str, errors: Errors) -> int:
    held = 0
    for keyword in ("anyOf", "oneOf"):
        branches = node.branches(keyword)
        if branches:
            held += _check_alternatives(keyword, branches, value, path, errors)
    branches = node.branches("allOf")
    if branches:
        failed = 0
        for branch in branches:
            found: Errors = {}
            held += check(branch, value, path, found)
            failed += bool(found)
            errors.update(found)
        if failed:
            none = ". None validated" if failed == len(branches) else ""
            errors[invalid(NOWHERE, "", f'"{path}" must validate all the schemas (allOf){none}')] = None
    negated = node.raw.get("not")
    if negated is not None:
        found = {}
        check(node.family.node(negated), value, path, found)
        if not found:
            errors[invalid(NOWHERE, "", f'"{path}" must not validate the schema (not)')] = None
    return held


def _check_alternatives(keyword: str, branches: list[SchemaNode], value: Any, path: str, errors: Errors) -> int:
    passed = 0
    first = most = 0
    best: Errors | None = None
    for branch in branches:
        found: Errors = {}
        held = check(branch, value, path, found)
        if not found:
            first = first if passed else held
            passed += 1
            best = None
            if keyword == "anyOf":
                break
        elif not passed and (best is None or held > most):
            best, most = found, held
    if keyword == "anyOf" and not passed:
        errors[invalid(NOWHERE, "", f'"{path}" must validate at least one schema (anyOf)')] = None
    if keyword == "oneOf" and passed != 1:
        count = f"Found {passed} valid alternatives" if passed else "Found none valid"
        errors[invalid(NOWHERE, "", f'"{path}" must validate one and only one schema (oneOf). {count}')] = None
    if best is not None:
        errors.update(best)
        return most
    return first if keyword == "anyOf" or passed == 1 else 0
