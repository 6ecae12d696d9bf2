"""JSON Patch and JSON merge patch: the patches that need no schema of the object.

The console has code of its own for patches; the two share nothing, so that one can find the other's mistakes.
Strategic merge patch is in strategic.py, server-side apply in apply.py.
"""

from __future__ import annotations

from typing import Any

from .errors import ApiError, BadRequest
from .objects import copy

_MISSING = object()


class UnprocessablePatch(ApiError):
    """422: the patch is well formed but does not apply to this object."""

    code = 422
    reason = "Invalid"

    def __init__(self, why: str):
        super().__init__(
            "the server rejected our request due to an error in our request",
            {},
        )
        self.why = why


def checked_merge(target: Any, patch: Any) -> Any:
    """The merge patch of a request, which must be an object."""
    if patch is None:
        raise BadRequest("Invalid JSON Patch")
    if not isinstance(patch, dict):
        raise _no_patch(patch, "map[string]interface {}")
    return merge_patch(target, patch)


def merge_patch(target: Any, patch: Any) -> Any:
    """RFC 7396. Neither argument is changed."""
    if not isinstance(patch, dict):
        return copy(patch)
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merge_patch(result.get(key), value)
    return result


# RFC 6902


def json_patch(target: Any, operations: Any) -> Any:
    """Applies all operations or none; ``target`` is not changed. As github.com/evanphx/json-patch does it."""
    if operations is None:
        return target
    if not isinstance(operations, list):
        raise _no_patch(operations, "[]handlers.jsonPatchOp")
    document = copy(target)
    for operation in operations:
        if not isinstance(operation, dict):
            raise _no_patch(operation, "handlers.jsonPatchOp")
        document = _operate(document, operation)
    return document


_GO = {dict: "object", list: "array", str: "string", bool: "bool", int: "number", float: "number"}


def go_mismatch(given: Any, wanted: str) -> str:
    """Go's error for a value of another type than the one wanted."""
    return f"json: cannot unmarshal {_GO.get(type(given), 'null')} into Go value of type {wanted}"


def _no_patch(given: Any, wanted: str) -> BadRequest:
    return BadRequest(f"error decoding patch: {go_mismatch(given, wanted)}")


def _operate(document: Any, operation: dict[str, Any]) -> Any:
    name, path = operation.get("op"), operation.get("path")
    if not isinstance(path, str):
        raise UnprocessablePatch(f"{name} operation failed: missing path")
    if name in ("add", "replace"):
        return _set(document, path, operation.get("value"), name)
    if name == "remove":
        return _remove(document, path)
    if name == "test":
        found = _find(document, path)
        if (None if found is _MISSING else found) != operation.get("value"):
            raise UnprocessablePatch(f"testing path {path} value failed: test failed")
        return document
    source = operation.get("from")
    if name in ("move", "copy") and isinstance(source, str):
        _parent(document, source, name)
        value = _find(document, source)
        value = None if value is _MISSING else copy(value)
        if name == "move":
            document = _remove(document, source)
        return _set(document, path, value, "add")
    raise UnprocessablePatch(f"Unexpected kind: {name}")


def _steps(path: str) -> list[str]:
    """What stands before the first slash is passed over."""
    return [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]


def _find(document: Any, path: str) -> Any:
    for step in _steps(path):
        if isinstance(document, dict):
            document = document.get(step, _MISSING)
        elif isinstance(document, list):
            try:
                document = document[int(step)]
            except (ValueError, IndexError):
                return _MISSING
        else:
            return _MISSING
        if document is _MISSING:
            return _MISSING
    return document


def _parent(document: Any, path: str, op: str) -> tuple[Any, str]:
    steps = _steps(path)
    for step in steps[:-1]:
        document = _find(document, "/" + step.replace("~", "~0").replace("/", "~1"))
    if not isinstance(document, dict | list) or not steps:
        raise UnprocessablePatch(f'{op} operation does not apply: doc is missing path: "{path}": missing value')
    return document, steps[-1]


def _set(document: Any, path: str, value: Any, op: str) -> Any:
    if path == "":
        return copy(value)
    parent, last = _parent(document, path, op)
    if isinstance(parent, dict):
        parent[last] = copy(value)
        return document
    try:
        index = len(parent) if last == "-" and op == "add" else int(last)
    except ValueError:
        raise UnprocessablePatch(f"{op} operation does not apply: doc is missing key: {path}: missing value") from None
    if index < 0 or index > len(parent) or (op == "replace" and index == len(parent)):
        raise UnprocessablePatch(
            f"{op} operation does not apply: Unable to access invalid index: {index}: invalid index referenced"
        )
    if op == "replace":
        parent[index] = copy(value)
    else:
        parent.insert(index, copy(value))
    return document


def _remove(document: Any, path: str) -> Any:
    parent, last = _parent(document, path, "remove")
    try:
        if isinstance(parent, dict):
            del parent[last]
        else:
            del parent[int(last)]
    except (KeyError, ValueError, IndexError):
        raise UnprocessablePatch(
            f'remove operation does not apply: doc is missing path: "{path}": missing value'
        ) from None
    return document
