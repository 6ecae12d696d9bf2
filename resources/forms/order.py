"""In which order the fields of an object stand, and which of them are folded away.

Required ones first, then those that the operator describes, in its order, then those that others depend on, then the rest as in the schema;
what depends on a field stands behind it. "Advanced" are those that the operator calls so, and the optional ones that nobody has set, where
something is left to show without them.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from resources.forms.descriptors import Descriptors, names
from resources.forms.paths import Path
from resources.forms.schema import Node

#: Fewer optional fields than this are not worth a fold.
WORTH_A_FOLD = 4


def ordered(node: Node, found: Iterable[str], path: Path, descriptors: Descriptors) -> list[str]:
    """The properties of the object at `path` as they are shown."""
    required = frozenset(node.get("required") or ())
    if not descriptors.by_path:
        return sorted(found, key=lambda name: name not in required)
    above = names(path)

    def rank(name: str) -> tuple[int, int]:
        order = descriptors.orders.get((*above, name))
        if order is not None:
            return (0 if name in required else 2, order)
        return (1 if name in required else 3 if (*above, name) in descriptors.controls else 4, 0)

    return _behind(sorted(found, key=rank), above, descriptors)


def _behind(found: list[str], above: tuple[str, ...], descriptors: Descriptors) -> list[str]:
    """Each that depends on one of its neighbours moves behind it, in the order they have among themselves."""
    behind: dict[str, list[str]] = {}
    for name in found:
        descriptor = descriptors.by_path.get((*above, name))
        control = next((path[-1] for path, _ in (descriptor.depends if descriptor else ()) if path[:-1] == above), "")
        if control in found and control != name:
            behind.setdefault(control, []).append(name)
    if not behind:
        return found
    moved = {name for followers in behind.values() for name in followers}
    made: list[str] = []

    def put(name: str) -> None:
        if name not in made:
            made.append(name)
            for follower in behind.get(name, ()):
                put(follower)

    for name in found:
        if name not in moved:
            put(name)
    return made + [name for name in found if name not in made]


def folded(
    node: Node,
    found: Iterable[str],
    value: Mapping[str, Any],
    path: Path,
    descriptors: Descriptors,
    wanted: Iterable[Path],
) -> frozenset[str]:
    """The properties that belong under "Advanced configuration"; `wanted` are paths that must be seen."""
    required, above = frozenset(node.get("required") or ()), names(path)
    seen = {place[len(path)] for place in wanted if len(place) > len(path) and place[: len(path)] == path}
    advanced, optional, basic = set(), set(), 0
    for name in found:
        place = (*above, name)
        descriptor = descriptors.by_path.get(place)
        if name in required:
            basic += 1
        elif descriptor and descriptor.advanced:
            advanced.add(name)
        elif name in value or name in seen or place in descriptors.orders or place in descriptors.controls:
            basic += 1
        else:
            optional.add(name)
    if basic and len(optional) + len(advanced) >= WORTH_A_FOLD:
        advanced |= optional
    return frozenset(advanced if basic or optional else ())
