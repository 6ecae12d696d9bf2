"""The timeline's stages: each with its state, OLM's own words, and how long it took.

From the namespace to the InstallPlan, the ClusterServiceVersion with its requirements, its Deployments, and their Pods
with their Events.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _

from kube.objects import KubeObject, name_of
from kube.reader import read
from kube.types.core import Event, Pod, PodStatus
from kube.types.meta import Object
from kube.types.olm import CatalogSource, InstallPlan, InstallPlanStatus, Step
from kube.types.workloads import Workload
from operatorhub import install_state, olm
from operatorhub.progress.facts import InstallFacts
from operatorhub.running import workloads
from operatorhub.running.workloads import ASKS, DONE, FAILED, RUNNING, WAITING, StagePart, page_of
from resources.state.health import condition_of

#: Seconds after which a version is taken for an update and not for the first one.
FIRST = 3600


@dataclass(frozen=True, slots=True)
class Way:
    """A fix: a link, or with `action` a button that posts it."""

    label: str
    url: str = ""
    action: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """A problem of an install, with its fixes.

    `stage`: the line it belongs to; `words`: for people; `raw`: as the cluster says it, '' where it says nothing.

    `settled`: the install has failed by this. False: it is under way and this is in its way so far; waiting may be
    enough.
    """

    key: str
    stage: str
    words: str
    raw: str = ""
    ways: tuple[Way, ...] = ()
    settled: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One line of the timeline.

    `words`: what it did or waits for; `url`: of its object; `at`: when it began; `took`: seconds, None while it lasts.
    """

    key: str
    title: str
    state: str
    words: str = ""
    url: str = ""
    at: str = ""
    parts: tuple[StagePart, ...] = ()
    took: float | None = None


def state_of(lines: Sequence[Stage]) -> str:
    """done, failed, asks or running: of all of them together."""
    states = [line.state for line in lines]
    if FAILED in states:
        return FAILED
    return ASKS if ASKS in states else DONE if all(state == DONE for state in states) else RUNNING


def judged(lines: Sequence[Stage], trouble: Trouble | None) -> tuple[Stage, ...]:
    """The lines with one verdict: none has failed before the install has, and then the one that `trouble` is about
    has.
    """
    failed = trouble.stage if trouble and trouble.settled else ""
    return tuple(
        replace(line, state=FAILED)
        if line.key == failed and line.state != WAITING
        else replace(line, state=RUNNING)
        if line.state == FAILED and not failed
        else line
        for line in lines
    )


def created(obj: KubeObject | None) -> str:
    return read(obj, Object).metadata.creation_timestamp


