"""The page of an Instance of kudo.dev: its plans as a picture of phases and steps, with what each has come to.

The words are those of KUDO's status (https://kudo.dev/docs/developing-operators/plans.html). Which phases run side by
side is not in the status but in the OperatorVersion: one more question to the API server. Without an answer everything
is drawn one after the other, and nothing is claimed.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError
from kube.objects import KubeObject, namespace_of
from kube.reader import ApiType, read
from kube.types.meta import ObjectReference
from resources.kinds import Kind, Maker, Panel

GROUP = "kudo.dev"
RUNNING = ("PENDING", "IN_PROGRESS", "ERROR")
#: Run by the engine when it is time; a person has no business with them, unless they have failed.
SPECIAL = ("deploy", "update", "upgrade", "cleanup")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_MOST = 50
# Word for people, colour and icon.
_LOOKS = {
    "COMPLETE": (gettext_lazy("Complete"), "green", "success"),
    "IN_PROGRESS": (gettext_lazy("In progress"), "blue", "progress"),
    "PENDING": (gettext_lazy("Pending"), "grey", "info"),
    "ERROR": (gettext_lazy("Error, retrying"), "orange", "warning"),
    "FATAL_ERROR": (gettext_lazy("Failed"), "red", "error"),
    "NEVER_RUN": (gettext_lazy("Never run"), "grey", "info"),
}


class StepStatus(ApiType, frozen=True):
    name: str = ""
    status: str = ""
    message: str = ""


class PhaseStatus(StepStatus, frozen=True):
    steps: tuple[StepStatus, ...] = ()


class PlanStatus(StepStatus, frozen=True):
    phases: tuple[PhaseStatus, ...] = ()
    last_updated_timestamp: str = ""


class InstanceSpec(ApiType, frozen=True):
    operator_version: ObjectReference = ObjectReference()


class InstanceStatus(ApiType, frozen=True):
    plan_status: dict[str, PlanStatus] = {}


class Phase(ApiType, frozen=True):
    """`strategy`: serial or parallel, of its steps."""

    name: str = ""
    strategy: str = ""


class Plan(ApiType, frozen=True):
    """`strategy`: serial or parallel, of its phases."""

    strategy: str = ""
    phases: tuple[Phase, ...] = ()


class OperatorVersionSpec(ApiType, frozen=True):
    plans: dict[str, Plan] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanPart:
    """A plan, a phase or a step. `parallel`: whether its parts run side by side; `parts` of a step is empty."""

    name: str
    status: str
    message: str
    parts: tuple["PlanPart", ...] = ()
    parallel: bool = False
    when: str = ""

    @property
    def words(self) -> str:
        return str(_LOOKS[self.status][0]) if self.status in _LOOKS else self.status or _("Unknown")

    @property
    def colour(self) -> str:
        return _LOOKS[self.status][1] if self.status in _LOOKS else "grey"

    @property
    def icon(self) -> str:
        return _LOOKS[self.status][2] if self.status in _LOOKS else "info"

    @property
    def running(self) -> bool:
        return self.status in RUNNING

    @property
    def done(self) -> int:
        """How many of its parts are complete."""
        return sum(part.status == "COMPLETE" for part in self.parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plans:
    """`ran`: the newest first, one that runs before all; `never`: those that have not been run; `hidden`: how many are
    left out. `runnable`: what can be run by hand now, and `busy` the plan that stands in the way of it.
    """

    ran: tuple[PlanPart, ...]
    never: tuple[PlanPart, ...]
    runnable: frozenset[str]
    busy: str
    hidden: int = 0

    @property
    def all(self) -> tuple[PlanPart, ...]:
        return (*self.ran, *self.never)


def panels(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    found = plans(obj, _described(client, obj))
    if found.ran or found.never:
        yield Panel("plans", "resources/kinds/_kudo_plans.html", found, wide=True)


def plans(obj: KubeObject, described: Mapping[str, Plan] | None = None) -> Plans:
    """Of an Instance. `described`: the plans of its OperatorVersion, by name."""
    known = described or {}
    every = [_plan(name, status, known.get(name, Plan())) for name, status in _plan_status(obj).items()]
    ran = sorted(
        (part for part in every if part.status != "NEVER_RUN"), key=lambda part: (part.running, part.when), reverse=True
    )
    never = sorted((part for part in every if part.status == "NEVER_RUN"), key=lambda part: part.name)
    shown = (*ran, *never)[:_MOST]
    return Plans(
        ran=tuple(part for part in shown if part.status != "NEVER_RUN"),
        never=tuple(part for part in shown if part.status == "NEVER_RUN"),
        runnable=frozenset(runnable(obj)),
        busy=busy(obj),
        hidden=len(every) - len(shown),
    )


def runnable(obj: KubeObject) -> tuple[str, ...]:
    """Plans that a user can start: those that no change starts automatically, and special ones that have failed."""
    return tuple(
        name
        for name, plan in sorted(_plan_status(obj).items())
        if _NAME.fullmatch(name) and (name not in SPECIAL or (name != "cleanup" and plan.status == "FATAL_ERROR"))
    )


def busy(obj: KubeObject) -> str:
    """The plan that runs, '' when none does."""
    return next((name for name, plan in _plan_status(obj).items() if plan.status in RUNNING), "")


def _plan_status(obj: KubeObject) -> Mapping[str, PlanStatus]:
    return read(obj.get("status"), InstanceStatus).plan_status


def _plan(name: str, status: PlanStatus, described: Plan) -> PlanPart:
    strategies = {phase.name: phase.strategy for phase in described.phases}
    return PlanPart(
        name=name,
        status=status.status,
        message=status.message,
        parts=tuple(_phase(phase, strategies.get(phase.name, "")) for phase in status.phases),
        parallel=described.strategy == "parallel",
        when=status.last_updated_timestamp,
    )


def _phase(status: PhaseStatus, strategy: str) -> PlanPart:
    return PlanPart(
        name=status.name,
        status=status.status,
        message=status.message,
        parts=tuple(PlanPart(name=step.name, status=step.status, message=step.message) for step in status.steps),
        parallel=strategy == "parallel",
    )


def _described(client: ClusterClient, obj: KubeObject) -> Mapping[str, Plan]:
    name = read(obj.get("spec"), InstanceSpec).operator_version.name
    if not _NAME.fullmatch(name):
        return {}
    try:
        version = client.get(client.find_kind(GROUP, "OperatorVersion"), name, namespace_of(obj))
    except KubeError:
        return {}
    return read(version.get("spec"), OperatorVersionSpec).plans


PANELS: dict[Kind, Maker] = {(GROUP, "Instance"): panels}
