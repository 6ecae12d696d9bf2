"""Schema + object + what was typed → the tree of fields."""

import dataclasses
from typing import Any

from resources.forms import shapes, texts
from resources.forms.fields import ABSENT, Field, Options
from resources.forms.paths import Path, is_item, position, split, token, untoken
from resources.forms.schema import EMPTY, Node, Schema, kind_of

#: A section of more controls than this is fetched when it is opened.
SMALL = 9


class Builder:
    """Makes the fields of one page; `room` shrinks as it goes."""

    def __init__(self, schema: Schema, options: Options) -> None:
        self.schema = schema
        self.options = options
        self.typed = options.typed
        self.room = options.room
        self.opened = set(self.typed.opened)
        self.wanted = {path[:end] for path in (*self.typed.errors, *self.typed.key_errors) for end in range(len(path))}

    def top(self, obj: dict[str, Any]) -> tuple[Field, ...]:
        """Metadata's fields aside: everything that a user may write, `spec` without a box of its own around it."""
        root = self.schema.node(self.schema.root)
        described = [name for name, _ in self.schema.properties(root) if name not in shapes.SERVERS]
        names = described or [name for name in obj if name not in shapes.SERVERS] or ["spec"]
        fields: list[Field] = []
        for name in self._ordered(root, names, ()):
            node = self.schema.child(root, name)
            required = name in (root.get("required") or ())
            fields.append(self.field(node, obj.get(name, ABSENT), (name,), f"/{token(name)}", required, top=True))
        return tuple(fields)

    def metadata(self, obj: dict[str, Any], namespaced: bool, namespaces: tuple[str, ...]) -> tuple[Field, ...]:
        """Name, namespace, labels, annotations. `namespaces` to choose from; none: to be typed."""
        found = obj.get("metadata")
        given = found if isinstance(found, dict) else {}
        nodes = shapes.metadata(namespaced, () if self.options.editing else namespaces)
        fields = []
        for name, node in nodes.items():
            required = name == "namespace" or (name == "name" and "generateName" not in given)
            path = ("metadata", name)
            made = self.field(node, given.get(name, ABSENT), path, f"/metadata/{name}", required)
            locked = self.options.editing and name in ("name", "namespace")
            fields.append(dataclasses.replace(made, locked=locked) if locked else made)
        return tuple(fields)

    def field(
        self, node: Node, value: Any, path: Path, pointer: str, required: bool, *, top: bool = False, item: int = 0
    ) -> Field:
        """The field of one node. `item` counts from 1 where the node is an item of a list or an entry of a map."""
        kind = kind_of(node)
        text, typed = self.typed.texts.get(path), None
        if text is not None:
            kind, typed = text
        elif value is not ABSENT and value is not None and not _fits(kind, value):
            kind = "json" if isinstance(value, str) else "any"
        known = shapes.known(node, path, pointer, required, self.options, item, value is not ABSENT)
        if value is None and kind in ("object", "array", "map"):
            kind = "any"  # null itself, which no section can say
        self.room -= 1
        if kind in ("object", "array", "map"):
            return self._container(kind, node, value, known, top)
        return shapes.scalar(kind, node, value, known, typed)

    def _container(self, kind: str, node: Node, value: Any, known: dict[str, Any], top: bool) -> Field:
        path: Path = known["path"]
        present = value is not ABSENT
        opened = path in self.opened or path in self.wanted or path in self.typed.asked or top
        widget = {"object": "section", "array": "list", "map": "map"}[kind]
        size = len(value) if present else 0
        common = {
            **known,
            "kind": kind,
            "widget": widget,
            "present": present,
            "size": size,
            "inside_error": path in self.wanted,
        }
        if not opened and self._leave(kind, node, present, size, known["required"], known["position"]):
            return Field(**common, lazy=True)
        asked = path in self.typed.asked or path in self.wanted
        open_ = asked or present or known["required"] or bool(known["position"])
        value = value if present else ([] if kind == "array" else {})
        return Field(**common, open=open_, children=self._children(kind, node, value, path, known["pointer"]))

    def _children(self, kind: str, node: Node, value: Any, path: Path, pointer: str) -> tuple[Field, ...]:
        if kind == "object":
            return self._object(node, value, path, pointer)
        return self._array(node, value, path, pointer) if kind == "array" else self._map(node, value, path, pointer)

    def _leave(self, kind: str, node: Node, present: bool, size: int, required: bool, item: int) -> bool:
        """Whether this section is left for later."""
        if kind != "object":
            return self.room < size
        cost = self.schema.controls(node, 40)
        if present or required or item:
            return self.room < cost or (cost >= 40 and item > 3)
        return cost > SMALL or self.room < cost

    def _object(self, node: Node, value: dict[str, Any], path: Path, pointer: str) -> tuple[Field, ...]:
        required = set(node.get("required") or ())
        names = [name for name, _ in self.schema.properties(node)]
        if node.get("x-kubernetes-preserve-unknown-fields") or isinstance(node.get("additionalProperties"), dict):
            names += [name for name in value if name not in set(names)]
        return tuple(
            self.field(
                self.schema.child(node, name),
                value.get(name, ABSENT),
                (*path, name),
                f"{pointer}/{token(name)}",
                name in required,
            )
            for name in self._ordered(node, names, path)
        )

    def _ordered(self, node: Node, names: list[str], path: Path) -> list[str]:
        """Required first, then those the operator describes, in its order, then the rest as in the schema."""
        required = set(node.get("required") or ())

        def rank(name: str) -> tuple[int, int]:
            descriptor = self.options.descriptors.get((*path, name))
            return (0 if name in required else 1 if descriptor else 2, descriptor.order if descriptor else 0)

        return sorted(names, key=rank)

    def _array(self, node: Node, value: list[Any], path: Path, pointer: str) -> tuple[Field, ...]:
        items = self.schema.items(node)
        return tuple(
            shapes.captioned(
                self.field(items, entry, (*path, index), f"{pointer}/@{index}", True, item=index + 1), node, entry
            )
            for index, entry in enumerate(value)
        ) + self._extra(items, path, pointer, len(value))

    def _map(self, node: Node, value: dict[str, Any], path: Path, pointer: str) -> tuple[Field, ...]:
        entry = self.schema.entry(node)
        fields = []
        for index, (key, item) in enumerate(value.items()):
            made = self.field(entry, item, (*path, key), f"{pointer}/@{index}", True, item=index + 1)
            fields.append(shapes.entry(made, self.typed, key))
        return tuple(fields) + tuple(
            shapes.entry(field, self.typed, "") for field in self._extra(entry, path, pointer, len(value))
        )

    def _extra(self, items: Node, path: Path, pointer: str, length: int) -> tuple[Field, ...]:
        return tuple(
            self.field(items, ABSENT, (*path, length + n), f"{pointer}/@n{length + n}", True, item=length + n + 1)
            for n in range(self.typed.extra.get(path, 0))
        )


