"""The timeline's stages from the ClusterServiceVersion on: its phase and requirements, its Deployments, their Pods and
Events.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from kube.objects import KubeObject, uid_of
from operatorhub import csv, install_state, olm
from operatorhub.progress.facts import InstallFacts
from operatorhub.progress.stages import Stage, condition, created, is_true, took
from operatorhub.running import workloads
from operatorhub.running.workloads import DONE, FAILED, RUNNING, WAITING, StagePart, page_of


def version(facts: InstallFacts) -> Stage:
    """The ClusterServiceVersion."""
    title, found, name = _("ClusterServiceVersion"), facts.csv, facts.csv_name
    if found is None:
        return Stage(key="csv", title=title, state=WAITING, words=name)
    status, phase = csv.mapping(found.get("status")), facts.phase
    state = DONE if phase == olm.SUCCEEDED else FAILED if install_state.version_failure(found) else RUNNING
    words = f"{name}: {phase}" if phase else _("%(name)s: waits for OLM") % {"name": name}
    if state != DONE and (message := csv.text(status.get("message"))):
        words = f"{words} – {message}"
    lasting = facts.missing
    parts = tuple(
        StagePart(
            kind=requirement.kind,
            name=requirement.name,
            state=FAILED if requirement in lasting else WAITING,
            words="; ".join((requirement.message or requirement.status, *requirement.rules)),
        )
        for requirement in (install_state.unmet(found) if state != DONE else ())
    )
    end = ""
    if state == DONE:
        ends = [item for item in csv.items(status.get("conditions")) if item.get("phase") == olm.SUCCEEDED]
        end = csv.text((ends[-1] if ends else status).get("lastTransitionTime"))
    url = page_of(olm.CSVS, facts.subscription.namespace, name)
    return Stage(
        key="csv",
        title=title,
        state=state,
        words=words,
        url=url,
        at=created(found),
        parts=parts,
        took=took(created(found), end) if end else None,
    )


def deployments(facts: InstallFacts) -> Stage:
    """All of them in one line."""
    namespace = facts.subscription.namespace
    parts = tuple(workloads.deployment_part(namespace, name, item) for name, item in facts.deployments)
    begun = [created(item) for _name, item in facts.deployments if item]
    ends = [
        csv.text(available.get("lastTransitionTime"))
        for _name, item in facts.deployments
        if is_true(available := condition(item, "Available"))
    ]
    return _sum("deployments", _("Deployments"), parts, begun, ends)


@dataclass(frozen=True, slots=True)
class PodEvent:
    """A warning about a Pod."""

    reason: str
    message: str
    count: int
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PodPart:
    """A Pod as a part of its stage, with its log and Events."""

    kind: str
    name: str
    state: str
    words: str
    url: str
    log_url: str
    events: tuple[PodEvent, ...]


def pods(facts: InstallFacts) -> tuple[Stage, tuple[PodPart, ...]]:
    """The line, and its Pods with more than a line tells."""
    namespace = facts.subscription.namespace
    parts = [workloads.pod_part(namespace, pod) for pod in facts.pods]
    shown = tuple(
        PodPart(
            kind=part.kind,
            name=part.name,
            state=part.state,
            words=part.words,
            url=part.url,
            log_url=reverse("resources:logs", args=["core", "v1", "pods", namespace, part.name])
            if started(pod)
            else "",
            events=tuple(_events(facts, pod)),
        )
        for part, pod in zip(parts, facts.pods, strict=True)
    )
    ends = [
        csv.text(ready.get("lastTransitionTime")) for pod in facts.pods if is_true(ready := condition(pod, "Ready"))
    ]
    return _sum("pods", _("Pods"), tuple(parts), [created(pod) for pod in facts.pods], ends), shown


def started(pod: KubeObject) -> bool:
    """Whether a container of it has ever run, so that there is a log."""
    states = csv.items(csv.mapping(pod.get("status")).get("containerStatuses"))
    return any(
        csv.mapping(state.get("state")).get("running")
        or csv.mapping(state.get("state")).get("terminated")
        or csv.mapping(state.get("lastState")).get("terminated")
        or state.get("restartCount")
        for state in states
    )


def _events(facts: InstallFacts, pod: KubeObject) -> Iterator[PodEvent]:
    for item in facts.events.get(uid_of(pod), ())[-3:]:
        at = csv.text(item.get("lastTimestamp") or item.get("eventTime"))
        yield PodEvent(csv.text(item.get("reason")), csv.text(item.get("message")), int(item.get("count") or 1), at)


def _sum(key: str, title: str, parts: tuple[StagePart, ...], begun: list[str], ends: list[str]) -> Stage:
    states = {part.state for part in parts}
    state = next(
        (candidate for candidate in (FAILED, RUNNING, WAITING) if candidate in states), DONE if parts else WAITING
    )
    start, end = min(begun, default=""), max(ends, default="")
    return Stage(
        key=key,
        title=title,
        state=state,
        words="",
        url="",
        at=start,
        parts=parts,
        took=took(start, end) if state == DONE else None,
    )
