"""A plan's way from PENDING to COMPLETE as status.planStatus tells it: which step is next, and what its outcome means.

Pure.

The words are KUDO's. ERROR is tried again; COMPLETE and FATAL_ERROR are the end.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

from examples.operators.kubeapi import Object

from .version import SERIAL, KudoStep, OperatorVersion, Phase, Plan

NEVER_RUN, PENDING, IN_PROGRESS = "NEVER_RUN", "PENDING", "IN_PROGRESS"
COMPLETE, ERROR, FATAL_ERROR = "COMPLETE", "ERROR", "FATAL_ERROR"
RUNNING = (PENDING, IN_PROGRESS, ERROR)
#: A message is for people; a whole log does not belong in a status.
LONGEST = 1000


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """What a step has come to, in one of the words above, and why."""

    status: str
    message: str = ""


def never_run(version: OperatorVersion) -> dict[str, Object]:
    """The status of plans that have not been run."""
    return {plan.name: fresh(plan, "", NEVER_RUN) for plan in version.plans.values()}


def fresh(plan: Plan, uid: str, word: str = PENDING) -> Object:
    """A plan at its beginning."""
    return {
        "name": plan.name,
        "status": word,
        "message": "",
        "uid": uid,
        "lastUpdatedTimestamp": moment() if uid else None,
        "phases": [
            {
                "name": phase.name,
                "status": word,
                "message": "",
                "steps": [{"name": step.name, "status": word, "message": ""} for step in phase.steps],
            }
            for phase in plan.phases
        ],
    }


def open_steps(plan: Plan, status: Object) -> Iterable[tuple[Phase, KudoStep]]:
    """The steps to work on now.

    Ask again after each: with a serial strategy the next one opens when one is complete.
    """
    for phase, phase_status in zip(plan.phases, status["phases"], strict=True):
        for step, step_status in zip(phase.steps, phase_status["steps"], strict=True):
            if step_status["status"] != COMPLETE:
                yield phase, step
                if phase.strategy == SERIAL:
                    break
        if plan.strategy == SERIAL and phase_status["status"] != COMPLETE:
            return


def note(status: Object, phase: str, step: str, outcome: TaskOutcome) -> None:
    """Writes a step's outcome into the plan's status, and what follows from it for the phase and the plan."""
    found = next(item for item in status["phases"] if item["name"] == phase)
    entry = next(item for item in found["steps"] if item["name"] == step)
    entry |= {"status": outcome.status, "message": outcome.message[:LONGEST]}
    finish(status)


def finish(status: Object) -> None:
    """Sums up the phases; a phase without steps is complete."""
    for phase in status["phases"]:
        _sum_up(phase, phase["steps"])
    _sum_up(status, status["phases"])
    status["lastUpdatedTimestamp"] = moment()


def fail(status: Object, message: str) -> None:
    """Fails the plan for a reason outside its steps."""
    status |= {"status": FATAL_ERROR, "message": message[:LONGEST], "lastUpdatedTimestamp": moment()}


def _sum_up(whole: Object, parts: list[Object]) -> None:
    words = {part["status"] for part in parts}
    if bad := [status for status in (FATAL_ERROR, ERROR) if status in words]:
        word = bad[0]
    elif words <= {COMPLETE}:
        word = COMPLETE
    else:
        word = PENDING if words == {PENDING} else IN_PROGRESS
    reporting = next((part for part in parts if part["status"] == word and part["message"]), None)
    whole["status"] = word
    whole["message"] = (
        f"{reporting['name']}: {reporting['message']}"[:LONGEST] if reporting and word != COMPLETE else ""
    )


def moment() -> str:
    """Now, as Kubernetes writes it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
