"""Conditions of the workload controllers: a time changes only with the value that it belongs to."""

from __future__ import annotations

from ..objects import Object, now


def find(conditions: list[Object] | None, kind: str) -> Object | None:
    """The condition of a type."""
    return next((condition for condition in conditions or [] if condition.get("type") == kind), None)


def is_true(obj: Object, kind: str) -> bool:
    """Whether an object's condition exists and is True."""
    found = find((obj.get("status") or {}).get("conditions"), kind)
    return found is not None and found.get("status") == "True"


def with_condition(
    conditions: list[Object] | None,
    kind: str,
    status: str,
    reason: str = "",
    message: str = "",
    *,
    updates: bool = False,
) -> list[Object]:
    """The list with this condition set. ``updates``: it carries lastUpdateTime, as a Deployment's does."""
    present = find(conditions, kind)
    if present is not None and (present.get("status"), present.get("reason", ""), present.get("message", "")) == (
        status,
        reason,
        message,
    ):
        return list(conditions or [])
    moment = now()
    condition: Object = {"type": kind, "status": status}
    if updates:
        condition["lastUpdateTime"] = moment
    unchanged = present is not None and present.get("status") == status
    condition["lastTransitionTime"] = present["lastTransitionTime"] if present and unchanged else moment
    if reason:
        condition["reason"] = reason
    if message:
        condition["message"] = message
    # What was set last stands last.
    return [*(item for item in conditions or [] if item is not present), condition]


def without_condition(conditions: list[Object] | None, kind: str) -> list[Object]:
    """The list without the condition of a type."""
    return [condition for condition in conditions or [] if condition.get("type") != kind]