def took(start: str, end: str) -> float | None:
    """Seconds between two timestamps; None when one is not there."""
    try:
        return max(0.0, (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds())
    except (ValueError, TypeError):
        return None


def chosen_after(start: str, end: str) -> float | None:
    """Seconds from the Subscription to its CSV; None if that is a later version, hours or days after it."""
    found = took(start, end)
    return found if found is not None and found < FIRST else None


def place(facts: InstallFacts) -> Stage:
    """The namespace and its OperatorGroup."""
    namespace = facts.subscription.namespace
    groups = facts.groups
    title = _("Namespace and OperatorGroup")
    url = page_of("namespaces", "", namespace, "", "v1")
    if groups is None:
        return Stage(
            key="place",
            title=title,
            state=DONE,
            words=_("You don't have permission to read OperatorGroups in this namespace."),
            url=url,
        )
    state, words = DONE, ""
    if len(groups) == 1:
        targets = olm.group_targets(groups[0])
        watched = _("all namespaces") if targets == (olm.EVERYWHERE,) else ", ".join(targets)
        words = _("The OperatorGroup “%(name)s” watches: %(watched)s.") % {
            "name": name_of(groups[0]),
            "watched": watched or "–",
        }
    elif facts.phase != olm.SUCCEEDED:
        state, words = (
            FAILED,
            (_("No OperatorGroup exists.") if not groups else _("There is more than one OperatorGroup.")),
        )
    parts = tuple(
        StagePart(
            kind="OperatorGroup",
            name=name_of(group),
            state=state,
            words="",
            url=reverse("operatorhub:group", args=[namespace, name_of(group)]),
        )
        for group in (groups if len(groups) > 1 else ())
    )
    return Stage(key="place", title=title, state=state, words=words, url=url, at=created(facts.space), parts=parts)


def catalog(facts: InstallFacts) -> Stage:
    """The CatalogSource. It only matters until the version is chosen."""
    sub = facts.subscription
    chosen = bool(sub.current_csv or facts.plan or facts.csv)
    url = reverse("operatorhub:source", args=[sub.catalog_namespace, sub.catalog])
    if facts.source is None:
        state = FAILED if facts.source_missing and not chosen else DONE
        words = (
            _("The catalog doesn't exist.")
            if facts.source_missing
            else _("You don't have permission to read CatalogSources there.")
        )
        return Stage(
            key="catalog",
            title=_("Catalog"),
            state=state,
            words=f"{sub.catalog_namespace}/{sub.catalog}: {words}",
            url="" if facts.source_missing else url,
        )
    status = read(facts.source, CatalogSource).status
    seen = status.connection_state.last_observed_state
    state = DONE if seen in ("READY", "IDLE") or chosen else RUNNING
    if install_state.catalog_silent(status) and not chosen:
        state = FAILED
    place = f"{sub.catalog_namespace}/{sub.catalog}"
    words = f"{place}: {seen}" if seen else _("%(name)s: not checked yet") % {"name": place}
    return Stage(key="catalog", title=_("Catalog"), state=state, words=words, url=url)


def subscription(facts: InstallFacts, broken: bool) -> Stage:
    """From the Subscription to a chosen version."""
    sub = facts.subscription
    chosen = bool(facts.plan or facts.csv or sub.current_csv)
    state = DONE if chosen else FAILED if broken else RUNNING
    values = {"channel": sub.channel or _("(default)"), "package": sub.package, "catalog": sub.catalog}
    words = _("Channel %(channel)s of %(package)s from the catalog %(catalog)s.") % values
    if chosen and facts.csv_name:
        words = _("%(words)s OLM selected %(csv)s.") % {"words": words, "csv": facts.csv_name}
    elif not broken:
        words = _("OLM is selecting the versions to install.")
    end = created(facts.plan) or created(facts.csv)
    url = page_of(olm.SUBSCRIPTIONS, sub.namespace, sub.name)
    return Stage(
        key="subscription",
        title=_("Subscription"),
        state=state,
        words=words,
        url=url,
        at=sub.created,
        parts=(),
        took=chosen_after(sub.created, end),
    )


def bundle(facts: InstallFacts) -> Stage | None:
    """The unpacking of the bundle's image. The sandbox doesn't report it, nor does OLM once it is done."""
    conditions = facts.subscription.conditions
    if failed := condition_of(conditions, "BundleUnpackFailed", "True"):
        return Stage(key="bundle", title=_("Bundle"), state=FAILED, words=failed.message or failed.reason)
    unpacking = condition_of(conditions, "BundleUnpacking", "True")
    if unpacking and not facts.csv:
        return Stage(
            key="bundle",
            title=_("Bundle"),
            state=RUNNING,
            words=unpacking.message or _("OLM reads the bundle's image in a Job."),
            at=unpacking.last_transition_time,
        )
    return None


def plan(facts: InstallFacts) -> Stage:
    """The InstallPlan with its steps."""
    title = _("InstallPlan")
    if facts.plan is None:
        # Old plans are removed by OLM; with the CSV there it has done its work.
        return Stage(
            key="plan",
            title=title,
            state=DONE if facts.csv else WAITING,
            words=_("OLM has since removed the plan.") if facts.csv else "",
        )
    found = read(facts.plan, InstallPlan)
    status, begun = found.status, found.metadata.creation_timestamp
    phase = status.phase
    parts = tuple(_step(step, phase, facts.subscription.namespace) for step in status.plan)
    made = sum(part.state == DONE for part in parts)
    count = _("%(made)d of %(all)d objects exist.") % {"made": made, "all": len(parts)} if parts else ""
    if olm.plan_waits(found):
        state, words = ASKS, _("Waiting for your approval.")
    else:
        state, words = {
            "Complete": (DONE, count),
            "Failed": (FAILED, plan_problem(status) or _("OLM reports no reason.")),
        }.get(phase, (RUNNING, plan_problem(status) or count or _("OLM is unpacking the bundle.")))
    installed = condition_of(status.conditions, "Installed")
    end = installed.last_transition_time if installed and phase == "Complete" else ""
    url = reverse("operatorhub:plan", args=[facts.subscription.namespace, facts.subscription.plan])
    return Stage(
        key="plan",
        title=title,
        state=state,
        words=words,
        url=url,
        at=begun,
        parts=parts,
        took=took(begun, end),
    )


def plan_problem(status: InstallPlanStatus) -> str:
    """What OLM says is wrong with an InstallPlan, '' when nothing is."""
    return status.message or " ".join(
        condition.message or condition.reason
        for condition in status.conditions
        if condition.status == "False" and condition.reason
    )


def _step(step: Step, phase: str, namespace: str) -> StagePart:
    word, kind, name = step.status, step.resource.kind, step.resource.name
    state = DONE if word in ("Created", "Present") else RUNNING if phase == "Installing" else WAITING
    words = {
        "Created": _("created"),
        "Present": _("already existed"),
        "NotPresent": _("pending"),
        "Unknown": _("pending"),
    }.get(word, word)
    url = ""
    if state == DONE and kind in _PLURALS:
        group, version, plural, local = _PLURALS[kind]
        url = page_of(plural, namespace if local else "", name, group, version)
    return StagePart(kind=kind, name=name, state=state, words=words, url=url)


_RBAC = "rbac.authorization.k8s.io"
_PLURALS = {
    "CustomResourceDefinition": ("apiextensions.k8s.io", "v1", "customresourcedefinitions", False),
    "ClusterServiceVersion": (olm.GROUP, olm.VERSION, olm.CSVS, True),
    "Subscription": (olm.GROUP, olm.VERSION, olm.SUBSCRIPTIONS, True),
    "ServiceAccount": ("", "v1", "serviceaccounts", True),
    "Service": ("", "v1", "services", True),
    "ConfigMap": ("", "v1", "configmaps", True),
    "Role": (_RBAC, "v1", "roles", True),
    "RoleBinding": (_RBAC, "v1", "rolebindings", True),
    "ClusterRole": (_RBAC, "v1", "clusterroles", False),
    "ClusterRoleBinding": (_RBAC, "v1", "clusterrolebindings", False),
}


def version(facts: InstallFacts) -> Stage:
    """The ClusterServiceVersion."""
    title, found, name = _("ClusterServiceVersion"), facts.csv, facts.csv_name
    if found is None:
        return Stage(key="csv", title=title, state=WAITING, words=name)
    status = facts.csv_status
    phase = status.phase
    state = DONE if phase == olm.SUCCEEDED else FAILED if install_state.version_failure(found) else RUNNING
    words = f"{name}: {phase}" if phase else _("%(name)s: waits for OLM") % {"name": name}
    if state != DONE and status.message:
        words = f"{words} – {status.message}"
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
        ends = [condition for condition in status.conditions if condition.phase == olm.SUCCEEDED]
        end = ends[-1].last_transition_time if ends else status.last_transition_time
    url = page_of(olm.CSVS, facts.subscription.namespace, name)
    return Stage(
        key="csv",
        title=title,
        state=state,
        words=words,
        url=url,
        at=created(found),
        parts=parts,
        took=took(created(found), end),
    )


def deployments(facts: InstallFacts) -> Stage:
    """All of them in one line."""
    namespace = facts.subscription.namespace
    typed = [(name, read(item, Workload) if item else None) for name, item in facts.deployments]
    parts = tuple(workloads.deployment_part(namespace, name, deployment) for name, deployment in typed)
    present = [deployment for _name, deployment in typed if deployment]
    begun = [deployment.metadata.creation_timestamp for deployment in present]
    ends = [
        available.last_transition_time
        for deployment in present
        if (available := condition_of(deployment.status.conditions, "Available", "True"))
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
    typed = [read(pod, Pod) for pod in facts.pods]
    parts = [workloads.pod_part(namespace, pod) for pod in typed]
    shown = tuple(
        PodPart(
            kind=part.kind,
            name=part.name,
            state=part.state,
            words=part.words,
            url=part.url,
            log_url=reverse("resources:logs", args=["core", "v1", "pods", namespace, part.name])
            if started(pod.status)
            else "",
            events=tuple(_pod_event(event) for event in facts.events.get(pod.metadata.uid, ())[-3:]),
        )
        for part, pod in zip(parts, typed, strict=True)
    )
    begun = [pod.metadata.creation_timestamp for pod in typed]
    ends = [
        ready.last_transition_time for pod in typed if (ready := condition_of(pod.status.conditions, "Ready", "True"))
    ]
    return _sum("pods", _("Pods"), tuple(parts), begun, ends), shown


def started(status: PodStatus) -> bool:
    """Whether a container of the Pod has ever run, so that there is a log."""
    return any(
        container.state.running
        or container.state.terminated
        or container.last_state.terminated
        or container.restart_count
        for container in status.container_statuses
    )


def _pod_event(event: Event) -> PodEvent:
    at = event.last_timestamp or event.event_time or ""
    return PodEvent(event.reason, event.message, event.count or 1, at)


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
