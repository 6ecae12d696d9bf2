"""Where a value that is wrong would be changed so that it stays: the uppermost owner whose spec has it."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from resources.causes.cause import Fix
from resources.causes.evidence import Item

_VALUES = 5_000
# Their specs can't be changed, or are written over by what made them.
_MADE = ("Pod", "ReplicaSet", "Job")


def edit_fix(item: Item, value: str = "") -> Fix | None:
    """None where the object's controller would overwrite the change. `value`: what the spec must contain, '' for
    anything.
    """
    chain = (item, *item.ancestors)
    for owner in reversed(chain):
        if owner.kind in _MADE and len(chain) > 1:
            continue
        if value and not contains(owner.spec, value):
            continue
        if owner.controller or (owner.is_custom and not value):
            return None
        return Fix(label=_("Edit %(kind)s %(name)s") % {"kind": owner.kind, "name": owner.name}, target=owner.target)
    return None


def contains(spec: Mapping[str, Any], value: str) -> bool:
    """Whether the text stands in it as a value, or as part of one; among the first 5,000 values."""
    waiting: list[Any] = [spec]
    for _step in range(_VALUES):
        if not waiting:
            return False
        found = waiting.pop()
        if isinstance(found, Mapping):
            waiting += found.values()
        elif isinstance(found, list):
            waiting += found
        elif isinstance(found, str) and value in found:
            return True
    return False
