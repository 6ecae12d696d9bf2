"""Defaults in a schema: they must be what the schema itself accepts (pkg/apiserver/schema/defaulting/validation.go)."""

from __future__ import annotations

import copy
from typing import Any

from structural.causes import FieldCause
from structural.embedded import check_embedded
from structural.nodes import SchemaNode, node_of
from structural.prepare import prune
from structural.rules import check_rules, has_rules
from structural.structure import Errors, check
from structural.words import NOWHERE, invalid


def check_defaults(schema: dict[str, Any], path: str) -> list[FieldCause]:
    """Every default in the structure, against the part of the schema it stands in."""
    causes: list[FieldCause] = []
    _walk(node_of(schema), path, False, causes)
    return causes


def _walk(node: SchemaNode, path: str, in_meta: bool, causes: list[FieldCause]) -> None:
    if node.raw.get("default") is not None:
        causes += _check(node, node.raw["default"], f"{path}.default", in_meta)
    if node.items is not None:
        _walk(node.items, f"{path}.items", in_meta, causes)
    for name in node.properties:
        known = node.declared(name)
        meta = in_meta or (node.embedded and name in ("metadata", "apiVersion", "kind"))
        if known is not None:
            _walk(known, f"{path}.properties[{name}]", meta, causes)


def _check(node: SchemaNode, value: Any, place: str, in_meta: bool) -> list[FieldCause]:
    causes: list[FieldCause] = []
    if not in_meta:
        pruned = copy.deepcopy(value)
        if prune(node, pruned, node.embedded):
            causes.append(invalid(place, value, "must not have unknown fields"))
    errors: Errors = {}
    check(node, value, "", errors)
    found = check_embedded(node, value) or list(errors)
    if not found and has_rules(node):
        found = check_rules(node, value, None)
    return causes + [_under(place, cause) for cause in found]


def _under(place: str, cause: FieldCause) -> FieldCause:
    if cause.field == NOWHERE:
        return cause._replace(field=place)
    return cause._replace(field=place + (cause.field if cause.field.startswith(("[", ".")) else f".{cause.field}"))
