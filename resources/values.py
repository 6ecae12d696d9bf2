"""A spec or status as a tree of names and values to read: bounded, with a Secret's values hidden."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from resources.shown import MASK

# More is for the YAML page.
_NODES = 1500
_DEPTH = 12
_TEXT = 4000


@dataclass(frozen=True, slots=True)
class Node:
    """A name with either a text or children. `size`: how many children there are, also those left out. `path`: for ids, 'spec.items.0'."""

    name: str
    path: str
    text: str = ""
    children: tuple["Node", ...] = ()
    size: int = 0
    empty: str = ""
    cut: bool = False

    @property
    def open(self) -> bool:
        """Whether it shows its children at once: the first two levels, and short lists below."""
        return self.path.count("\n") < 1 or (self.path.count("\n") < 3 and self.size <= 4)

    @property
    def long(self) -> bool:
        return "\n" in self.text or len(self.text) > 120


class _Budget:
    def __init__(self, left: int) -> None:
        self.left = left


def sections(obj: Mapping[str, Any]) -> tuple[Node, ...]:
    """One tree for each part of an object besides its metadata: spec and status first. Conditions, which have a table of their own, are left out."""
    secret = obj.get("kind") == "Secret" and obj.get("apiVersion") == "v1"
    names = [name for name in ("spec", "status") if name in obj]
    names += [name for name in obj if name not in ("apiVersion", "kind", "metadata", "spec", "status")]
    found = []
    for name in names:
        value = obj[name]
        if name == "status" and isinstance(value, Mapping):
            value = {key: part for key, part in value.items() if key != "conditions"}
        if secret and name in ("data", "stringData") and isinstance(value, Mapping):
            value = dict.fromkeys(value, MASK)
        if value not in ({}, [], None, ""):
            found.append(_node(name, value, name, 0, _Budget(_NODES)))
    return tuple(found)


def _node(name: str, value: Any, path: str, depth: int, budget: _Budget) -> Node:
    budget.left -= 1
    if isinstance(value, Mapping | list) and value and depth >= _DEPTH:
        return Node(name, path, text=_shorten(json.dumps(value, ensure_ascii=False)))
    if isinstance(value, Mapping):
        return _branch(name, [(str(key), part) for key, part in value.items()], path, depth, budget, "{}")
    if isinstance(value, list):
        if all(isinstance(part, str | int | float) for part in value) and len(json.dumps(value)) < 100 and value:
            return Node(name, path, text=", ".join(scalar(part) for part in value))
        return _branch(
            name, [(_title(index, part), part) for index, part in enumerate(value)], path, depth, budget, "[]"
        )
    return Node(name, path, text=_shorten(scalar(value)), empty='""' if value == "" else "")


def _branch(name: str, parts: list[tuple[str, Any]], path: str, depth: int, budget: _Budget, empty: str) -> Node:
    children: list[Node] = []
    for index, (key, value) in enumerate(parts):
        if budget.left <= 0:
            break
        children.append(_node(key, value, f"{path}\n{index}-{key}"[:400], depth + 1, budget))
    cut = len(children) < len(parts)
    return Node(name, path, children=tuple(children), size=len(parts), empty="" if parts else empty, cut=cut)


def _title(index: int, value: Any) -> str:
    """Items of lists by their number, and by their name where they have one."""
    named = value.get("name") or value.get("type") or value.get("kind") if isinstance(value, Mapping) else None
    return f"{index} · {named}" if isinstance(named, str) else str(index)


def scalar(value: Any) -> str:
    """As YAML writes it: true, null, 3."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _shorten(text: str) -> str:
    return text if len(text) <= _TEXT else f"{text[:_TEXT]} …"
