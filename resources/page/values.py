"""A spec or status as a tree of names and values to read: bounded, with a Secret's values hidden."""

import json
import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from typing import Any

from resources.display_copy import MASK
from resources.forms.schema import Schema
from resources.forms.sensitive import is_sensitive

# More is for the YAML page.
_NODES = 1500
_DEPTH = 12
_TEXT = 4000
_HELP = 400
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueNode:
    """A name with either a text or children.

    `size`: how many children there are, also those left out. `path`: for ids, 'spec.items.0'.

    `where`: the same as kubectl's JSONPath has it, '.spec.items[0]'; `help`: what the kind's schema says of the field.
    """

    name: str
    path: str
    text: str = ""
    children: tuple["ValueNode", ...] = ()
    size: int = 0
    empty: str = ""
    cut: bool = False
    where: str = ""
    help: str = ""
    secret: bool = False

    @property
    def open(self) -> bool:
        """Whether it shows its children at once: the first two levels, and short lists below."""
        return self.path.count("\n") < 1 or (self.path.count("\n") < 3 and self.size <= 4)

    @property
    def long(self) -> bool:
        return "\n" in self.text or len(self.text) > 120


@dataclass(frozen=True, slots=True)
class _At:
    """Where a value stands: its names without numbers, its JSONPath, and its schema."""

    names: tuple[str, ...]
    where: str
    schema: Mapping[str, Any]


class _Reader:
    """Makes nodes, as long as there is room. `secrets`: names of fields whose values are not for every eye."""

    def __init__(self, schema: Schema, secrets: Set[tuple[str, ...]]) -> None:
        self.schema = schema
        self.secrets = secrets
        self.left = _NODES

    def top(self, name: str, value: Any) -> ValueNode:
        self.left = _NODES
        at = _At((name,), f".{name}", self.schema.child(self.schema.node(self.schema.root), name))
        return self.node(name, value, name, 0, at)

    def node(self, name: str, value: Any, path: str, depth: int, at: _At) -> ValueNode:
        self.left -= 1
        help_ = str(at.schema.get("description") or "")[:_HELP]
        if value is not None and self.is_secret(value, at):
            return ValueNode(name=name, path=path, text=MASK, where=at.where, help=help_, secret=True)
        if isinstance(value, Mapping | list) and value and depth >= _DEPTH:
            return ValueNode(
                name=name, path=path, text=_shorten(json.dumps(value, ensure_ascii=False)), where=at.where, help=help_
            )
        if isinstance(value, Mapping):
            entries = [(str(key), part, self.below(at, str(key))) for key, part in value.items()]
            return self.branch(
                name=name, parts=entries, path=path, depth=depth, empty="{}", where=at.where, help_=help_
            )
        if isinstance(value, list):
            if all(isinstance(part, str | int | float) for part in value) and len(json.dumps(value)) < 100 and value:
                return ValueNode(
                    name=name, path=path, text=", ".join(scalar(part) for part in value), where=at.where, help=help_
                )
            inside = self.schema.items(at.schema)
            parts = [
                (_title(index, part), part, _At(at.names, f"{at.where}[{index}]", inside))
                for index, part in enumerate(value[: self.left + 1])
            ]
            made = self.branch(name=name, parts=parts, path=path, depth=depth, empty="[]", where=at.where, help_=help_)
            return replace(made, size=len(value), cut=made.cut or len(parts) < len(value))
        empty = '""' if value == "" else ""
        return ValueNode(name=name, path=path, text=_shorten(scalar(value)), empty=empty, where=at.where, help=help_)

    def is_secret(self, value: Any, at: _At) -> bool:
        if at.names in self.secrets or at.schema.get("format") == "password":
            return True
        return isinstance(value, str) and value != "" and is_sensitive(at.names, at.schema.get("description"))

    def below(self, at: _At, key: str) -> _At:
        step = f".{key}" if _PLAIN.fullmatch(key) else "['{}']".format(key.replace("'", "\\'"))
        return _At((*at.names, key), f"{at.where}{step}", self.schema.child(at.schema, key))

    def branch(
        self, name: str, parts: list[tuple[str, Any, _At]], path: str, depth: int, empty: str, where: str, help_: str
    ) -> ValueNode:
        children: list[ValueNode] = []
        for index, (key, value, at) in enumerate(parts):
            if self.left <= 0:
                break
            children.append(self.node(key, value, f"{path}\n{index}-{key}"[:400], depth + 1, at))
        cut = len(children) < len(parts)
        word = "" if parts else empty
        return ValueNode(
            name=name,
            path=path,
            text="",
            children=tuple(children),
            size=len(parts),
            empty=word,
            cut=cut,
            where=where,
            help=help_,
        )


def sections(
    obj: Mapping[str, Any], schema: Schema | None = None, secrets: Set[tuple[str, ...]] = frozenset()
) -> tuple[ValueNode, ...]:
    """One tree for each part of an object besides its metadata: spec and status first.

    Conditions, which have a table of their own, are left out.

    `secrets`: names of fields to be hidden, as an operator's descriptors name them: ("spec", "password"). Those of
    format password, and texts that are called so, are hidden in any case.
    """
    secret = obj.get("kind") == "Secret" and obj.get("apiVersion") == "v1"
    reader = _Reader(schema or Schema.from_document(None), secrets)
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
            found.append(reader.top(name, value))
    return tuple(found)


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
