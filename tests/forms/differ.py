"""Whether two objects are the same to Kubernetes, and where they differ."""

import json
from typing import Any


def alike(one: Any, other: Any) -> bool:
    """Equal, type for type: 1 is not 1.0, not true and not "1".

    The order of an object's fields means nothing, a list's does.
    """
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def difference(one: Any, other: Any, path: str = "") -> str:
    """Where two objects differ first, for a message."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in dict.fromkeys((*one, *other)):
            if key not in one or key not in other:
                return f"{path}/{key}: only in the {'first' if key in one else 'second'}"
            if found := difference(one[key], other[key], f"{path}/{key}"):
                return found
        return ""
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return next(
            (
                found
                for n, (a, b) in enumerate(zip(one, other, strict=True))
                if (found := difference(a, b, f"{path}/{n}"))
            ),
            "",
        )
    return "" if alike(one, other) else f"{path}: {one!r:.80} became {other!r:.80}"
