"""Prepares an object for validation as the API server does: prunes unknown fields, drops nulls, sets defaults.

The three steps are those of apiextensions-apiserver (pkg/apiserver/schema/{pruning,defaulting,objectmeta}), in its
order, so that a null where there is a default becomes the default and a null without one disappears.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from .causes import Fault
from .gotypes import decode_faults, settle
from .nodes import Schema, SchemaNode, node_of
from .objectmeta import type_faults
from .words import to_json

_TYPE_META = ("apiVersion", "kind", "metadata")
# fmt: off
_METADATA = frozenset({
    "name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation", "creationTimestamp",
    "deletionTimestamp", "deletionGracePeriodSeconds", "labels", "annotations", "ownerReferences", "finalizers",
    "managedFields",
})
_LISTS = {
    "ownerReferences": frozenset({"apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"}),
    "managedFields": frozenset({
        "manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource",
    }),
}
# fmt: on
#: Times that an Event shows although they are null. Its status and others' are written by controllers, who know what is
#: shown.
_TIMES = ("eventTime", "firstTimestamp", "lastTimestamp", "deprecatedFirstTimestamp", "deprecatedLastTimestamp")


class Malformed(ValueError):
    """Metadata that Go's decoder does not take; the text is its complaint."""


@dataclass(slots=True)
class Examination:
    """The result of pruning: paths of ``unknown`` fields, and ``faults`` at which Go's decoder stops."""

    unknown: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


def prepare(schema: Schema | SchemaNode, obj: dict[str, Any]) -> list[str]:
    """Prunes and defaults ``obj`` in place; returns the paths of the fields that were not known.

    Fields under ``x-kubernetes-preserve-unknown-fields`` stay. ``apiVersion``, ``kind`` and ``metadata`` are known at
    the root and in embedded resources. Malformed for metadata whose fields are of wrong types.
    """
    found = examine(schema, obj)
    if found.faults:
        raise Malformed(found.faults[0].text)
    return found.unknown


def examine(schema: Schema | SchemaNode, obj: dict[str, Any]) -> Examination:
    """The same, with everything that is malformed; that is left as it stands."""
    node = node_of(schema)
    found = Examination()
    if node.family.builtin:
        found.faults += decode_faults(node, obj)
        found.faults += type_faults(obj.get("metadata") or {}, inside="metadata.")
        _prune(node, obj, "", found, root=True)
        if not found.faults:
            settle(node, obj, exempt=tuple(name for name in obj if name == "status" or name in _TIMES))
    else:
        _prune_metadata(obj, "", found)
        _prune(node, obj, "", found, root=True)
        found.unknown.sort()
        drop_nulls(node, obj)
    default(node, obj)
    return found


def prune_unknown(schema: Schema | SchemaNode, obj: dict[str, Any]) -> None:
    """Takes out what the schema does not know, and fills nothing in."""
    _prune(node_of(schema), obj, "", Examination(), root=True)


def prune(node: SchemaNode, value: Any, root: bool) -> list[str]:
    """Only the first step; the paths of what went."""
    found = Examination()
    _prune(node, value, "", found, root)
    return sorted(found.unknown)


def _prune(node: SchemaNode | None, value: Any, path: str, found: Examination, root: bool = False) -> None:
    if isinstance(value, dict):
        _prune_object(node, value, path, found, root)
    elif isinstance(value, list):
        if node is not None and node.preserve:
            _walk_preserved(node, value, path, found)
            return
        items = node.items if node is not None else None
        for index, item in enumerate(value):
            if isinstance(item, (dict, list)):
                _prune(items, item, f"{path}[{index}]", found)


def _prune_object(node: SchemaNode | None, value: dict[str, Any], path: str, found: Examination, root: bool) -> None:
    if node is None:
        found.unknown.extend(_join(path, name) for name in value)
        value.clear()
        return
    embedded = root or node.embedded
    if node.embedded and not root:
        _prune_metadata(value, path, found)
    for name in list(value):
        if embedded and name in _TYPE_META and not (node.family.builtin and name in node.properties):
            continue
        known = node.declared(name)
        if known is not None or node.open:
            if isinstance(value[name], (dict, list)):
                _prune(known or node.additional, value[name], _join(path, name), found)
        elif not node.preserve:
            del value[name]
            if path or name not in _TYPE_META:
                found.unknown.append(_join(path, name))


def _walk_preserved(node: SchemaNode, value: list[Any], path: str, found: Examination) -> None:
    """Items of a preserved list are preserved too, but what their own schema says holds."""
    for index, item in enumerate(value):
        place = f"{path}[{index}]"
        if isinstance(item, dict) and node.items is not None:
            for name, inner in item.items():
                known = node.items.child(name)
                if known is not None and isinstance(inner, (dict, list)):
                    _prune(known, inner, _join(place, name), found)
        elif isinstance(item, list) and node.items is not None:
            _walk_preserved(node.items, item, place, found)


def _prune_metadata(obj: dict[str, Any], path: str, found: Examination) -> None:
    metadata = obj.get("metadata")
    place = _join(path, "metadata")
    if metadata is not None:
        prefix = f"{place}: Invalid value: {to_json(metadata)}: " if path else ""
        found.faults += [Fault((place, *at), prefix + text) for at, text in type_faults(metadata, ())]
    if not isinstance(metadata, dict):
        return
    _keep(metadata, _METADATA, place, found.unknown)
    for name, known in _LISTS.items():
        items = metadata.get(name)
        for index, item in enumerate(items if isinstance(items, list) else ()):
            if isinstance(item, dict):
                _keep(item, known, f"{place}.{name}[{index}]", found.unknown)


def _keep(value: dict[str, Any], known: frozenset[str], path: str, unknown: list[str]) -> None:
    for name in [name for name in value if name not in known]:
        del value[name]
        unknown.append(f"{path}.{name}")


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def drop_nulls(node: SchemaNode | None, value: Any) -> None:
    """Takes out nulls where null is not allowed and nothing would be filled in."""
    if isinstance(value, dict):
        for name in list(value):
            known = node.child(name) if node is not None else None
            inner = value[name]
            if inner is None and known is not None and not known.nullable and known.default is None:
                del value[name]
            elif isinstance(inner, (dict, list)):
                drop_nulls(known, inner)
    elif isinstance(value, list):
        items = node.items if node is not None else None
        for inner in value:
            if isinstance(inner, (dict, list)):
                drop_nulls(items, inner)


def default(node: SchemaNode | None, value: Any) -> None:
    """Fills in defaults, from the outside in: a default may bring objects whose own defaults then apply."""
    if node is None:
        return
    if isinstance(value, dict):
        _default_object(node, value)
    elif isinstance(value, list):
        items = node.items
        if items is None:
            return
        for index, item in enumerate(value):
            if item is None and not items.nullable:
                value[index] = copy.deepcopy(items.default)
            if isinstance(value[index], (dict, list)):
                default(items, value[index])


def _default_object(node: SchemaNode, value: dict[str, Any]) -> None:
    for name, raw in node.properties.items():
        if "default" in raw and (name not in value or value[name] is None):
            known = node.declared(name)
            if known is None or known.default is None or (name in value and known.nullable):
                continue
            value[name] = copy.deepcopy(known.default)
    for name, inner in value.items():
        known = node.child(name)
        if inner is None and known is not None and not known.nullable and name not in node.properties:
            value[name] = inner = copy.deepcopy(known.default)
        if isinstance(inner, (dict, list)):
            default(known, inner)
