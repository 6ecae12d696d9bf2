"""The patches that are functions of (object, patch): JSON Patch, JSON merge patch, strategic merge patch.

The console has code of its own for patches; the two share nothing, so that one can find the other's mistakes.
Server-side apply, which also needs to know who owns what, is in apply.py.
"""

from __future__ import annotations

from typing import Any

from .errors import ApiError, BadRequest
from .listmaps import merge_key
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
    """Applies all operations or none; ``target`` is not changed."""
    if not isinstance(operations, list):
        raise BadRequest(
            "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"
        )
    document = copy(target)
    for operation in operations:
        if not isinstance(operation, dict) or "op" not in operation:
            raise BadRequest("error decoding patch: missing operation")
        document = _operate(document, operation)
    return document


def _operate(document: Any, operation: dict[str, Any]) -> Any:
    name, path = operation["op"], str(operation.get("path", ""))
    if name in ("add", "replace"):
        return _set(document, path, operation.get("value"), name)
    if name == "remove":
        return _remove(document, path)
    if name == "test":
        found = _find(document, path, "test")
        if (None if found is _MISSING else found) != operation.get("value"):
            raise UnprocessablePatch(f"testing path {path} value failed: test failed")
        return document
    if name in ("move", "copy"):
        source = str(operation.get("from", ""))
        value = _find(document, source, name)
        if value is _MISSING:
            raise UnprocessablePatch(
                f"{name} operation does not apply: doc is missing from path: {source}: missing value"
            )
        value = copy(value)
        if name == "move":
            document = _remove(document, source)
        return _set(document, path, value, "add")
    raise UnprocessablePatch(f"Unexpected kind: {name}")


def _steps(path: str) -> list[str]:
    if path == "":
        return []
    return [part.replace("~1", "/").replace("~0", "~") for part in path.lstrip("/").split("/")]


def _find(document: Any, path: str, _op: str) -> Any:
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
        document = _find(document, "/" + step.replace("~", "~0").replace("/", "~1"), op)
    if not isinstance(document, dict | list):
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


# Strategic merge patch (k8s.io/apimachinery/pkg/util/strategicpatch)

_DIRECTIVE = "$patch"
_DELETE_PRIMITIVES = "$deleteFromPrimitiveList/"
_SET_ORDER = "$setElementOrder/"
_RETAIN = "$retainKeys"


def strategic_patch(target: Any, patch: Any, path: tuple[str, ...] = ()) -> Any:
    """Merges lists by the merge keys of the built-in kinds (listmaps.py); other lists are replaced."""
    if not isinstance(patch, dict):
        return copy(patch)
    if patch.get(_DIRECTIVE) == "replace":
        return {key: copy(value) for key, value in patch.items() if key != _DIRECTIVE}
    if patch.get(_DIRECTIVE) == "delete":
        return {}
    result = dict(target) if isinstance(target, dict) else {}
    if isinstance(patch.get(_RETAIN), list):
        result = {key: value for key, value in result.items() if key in patch[_RETAIN]}
    for key, value in patch.items():
        if key in (_DIRECTIVE, _RETAIN) or key.startswith(_SET_ORDER):
            continue
        if key.startswith(_DELETE_PRIMITIVES):
            field = key.removeprefix(_DELETE_PRIMITIVES)
            result[field] = [item for item in result.get(field) or [] if item not in value]
        elif value is None:
            result.pop(key, None)
        elif isinstance(value, list):
            result[key] = _merge_list(result.get(key), value, (*path, key))
        else:
            result[key] = strategic_patch(result.get(key), value, (*path, key))
    for key, order in patch.items():
        if key.startswith(_SET_ORDER):
            field = key.removeprefix(_SET_ORDER)
            if isinstance(result.get(field), list):
                result[field] = _ordered(result[field], order, (*path, field))
    return result


def _merge_list(present: Any, patch: list[Any], path: tuple[str, ...]) -> list[Any]:
    key = merge_key(path)
    old = list(present) if isinstance(present, list) else []
    server = [item.get(key) for item in old if isinstance(item, dict)] if key else []
    if key is None:
        return [copy(item) for item in patch]
    if key == "":
        return old + [item for item in patch if item not in old]
    if any(isinstance(item, dict) and item.get(_DIRECTIVE) == "replace" for item in patch):
        return [copy(item) for item in patch if not (isinstance(item, dict) and item.get(_DIRECTIVE) == "replace")]
    for item in patch:
        if not isinstance(item, dict):
            raise BadRequest(f"expected an object in the list {'.'.join(path)}")
        if item.get(key) is None:
            raise BadRequest(f"map: {item} does not contain declared merge key: {key}")
        index = next((i for i, have in enumerate(old) if have.get(key) == item[key]), None)
        if item.get(_DIRECTIVE) == "delete":
            if index is not None:
                del old[index]
        elif index is None:
            old.append(strategic_patch({}, item, path))
        else:
            old[index] = strategic_patch(old[index], item, path)
    return _interleave(old, [item[key] for item in patch], server, key)


def _interleave(items: list[Any], patched: list[Any], server: list[Any], key: str) -> list[Any]:
    """The order that strategicpatch gives: the patch's, with the server's other items where they were before."""
    known = {item.get(key): item for item in items}
    mine = [name for name in patched if name in known]
    others = [name for name in server if name in known and name not in mine]
    order: list[Any] = []
    while others and mine:
        before = mine[0] in server and server.index(others[0]) < server.index(mine[0])
        order.append(others.pop(0) if before else mine.pop(0))
    return [known[name] for name in order + others + mine]


def _ordered(items: list[Any], order: list[Any], path: tuple[str, ...]) -> list[Any]:
    key = merge_key(path)

    def identity(item: Any) -> Any:
        return item.get(key) if key and isinstance(item, dict) else item

    wanted = [identity(item) for item in order]
    listed = [item for want in wanted for item in items if identity(item) == want]
    return listed + [item for item in items if identity(item) not in wanted]
