"""Three-way merge of an object: the version that editing began with, the edited one, the live one.

Pure. Mappings are merged key by key. Lists whose items the schema names (x-kubernetes-list-map-keys) are merged item by
item, sets value by value; every other list is taken whole, because its items have no names that all kinds agree on.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from kube.fields import MISSING as MISSING
from kube.fields import same as same
from kube.objects import apply_merge, merge_patch


class Key(tuple[tuple[str, Any], ...]):
    """Names an item of a list by its keys: (("name", "reporting"),)."""

    __slots__ = ()


Step = str | int | Key
Path = tuple[Step, ...]


class Shape(Protocol):
    """What a merge asks of a schema's node."""

    @property
    def keys(self) -> tuple[str, ...]:
        """What names the items of this list; () where nothing does."""

    @property
    def is_set(self) -> bool:
        """Whether this list is a set of plain values."""

    def child(self, name: str) -> "Shape": ...

    def item(self) -> "Shape": ...


class Plain:
    """No schema: every list is taken whole."""

    keys: tuple[str, ...] = ()
    is_set = False

    def child(self, name: str) -> Shape:
        return self

    def item(self) -> Shape:
        return self


PLAIN: Shape = Plain()


@dataclass(frozen=True, slots=True)
class Clash:
    """Both changed this, to different values.

    MISSING stands for "not there"; `began` is what it was before either changed it.
    """

    path: Path
    mine: Any
    theirs: Any
    began: Any = MISSING


Merged = tuple[Any, tuple[Clash, ...]]


def merge(began: Any, mine: Any, theirs: Any, shape: Shape = PLAIN, path: Path = ()) -> Merged:
    """`theirs` with my changes in it, and where both changed the same: there, mine is taken."""
    if same(mine, theirs) or same(mine, began):
        return theirs, ()
    if same(theirs, began):
        return mine, ()
    if isinstance(mine, dict) and isinstance(theirs, dict):
        return _mappings(began, mine, theirs, shape, path)
    if isinstance(mine, list) and isinstance(theirs, list):
        base = began if isinstance(began, list) else []
        if shape.is_set and all(_distinct(side) for side in (base, mine, theirs)):
            return _sets(base, mine, theirs), ()
        if shape.keys and all(keyed(side, shape.keys) is not None for side in (base, mine, theirs)):
            return _lists(base, mine, theirs, shape, path)
    return mine, (Clash(path, mine, theirs, began),)


def _mappings(began: Any, mine: dict[str, Any], theirs: dict[str, Any], shape: Shape, path: Path) -> Merged:
    base = began if isinstance(began, dict) else {}
    merged: dict[str, Any] = {}
    clashes: tuple[Clash, ...] = ()
    for key in dict.fromkeys((*theirs, *mine)):
        old, my, their = (side.get(key, MISSING) for side in (base, mine, theirs))
        value, more = merge(old, my, their, shape.child(key), (*path, key))
        clashes += more
        if value is not MISSING:
            merged[key] = value
    return merged, clashes


def _lists(base: list[Any], mine: list[Any], theirs: list[Any], shape: Shape, path: Path) -> Merged:
    old, my, their = (keyed(side, shape.keys) or {} for side in (base, mine, theirs))
    merged: list[Any] = []
    clashes: tuple[Clash, ...] = ()
    # Who moved items decides their order; when both did, the cluster's order holds.
    first, second = (my, their) if list(their) == list(old) else (their, my)
    for key in dict.fromkeys((*first, *second)):
        sides = [side.get(key, MISSING) for side in (old, my, their)]
        value, more = merge(sides[0], sides[1], sides[2], shape.item(), (*path, key))
        clashes += more
        if value is not MISSING:
            merged.append(value)
    return merged, clashes


def _sets(base: list[Any], mine: list[Any], theirs: list[Any]) -> list[Any]:
    removed = [item for item in base if item not in mine]
    added = [item for item in mine if item not in base and item not in theirs]
    return [item for item in theirs if item not in removed] + added


def _distinct(items: Iterable[Any]) -> bool:
    seen: set[Any] = set()
    for item in items:
        if isinstance(item, (dict, list)) or (type(item), item) in seen:
            return False
        seen.add((type(item), item))
    return True


def keyed(items: Sequence[Any], names: tuple[str, ...]) -> dict[Key, Any] | None:
    """The items by their keys; None when one has none or two have the same."""
    found: dict[Key, Any] = {}
    for item in items:
        if not isinstance(item, dict) or not any(name in item for name in names):
            return None
        key = Key((name, item[name]) for name in names if name in item)
        if any(isinstance(value, (dict, list)) for _, value in key) or key in found:
            return None
        found[key] = item
    return found


def take(obj: Any, path: Path, value: Any) -> Any:
    """`obj` with `value` at the path (MISSING: with nothing there); containers on the way are copied, or made."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, str):
        made = dict(obj) if isinstance(obj, dict) else {}
        below = take(made.get(step, MISSING), rest, value)
        if below is MISSING:
            made.pop(step, None)
        else:
            made[step] = below
        return made if made or obj is not MISSING else MISSING
    items = list(obj) if isinstance(obj, list) else []
    place = index(items, step)
    below = take(items[place] if place < len(items) else MISSING, rest, value)
    items[place : place + 1] = [] if below is MISSING else [below]
    return items if items or obj is not MISSING else MISSING


def at(obj: Any, path: Path) -> Any:
    """The value there, or MISSING."""
    for step in path:
        if isinstance(step, str):
            obj = obj.get(step, MISSING) if isinstance(obj, dict) else MISSING
        else:
            place = index(obj, step) if isinstance(obj, list) else 0
            obj = obj[place] if isinstance(obj, list) and place < len(obj) else MISSING
        if obj is MISSING:
            return MISSING
    return obj


def index(items: Sequence[Any], step: int | Key) -> int:
    """Where the item stands; behind the last one when it does not."""
    if isinstance(step, int):
        return min(step, len(items))
    wanted = dict(step)
    fits = (isinstance(item, dict) and all(item.get(name) == value for name, value in wanted.items()) for item in items)
    return next((place for place, fit in enumerate(fits) if fit), len(items))


def json_patch(old: Any, new: Any, pointer: str = "") -> list[dict[str, Any]]:
    """RFC 6902: what turns `old` into `new`. Unlike a merge patch it can write null."""
    if same(old, new):
        return []
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return [{"op": "replace", "path": pointer, "value": new}]
    operations: list[dict[str, Any]] = []
    for key in dict.fromkeys((*old, *new)):
        place = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
        if key not in new:
            operations.append({"op": "remove", "path": place})
        elif key not in old:
            operations.append({"op": "add", "path": place, "value": new[key]})
        else:
            operations += json_patch(old[key], new[key], place)
    return operations


def merges(old: Any, new: Any) -> Any:
    """The merge patch from `old` to `new`, or None where no merge patch can say it: a null to be written, 1 that
    becomes true.
    """
    patch = merge_patch(old, new)
    return patch if same(apply_merge(old, patch), new) else None
