"""The API server's complaints → the fields they mean.

It writes `spec.users[0].name`, `metadata.labels`, `data[tls.crt]`, and for maps of custom resources also `spec.config.maxmemory-policy`:
a dot may be part of a key. So the object itself is walked, longest key first.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from resources.forms.fields import Field
from resources.forms.paths import Path
from resources.forms.schema import Node, Schema

_STEP = re.compile(r"^\[([^\]]*)\]|^\.?([^.\[]+)")


@dataclass(frozen=True, slots=True)
class Placed:
    """One complaint. `where` is the server's own word for the field."""

    path: Path
    where: str
    message: str


def path_of(where: str, schema: Schema, obj: Any) -> Path:
    """The path that the server's words mean, as far as it can be followed; then its parts as they are written."""
    node: Node = schema.node(schema.root)
    path: Path = ()
    value, rest = obj, where
    while rest:
        key = _known(rest, node, value)
        if key is not None:
            rest = rest.removeprefix(".")[len(key) :]
        else:
            match = _STEP.match(rest)
            if match is None:
                break
            key = match[1] if match[1] is not None else match[2]
            rest = rest[match.end() :]
        step: str | int = key
        if isinstance(value, list) or (node.get("type") == "array"):
            if key.isdigit():
                step = int(key)
            node = schema.items(node)
            value = value[step] if isinstance(value, list) and isinstance(step, int) and step < len(value) else None
        else:
            key = key.strip("\"'") if isinstance(value, dict) and key not in value else key
            step = key
            node = schema.child(node, key)
            value = value.get(key) if isinstance(value, dict) else None
        path = (*path, step)
    return path


def _known(rest: str, node: Node, value: Any) -> str | None:
    """The longest key of the object or the schema that `rest` begins with."""
    if rest.startswith("["):
        return None
    plain = rest.removeprefix(".")
    names = [*(value if isinstance(value, dict) else ()), *(node.get("properties") or ())]
    fitting = [
        name
        for name in names
        if name and plain.startswith(name) and (len(plain) == len(name) or plain[len(name)] in ".[")
    ]
    return max(fitting, key=len, default=None)


def place(causes: Iterable[tuple[str, str, str]], schema: Schema, obj: Any) -> tuple[Placed, ...]:
    """The causes (field, reason, message) with their paths; one for each field and message."""
    found: dict[tuple[Path, str], Placed] = {}
    for where, _reason, message in causes:
        clean = "" if where in ("<nil>", "") else where
        path = path_of(clean, schema, obj) if clean else ()
        found.setdefault((path, message), Placed(path, clean, message))
    return tuple(found.values())


def by_path(placed: Iterable[Placed]) -> dict[Path, str]:
    """The words at each field; several are joined."""
    words: dict[Path, str] = {}
    for error in placed:
        words[error.path] = f"{words[error.path]}; {error.message}" if error.path in words else error.message
    return words


def shown(fields: Iterable[Field]) -> Mapping[Path, Field]:
    """Every field on the page by its path: what an error can be linked to."""
    found: dict[Path, Field] = {}
    stack = list(fields)
    while stack:
        field = stack.pop()
        found[field.path] = field
        stack += field.children
    return found


def nearest(path: Path, on_page: Mapping[Path, Field]) -> Field | None:
    """The field itself, or the section it is in; None when nothing of it is on the page."""
    while path:
        if path in on_page:
            return on_page[path]
        path = path[:-1]
    return None
