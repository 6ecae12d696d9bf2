"""What a task does: Apply, Delete, Toggle and Dummy. Each can be done again and again until it is complete."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from operators.kubeapi import Api, ApiError, Object

from . import render
from .health import health
from .instance import Instance
from .plans import COMPLETE, ERROR, FATAL_ERROR, IN_PROGRESS, Outcome
from .version import OperatorVersion, Task

MANAGER = "kudo"
_WORST = (FATAL_ERROR, ERROR, IN_PROGRESS, COMPLETE)


class Tasks:
    """The tasks of one Instance in one pass. ``parameters`` are resolved values."""

    def __init__(self, api: Api, instance: Instance, version: OperatorVersion, parameters: dict[str, Any]):
        self._api = api
        self._instance = instance
        self._version = version
        self._parameters = parameters

    async def step(self, moment: render.Moment, names: Iterable[str]) -> Outcome:
        """The tasks in their order: one begins when the one before is complete."""
        for name in names:
            outcome = await self._task(moment, self._version.tasks[name])
            if outcome.status != COMPLETE:
                return outcome
        return Outcome(COMPLETE)

    async def _task(self, moment: render.Moment, task: Task) -> Outcome:
        if task.kind == "Dummy":
            return _dummy(task)
        try:
            found = [
                one
                for file in task.resources
                for one in render.objects(self._instance, self._version, moment, file, self._parameters)
            ]
        except render.RenderError as problem:
            return Outcome(FATAL_ERROR, str(problem))
        apply = task.kind == "Apply" or (
            task.kind == "Toggle" and self._parameters[task.spec["parameter"]] in (True, "true")
        )
        outcomes = [await (self._apply(one) if apply else self._delete(one)) for one in found]
        return min(outcomes, key=lambda one: _WORST.index(one.status), default=Outcome(COMPLETE))

    async def _apply(self, obj: Object) -> Outcome:
        kind, name = obj["kind"], obj["metadata"]["name"]
        try:
            present = await self._api.get(kind, self._instance.namespace, name)
            if present is not None and not self._ours(present):
                return Outcome(ERROR, f"{kind} {name} is there already and belongs to something else")
            if present is not None and present["metadata"].get("deletionTimestamp"):
                return Outcome(IN_PROGRESS, f"{kind} {name}: the one before is still going")
            return health(await self._api.apply(obj, MANAGER))
        except ApiError as refused:
            return _refused(f"{kind} {name}", refused)

    async def _delete(self, obj: Object) -> Outcome:
        kind, name = obj["kind"], obj["metadata"]["name"]
        try:
            present = await self._api.get(kind, self._instance.namespace, name)
            if present is None or not self._ours(present):
                return Outcome(COMPLETE)
            if not present["metadata"].get("deletionTimestamp"):
                await self._api.delete(kind, self._instance.namespace, name)
                present = await self._api.get(kind, self._instance.namespace, name)
        except ApiError as refused:
            return _refused(f"{kind} {name}", refused)
        return Outcome(COMPLETE) if present is None else Outcome(IN_PROGRESS, f"{kind} {name} is going")

    def _ours(self, obj: Object) -> bool:
        """Whether it belongs to the Instance, or to nobody or to what does (a claim that a StatefulSet made)."""
        owners = obj["metadata"].get("ownerReferences") or []
        controller = next((one for one in owners if one.get("controller")), None)
        return controller is None or controller["uid"] == self._instance.uid or controller["kind"] == "StatefulSet"


def _refused(what: str, refused: ApiError) -> Outcome:
    """An object that is wrong stays wrong; a conflict, a missing right or a server that has trouble may pass."""
    return Outcome(FATAL_ERROR if refused.code in (400, 422) else ERROR, f"{what}: {refused}")


def _dummy(task: Task) -> Outcome:
    if task.spec.get("wantErr"):
        return Outcome(FATAL_ERROR if task.spec.get("fatal") else ERROR, "this dummy fails, as it was told to")
    return Outcome(COMPLETE) if task.spec.get("done", True) else Outcome(IN_PROGRESS, "this dummy is never done")
