"""Every leaf of a schema, and whether the form of an empty object leads to a control for it, through whatever has to be opened first."""

from collections.abc import Iterator
from typing import Any

from resources.forms import build
from resources.forms.fields import Field, Options
from resources.forms.paths import token

DEEP = 60


def leaves(node: Any, pointer: str = "", depth: int = 0) -> Iterator[str]:
    """The pointers of what has no schema below it: scalars, and what may be anything."""
    if depth > DEEP:
        return
    if not isinstance(node, dict):
        yield pointer
        return
    properties = node.get("properties")
    if properties and not node.get("x-kubernetes-embedded-resource"):
        for name, child in properties.items():
            if depth or name not in ("apiVersion", "kind", "metadata", "status"):
                yield from leaves(child, f"{pointer}/{token(name)}", depth + 1)
    elif node.get("type") == "array" and node.get("items"):
        yield from leaves(node["items"], f"{pointer}/@n0", depth + 1)
    elif (
        node.get("type") == "object"
        and isinstance(node.get("additionalProperties"), dict)
        and node["additionalProperties"]
    ):
        yield from leaves(node["additionalProperties"], f"{pointer}/@n0", depth + 1)
    else:
        yield pointer


def controls(schema: Any) -> set[str]:
    """The pointers of all controls; of an object that takes more than its own fields, all that could be typed there ("…/*")."""
    found: set[str] = set()
    todo = list(build.Builder(schema, Options()).top({}))
    while todo:
        field = todo.pop()
        if field.lazy:
            todo.append(build.at(schema, {}, field.pointer, Options()))
            continue
        if field.kind == "object":
            todo += field.children
            if field.others is not None:
                found.add(f"{field.pointer}/*")
        elif field.kind in ("array", "map"):
            todo.append(_item(schema, field))
        else:
            found.add(field.pointer)
    return found


def _item(schema: Any, field: Field) -> Field:
    return build.at(schema, {}, f"{field.pointer}/@n0", Options(), 1)


def missed(schema: Any, root: dict[str, Any]) -> tuple[int, list[str]]:
    """(number of leaves, those without a control)."""
    found = controls(schema)
    above = {pointer[:end] for pointer in found for end in range(len(pointer)) if pointer[end] == "/"}
    wanted = list(leaves(root)) or ["/spec"]
    return len(wanted), [
        pointer
        for pointer in wanted
        if pointer not in found and pointer not in above and f"{pointer.rpartition('/')[0]}/*" not in found
    ]
