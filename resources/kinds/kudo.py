"""The page of an Instance of kudo.dev: its plans as a picture of phases and steps, with what each has come to.

The words are those of KUDO's status (https://kudo.dev/docs/developing-operators/plans.html). Which phases run side by
side is not in the status but in the OperatorVersion: one more question to the API server. Without an answer everything
is drawn one after the other, and nothing is claimed.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError
from kube.objects import KubeObject, items, mapping, namespace_of, text
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
    found = plans(obj, _strategies(client, obj))
    if found.ran or found.never:
        yield Panel("plans", "resources/kinds/_kudo_plans.html", found, wide=True)


def plans(obj: KubeObject, strategies: Mapping[str, Any] | None = None) -> Plans:
    """Of an Instance, whatever shape its status has. `strategies`: spec.plans of its OperatorVersion."""
    known = mapping(mapping(obj.get("status")).get("planStatus"))
    every = [_plan(text(name), mapping(item), mapping((strategies or {}).get(name))) for name, item in known.items()]
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
    known = mapping(mapping(obj.get("status")).get("planStatus"))
    return tuple(
        name
        for name, item in sorted(known.items())
        if _NAME.fullmatch(str(name))
        and (name not in SPECIAL or (name != "cleanup" and text(mapping(item).get("status")) == "FATAL_ERROR"))
    )


def busy(obj: KubeObject) -> str:
    """The plan that runs, '' when none does."""
    known = mapping(mapping(obj.get("status")).get("planStatus"))
    return next((str(name) for name, item in known.items() if text(mapping(item).get("status")) in RUNNING), "")


def _plan(name: str, status: Mapping[str, Any], described: Mapping[str, Any]) -> PlanPart:
    phases = {text(item.get("name")): item for item in items(described.get("phases"))}
    parts = tuple(
        _part(phase, tuple(_part(step) for step in items(phase.get("steps"))), phases.get(text(phase.get("name")), {}))
        for phase in items(status.get("phases"))
    )
    found = _part(status, parts, described)
    return PlanPart(
        name=name,
        status=found.status,
        message=found.message,
        parts=parts,
        parallel=found.parallel,
        when=text(status.get("lastUpdatedTimestamp")),
    )


def _part(
    status: Mapping[str, Any], parts: tuple[PlanPart, ...] = (), described: Mapping[str, Any] | None = None
) -> PlanPart:
    parallel = text((described or {}).get("strategy")) == "parallel"
    return PlanPart(
        name=text(status.get("name")),
        status=text(status.get("status")),
        message=text(status.get("message")),
        parts=parts,
        parallel=parallel,
    )


def _strategies(client: ClusterClient, obj: KubeObject) -> Mapping[str, Any]:
    name = text(mapping(mapping(obj.get("spec")).get("operatorVersion")).get("name"))
    if not _NAME.fullmatch(name):
        return {}
    try:
        version = client.get(client.find_kind(GROUP, "OperatorVersion"), name, namespace_of(obj))
    except KubeError:
        return {}
    return mapping(mapping(version.get("spec")).get("plans"))


PANELS: dict[Kind, Maker] = {(GROUP, "Instance"): panels}
