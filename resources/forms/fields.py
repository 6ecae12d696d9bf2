"""The form as a value: a frozen tree of fields, made from a schema, an object and what a person has typed so far.

Sections that would make the page large are left closed and empty (`lazy`); a lazy section posts nothing, so what stands
there is kept. Some fields matter only while another one has a certain value, as an operator's descriptors say:
Dependencies finds these and checks them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from resources.forms import texts
from resources.forms.descriptors import Descriptor, Descriptors, Names, names
from resources.forms.paths import Path, element_id, split, token, words
from resources.forms.schema import Node, Schema
from resources.forms.texts import CODES
from resources.forms.widgets import NO_CONSTRAINTS, WIDGETS, Constraints, Widget, WidgetType


@dataclass(frozen=True, slots=True)
class Option:
    value: str
    label: str
    selected: bool


@dataclass(frozen=True, slots=True)
class UnionBranch:
    """One branch of a union; `value` '' is "not chosen".

    `only`: the children that some branch, but not every one, asks for and this one does. The branches for which a child
    is shown are in its `branches`.
    """

    value: str
    label: str
    selected: bool
    only: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dependency:
    """The field matters only while the control named by `pointer` holds `value`; `met`: whether it does now, and is
    shown.
    """

    pointer: str
    value: str
    met: bool


@dataclass(frozen=True, slots=True)
class FieldGroup:
    """Fields of one section that belong together (fieldGroup of a descriptor); `name` '' for those without a group."""

    name: str
    label: str
    fields: tuple["FormField", ...]

    @property
    def id(self) -> str:
        return f"{self.fields[0].id}-group"

    @property
    def open(self) -> bool:
        return any(child.present or child.error or child.inside_error or child.required for child in self.fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """One node.

    `kind` is how its value is written; `extra` its control.

    `state` says what an empty control means: '' absent, 'empty' an empty text, 'null'; `stateful`: the page must say
    so, or it is lost. `position` counts items from 1; `list_label`: what their list is called. `values`: how many a
    closed section holds. `offered`: an empty item that the schema asks for; it counts once something is typed in it.
    `unmet`: a condition that it `depends` on isn't met now. `present`: there is a value, maybe null. `limits`: name and
    value as in the schema, to be worded.
    """

    path: Path
    pointer: str
    kind: str
    extra: Widget
    label: str
    description: str = ""
    required: bool = False
    nullable: bool = False
    can_be_empty: bool = False
    default: str = ""
    default_text: str = ""
    constraints: Constraints = NO_CONSTRAINTS
    limits: tuple[tuple[str, str], ...] = ()
    rules: tuple[str, ...] = ()
    max_items: int | None = None
    present: bool = False
    state: str = ""
    stateful: bool = False
    text: str = ""
    options: tuple[Option, ...] = ()
    choices: tuple[UnionBranch, ...] = ()
    choices_data: str = ""
    branches: tuple[str, ...] = ()
    depends: tuple[Dependency, ...] = ()
    unmet: bool = False
    others: str | None = None
    others_keys: str = ""
    others_allowed: bool = False
    as_yaml: bool = False
    error: str = ""
    inside_error: bool = False
    revealed: bool = False
    locked: bool = False
    stays: bool = False
    advanced: bool = False
    hidden: bool = False
    group: str = ""
    lazy: bool = False
    offered: bool = False
    open: bool = False
    caption: str = ""
    position: int = 0
    list_label: str = ""
    size: int = 0
    values: int = 0
    is_entry: bool = False
    key: str = ""
    key_error: str = ""
    children: tuple["FormField", ...] = ()

    @property
    def id(self) -> str:
        return element_id(self.pointer)

    @property
    def name(self) -> str:
        """Of the control that holds the text."""
        return f"{CODES.get(self.kind, 't')}:{self.pointer}"

    @property
    def widget(self) -> str:
        """How it looks: a name in widgets.WIDGETS."""
        return self.extra.name

    @property
    def widget_type(self) -> WidgetType:
        return WIDGETS[self.widget]

    @property
    def can_be_multiline(self) -> bool:
        """Whether "Edit as multiline text" is offered."""
        return self.kind == "string" and self.widget != "lines" and not self.options

    @property
    def optional(self) -> bool:
        """A section that a person may keep although it is empty: not an item, not required."""
        return bool(self.path) and not (self.position or self.required)

    @property
    def full(self) -> bool:
        """A list that has as many items as its schema allows."""
        return self.max_items is not None and max(self.size, len(self.children)) >= self.max_items

    @property
    def fixed(self) -> bool:
        """It stays, whatever is in it."""
        return bool(self.position and not self.offered) or (self.present and not self.optional)

    @property
    def mark(self) -> str:
        """The letter of the control that says a section, list or map is on the page."""
        return {"object": "o", "map": "m"}.get(self.kind, "a")

    @property
    def where(self) -> str:
        """spec.users[0].name: what to search for in the API's documentation."""
        return words(self.path)

    @property
    def rows(self) -> int:
        return max(3, min(16, self.text.count("\n") + 2))

    @property
    def basic(self) -> tuple["FormField", ...]:
        folded = {child.pointer for child in self.folded}
        free = self.kind == "object"
        return tuple(child for child in self.children if not (child.pointer in folded or (free and child.is_entry)))

    @property
    def entries(self) -> tuple["FormField", ...]:
        """Of an object whose other keys are free: what stands under them."""
        return tuple(child for child in self.children if child.is_entry) if self.kind == "object" else ()

    @property
    def folded(self) -> tuple["FormField", ...]:
        """The fields under "More fields"; for resource requirements all unset ones besides the amounts."""
        if self.widget == "resources":
            return tuple(child for child in self.children if child.advanced or child.unset_section)
        return tuple(child for child in self.children if child.advanced)

    @property
    def folded_open(self) -> bool:
        return any(child.error or child.inside_error or child.present or child.revealed for child in self.folded)

    @property
    def folded_count(self) -> int:
        return sum(child.size if child.widget == "rest" else 1 for child in self.folded)

    @property
    def unset_section(self) -> bool:
        """A closed line that stands behind what is set: nothing in it, nothing wrong with it, and nothing that it
        must stand beside.
        """
        tied = self.required or self.position or self.present or self.depends or self.branches or self.group
        return (
            self.kind in ("object", "array", "map")
            and self.widget != "amounts"
            and not (tied or self.error or self.inside_error or self.revealed)
        )

    @property
    def groups(self) -> tuple[FieldGroup, ...]:
        """`basic`: those of one group together, where its first stands; the others, and who is alone in a group,
        under no name.
        """
        basic = self.basic
        if self.path == ("spec",):
            basic = tuple(sorted(basic, key=lambda child: child.unset_section))
        members: dict[str, list[FormField]] = {}
        for child in basic:
            members.setdefault(child.group, []).append(child)
        made: list[tuple[str, list[FormField]]] = []
        for child in basic:
            name = child.group if len(members[child.group]) > 1 else ""
            if name and child is members[name][0]:
                made.append((name, members[name]))
            elif not name and made and not made[-1][0]:
                made[-1][1].append(child)
            elif not name:
                made.append(("", [child]))
        return tuple(FieldGroup(name, name, tuple(fields)) for name, fields in made)


