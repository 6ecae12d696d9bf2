"""Which plan a change asks for: deploy at first, upgrade for another operator version, else the plan that the
parameter names. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .instance import Snapshot
from .parameters import ParameterError, resolve
from .version import DEPLOY, UPGRADE, OperatorVersion


class RefusedError(Exception):
    """The change can't be followed; ``reason`` in one word."""

    def __init__(self, reason: str, message: str):
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class PlanStart:
    """A plan to begin, why, and what it works with."""

    plan: str
    why: str
    snapshot: Snapshot


def wanted(
    version: OperatorVersion, before: Snapshot, now: Snapshot, *, deployed: bool = True, running: str = ""
) -> PlanStart | None:
    """None when nothing has changed; RefusedError. ``version`` is the one that ``now`` names.

    Until it was ``deployed`` once, every change is one for deploy. Of several plans the one that is ``running`` (its
    correction may be what it waits for), else the first in the order of the parameters: the others follow one by one,
    because only what the plan is for is taken over.
    """
    if not before.operator_version:
        return PlanStart(DEPLOY, "a new Instance", now)
    if not deployed:
        return PlanStart(DEPLOY, "another spec before the first deploy was complete", now) if before != now else None
    changed = sorted(
        name
        for name in {*before.parameters, *now.parameters}
        if before.parameters.get(name) != now.parameters.get(name)
    )
    if fixed := [name for name in changed if name in version.parameters and version.parameters[name].immutable]:
        was = ", ".join(f"{name} was {_shown(version, before, name)}" for name in fixed)
        raise RefusedError("ImmutableParameter", f"{', '.join(fixed)} can't be changed any more ({was})")
    if before.operator_version != now.operator_version:
        if version.upgradable_from and before.operator_version not in version.upgradable_from:
            ways = ", ".join(version.upgradable_from)
            message = f"{now.operator_version} can't follow {before.operator_version}, only {ways}"
            raise RefusedError("NotUpgradable", message)
        plan = UPGRADE if UPGRADE in version.plans else version.usual()
        return PlanStart(plan, f"{now.operator_version} follows {before.operator_version}", now)
    if not changed:
        return None
    plans = [_plan(version, name) for name in changed]
    plan = running if running in plans else plans[0]
    ours = [name for name in changed if _plan(version, name) == plan]
    parameters = {key: value for key, value in before.parameters.items() if key not in ours}
    parameters |= {key: now.parameters[key] for key in ours if key in now.parameters}
    why = ", ".join(f"{name} is {_shown(version, now, name)}" for name in ours)
    return PlanStart(plan, why, replace(before, parameters=parameters))


def check(version: OperatorVersion, now: Snapshot) -> None:
    """RefusedError when parameters are unknown, missing or of a wrong type."""
    try:
        resolve(version, now.parameters)
    except ParameterError as problem:
        raise RefusedError("InvalidParameter", str(problem)) from None


def _plan(version: OperatorVersion, parameter: str) -> str:
    known = version.parameters.get(parameter)
    return (known.trigger if known else "") or version.usual()


def _shown(version: OperatorVersion, snapshot: Snapshot, name: str) -> str:
    known = version.parameters.get(name)
    found = snapshot.parameters.get(name, known.default if known else None)
    return f"“{found}”" if found is not None else "not set"
