"""Whether two objects are the same to Kubernetes, and where they differ."""

import json
from typing import Any


def alike(item: Any, other: Any) -> bool:
    """Equal, type for type: 1 is not 1.0, not true and not "1".

    The order of an object's fields means nothing, a list's does.
    """
    return json.dumps(item, sort_keys=True) == json.dumps(other, sort_keys=True)


def difference(item: Any, other: Any, path: str = "") -> str:
    """Where two objects differ first, for a message."""
    if isinstance(item, dict) and isinstance(other, dict):
        for key in dict.fromkeys((*item, *other)):
            if key not in item or key not in other:
                return f"{path}/{key}: only in the {'first' if key in item else 'second'}"
            if found := difference(item[key], other[key], f"{path}/{key}"):
                return found
        return ""
    if isinstance(item, list) and isinstance(other, list) and len(item) == len(other):
        return next(
            (
                found
                for n, (a, b) in enumerate(zip(item, other, strict=True))
                if (found := difference(a, b, f"{path}/{n}"))
            ),
            "",
        )
    return "" if alike(item, other) else f"{path}: {item!r:.80} became {other!r:.80}"