@dataclass(frozen=True, slots=True, kw_only=True)
class FormInput:
    """What a refused submission leaves behind: `texts` (kind, text) that could not be read, `others` likewise for
    fields that no schema names, `keys` of map entries, words at fields, sections that were on the page (`opened`) or
    are to be shown open (`asked`), those that are written as YAML (`yaml`) or in a box of many lines (`lines`),
    branches `chosen`, how many empty items to offer where "Add" was pressed, and how many of a long list are shown.
    """

    texts: Mapping[Path, tuple[str, str]] = field(default_factory=dict)
    others: Mapping[Path, str] = field(default_factory=dict)
    keys: Mapping[Path, str] = field(default_factory=dict)
    errors: Mapping[Path, str] = field(default_factory=dict)
    key_errors: Mapping[Path, str] = field(default_factory=dict)
    opened: frozenset[Path] = frozenset()
    asked: frozenset[Path] = frozenset()
    yaml: frozenset[Path] = frozenset()
    lines: frozenset[Path] = frozenset()
    chosen: Mapping[Path, str] = field(default_factory=dict)
    extra: Mapping[Path, int] = field(default_factory=dict)
    shown: Mapping[Path, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Options:
    """`room`: about how many controls the page may hold before sections are left for later.

    `stored`: the existing object that is edited, as it was: what its schema's transition rules forbid to change is
    locked.
    """

    descriptors: Descriptors = field(default_factory=Descriptors)
    typed: FormInput = field(default_factory=FormInput)
    room: int = 150
    stored: Mapping[str, Any] | None = None

    @property
    def editing(self) -> bool:
        return self.stored is not None


class Absent:
    """No value: not null, not an empty text."""

    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        return False


ABSENT: Any = Absent()


@dataclass(frozen=True, slots=True)
class _Target:
    """A field that another one depends on. `is_shown`: false when its own dependencies hide it."""

    pointer: str
    node: Node
    value: Any
    is_shown: bool


@dataclass(frozen=True, slots=True)
class Dependencies:
    """Judges the dependencies of one kind's descriptors in one object."""

    schema: Schema
    descriptors: Descriptors
    obj: Any

    def dependencies_of(self, descriptor: Descriptor, path: Path, pointer: str) -> tuple[Dependency, ...]:
        """What the field at `path` depends on: the pointers of the controls, and whether they hold the value now."""
        return self._of(descriptor, path, split(pointer), frozenset())

    def _of(
        self, descriptor: Descriptor, path: Path, tokens: tuple[str, ...], seen: frozenset[Names]
    ) -> tuple[Dependency, ...]:
        found = []
        for names_, wanted in descriptor.depends:
            target = self._target(names_, path, tokens, seen)
            met = target.is_shown and _holds(target.value, wanted, target.node)
            found.append(Dependency(target.pointer, wanted, met))
        return tuple(found)

    def _target(self, target: Names, path: Path, tokens: tuple[str, ...], seen: frozenset[Names]) -> _Target:
        """Followed in the object from the top; inside the list that the field itself is in, it means the same item."""
        node, value = self.schema.node(self.schema.root), self.obj
        steps: Path = ()
        made: tuple[str, ...] = ()
        above, is_shown = names(path), True
        for number, name in enumerate(target, 1):
            value = value.get(name, ABSENT) if isinstance(value, dict) else ABSENT
            node, steps, made = self.schema.child(node, name), (*steps, name), (*made, token(name))
            is_shown = is_shown and (value is not ABSENT or self._is_shown(steps, made, seen))
            while above[:number] == target[:number] and len(path) > len(steps) and path[: len(steps)] == steps:
                index = path[len(steps)]
                if not isinstance(index, int):
                    break
                value = value[index] if isinstance(value, list) and index < len(value) else ABSENT
                node, steps, made = self.schema.items(node), (*steps, index), (*made, tokens[len(steps)])
        return _Target("".join(f"/{part}" for part in made), node, value, is_shown)

    def _is_shown(self, path: Path, tokens: tuple[str, ...], seen: frozenset[Names]) -> bool:
        """Whether its own dependencies show a field; descriptors that go round in a circle hide nothing."""
        descriptor, name = self.descriptors.get(path), names(path)
        if descriptor is None or not descriptor.depends or name in seen:
            return True
        return is_met(self._of(descriptor, path, tokens, seen | {name}))


def is_met(dependencies: tuple[Dependency, ...]) -> bool:
    """Every control that is named must hold one of the values that are named with it."""
    met: dict[str, bool] = {}
    for need in dependencies:
        met[need.pointer] = met.get(need.pointer, False) or need.met
    return all(met.values())


def _holds(value: Any, wanted: str, node: Node) -> bool:
    """The operator wrote the value as a text; a default counts where nothing is set."""
    if value is ABSENT:
        value = node.get("default", ABSENT)
    if value is ABSENT or value is None:
        return wanted == ""
    value_text = value if isinstance(value, str) else texts.text_of("json", value)
    return value_text == wanted or value_text.lower() == wanted.lower() in ("true", "false")
