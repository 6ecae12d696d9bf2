"""An OperatorVersion as the engine reads it: its parameters, plans, tasks and templates, checked as a whole before anything is done."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from operators.kubeapi import Object

GROUP, VERSION = "kudo.dev", "v1beta1"
API_VERSION = f"{GROUP}/{VERSION}"
DEPLOY, UPDATE, UPGRADE, CLEANUP = "deploy", "update", "upgrade", "cleanup"
SERIAL, PARALLEL = "serial", "parallel"
TASK_KINDS = ("Apply", "Delete", "Toggle", "Dummy")


class PackageError(Exception):
    """The OperatorVersion makes no sense: every reason, one a line."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """Values are texts, as in the Instance. ``default`` is None where there is none; ``trigger`` is empty for the usual plan."""

    name: str
    default: str | None
    required: bool
    trigger: str
    type: str
    immutable: bool
    enum: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """Its tasks are done in their order."""

    name: str
    tasks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Phase:
    """``strategy``: serial or parallel, for its steps."""

    name: str
    strategy: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """``strategy``: serial or parallel, for its phases."""

    name: str
    strategy: str
    phases: tuple[Phase, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """``kind``: one of TASK_KINDS. ``resources``: names of templates. ``spec``: the rest."""

    name: str
    kind: str
    resources: tuple[str, ...]
    spec: Object


@dataclass(frozen=True, slots=True)
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
        parameters={str(one["name"]): _parameter(one) for one in spec.get("parameters") or []},
        plans={str(key): _plan(str(key), one or {}) for key, one in (spec.get("plans") or {}).items()},
        tasks={str(one["name"]): _task(one) for one in spec.get("tasks") or []},
        templates={str(key): str(one) for key, one in (spec.get("templates") or {}).items()},
        upgradable_from=tuple(str(one.get("name")) for one in spec.get("upgradableFrom") or []),
    )
    if problems := list(_problems(found)):
        raise PackageError(f"OperatorVersion {name} can't be used: " + "; ".join(problems))
    return found


def _parameter(one: Object) -> Parameter:
    default = one.get("default")
    return Parameter(
        name=str(one["name"]),
        default=None if default is None else str(default),
        required=bool(one.get("required", True)),
        trigger=str(one.get("trigger") or ""),
        type=str(one.get("value-type") or "string"),
        immutable=bool(one.get("immutable")),
        enum=tuple(map(str, one.get("enum") or [])),
    )


def _plan(name: str, one: Object) -> Plan:
    phases = tuple(
        Phase(
            str(phase.get("name")),
            str(phase.get("strategy") or SERIAL),
            tuple(Step(str(step.get("name")), _texts(step.get("tasks"))) for step in phase.get("steps") or []),
        )
        for phase in one.get("phases") or []
    )
    return Plan(name, str(one.get("strategy") or SERIAL), phases)


def _task(one: Object) -> Task:
    spec = dict(one.get("spec") or {})
    return Task(str(one["name"]), str(one.get("kind") or ""), _texts(spec.pop("resources", None)), spec)


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(str(one) for one in values or [])


def _problems(found: OperatorVersion) -> Iterator[str]:
    if DEPLOY not in found.plans:
        yield f"it has no plan “{DEPLOY}”"
    for one in found.parameters.values():
        if one.trigger and one.trigger not in found.plans:
            yield f"parameter {one.name} triggers the plan “{one.trigger}”, which there is not"
    for plan in found.plans.values():
        for where, strategy in (
            (plan.name, plan.strategy),
            *((f"{plan.name}/{p.name}", p.strategy) for p in plan.phases),
        ):
            if strategy not in (SERIAL, PARALLEL):
                yield f"{where} has the strategy “{strategy}”, which is neither {SERIAL} nor {PARALLEL}"
        for phase in plan.phases:
            for step in phase.steps:
                for task in step.tasks:
                    if task not in found.tasks:
                        yield f"step {plan.name}/{phase.name}/{step.name} names the task “{task}”, which there is not"
    for known in found.tasks.values():
        yield from _task_problems(found, known)


def _task_problems(found: OperatorVersion, task: Task) -> Iterator[str]:
    if task.kind not in TASK_KINDS:
        yield f"task {task.name} is of kind “{task.kind}”; this engine knows {', '.join(TASK_KINDS)}"
    for one in task.resources:
        if one not in found.templates:
            yield f"task {task.name} names the template “{one}”, which there is not"
    if task.kind == "Toggle" and task.spec.get("parameter") not in found.parameters:
        yield f"task {task.name} toggles by the parameter “{task.spec.get('parameter')}”, which there is not"
