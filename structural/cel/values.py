"""Objects as rules see them: shaped by the schema (apiserver pkg/cel/common/values.go).

Names that aren't CEL identifiers are escaped, integers where the schema says number are doubles, ``format: byte`` is
decoded. Dates stay strings: the library accepts none inside maps.
"""

from __future__ import annotations

import base64
import binascii
import functools
import re
from typing import Any

from ..nodes import SchemaNode

_RESERVED = frozenset(
    {
        "true",
        "false",
        "null",
        "in",
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
    }
)
_SPECIAL = re.compile(r"__|[-./]")
_WRITTEN = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
_IDENTIFIER = re.compile(r"[A-Za-z_./-][A-Za-z0-9_./-]*")


@functools.lru_cache(maxsize=4096)
def escape(name: str) -> str | None:
    """The identifier of a property; None for a name rules cannot reach."""
    if name in _RESERVED:
        return f"__{name}__"
    if not _IDENTIFIER.fullmatch(name):
        return None
    return _SPECIAL.sub(lambda found: _WRITTEN[found.group()], name)


def to_cel(node: SchemaNode | None, value: Any) -> Any:
    """The value as ``self``. Parts without a schema are passed as they are."""
    if node is None:
        return value
    if isinstance(value, dict):
        return _object(node, value)
    if isinstance(value, list):
        items = node.items
        return [to_cel(items, item) for item in value] if items is not None else value
    if isinstance(value, int) and node.types == ("number",) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str) and node.format == "byte":
        try:
            return base64.b64decode(value)
        except (binascii.Error, ValueError):
            return value
    return value


def _object(node: SchemaNode, value: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, inner in value.items():
        known = node.declared(name)
        if known is None:
            found[name] = to_cel(node.additional, inner)
            continue
        written = escape(name)
        if written is not None:
            found[written] = to_cel(known, inner)
    return found


def aligned(node: SchemaNode | None, old: Any, new: Any) -> Any:
    """``old`` with sets and keyed lists in ``new``'s order where they hold the same: their order means nothing."""
    if node is None or old == new:
        return old
    if isinstance(old, dict) and isinstance(new, dict):
        return {name: aligned(node.child(name), inner, new.get(name)) for name, inner in old.items()}
    if not (isinstance(old, list) and isinstance(new, list)):
        return old
    kind = node.raw.get("x-kubernetes-list-type")
    if len(old) == len(new) and (
        (kind == "set" and all(item in old for item in new)) or (kind == "map" and _same_keys(node, old, new))
    ):
        return new if kind == "set" else _by_keys(node, old, new)
    return old


def _keys(node: SchemaNode, items: list[Any]) -> list[tuple[Any, ...]]:
    names = node.raw.get("x-kubernetes-list-map-keys") or []
    return [tuple(item.get(name) for name in names) if isinstance(item, dict) else () for item in items]


def _same_keys(node: SchemaNode, old: list[Any], new: list[Any]) -> bool:
    return sorted(map(repr, _keys(node, old))) == sorted(map(repr, _keys(node, new)))


def _by_keys(node: SchemaNode, old: list[Any], new: list[Any]) -> list[Any]:
    before = dict(zip(map(repr, _keys(node, old)), old, strict=True))
    ordered = (before[repr(key)] for key in _keys(node, new))
    return [aligned(node.items, item, other) for item, other in zip(ordered, new, strict=True)]
