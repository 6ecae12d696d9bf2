"""Objects with one thing wrong, for every kind of constraint that a schema has: what the forms must say at the right
place.
"""

import copy
from collections.abc import Iterator
from typing import Any, NamedTuple

from structural import formats, patterns

Path = tuple[str | int, ...]
Node = dict[str, Any]

_WRONG = {"string": 7, "integer": "x", "number": "x", "boolean": "x", "object": "x", "array": "x"}
_TEXTS = ("", "!", " ", "-", "Ä ß", "a\tb", "0" * 300, "x" * 70, "%%")
#: Kinds of constraints that concern a whole object or list, and need a good one around them.
LARGEST = 5000


class Break(NamedTuple):
    """`constraint` is the schema's word for what is broken; `path` is where the server should find it."""

    constraint: str
    path: Path
    object: dict[str, Any]


def nodes(node: Node, path: Path = ()) -> Iterator[tuple[Path, Node]]:
    """Every place of a schema, entries of lists and maps once, breadth first, but metadata and status."""
    queue = [(path, node)]
    while queue:
        path, node = queue.pop(0)
        yield path, node
        if node.get("x-kubernetes-embedded-resource"):
            continue
        for name, inner in (node.get("properties") or {}).items():
            if path or name not in ("apiVersion", "kind", "metadata", "status"):
                queue.append(((*path, name), inner))
        for name, part in (("items", 0), ("additionalProperties", "key")):
            if isinstance(node.get(name), dict) and node[name]:
                queue.append(((*path, part), node[name]))


def breaks(schema: Node, obj: dict[str, Any], each: int = 1, deepest: int = 9) -> Iterator[Break]:
    """`each` objects for every kind of constraint in the schema, all different from `obj` in one place."""
    made: dict[str, int] = {}
    for path, node in nodes(schema):
        if not path or len(path) > deepest:
            continue
        for constraint, value, below in _wrong(node):
            if made.get(constraint, 0) >= each:
                continue
            broken = put(copy.deepcopy(obj), path, value, schema)
            if broken is None:
                continue
            made[constraint] = made.get(constraint, 0) + 1
            yield Break(constraint, (*path, *below), broken)


def put(obj: dict[str, Any], path: Path, value: Any, schema: Node) -> dict[str, Any] | None:
    """`value` at `path`, with what has to be around it; None where the object has something else there."""
    here: Any = obj
    for part, after in zip(path, (*path[1:], None), strict=True):
        inside: Any = [] if isinstance(after, int) else {}
        if isinstance(part, int):
            if not isinstance(here, list):
                return None
            if not here:
                here.append(inside)
        elif not isinstance(here, dict):
            return None
        elif after is not None and (part not in here or here[part] is None):
            here[part] = inside
        if after is None:
            here[part] = value
        else:
            here = here[part]
    return obj


def _wrong(node: Node) -> Iterator[tuple[str, Any, Path]]:
    """(constraint, a value that breaks it, where below the node)."""
    kind = node.get("type")
    if node.get("x-kubernetes-int-or-string"):
        yield "int-or-string", True, ()
    elif kind in _WRONG:
        yield f"type {kind}", _WRONG[kind], ()
    if node.get("enum"):
        yield "enum", "not in there" if kind == "string" else 987654321, ()
    if kind == "string":
        yield from _texts(node)
    if kind in ("integer", "number"):
        yield from _numbers(node, kind)
    if kind == "array":
        yield from _lists(node)
    if kind == "object":
        yield from _objects(node)


def _texts(node: Node) -> Iterator[tuple[str, Any, Path]]:
    most, least = node.get("maxLength"), node.get("minLength")
    if least:
        yield "minLength", "a" * (least - 1), ()
    if most is not None and most < LARGEST:
        yield "maxLength", "a" * (most + 1), ()
    if pattern := node.get("pattern"):
        inside = [text for text in _TEXTS if (least or 0) <= len(text) <= (LARGEST if most is None else most)]
        found = next((text for text in inside if not patterns.matches(pattern, text)), None)
        if found is not None:
            yield "pattern", found, ()
    if (format_ := node.get("format")) and not formats.holds(format_, "!!"):
        yield f"format {format_}", "!!", ()


