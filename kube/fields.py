"""Two objects compared field by field, and the fields in words: what the history, the audit and their pages say of a
change. Pure.
"""

from collections.abc import Iterator
from typing import Any

Path = tuple[str | int, ...]
#: A path with the value before and after; MISSING stands for nothing.
Field = tuple[Path, Any, Any]
MISSING: Any = type("Missing", (), {"__repr__": lambda self: "–", "__bool__": lambda self: False})()
_KEYS = ("name", "type", "key", "id")
_LONG = 120


def same(left: Any, right: Any) -> bool:
    """Equal, and of equal types: 1 is not true and not 1.0."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right, strict=True))
    return bool(left == right)


def named(old: Any, new: Any, path: Path = (), *, deep: bool = False) -> Iterator[Field]:
    """What differs.

    Lists of named things are compared by name, so that words tell of what was added and not of all that moved.

    `deep`: what was not there before, or is not there any more, is listed leaf by leaf, too.
    """
    if deep:
        old, new = _hollow(old, new), _hollow(new, old)
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*old, *new)):
            yield from named(old.get(key, MISSING), new.get(key, MISSING), (*path, key), deep=deep)
        return
    if isinstance(old, list) and isinstance(new, list):
        before, after = _by_name(old), _by_name(new)
        if before is not None and after is not None:
            for name in dict.fromkeys((*before, *after)):
                yield from named(before.get(name, MISSING), after.get(name, MISSING), (*path, name), deep=deep)
            return
    if (old is MISSING) != (new is MISSING) or not same(old, new):
        yield path, old, new


def _hollow(value: Any, other: Any) -> Any:
    """An empty container in the place of nothing, beside one that holds something."""
    if value is not MISSING or not other:
        return value
    if isinstance(other, dict):
        return {}
    return [] if isinstance(other, list) and structured(other) else value


def structured(items: list[Any]) -> bool:
    return all(isinstance(item, (dict, list)) for item in items)


def _by_name(items: list[Any]) -> dict[str | int, Any] | None:
    """Items by what names them; by place where they are things without names; None for plain values and for names
    that are not theirs alone.
    """
    if not structured(items):
        return None
    for key in _KEYS:
        names = [item.get(key) for item in items if isinstance(item, dict)]
        if len(names) == len(items) == len(set(map(str, names))) and all(isinstance(name, str) for name in names):
            return {f"{key}={item[key]}": item for item in items}
    return dict(enumerate(items))


def dotted(path: Path) -> str:
    """As kubectl writes it: spec.containers[name=web].image, data[tls.crt]."""
    found = ""
    for step in path:
        plain = isinstance(step, str) and "=" not in step and step.replace("-", "").replace("_", "").isalnum()
        found += (f".{step}" if found else str(step)) if plain else f"[{step}]"
    return found


def brief(value: Any) -> str:
    """A short text of a value; not empty unless it is MISSING."""
    if value is MISSING:
        return ""
    if isinstance(value, dict):
        text = "{…}" if value else "{}"
    elif isinstance(value, list):
        plain = all(isinstance(part, (str, int, float)) for part in value)
        text = f"[{', '.join(map(str, value))}]" if plain else f"[{len(value)}]"
    elif value is None or isinstance(value, bool):
        text = {None: "null", True: "true", False: "false"}[value]
    else:
        text = str(value) or '""'
    return cut(" ".join(text.split()))


def cut(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[: _LONG - 1]}…"
