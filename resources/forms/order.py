"""The order of an object's fields, and which of them are collapsed.

Required ones first, then those that the operator describes, in its order, then those that others depend on, then the
rest as in the schema; a field follows the one it depends on. Required, set and described fields are shown; the
operator's "advanced" fields and unset optional ones are under "More fields".
"""

from collections.abc import Iterable, Mapping
from typing import Any

from resources.forms.descriptors import Descriptors, names
from resources.forms.paths import Path
from resources.forms.schema import Node

#: Fewer optional fields than this are not worth a fold, at the top of the form and in its sections.
WORTH_A_FOLD, WORTH_A_FOLD_INSIDE = 4, 2
#: So many fields are shown of an object in which nothing is required, set or described.
SHOWN_ANYWAY = 8


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
    """The properties that belong under "More fields"; `wanted` are paths that must be seen."""
    required, above = frozenset(node.get("required") or ()), names(path)
    seen = {place[len(path)] for place in wanted if len(place) > len(path) and place[: len(path)] == path}
    advanced: set[str] = set()
    optional: list[str] = []
    shown = 0
    for name in found:
        place = (*above, name)
        descriptor = descriptors.by_path.get(place)
        if name in required or name in value or name in seen:
            shown += 1
        elif descriptor and descriptor.advanced:
            advanced.add(name)
        elif place in descriptors.orders or place in descriptors.controls:
            shown += 1
        else:
            optional.append(name)
    if not shown:
        return frozenset((*advanced, *optional[SHOWN_ANYWAY:])) if optional else frozenset()
    worth = WORTH_A_FOLD if len(path) <= 1 else WORTH_A_FOLD_INSIDE
    if len(optional) + len(advanced) >= worth:
        advanced.update(optional)
    return frozenset(advanced)
