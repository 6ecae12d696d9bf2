"""Schema + object + what was typed → the tree of fields."""

import dataclasses
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from resources.forms import descriptors, kubernetes_types, shapes, texts
from resources.forms.descriptors import Descriptor
from resources.forms.fields import ABSENT, Dependencies, FormField, Options, is_met
from resources.forms.immutable import held
from resources.forms.paths import FIELDS_AT_ONCE, ITEMS_AT_ONCE, Path, token
from resources.forms.schema import CONTAINERS, Node, Schema, branch_of, keeps_unknown, kind_of, unions, unnamed
from resources.forms.widgets import Widget

#: A section of more controls than this is fetched when it is opened.
SMALL = 9
#: Of a list that must have many items, so many empty ones are offered at most.
OFFERED = 3
#: Of a list's cards so many stand open; the others are a line each, with what they are called.
OPEN_ITEMS = 2
#: Sections inside each other: so many are drawn unasked; and so many at all, below that YAML says the rest (templates
#: draw by recursion).
NESTED, DEEPEST = 6, 12


class Builder:
    """Makes the fields of one page; `room` shrinks as it goes.

    `obj`: the whole object, for what depends on fields elsewhere.
    """

    def __init__(self, schema: Schema, options: Options, obj: dict[str, Any] | None = None) -> None:
        self.schema = schema
        self.options = options
        self.typed = options.typed
        self.room = options.room
        self.depth = 0
        self.obj: Any = obj or {}
        self.opened = set(self.typed.opened)
        self.claims: set[Path] = set()
        typed = (*self.typed.errors, *self.typed.key_errors, *self.typed.texts)
        self.wanted = {path[:end] for path in typed for end in range(len(path))}
        asked = (*typed, *self.typed.asked)
        self.seen = {path[:end] for path in asked for end in range(1, len(path) + 1)}

    def top(self, obj: dict[str, Any]) -> tuple[FormField, ...]:
        """Metadata's fields aside: everything that a user may write, `spec` without a box of its own around it.

        The last one, with no path, is for what the schema does not name at the top, where there is or may be something.
        """
        self.obj = obj
        root = self.schema.node(self.schema.root)
        described = [name for name, _ in self.schema.properties(root) if name not in shapes.SERVERS]
        found = described or [name for name in obj if name not in shapes.SERVERS]
        if not found and not (root.get("properties") or keeps_unknown(root)):
            found = ["spec"]
        fields: list[FormField] = []
        for name in descriptors.ordered_names(root, found, (), self.options.descriptors):
            node = self.schema.child(root, name)
            required = name in (root.get("required") or ())
            self.opened.add((name,))
            fields.append(self.field(node, obj.get(name, ABSENT), (name,), f"/{token(name)}", required))
        others = tuple(name for name in obj if name not in shapes.SERVERS and name not in found)
        allowed = not root.get("properties") or keeps_unknown(root)
        if not found or others or allowed or () in self.typed.others or () in self.typed.errors:
            error = self.typed.errors.get((), "")
            rest = self._others(obj, others, allowed, ())
            fields.append(
                FormField(
                    path=(),
                    pointer="",
                    kind="object",
                    extra=Widget(name="section"),
                    label="",
                    present=True,
                    open=not found,
                    error=error,
                    **rest,
                )
            )
        return tuple(fields)

    def metadata(self, obj: dict[str, Any], namespaced: bool, namespaces: tuple[str, ...]) -> tuple[FormField, ...]:
        """Name, namespace, labels, annotations. `namespaces` to choose from; none: to be typed."""
        found = obj.get("metadata")
        given = found if isinstance(found, dict) else {}
        nodes = shapes.metadata(namespaced, () if self.options.editing else namespaces, given)
        fields = []
        for name, node in nodes.items():
            required = name == "namespace" or (name == "name" and "generateName" not in given)
            path = ("metadata", name)
            made = self.field(node, given.get(name, ABSENT), path, f"/metadata/{name}", required)
            locked = self.options.editing and name in ("name", "namespace")
            fields.append(dataclasses.replace(made, locked=locked) if locked else made)
        return tuple(fields)

    def resolved(self, node: Node, value: Any, path: Path) -> Node:
        """The node to draw: of a union of types the one that fits; Kubernetes' own schema where this one leaves a
        known type open.
        """
        in_claim = path[:-1] in self.claims
        made = kubernetes_types.better(
            self.schema.fitting(node, value), self._descriptor(path), path, in_claim=in_claim
        )
        if kubernetes_types.is_claim(made, path):
            self.claims.add(path)
        return made

    def field(self, node: Node, value: Any, path: Path, pointer: str, required: bool, *, item: int = 0) -> FormField:
        """The field of one node. `item` counts from 1 where the node is an item of a list or an entry of a map."""
        node = self.resolved(node, value, path)
        natural = kind = kind_of(node)
        text, typed = self.typed.texts.get(path), None
        if text is not None:
            kind, typed = text
        elif natural in CONTAINERS and (path in self.typed.yaml or self.depth >= DEEPEST):
            kind = "any"
        elif value is not ABSENT and value is not None and not fits(kind, value):
            kind = "json" if isinstance(value, str) else "any"
        elif value is None and item and natural in CONTAINERS:
            kind = "any"
        self.room -= 1
        descriptor = None if item else self._descriptor(path)
        common = shapes.known(
            node=node,
            path=path,
            pointer=pointer,
            required=required,
            options=self.options,
            item=item,
        )
        if self.options.stored is not None:
            common["locked"], common["stays"] = held(self.schema, self.options.stored, path, value)
        common["inside_error"] = path in self.wanted
        common["revealed"] = path in self.seen
        if descriptor and descriptor.depends:
            judge = Dependencies(self.schema, self.options.descriptors, self.obj)
            common["depends"] = judge.dependencies_of(descriptor, path, pointer)
            common["unmet"] = not is_met(common["depends"])
        if kind in CONTAINERS:
            return self._container(kind, node, value, shapes.container(kind, node, value, common, descriptor))
        if natural in CONTAINERS:
            common["as_yaml"] = kind == "any" and self.depth < DEEPEST and (not value or fits(natural, value))
        if kind == "any" and (path in self.seen or path in self.opened):
            common["opened"] = True
        made = shapes.scalar(kind=kind, node=node, value=value, fields=common, text=typed, descriptor=descriptor)
        if path in self.typed.lines and made.kind == "string":
            made = dataclasses.replace(made, extra=Widget(name="lines"))
        return made

    def _descriptor(self, path: Path) -> Descriptor | None:
        return None if path and isinstance(path[-1], int) else self.options.descriptors.get(path)

    def _container(self, kind: str, node: Node, value: Any, common: dict[str, Any]) -> FormField:
        path: Path = common["path"]
        opened = path in self.opened or path in self.wanted or path in self.typed.asked
        present = common["present"] and value is not None
        if not opened and self._leave(
            kind=kind,
            node=node,
            present=present,
            size=common["size"],
            required=common["required"],
            item=common["position"],
        ):
            return FormField(**common, lazy=True, values=texts.leaves(value) if present else 0)
        if position := common["position"]:
            open_ = path in self.seen or not present or position <= OPEN_ITEMS
        else:
            open_ = path in self.seen or present or common["required"]
        value = value if present else ([] if kind == "array" else {})
        self.depth += 1
        if kind == "object":
            made = self._object(node, value, common, open_)
        else:
            make = self._array if kind == "array" else self._map
            children = make(node, value, path, common["pointer"])
            if kind == "array" and (present or common["required"]):
                children += self._offered(node, value, path, common["pointer"])
            made = FormField(**common, open=open_, children=children)
        self.depth -= 1
        return made

    def _leave(self, kind: str, node: Node, present: bool, size: int, required: bool, item: int) -> bool:
        """Whether this section is left for later."""
        if self.depth >= NESTED:
            return True
        if kind != "object":
            return self.room < min(size, ITEMS_AT_ONCE)
        cost = self.schema.controls(node, 40)
        if present or required or item:
            return self.room < cost or (cost >= 40 and item > 3)
        return cost > SMALL or self.room < cost

    def _object(self, node: Node, value: dict[str, Any], common: dict[str, Any], open_: bool) -> FormField:
        path, pointer = common["path"], common["pointer"]
        only = unions(node)
        extras = shapes.choices(only, self.typed.chosen.get(path, branch_of(only, value))) if only else {}
        children = self._properties(node, value, path, pointer, only)
        others = unnamed(node, value)
        allowed = keeps_unknown(node)
        if kubernetes_types.FREE_KEYS in node and len(others) <= ITEMS_AT_ONCE:
            children += self._entries(node, value, others, path, pointer)
            others, allowed = (), False
        if others or allowed or path in self.typed.others:
            extras |= self._others(value, others, allowed, path)
        return FormField(**common, open=open_, children=children, **extras)

    def _properties(
        self,
        node: Node,
        value: dict[str, Any],
        path: Path,
        pointer: str,
        only: tuple[tuple[str, ...], ...],
        places: range | None = None,
    ) -> tuple[FormField, ...]:
        """The fields of an object (only those at `places` in its order); of very many, unset ones are closed parts."""
        required = frozenset(node.get("required") or ())
        found = self._drawn(node, value, path)
        fold = descriptors.folded_names(
            node=node, found=found, value=value, path=path, descriptors=self.options.descriptors, wanted=self.seen
        )
        names = descriptors.ordered_names(node, found, path, self.options.descriptors)

        def make(index: int) -> FormField:
            name = names[index]
            place = f"{pointer}/{token(name)}"
            child = self.schema.child(node, name)
            made = self.field(child, value.get(name, ABSENT), (*path, name), place, name in required)
            belongs = tuple(str(number) for number, names_ in enumerate(only) if name in names_)
            if name in fold or (belongs and len(belongs) < len(only)):
                made = dataclasses.replace(made, advanced=name in fold and not belongs, branches=belongs)
            return made

        must = {name for name in names if name in required or name in value}
        made = self._windowed(
            steps=names, make=make, path=path, pointer=pointer, places=places, room=FIELDS_AT_ONCE, must=must
        )
        closed = (field for field in made if field.widget == "rest")
        folds = {field.pointer for field in closed if names[field.position - 1] in fold}
        return tuple(
            dataclasses.replace(field, kind="fields", advanced=field.pointer in folds)
            if field.widget == "rest"
            else field
            for field in made
        )

    def _drawn(self, node: Node, value: dict[str, Any], path: Path) -> list[str]:
        """The properties that get a field: all but those that the operator hides, unless something is wrong there."""
        required = frozenset(node.get("required") or ())
        found = []
        for name in node.get("properties") or ():
            descriptor = self.options.descriptors.get((*path, name))
            missing = name in required and name not in value
            if not (descriptor and descriptor.hidden) or missing or (*path, name) in self.seen:
                found.append(name)
        return found

    def _others(self, value: dict[str, Any], others: Iterable[str], allowed: bool, path: Path) -> dict[str, Any]:
        drawn = {name: value[name] for name in others}
        return {
            "others": self.typed.others.get(path, texts.of_others(drawn)),
            "others_keys": json.dumps(list(drawn), separators=(",", ":")),
            "others_allowed": allowed,
        }

    def _array(
        self, node: Node, value: list[Any], path: Path, pointer: str, places: range | None = None
    ) -> tuple[FormField, ...]:
        items = self.schema.items(node)

        def make(index: int) -> FormField:
            made = self.field(items, value[index], (*path, index), f"{pointer}/@{index}", True, item=index + 1)
            return shapes.captioned(made, node, value[index])

        shown = self._windowed(range(len(value)), make, path, pointer, places)
        return shown + self._extra(items, path, pointer, len(value))

    def _offered(self, node: Node, value: list[Any], path: Path, pointer: str) -> tuple[FormField, ...]:
        """Empty items up to the list's `minItems`; those that stay empty aren't sent."""
        begin = len(value) + self.typed.extra.get(path, 0)
        end = min(shapes.count(node.get("minItems")) or 0, OFFERED)
        items = self.schema.items(node)
        return tuple(
            dataclasses.replace(
                self.field(items, ABSENT, (*path, n), f"{pointer}/@n{n}", False, item=n + 1), offered=True
            )
            for n in range(begin, end)
        )

    def _map(
        self, node: Node, value: dict[str, Any], path: Path, pointer: str, places: range | None = None
    ) -> tuple[FormField, ...]:
        inside, keys = self.schema.entry(node), list(value)

        def make(index: int) -> FormField:
            key = keys[index]
            made = self.field(inside, value[key], (*path, key), f"{pointer}/@{index}", True, item=index + 1)
            return shapes.entry(made, self.typed, key)

        shown = self._windowed(keys, make, path, pointer, places)
        extra = self._extra(inside, path, pointer, len(value))
        return shown + tuple(shapes.entry(field, self.typed, "") for field in extra)

    def _entries(
        self, node: Node, value: dict[str, Any], names: tuple[str, ...], path: Path, pointer: str
    ) -> tuple[FormField, ...]:
        """What stands under keys that the schema does not name, each as an entry of a map; then the empty ones that
        were asked for.
        """
        inside, keys = self.schema.entry(node), list(value)
        places = [(keys.index(name), name) for name in names]
        made = [
            self.field(inside, value[name], (*path, name), f"{pointer}/@{index}", True, item=number)
            for number, (index, name) in enumerate(places, 1)
        ]
        fields = [shapes.entry(field, self.typed, name) for field, (_, name) in zip(made, places, strict=True)]
        extra = self._extra(inside, path, pointer, len(value))
        return (*fields, *(shapes.entry(field, self.typed, "") for field in extra))

    def _windowed(
        self,
        steps: Sequence[Any],
        make: Callable[[int], FormField],
        path: Path,
        pointer: str,
        places: range | None,
        room: int = ITEMS_AT_ONCE,
        must: Iterable[str] = (),
    ) -> tuple[FormField, ...]:
        """What is at `places`, all of it without: what a page can't take as closed parts.

        Those that the user must see are shown.
        """
        places = places or range(len(steps))
        end = places.start + room if places.start else self.typed.shown.get(path, room)
        few = min(places.stop, len(steps)) - end <= SMALL
        fields: list[FormField] = []
        hidden: list[int] = []
        for index in places:
            if index >= len(steps):
                break
            if index < end or few or (*path, steps[index]) in self.seen or steps[index] in must:
                fields += [*self._rest(hidden, path, pointer), make(index)]
                hidden = []
            else:
                hidden.append(index)
        return (*fields, *self._rest(hidden, path, pointer))

    def _rest(self, hidden: list[int], path: Path, pointer: str) -> tuple[FormField, ...]:
        if not hidden:
            return ()
        place = f"{pointer}/@{hidden[0]}-{hidden[-1]}"
        return (
            FormField(
                path=(*path, hidden[0]),
                pointer=place,
                kind="rest",
                extra=Widget(name="rest"),
                label="",
                lazy=True,
                position=hidden[0] + 1,
                size=len(hidden),
            ),
        )

    def _extra(self, items: Node, path: Path, pointer: str, length: int) -> tuple[FormField, ...]:
        return tuple(
            self.field(items, ABSENT, (*path, length + n), f"{pointer}/@n{length + n}", True, item=length + n + 1)
            for n in range(self.typed.extra.get(path, 0))
        )

    def more(self, node: Node, value: Any, path: Path, pointer: str, places: range) -> tuple[FormField, ...]:
        """The next items of a long list or map, or the next fields of a large object: those at `places`."""
        if kind_of(node) == "array":
            return self._array(node, value if isinstance(value, list) else [], path, pointer, places)
        value = value if isinstance(value, dict) else {}
        if kind_of(node) == "map":
            return self._map(node, value, path, pointer, places)
        return self._properties(node=node, value=value, path=path, pointer=pointer, only=unions(node), places=places)


def fits(kind: str, value: Any) -> bool:
    """A choice shows any scalar: what is not among its options becomes one."""
    return not isinstance(value, (dict, list)) if kind == "enum" else texts.fits(kind, value)
