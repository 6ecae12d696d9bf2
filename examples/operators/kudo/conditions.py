"""The Instance's conditions: Ready, as KUDO has it; Accepted: whether what was asked for last is followed;
Autopilot. Pure.
"""

from __future__ import annotations

from examples.operators.kubeapi import Object

from .instance import Instance
from .plans import COMPLETE, LONGEST, moment


def ready(instance: Instance, plan: str, status: Object) -> Object:
    """From the plan that ran last. A backup, running or failed, doesn't affect readiness."""
    word = str(status["status"])
    before = _before(instance, "Ready")
    if plan not in ("deploy", "update", "upgrade", "cleanup") and before.get("status") == "True":
        return before
    names = {COMPLETE: "PlanComplete", "FATAL_ERROR": "PlanFailed", "ERROR": "PlanHindered"}
    message = status.get("message") or f"Plan {plan} is {word.lower().replace('_', ' ')}"
    return _condition(instance, "Ready", word == COMPLETE, names.get(word, "PlanRunning"), str(message))


def accepted(instance: Instance, is_so: bool, reason: str, message: str) -> Object:
    """Whether the engine follows the spec."""
    return _condition(instance, "Accepted", is_so, reason, message)


def autopilot(instance: Instance, is_so: bool, reason: str, message: str) -> Object:
    """Whether the autopilot has it in hand; only where it is on."""
    return _condition(instance, "Autopilot", is_so, reason, message)


def _condition(instance: Instance, type_: str, is_so: bool, reason: str, message: str) -> Object:
    value = "True" if is_so else "False"
    before = _before(instance, type_)
    return {
        "type": type_,
        "status": value,
        "lastTransitionTime": before["lastTransitionTime"] if before.get("status") == value else moment(),
        "reason": reason,
        "message": message[:LONGEST],
    }


def _before(instance: Instance, type_: str) -> Object:
    return next(
        (dict(condition) for condition in instance.status.get("conditions") or [] if condition.get("type") == type_), {}
    )