def at(schema: Schema, obj: dict[str, Any], pointer: str, options: Options, number: int = 0) -> Field:
    """The one field that `pointer` names, opened: a section that somebody opens, or a new item, the list's `number`th.

    Raises ValueError or LookupError.
    """
    builder = Builder(schema, options)
    if pointer.startswith("/metadata/"):
        schema = Schema.of({"properties": {"metadata": {"properties": shapes.metadata(False, ())}}})
    path: Path = ()
    node, value, item, is_map = schema.node(schema.root), obj, 0, False
    required, key = False, ""
    step: str | int
    for part in split(pointer):
        item, required, is_map = 0, False, False
        if is_item(part):
            is_map = kind_of(node) == "map"
            node, value, step, key = _item(schema, node, value, part)
            item, required = (position(part) or 0) + 1, True
        else:
            step = untoken(part)
            required = step in (node.get("required") or ())
            node, value = schema.child(node, step), value.get(step, ABSENT) if isinstance(value, dict) else ABSENT
        path = (*path, step)
    builder.opened.add(path)
    item = number or item
    made = builder.field(node, value, path, pointer, required, item=item)
    return shapes.entry(made, options.typed, key) if is_map else made


def _fits(kind: str, value: Any) -> bool:
    """A choice shows any scalar: what is not among its options becomes one."""
    return not isinstance(value, (dict, list)) if kind == "enum" else texts.fits(kind, value)


def _item(schema: Schema, node: Node, value: Any, part: str) -> tuple[Node, Any, str | int, str]:
    place = position(part)
    if kind_of(node) == "map":
        entries = list(value.items()) if isinstance(value, dict) else []
        key, found = entries[place] if place is not None and place < len(entries) else ("", ABSENT)
        return schema.entry(node), found, key, key
    if kind_of(node) != "array":
        return EMPTY, ABSENT, 0, ""
    known = isinstance(value, list) and place is not None and place < len(value)
    return schema.items(node), value[place] if known else ABSENT, place or 0, ""
