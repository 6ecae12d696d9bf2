"""From one version of an object to the one before it, as few small steps, and the same in words. Pure.

A step back is [path, value], or [path] for what was not there; a path is a list of keys and places in lists. Lists of
equal length are compared item by item, others are taken whole: so that what is kept is small where it matters (one
container of ten) and simple everywhere else.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from kube.fields import MISSING, Field, Path, brief, dotted, named, same, structured
from kube.objects import text

Op = list[Any]


def back(new: Any, old: Any) -> list[Op]:
    """What makes `old` of `new`."""
    return [[list(path)] if before is MISSING else [list(path), before] for path, before, _after in _walk(old, new, ())]


def apply(obj: Any, ops: list[Op]) -> Any:
    """A new object; containers on the way are copied.

    A path that leads nowhere is passed over: then nothing can be put there.
    """
    for path, *value in ops:
        obj = _put(obj, path, value[0] if value else MISSING)
    return obj


def _put(obj: Any, path: list[str | int], value: Any) -> Any:
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(obj, dict):
        made = dict(obj)
        below = _put(made.get(str(step), {}), rest, value)
        if below is MISSING:
            made.pop(str(step), None)
        else:
            made[str(step)] = below
        return made
    if isinstance(obj, list) and isinstance(step, int) and 0 <= step < len(obj):
        return [_put(part, rest, value) if place == step else part for place, part in enumerate(obj)]
    return obj


def _walk(old: Any, new: Any, path: Path) -> Iterator[Field]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*old, *new)):
            yield from _walk(old.get(key, MISSING), new.get(key, MISSING), (*path, key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new) and old and structured(old):
        for place, (item, other) in enumerate(zip(old, new, strict=True)):
            yield from _walk(item, other, (*path, place))
    elif (old is MISSING) != (new is MISSING) or not same(old, new):
        yield path, old, new


def fields(old: Any, new: Any, limit: int) -> tuple[list[list[str]], int]:
    """The first changed fields as [path, before, after], conditions before all others, and how many there are in
    all. '' stands for nothing.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        # A first status is listed field by field, as a change of one is.
        old, new = ({**obj, "status": obj.get("status", {})} for obj in (old, new))
    changes = [*_conditions(old, new), *_told(old, new)]
    return changes[:limit], len(changes)


def _conditions(old: Any, new: Any) -> Iterator[list[str]]:
    """['Ready', 'False', 'True (AllGood)']: a condition as one thing."""
    before, after = _by_type(old), _by_type(new)
    for type_ in dict.fromkeys((*before, *after)):
        item, other = before.get(type_), after.get(type_)
        if item != other:
            short = item is not None and other is not None and _condition(item, False) == _condition(other, False)
            yield [f"condition {type_}", _condition(item, short), _condition(other, short)]


def _by_type(obj: Any) -> dict[str, Mapping[str, Any]]:
    found = (obj.get("status") or {}).get("conditions") if isinstance(obj, dict) and _has_status(obj) else None
    entries = found if isinstance(found, list) else ()
    return {text(entry.get("type")): entry for entry in entries if isinstance(entry, dict) and entry.get("type")}


def _has_status(obj: dict[str, Any]) -> bool:
    return isinstance(obj.get("status"), dict)


def _condition(entry: Mapping[str, Any] | None, short: bool) -> str:
    """The status with its reason; where only the text changed, the text."""
    if entry is None:
        return ""
    reason, message = text(entry.get("reason")), text(entry.get("message"))
    words = f"{text(entry.get('status')) or '–'}{f' ({reason})' if reason else ''}"
    return brief(f"{words}: {message}" if short and message else words)


def _told(old: Any, new: Any) -> Iterator[list[str]]:
    known = any(_by_type(obj) for obj in (old, new))  # as conditions, by _conditions
    for path, before, after in named(old, new):
        if not (known and path[:2] == ("status", "conditions")):
            yield [dotted(path), brief(before), brief(after)]
