"""Fields that matter only while another one has a certain value, as an operator's descriptors say it."""

from dataclasses import dataclass
from typing import Any

from resources.forms import texts
from resources.forms.descriptors import Descriptor, Descriptors, Names, names
from resources.forms.fields import ABSENT, Dependency
from resources.forms.paths import Path, split, token
from resources.forms.schema import Node, Schema


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
            is_met = target.is_shown and _holds(target.value, wanted, target.node)
            found.append(Dependency(target.pointer, wanted, is_met))
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
