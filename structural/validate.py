"""All checks of one object, in the API server's order. Each imported module has the rules of one source.

Rules in CEL run only where nothing worse was found, as in customresource/strategy.go. Built-in kinds have no CEL here,
and of what their documents require only that which Go's decoder cannot make up: an absent number or list is simply zero
there.
"""

from __future__ import annotations

from typing import Any

from . import words
from .causes import FieldCause
from .embedded import check_embedded
from .lists import check_lists
from .nodes import Schema, SchemaNode, node_of
from .rules import check_rules, has_rules
from .structure import MISSING, Errors, check

_BLOCKING = frozenset({words.NOT_SUPPORTED, words.REQUIRED, words.TOO_LONG, words.TOO_MANY, words.TYPE_INVALID})
_UNCHECKED = (
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete "
    "validation"
)


def validate(
    schema: Schema | SchemaNode,
    obj: dict[str, Any],
    old: dict[str, Any] | None,
    subresource: str = "",
    warnings: list[str] | None = None,
    *,
    rules: bool = True,
) -> list[FieldCause]:
    """Causes for an invalid ``obj``, which :func:`prepare` has prepared. ``old``: the stored object of an update.

    Parts that are as they were in ``old`` are not refused, even when the schema has become stricter meanwhile
    (Kubernetes' ratcheting), so an object can always be moved away from a bad state step by step. A write to the
    ``subresource`` status is held against the schema of the status alone, and paths inside messages begin there.
    Without ``rules`` no CEL is run.
    """
    node = node_of(schema)
    if node.family.builtin:
        return _validate_builtin(node, obj, old)
    if subresource == "status":
        causes = _check_status(node, obj, old or {})
    else:
        errors: Errors = {}
        check(node, obj, "", errors, MISSING if old is None else old)
        causes = list(errors) + check_embedded(node, obj)
    if old is None or not check_lists(node, old):
        causes += check_lists(node, obj)
    if rules and has_rules(node):
        if any(cause.reason in _BLOCKING for cause in causes):
            causes.append(words.invalid(words.NOWHERE, None, _UNCHECKED))
        else:
            causes += check_rules(node, obj, old, warnings)
    return causes


def _check_status(node: SchemaNode, obj: dict[str, Any], old: dict[str, Any]) -> list[FieldCause]:
    known = node.declared("status")
    if known is None or "status" not in obj:
        return []
    errors: Errors = {}
    check(known, obj["status"], "", errors, old.get("status", MISSING))
    return [
        cause._replace(field="status" if cause.field == words.NOWHERE else f"status.{cause.field}") for cause in errors
    ]


def _validate_builtin(node: SchemaNode, obj: dict[str, Any], old: dict[str, Any] | None) -> list[FieldCause]:
    """Types everywhere but in metadata, which has its own checks; what is required in what people write."""
    errors: Errors = {}
    for name, value in obj.items():
        known = node.declared(name)
        if known is None or name in ("apiVersion", "kind", "metadata"):
            continue
        before = MISSING if old is None else old.get(name, MISSING)
        found: Errors = {}
        check(known, value, name, found, before)
        errors.update(
            (cause, None)
            for cause in found
            if cause.reason == words.TYPE_INVALID or (cause.reason == words.REQUIRED and name != "status")
        )
    return list(errors)
