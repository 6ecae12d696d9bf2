"""Request bodies as objects: JSON, YAML, and the errors for bodies that can't be decoded (apiserver's
transformDecodeError).
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import msgspec
import yaml

from untrusted import json_bounds, yaml_bounds

from .errors import BadRequest, UnsupportedMediaType
from .negotiation import MERGE_PATCH, OFFERED, media_type
from .protobuf import MAGIC, decode_protobuf

YAML = "application/yaml"
#: Bodies up to this size are searched for keys that come twice.
DUPLICATES_LIMIT = 512 * 1024
#: How much of a body is shown to its sender.
_SHOWN = 30
#: Levels of JSON. The API server takes 10,000; no schema of Kubernetes has more than these.
LEVELS = 200
_HEAD = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
_GO = {dict: "object", list: "array", str: "string", bool: "bool", int: "number", float: "number"}


class Unrecognized(BadRequest):
    """400 for a body whose kind can't be determined. ``why`` is the reason alone."""

    def __init__(self, kind: str, why: str, data: bytes):
        self.why = why
        shown = data[:_SHOWN].decode(errors="replace") if data[:1] == b"{" else data[:_SHOWN].hex()
        if len(data) > _SHOWN:
            shown += " ..."
        super().__init__(
            f"the object provided is unrecognized (must be of type {kind}): {why} ({shown if data else '<empty>'})"
        )


def body(data: bytes, content_type: str, kind: str = "object") -> dict[str, Any]:
    """The object of a create or update. BadRequest when it cannot be read, UnsupportedMediaType for other types."""
    media = media_type(content_type) or "application/json"
    if data.startswith(MAGIC):
        return decode_protobuf(data)
    if media not in ("application/json", YAML):
        raise UnsupportedMediaType(
            f"the body of the request was in an unknown format - accepted media types include: {OFFERED}"
        )
    found = from_yaml(data, kind) if media == YAML else from_json(data, kind)
    if fault := _head_fault(found):
        raise Unrecognized(kind, fault, data)
    return found or {}


def _head_fault(found: Any) -> str:
    """The fault of apiVersion and kind, or of a body that can't have them."""
    begin = "couldn't get version/kind; json parse error: json: cannot unmarshal"
    if found is not None and not isinstance(found, dict):
        return f"{begin} {_GO[type(found)]} into Go value of type {_HEAD}"
    for name in ("apiVersion", "kind"):
        value = (found or {}).get(name)
        if value is not None and not isinstance(value, str):
            return f"{begin} {_GO[type(value)]} into Go struct field .{name} of type string"
    version = (found or {}).get("apiVersion") or ""
    return f"unexpected GroupVersion string: {version}" if version.count("/") > 1 else ""


def from_json(data: bytes, kind: str = "object") -> Any:
    """The decoded body; BadRequest when it isn't JSON."""
    try:
        return json_bounds.load(data, LEVELS)
    except msgspec.DecodeError as problem:
        raise Unrecognized(kind, f"couldn't get version/kind; json parse error: {problem}", data) from None


def from_yaml(data: bytes, kind: str = "object") -> Any:
    """The first document; BadRequest when it cannot be read. JSON is YAML too."""
    if data[:1] in (b"{", b"["):
        try:
            return json_bounds.load(data, LEVELS)
        except json_bounds.TooDeep as problem:
            raise Unrecognized(kind, f"couldn't get version/kind; json parse error: {problem}", data) from None
        except msgspec.DecodeError:
            pass  # a flow mapping of YAML, perhaps
    try:
        return _plain(next(yaml_bounds.load_all(data), None))
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        line = f"line {mark.line + 1}: " if mark is not None else ""
        text = getattr(problem, "problem", None) or str(problem)
        raise Unrecognized(
            kind,
            f"couldn't get version/kind; json parse error: error converting YAML to JSON: yaml: {line}{text}",
            data,
        ) from None


def _plain(value: Any) -> Any:
    """YAML's dates become the text they were, keys become strings."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


# Keys that come twice


def duplicates(data: bytes, content_type: str, strict: bool) -> tuple[str, ...]:
    """A sentence for each key that comes twice in one object. Larger bodies are not checked."""
    media = media_type(content_type) or "application/json"
    if len(data) > DUPLICATES_LIMIT or data.startswith(MAGIC):
        return ()
    if media == YAML:
        lines = _twice_in_yaml(data)
        return ("yaml: unmarshal errors:\n  " + "\n  ".join(lines),) if strict and lines else lines
    return _twice_in_json(data) if media in ("application/json", MERGE_PATCH) else ()


def _twice_in_yaml(data: bytes) -> tuple[str, ...]:
    try:
        root = next(yaml_bounds.compose_all(data), None)
    except yaml.YAMLError:
        return ()
    lines: list[str] = []

    def visit(node: Any) -> None:
        if isinstance(node, yaml.SequenceNode):
            for item in node.value:
                visit(item)
        elif isinstance(node, yaml.MappingNode):
            seen: set[str] = set()
            for key, value in node.value:
                if key.value in seen:
                    lines.append(f'line {key.start_mark.line + 1}: key "{key.value}" already set in map')
                seen.add(key.value)
                visit(value)

    visit(root)
    return tuple(lines)


def _twice_in_json(data: bytes) -> tuple[str, ...]:
    twice: dict[int, list[str]] = {}
    alive: list[dict[str, Any]] = []  # ids are unique among living objects only

    def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            names = Counter(name for name, _ in pairs)
            twice[id(found)] = [name for name, count in names.items() if count > 1]
            alive.append(found)
        return found

    try:
        obj = json.loads(data, object_pairs_hook=collect)
    except (ValueError, RecursionError):
        return ()
    return tuple(f'duplicate field "{path}"' for path in _paths(obj, "", twice)) if twice else ()


def _paths(value: Any, path: str, twice: dict[int, list[str]]) -> list[str]:
    found: list[str] = []
    if isinstance(value, dict):
        found = [f"{path}.{name}".lstrip(".") for name in twice.get(id(value), ())]
        for key, item in value.items():
            found += _paths(item, f"{path}.{key}", twice)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found += _paths(item, f"{path}[{index}]", twice)
    return found
