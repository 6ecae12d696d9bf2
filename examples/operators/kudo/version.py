"""An OperatorVersion as the engine reads it: its parameters, plans, tasks and templates, checked as a whole before
anything is done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from examples.operators.kubeapi import Object

GROUP, VERSION = "kudo.dev", "v1beta1"
API_VERSION = f"{GROUP}/{VERSION}"
DEPLOY, UPDATE, UPGRADE, CLEANUP = "deploy", "update", "upgrade", "cleanup"
SERIAL, PARALLEL = "serial", "parallel"
_WORD = re.compile(r"\w+")
TASK_KINDS = ("Apply", "Delete", "Toggle", "Pipe", "KudoOperator", "Dummy")


class PackageError(Exception):
    """The OperatorVersion makes no sense: every reason, one a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """Values are texts, as in the Instance.

    ``default``: None if there isn't one; ``trigger``: empty for the default plan.
    """

    name: str
    default: str | None
    required: bool
    trigger: str
    type: str
    immutable: bool
    enum: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KudoStep:
    """Its tasks are done in their order."""

    name: str
    tasks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Phase:
    """``strategy``: serial or parallel, for its steps."""

    name: str
    strategy: str
    steps: tuple[KudoStep, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """``strategy``: serial or parallel, for its phases."""

    name: str
    strategy: str
    phases: tuple[Phase, ...]


@dataclass(frozen=True, slots=True)
class Pipe:
    """A file of a Pipe task, ``kind`` Secret or ConfigMap; ``env``: its lines KEY=value are the object's data, else
    the whole file is.
    """

    path: str
    env: bool
    kind: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """``kind``: one of TASK_KINDS. ``resources``: names of templates; of a Pipe task that of its Pod, of a
    KudoOperator task its parameter file. ``spec``: the rest.
    """

    name: str
    kind: str
    resources: tuple[str, ...]
    spec: Object
    pipes: tuple[Pipe, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorVersion:
    """``operator``: the Operator's name; ``version``: its own version, as ``1.0.0``."""

    name: str
    operator: str
    version: str
    app_version: str
    parameters: dict[str, Parameter]
    plans: dict[str, Plan]
    tasks: dict[str, Task]
    templates: dict[str, str]
    upgradable_from: tuple[str, ...]

    def usual(self) -> str:
        """The plan for parameters that name none."""
        return UPDATE if UPDATE in self.plans else DEPLOY


def read(body: Object) -> OperatorVersion:
    """Of the object as the API server has it; PackageError with all that is wrong."""
    spec, name = body.get("spec") or {}, str(body["metadata"]["name"])
    found = OperatorVersion(
        name=name,
        operator=str((spec.get("operator") or {}).get("name") or ""),
        version=str(spec.get("version") or ""),
        app_version=str(spec.get("appVersion") or ""),
        parameters={str(parameter["name"]): _parameter(parameter) for parameter in spec.get("parameters") or []},
        plans={str(key): _plan(str(key), plan or {}) for key, plan in (spec.get("plans") or {}).items()},
        tasks={str(task["name"]): _task(task) for task in spec.get("tasks") or []},
        templates={str(key): str(template) for key, template in (spec.get("templates") or {}).items()},
        upgradable_from=tuple(str(item.get("name")) for item in spec.get("upgradableFrom") or []),
    )
    if problems := list(_problems(found)):
        raise PackageError(f"OperatorVersion {name} can't be used: " + "; ".join(problems))
    return found


def _parameter(item: Object) -> Parameter:
    default = item.get("default")
    return Parameter(
        name=str(item["name"]),
        default=None if default is None else str(default),
        required=bool(item.get("required", True)),
        trigger=str(item.get("trigger") or ""),
        type=str(item.get("value-type") or "string"),
        immutable=bool(item.get("immutable")),
        enum=tuple(map(str, item.get("enum") or [])),
    )


def _plan(name: str, item: Object) -> Plan:
    phases = tuple(
        Phase(
            str(phase.get("name")),
            str(phase.get("strategy") or SERIAL),
            tuple(KudoStep(str(step.get("name")), _texts(step.get("tasks"))) for step in phase.get("steps") or []),
        )
        for phase in item.get("phases") or []
    )
    return Plan(name, str(item.get("strategy") or SERIAL), phases)


def _task(item: Object) -> Task:
    spec, kind = dict(item.get("spec") or {}), str(item.get("kind") or "")
    file = spec.get({"Pipe": "pod", "KudoOperator": "parameterFile"}.get(kind, ""))
    resources = _texts([file] if file else spec.pop("resources", None))
    pipes = tuple(_pipe(pipe) for pipe in spec.get("pipe") or []) if kind == "Pipe" else ()
    return Task(name=str(item["name"]), kind=kind, resources=resources, spec=spec, pipes=pipes)


def _pipe(item: Object) -> Pipe:
    path = str(item.get("file") or item.get("envFile") or "")
    return Pipe(path, not item.get("file"), str(item.get("kind") or ""), str(item.get("key") or ""))


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(str(item) for item in values or [])


def _problems(found: OperatorVersion) -> Iterator[str]:
    if DEPLOY not in found.plans:
        yield f"it has no plan “{DEPLOY}”"
    for parameter in found.parameters.values():
        if parameter.trigger and parameter.trigger not in found.plans:
            yield f"parameter {parameter.name} triggers the plan “{parameter.trigger}”, which there is not"
    for plan in found.plans.values():
        yield from _plan_problems(found, plan)
    for known in found.tasks.values():
        yield from _task_problems(found, known)


def _plan_problems(found: OperatorVersion, plan: Plan) -> Iterator[str]:
    parts = [(plan.name, plan.strategy, [phase.name for phase in plan.phases])]
    parts += [
        (f"{plan.name}/{phase.name}", phase.strategy, [step.name for step in phase.steps]) for phase in plan.phases
    ]
    for where, strategy, names in parts:
        if strategy not in (SERIAL, PARALLEL):
            yield f"{where} has the strategy “{strategy}”, which is neither {SERIAL} nor {PARALLEL}"
        if twice := _twice(names):
            yield f"{where} has “{twice}” twice"
    for phase in plan.phases:
        for step in phase.steps:
            for task in step.tasks:
                if task not in found.tasks:
                    yield f"step {plan.name}/{phase.name}/{step.name} names the task “{task}”, which there is not"
    used = [task for phase in plan.phases for step in phase.steps for task in step.tasks if task in found.tasks]
    if twice := _twice([pipe.key for task in used for pipe in found.tasks[task].pipes]):
        yield f"{plan.name} makes .Pipes.{twice} twice"


def _twice(names: list[str]) -> str:
    return next((name for name in names if names.count(name) > 1), "")


def _task_problems(found: OperatorVersion, task: Task) -> Iterator[str]:
    if task.kind not in TASK_KINDS:
        yield f"task {task.name} is of kind “{task.kind}”; this engine knows {', '.join(TASK_KINDS)}"
    for resource in task.resources:
        if resource not in found.templates:
            yield f"task {task.name} names the template “{resource}”, which there is not"
    if task.kind == "Toggle" and task.spec.get("parameter") not in found.parameters:
        yield f"task {task.name} toggles by the parameter “{task.spec.get('parameter')}”, which there is not"
    if task.kind == "KudoOperator" and not (task.spec.get("package") and task.spec.get("operatorVersion")):
        yield f"task {task.name} must name a package and its operatorVersion"
    if task.kind == "Pipe" and not (task.resources and task.pipes):
        yield f"task {task.name} must name the template of a pod, and files in pipe"
    for pipe in task.pipes:
        if not pipe.path or pipe.kind not in ("Secret", "ConfigMap") or not _WORD.fullmatch(pipe.key):
            yield (
                f"each pipe of task {task.name} needs file or envFile, kind Secret or ConfigMap, and a key of letters"
                " and digits"
            )
