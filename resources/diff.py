"""Three versions of one object: what somebody began with, what it became in their hands, what it became in the cluster.

Pure. Mappings are merged key by key; lists are taken whole, because their items have no names that all kinds agree on.
"""

from dataclasses import dataclass
from typing import Any

Path = tuple[str | int, ...]
MISSING: Any = type("Missing", (), {"__repr__": lambda self: "–", "__bool__": lambda self: False})()


@dataclass(frozen=True, slots=True)
class Clash:
    """Both changed this, to different values. MISSING stands for "removed"."""

    path: Path
    mine: Any
    theirs: Any


def merge(began: Any, mine: Any, theirs: Any, path: Path = ()) -> tuple[Any, tuple[Clash, ...]]:
    """`theirs` with my changes in it, and where both changed the same: there, mine is taken."""
    if mine == theirs or _same(mine, began):
        return theirs, ()
    if _same(theirs, began):
        return mine, ()
    if not (isinstance(mine, dict) and isinstance(theirs, dict)):
        return mine, (Clash(path, mine, theirs),)
    base = began if isinstance(began, dict) else {}
    merged: dict[str, Any] = {}
    clashes: tuple[Clash, ...] = ()
    for key in dict.fromkeys((*theirs, *mine)):
        old, my, their = (side.get(key, MISSING) for side in (base, mine, theirs))
        value, more = merge(old, my, their, (*path, key))
        clashes += more
        if value is not MISSING:
            merged[key] = value
    return merged, clashes


def _same(one: Any, other: Any) -> bool:
    """Equal, and of equal types: 1 is not true and not 1.0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(_same(a, b) for a, b in zip(one, other, strict=True))
    return bool(one == other)


def json_patch(old: Any, new: Any, pointer: str = "") -> list[dict[str, Any]]:
    """RFC 6902: what turns `old` into `new`. Unlike a merge patch it can write null."""
    if _same(old, new):
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


def says_null(patch: Any, new: Any) -> bool:
    """Whether a merge patch would remove what `new` has as null."""
    if isinstance(patch, dict):
        return any(
            (isinstance(new, dict) and key in new and (new[key] is None or says_null(value, new[key])))
            for key, value in patch.items()
        )
    return False
