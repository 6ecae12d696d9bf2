"""The API server's complaints → the fields they mean.

It writes `spec.users[0].name`, `metadata.labels`, `data[tls.crt]`, and for maps of custom resources also
`spec.config.maxmemory-policy`: a dot may be part of a key. So the object itself is walked, longest key first. Where it
names no field, or only the map around an entry, its sentence says more: numbers out of range, unions, labels.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from resources.forms.fields import FormField
from resources.forms.paths import Path, words
from resources.forms.schema import Node, Schema
from untrusted import json_bounds

_STEP = re.compile(r"^\[([^\]]*)\]|^\.?([^.\[]+)")
#: Sentences of which the field is "<nil>".
_NAMED = (
    re.compile(r"Checked value must be of type \S+ (?:with format \S+|\(default format\)) in (?P<where>.+)$"),
    re.compile(r'^Invalid value: (?:"": )?"(?P<where>[^"]+)" must (?:not )?validate '),
)
_SHOWN = re.compile(r'^Invalid value: ("(?:[^"\\]|\\.)*")')
_ABOUT_KEYS = re.compile("name part|prefix part|label key")
_FORBIDDEN = re.compile(r"(?<!\S)(?P<where>\S+) in body is a forbidden property$")


@dataclass(frozen=True, slots=True)
class Placed:
    """One complaint.

    `where` is the server's own word for the field; `key`: it is about the key of a map's entry, not its value.
    """

    path: Path
    where: str
    message: str
    key: bool = False


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


def place_causes(causes: Iterable[tuple[str, str, str]], schema: Schema, obj: Any) -> tuple[Placed, ...]:
    """The causes (field, reason, message) with their paths; one for each field and message."""
    found: dict[tuple[Path, str], Placed] = {}
    for where, _reason, message in causes:
        clean = _field(where, message)
        placed = Placed(path_of(clean, schema, obj) if clean else (), clean, message)
        placed = _entry(placed, obj)
        found.setdefault((placed.path, message), placed)
    return tuple(found.values())


def joined(reported: tuple[Placed, ...], known: tuple[Placed, ...]) -> tuple[Placed, ...]:
    """The server's errors, and those of our checks that it didn't report: it stops at unknown fields, and at what it
    can't decode.
    """
    there = {(error.path, error.message) for error in reported}
    return (*reported, *(error for error in known if (error.path, error.message) not in there))


def _field(where: str, message: str) -> str:
    """The field in the server's words, from its sentence where it gives none."""
    if where not in ("<nil>", ""):
        forbidden = _FORBIDDEN.search(message)
        return forbidden["where"] if forbidden else where
    for named in _NAMED:
        if found := named.search(message):
            return found["where"].removeprefix(".").removeprefix("<nil>")
    return ""


def _entry(placed: Placed, obj: Any) -> Placed:
    """Labels and annotations are refused as a whole; the sentence shows the key or the value that is wrong."""
    shown = _SHOWN.match(placed.message)
    if shown is None or not placed.path or placed.path[-1] not in ("labels", "annotations"):
        return placed
    found = value_at(obj, placed.path)
    text = _unquoted(shown[1])
    if not isinstance(found, dict):
        return placed
    about_key = bool(_ABOUT_KEYS.search(placed.message)) and text in found
    keys = [text] if about_key else [key for key, value in found.items() if value == text]
    return Placed((*placed.path, keys[0]), placed.where, placed.message, about_key) if keys else placed


def _unquoted(text: str) -> str:
    try:
        return str(json_bounds.loads(text))
    except ValueError:  # Go writes \x07 and \U0001f600 where JSON does not
        return text[1:-1]


def value_at(obj: Any, path: Path) -> Any:
    """What stands there; None for nothing."""
    for part in path:
        if isinstance(obj, dict):
            obj = obj.get(part)
        elif isinstance(obj, list) and isinstance(part, int) and part < len(obj):
            obj = obj[part]
        else:
            return None
    return obj


def by_path(placed: Iterable[Placed]) -> dict[Path, str]:
    """The words at each field; several are joined. What is about keys is in `by_key`."""
    return _joined(error for error in placed if not error.key)


def by_key(placed: Iterable[Placed]) -> dict[Path, str]:
    """The words at the keys of maps."""
    return _joined(error for error in placed if error.key)


def _joined(placed: Iterable[Placed]) -> dict[Path, str]:
    found: dict[Path, list[str]] = {}
    for error in placed:
        found.setdefault(error.path, []).append(error.message)
    return {path: "; ".join(messages) for path, messages in found.items()}


def shown(fields: Iterable[FormField]) -> Mapping[Path, FormField]:
    """Every field on the page by its path: what an error can be linked to."""
    found: dict[Path, FormField] = {}
    stack = list(fields)
    while stack:
        field = stack.pop()
        found[field.path] = field
        stack += field.children
    return found


def nearest(path: Path, on_page: Mapping[Path, FormField]) -> FormField | None:
    """The field itself, or the section it is in; None if neither is on the page."""
    while path:
        if path in on_page:
            return on_page[path]
        path = path[:-1]
    return None


def landed(placed: Iterable[Placed], on_page: Mapping[Path, FormField]) -> tuple[Placed, ...]:
    """The same, each at a field that the page has: what is inside a YAML box, or unknown to the schema, at what is
    around it, by name.

    A page made with these says every one of them at a field; what nothing on it stands for keeps its path, and is in
    the summary only.
    """
    moved = []
    for error in placed:
        field = nearest(error.path, on_page)
        exact = field is not None and field.path == error.path and (not error.key or field.is_entry or field.position)
        if field is None or exact:
            moved.append(error)
            continue
        about = words(error.path)
        message = error.message if about in error.message else f"{about}: {error.message}"
        moved.append(Placed(field.path, error.where, message))
    return tuple(moved)
