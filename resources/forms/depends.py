"""Fields that matter only while another one has a certain value, as an operator's descriptors say it."""

from typing import Any

from resources.forms import texts
from resources.forms.descriptors import Descriptor, Names, names
from resources.forms.fields import ABSENT, Dependency
from resources.forms.paths import Path, token
from resources.forms.schema import Node, Schema


def dependencies(schema: Schema, obj: Any, descriptor: Descriptor, path: Path) -> tuple[Dependency, ...]:
    """What the field at `path` depends on, with the pointers of the controls and whether they hold that now."""
    return tuple(_dependency(schema, obj, target, wanted, path) for target, wanted in descriptor.depends)


def _dependency(schema: Schema, value: Any, target: Names, wanted: str, path: Path) -> Dependency:
    """Followed in the object from the top; inside the list that the field itself is in, it means the same item."""
    node, pointer = schema.node(schema.root), ""
    steps: Path = ()
    above = names(path)
    for number, name in enumerate(target, 1):
        value = value.get(name, ABSENT) if isinstance(value, dict) else ABSENT
        node, pointer, steps = schema.child(node, name), f"{pointer}/{token(name)}", (*steps, name)
        while above[:number] == target[:number] and len(path) > len(steps) and path[: len(steps)] == steps:
            index = path[len(steps)]
            if not isinstance(index, int):
                break
            value = value[index] if isinstance(value, list) and index < len(value) else ABSENT
            node, pointer, steps = schema.items(node), f"{pointer}/@{index}", (*steps, index)
    return Dependency(pointer, wanted, _holds(value, wanted, node))


def _holds(value: Any, wanted: str, node: Node) -> bool:
    """The operator wrote the value as a text; a default counts where nothing is set."""
    if value is ABSENT:
        value = node.get("default", ABSENT)
    if value is ABSENT or value is None:
        return wanted == ""
    said = value if isinstance(value, str) else texts.text_of("json", value)
    return said == wanted or said.lower() == wanted.lower() in ("true", "false")
