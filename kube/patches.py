"""Patches as values: what has to be sent so that one object becomes the other.

RFC 7386 (merge patch): null removes, mappings merge, everything else, lists too, is replaced whole.
"""

from typing import Any


def merge_patch(old: Any, new: Any) -> Any:
    """The smallest merge patch that turns `old` into `new`; {} when they are equal."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    patch: dict[str, Any] = {key: None for key in old if key not in new}
    for key, value in new.items():
        if key not in old:
            patch[key] = value
        elif value != old[key]:
            patch[key] = merge_patch(old[key], value)
    return patch


def apply_merge(target: Any, patch: Any) -> Any:
    """`target` with the merge patch laid over it; neither is changed."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = apply_merge(result.get(key), value)
    return result
