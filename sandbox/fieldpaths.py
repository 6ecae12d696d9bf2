"""Paths of fields as managedFields have them: a tuple of elements such as ``f:spec``, ``k:{"name":"a"}``, ``v:"x"``."""

from __future__ import annotations

Path = tuple[str, ...]


def dotted(path: Path) -> str:
    """A path as the API server writes it in conflicts: ``.spec.containers[name="a"].image``."""
    text = ""
    for element in path:
        kind, _, rest = element.partition(":")
        if kind == "f":
            text += f".{rest}"
        elif kind == "k":
            text += "[" + rest[1:-1].replace('":', "=").replace('"', "", 1).replace(',"', ",") + "]"
        elif kind == "i":
            text += f"[{rest}]"
        else:
            text += f"[={rest}]"
    return text


def in_order(path: Path) -> tuple[tuple[bool, str], ...]:
    """A sort key: at each element first the paths that end there, then the longer ones."""
    last = len(path) - 1
    return tuple((at < last, element) for at, element in enumerate(path))
