"""PodDisruptionBudgets."""

from __future__ import annotations

from .basics import Cause, Causes, Object, number_or_percent, only, percent_over, selector, to_json


def budget(obj: Object, old: Object | None) -> Causes:
    """A PodDisruptionBudget."""
    spec = obj.get("spec") or {}
    if spec.get("minAvailable") is not None and spec.get("maxUnavailable") is not None:
        names = ("minAvailable", "selector", "maxUnavailable", "unhealthyPodEvictionPolicy")
        shown = {name[0].upper() + name[1:]: spec.get(name) for name in names}
        text = f"Invalid value: {to_json(shown, in_order=True)}: minAvailable and maxUnavailable cannot be both set"
        yield Cause("spec", "FieldValueInvalid", text)
    for name in ("minAvailable", "maxUnavailable"):
        yield from number_or_percent(f"spec.{name}", spec.get(name))
        yield from percent_over(f"spec.{name}", spec.get(name))
    supported = ("AlwaysAllow", "IfHealthyBudget")
    yield from only("spec.unhealthyPodEvictionPolicy", spec.get("unhealthyPodEvictionPolicy"), supported)
    yield from selector("spec.selector", spec.get("selector"))