def _numbers(node: Node, kind: str) -> Iterator[tuple[str, Any, Path]]:
    low, high = node.get("minimum"), node.get("maximum")
    if low is not None:
        yield "minimum", low if node.get("exclusiveMinimum") else low - 1, ()
    if high is not None:
        yield "maximum", high if node.get("exclusiveMaximum") else high + 1, ()
    if node.get("multipleOf") and kind == "integer" and node["multipleOf"] > 1:
        yield "multipleOf", node["multipleOf"] + 1, ()
    if kind == "integer":
        yield "fraction", 1.5, ()
    if node.get("format") == "int32":
        yield "int32", 2**31, ()


def _lists(node: Node) -> Iterator[tuple[str, Any, Path]]:
    items = node.get("items") or {}
    item = example(items)
    if node.get("minItems"):
        yield "minItems", [], ()
    if node.get("maxItems") is not None and node["maxItems"] < 300:
        yield "maxItems", [item] * (node["maxItems"] + 1), ()
    if node.get("x-kubernetes-list-type") == "set":
        yield "set", [item, item], (1,)
    if node.get("x-kubernetes-list-type") == "map" and isinstance(item, dict):
        keys = {
            name: example((items.get("properties") or {}).get(name) or {})
            for name in node["x-kubernetes-list-map-keys"]
        }
        yield "map", [{**item, **keys}] * 2, (1,)


def _objects(node: Node) -> Iterator[tuple[str, Any, Path]]:
    good = example(node)
    for name in node.get("required") or ():
        if "default" not in ((node.get("properties") or {}).get(name) or {}):
            yield "required", {key: value for key, value in good.items() if key != name}, (name,)
            break
    if (
        node.get("properties")
        and not node.get("x-kubernetes-preserve-unknown-fields")
        and "additionalProperties" not in node
    ):
        yield "unknown", {**good, "zzUnknown": 1}, ("zzUnknown",)
    if node.get("maxProperties") is not None and node["maxProperties"] < 300:
        entry = example(node.get("additionalProperties") or {"type": "string"})
        yield "maxProperties", {f"k{number}": entry for number in range(node["maxProperties"] + 1)}, ()
    if node.get("minProperties"):
        yield "minProperties", {}, ()


def example(node: Node, depth: int = 0) -> Any:
    """A value that is most probably fine; only what is required."""
    if "default" in node:
        return node["default"]
    if node.get("enum"):
        return node["enum"][0]
    kind = node.get("type")
    if kind == "object":
        properties = node.get("properties") or {}
        return (
            {name: example(properties.get(name) or {}, depth + 1) for name in node.get("required") or ()}
            if depth < 12
            else {}
        )
    if kind == "array":
        return [example(node.get("items") or {}, depth + 1)] * (node.get("minItems") or 0)
    if kind in ("integer", "number"):
        low = node.get("minimum")
        return (
            low + 1
            if low is not None and node.get("exclusiveMinimum")
            else low
            if low is not None
            else min(1, node.get("maximum", 1))
        )
    if kind == "boolean":
        return False
    if kind == "string" or node.get("x-kubernetes-int-or-string"):
        return _fitting(node)
    return {}


def _fitting(node: Node) -> str:
    if node.get("format") in ("date-time", "date", "byte", "duration"):
        return {"date-time": "2024-01-01T00:00:00Z", "date": "2024-01-01", "byte": "YQ==", "duration": "1s"}[
            node["format"]
        ]
    wanted = (
        "a",
        "abc",
        "1",
        "1Gi",
        "1s",
        "1m",
        "a/b",
        "https://a.example",
        "a:1",
        "10.0.0.1",
        "*",
        "A",
        "true",
        "v1",
        "",
        "0 0 * * *",
    )
    least = node.get("minLength") or 0
    for text in (*wanted, "a" * least):
        if len(text) >= least and ("pattern" not in node or patterns.matches(node["pattern"], text)):
            return text
    return "a" * max(1, least)
