"""The two ways to a form's fields: the whole page (`Builder`), and one field of it, found by its pointer (`at`)."""

import dataclasses
from typing import Any

from resources.forms import kubernetes_types, shapes
from resources.forms.builder import SMALL, Builder
from resources.forms.fields import ABSENT, FormField, Options
from resources.forms.paths import Path, is_item, position, span, split, untoken
from resources.forms.schema import EMPTY, Node, Schema, kind_of
from resources.forms.widgets import Widget

__all__ = ["SMALL", "Builder", "at"]


def at(
    schema: Schema, obj: dict[str, Any], pointer: str, options: Options, number: int = 0, *, as_yaml: bool = False
) -> FormField:
    """The field that `pointer` names, opened: a section, more items of a long list (a "rest" whose children they are),
    or a new item, the list's `number`th. `as_yaml`: as one box of YAML.

    Raises ValueError or LookupError.
    """
    if pointer.startswith("/metadata/"):
        found = obj.get("metadata")
        properties = shapes.metadata(False, (), found if isinstance(found, dict) else ())
        schema = Schema.from_document({"properties": {"metadata": {"properties": properties}}})
    builder = Builder(schema, options, obj)
    spot = _Spot(node=schema.node(schema.root), value=obj)
    parts = split(pointer)
    for part in parts:
        node = builder.resolved(spot.node, spot.value, spot.path)
        places = span(part)
        if places is not None:
            if part != parts[-1]:
                raise LookupError(pointer)
            return _more(builder, node, spot, pointer, places)
        spot = _item(schema, node, spot, part) if is_item(part) else _property(schema, node, spot, part)
    builder.opened.add(spot.path)
    if as_yaml:
        typed = dataclasses.replace(options.typed, yaml=frozenset({spot.path}))
        builder.typed = typed
    made = builder.field(spot.node, spot.value, spot.path, pointer, spot.required, item=number or spot.item)
    return shapes.entry(made, options.typed, spot.key) if spot.is_entry else made


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _Spot:
    """Where a pointer has led so far. `item` counts from 1."""

    node: Node
    value: Any
    path: Path = ()
    item: int = 0
    required: bool = False
    is_entry: bool = False
    key: str = ""


def _property(schema: Schema, node: Node, spot: _Spot, part: str) -> _Spot:
    name = untoken(part)
    value = spot.value.get(name, ABSENT) if isinstance(spot.value, dict) else ABSENT
    return _Spot(
        node=schema.child(node, name),
        value=value,
        path=(*spot.path, name),
        required=name in (node.get("required") or ()),
    )


def _item(schema: Schema, node: Node, spot: _Spot, part: str) -> _Spot:
    place, value = position(part), spot.value
    number = (place or 0) + 1
    if kind_of(node) == "map" or kubernetes_types.FREE_KEYS in node:
        entries = list(value.items()) if isinstance(value, dict) else []
        key, found = entries[place] if place is not None and place < len(entries) else ("", ABSENT)
        return _Spot(
            node=schema.entry(node),
            value=found,
            path=(*spot.path, key),
            item=number,
            required=True,
            is_entry=True,
            key=key,
        )
    if kind_of(node) != "array":
        return _Spot(node=EMPTY, value=ABSENT, path=(*spot.path, 0), item=number, required=True)
    is_there = isinstance(value, list) and place is not None and place < len(value)
    found = value[place] if is_there and place is not None else ABSENT
    return _Spot(node=schema.items(node), value=found, path=(*spot.path, place or 0), item=number, required=True)


def _more(builder: Builder, node: Node, spot: _Spot, pointer: str, places: range) -> FormField:
    above = pointer.rpartition("/")[0]
    children = builder.more(node, spot.value, spot.path, above, places)
    path = (*spot.path, places.start)
    return FormField(
        path=path,
        pointer=pointer,
        kind="rest",
        extra=Widget(name="rest"),
        label="",
        open=True,
        position=places.start + 1,
        children=children,
    )
