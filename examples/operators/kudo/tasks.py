"""What a task does: Apply, Delete, Toggle, Pipe, KudoOperator and Dummy.

Each can be done again and again until it is complete.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from examples.operators.kubeapi import ApiError, CommandError, KubeApi, Object

from . import children, pipes
from .dependencies import hashed
from .health import health
from .instance import EXECUTION, Instance
from .plans import COMPLETE, ERROR, FATAL_ERROR, IN_PROGRESS, TaskOutcome
from .render import Moment, Render, RenderError
from .trouble import why
from .version import OperatorVersion, Pipe, Task

MANAGER = "kudo"
_WORST = (FATAL_ERROR, ERROR, IN_PROGRESS, COMPLETE)


class Tasks:
    """The tasks of one Instance in one pass.

    ``parameters`` are resolved values; ``waiter`` is the image that holds a Pipe task's files.
    """

    def __init__(
        self,
        api: KubeApi,
        instance: Instance,
        version: OperatorVersion,
        parameters: dict[str, Any],
        waiter: str = pipes.IMAGE,
    ):
        self._api = api
        self._instance = instance
        self._version = version
        self._parameters = parameters
        self._waiter = waiter

    async def step(self, moment: Moment, names: Iterable[str]) -> TaskOutcome:
        """The tasks in their order: one begins when the one before is complete."""
        for name in names:
            try:
                outcome = await self._task(moment, self._version.tasks[name])
            except (RenderError, pipes.PipeError) as problem:
                return TaskOutcome(FATAL_ERROR, str(problem))
            if outcome.status != COMPLETE:
                return outcome
        return TaskOutcome(COMPLETE)

    async def _task(self, moment: Moment, task: Task) -> TaskOutcome:
        render = Render(self._instance, self._version, moment, self._parameters)
        if task.kind == "Dummy":
            return _dummy(task)
        if task.kind == "Pipe":
            return await self._pipe(render, task)
        if task.kind == "KudoOperator":
            return await self._apply(children.child(render, task))
        found = [obj for file in task.resources for obj in render.objects(file)]
        apply = task.kind == "Apply" or (
            task.kind == "Toggle" and self._parameters[task.spec["parameter"]] in (True, "true")
        )
        outcomes = [await (self._apply(item) if apply else self._delete(item)) for item in found]
        return min(outcomes, key=lambda outcome: _WORST.index(outcome.status), default=TaskOutcome(COMPLETE))

    async def _apply(self, obj: Object) -> TaskOutcome:
        kind, name = obj["kind"], obj["metadata"]["name"]
        try:
            present = await self._api.get(kind, self._instance.namespace, name)
            if present is not None and not self._ours(present):
                return TaskOutcome(ERROR, f"{kind} {name} is there already and belongs to something else")
            if present is not None and present["metadata"].get("deletionTimestamp"):
                return TaskOutcome(IN_PROGRESS, f"{kind} {name}: the one before is still going")
            applied = await self._api.apply(await hashed(self._api, obj), MANAGER)
            outcome = health(applied)
            cause = "" if outcome.status == COMPLETE else await why(self._api, applied)
            return TaskOutcome(outcome.status, f"{outcome.message}: {cause}") if cause else outcome
        except ApiError as refused:
            return _refused(f"{kind} {name}", refused)

    async def _delete(self, obj: Object) -> TaskOutcome:
        kind, name = obj["kind"], obj["metadata"]["name"]
        try:
            present = await self._api.get(kind, self._instance.namespace, name)
            if present is None or not self._ours(present):
                return TaskOutcome(COMPLETE)
            if not present["metadata"].get("deletionTimestamp"):
                await self._api.delete(kind, self._instance.namespace, name)
                present = await self._api.get(kind, self._instance.namespace, name)
        except ApiError as refused:
            return _refused(f"{kind} {name}", refused)
        return TaskOutcome(COMPLETE) if present is None else TaskOutcome(IN_PROGRESS, f"{kind} {name} is going")

    async def _pipe(self, render: Render, task: Task) -> TaskOutcome:
        """The Pod runs once in each execution of a plan, unless it fails: what it has made says so."""
        at = (self._instance.name, render.moment.plan, render.moment.phase, render.moment.step, task.name)
        made, pod_name = {pipes.name(*at, pipe.key): pipe for pipe in task.pipes}, pipes.name(*at, "pipepod")
        try:
            there = [await self._api.get(pipe.kind, self._instance.namespace, name) for name, pipe in made.items()]
            if all(item is not None and _execution(item) == render.moment.uid for item in there):
                await self._api.delete("Pod", self._instance.namespace, pod_name)
                return TaskOutcome(COMPLETE)
            pod = self._pod(render, task, pod_name)
            present = await self._api.get("Pod", self._instance.namespace, pod_name)
            if present and self._ours(present) and (_execution(present) != render.moment.uid or _over(present)):
                return await self._again(pod_name)
            outcome = await self._apply(pod)
            if present and outcome.status == FATAL_ERROR:
                return await self._again(pod_name)  # it is written otherwise now, and a Pod can't be changed
            if outcome.status != COMPLETE:
                return outcome
            return await self._take(render, task, pod, made)
        except ApiError as refused:
            return TaskOutcome(ERROR, f"Pod {pod_name}: {refused}")

    async def _again(self, pod: str) -> TaskOutcome:
        """Deletes the Pod; a later pass recreates it."""
        await self._api.delete("Pod", self._instance.namespace, pod)
        return TaskOutcome(IN_PROGRESS, f"Pod {pod}: the one before is still going")

    def _pod(self, render: Render, task: Task, name: str) -> Object:
        (file,) = task.resources
        written = render.documents(file)
        if len(written) != 1 or not isinstance(written[0], dict) or written[0].get("kind") != "Pod":
            raise RenderError(f"templates/{file}: a Pipe task needs one Pod, and nothing else")
        try:
            return render.marked(pipes.pod(written[0], name, task.pipes, self._waiter), file)
        except pipes.PipeError as problem:
            raise RenderError(f"templates/{file}: {problem}") from None

    async def _take(self, render: Render, task: Task, pod: Object, made: dict[str, Pipe]) -> TaskOutcome:
        """Copies the files out of the Pod, then deletes it, even if they are invalid."""
        namespace, name = self._instance.namespace, pod["metadata"]["name"]
        outcome = TaskOutcome(COMPLETE)
        try:
            for key, pipe in made.items():
                command = pipes.reading(pipe, pipes.mount_path(pod))
                content = await self._api.run(namespace, name, pipes.WAITER, command)
                outcome = await self._apply(render.marked(pipes.artifact(pipe, key, content), task.resources[0]))
                if outcome.status != COMPLETE:
                    return outcome
        except (CommandError, pipes.PipeError) as problem:
            outcome = TaskOutcome(FATAL_ERROR, f"the file of {task.name} can't be taken: {problem}")
        await self._api.delete("Pod", namespace, name)
        return outcome

    def _ours(self, obj: Object) -> bool:
        """Whether it belongs to the Instance, directly or as a StatefulSet's claim, or has no owner."""
        owners = obj["metadata"].get("ownerReferences") or []
        controller = next((owner for owner in owners if owner.get("controller")), None)
        return controller is None or controller["uid"] == self._instance.uid or controller["kind"] == "StatefulSet"


def _execution(obj: Object) -> str:
    """The execution of a plan that has made an object."""
    return str((obj["metadata"].get("annotations") or {}).get(EXECUTION) or "")


def _over(pod: Object) -> bool:
    return (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")


def _refused(what: str, refused: ApiError) -> TaskOutcome:
    """An object that is wrong stays wrong; a conflict, a missing right or a server that has trouble may pass."""
    return TaskOutcome(FATAL_ERROR if refused.code in (400, 422) else ERROR, f"{what}: {refused}")


def _dummy(task: Task) -> TaskOutcome:
    if task.spec.get("wantErr"):
        return TaskOutcome(FATAL_ERROR if task.spec.get("fatal") else ERROR, "this dummy fails, as it was told to")
    return (
        TaskOutcome(COMPLETE) if task.spec.get("done", True) else TaskOutcome(IN_PROGRESS, "this dummy is never done")
    )
