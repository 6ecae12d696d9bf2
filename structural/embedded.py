"""``x-kubernetes-embedded-resource``: whole objects inside objects (apiextensions pkg/apiserver/schema/objectmeta)."""

from __future__ import annotations

from typing import Any

from .causes import FieldCause
from .dns import label_faults
from .metadata import shape_causes
from .nodes import SchemaNode
from .words import invalid, required


def check_embedded(node: SchemaNode, value: Any, path: str = "") -> list[FieldCause]:
    """apiVersion and kind of every embedded object; the object at the root is not checked."""
    causes: list[FieldCause] = []
    _walk(node, value, path, causes)
    return causes


def _walk(node: SchemaNode, value: Any, path: str, causes: list[FieldCause]) -> None:
    if isinstance(value, dict):
        if node.embedded:
            causes += _check(value, path)
        for name, inner in value.items():
            if isinstance(inner, (dict, list)):
                known = node.declared(name)
                if known is not None:
                    _walk(known, inner, f"{path}.{name}" if path else name, causes)
                elif node.additional is not None:
                    _walk(node.additional, inner, f"{path}[{name}]", causes)
    elif isinstance(value, list) and node.items is not None:
        for index, inner in enumerate(value):
            if isinstance(inner, (dict, list)):
                _walk(node.items, inner, f"{path}[{index}]", causes)


def _check(value: dict[str, Any], path: str) -> list[FieldCause]:
    causes = [required(f"{path}.{name}") for name in ("apiVersion", "kind") if name not in value]
    for name in ("apiVersion", "kind"):
        text = value.get(name)
        if name not in value:
            continue
        if not isinstance(text, str):
            causes.append(invalid(f"{path}.{name}", text, "must be a string"))
        elif not text:
            causes.append(invalid(f"{path}.{name}", text, "must not be empty"))
        elif name == "apiVersion" and text.count("/") > 1:
            causes.append(invalid(f"{path}.{name}", text, f"unexpected GroupVersion string: {text}"))
        elif name == "kind" and (faults := label_faults(text.lower())):
            detail = f"may have mixed case, but should otherwise match: {faults}"
            causes.append(invalid(f"{path}.{name}", text, detail))
    if isinstance(value.get("metadata"), dict):
        causes += shape_causes(value["metadata"], f"{path}.metadata")
    return causes
