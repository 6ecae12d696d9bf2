"""How far an install is, read from the cluster at this moment: Subscription → InstallPlan → its objects → CSV → Deployments → Pods.

Nothing is remembered: the page can be loaded at any time, by anybody who may read the objects. Each stage says what it waits for, in OLM's own
words where it has some; where OLM says nothing (no OperatorGroup, a catalog that does not answer) the reason is looked up here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.errors import Forbidden, KubeError, NotFound
from kube.objects import KubeObject, name_of
from operatorhub import csv, olm, workloads
from operatorhub.workloads import ASKS, DONE, FAILED, RUNNING, WAITING, Part, page_of


@dataclass(frozen=True, slots=True)
class Stage:
    """One line of the timeline. `words`: what it did or waits for; `url`: of its object."""

    key: str
    title: str
    state: str
    words: str = ""
    url: str = ""
    at: str = ""
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """`plan` is set while an InstallPlan waits for approval; `plan_csvs` is all that approving it installs."""

    subscription: olm.Subscription
    stages: tuple[Stage, ...]
    csv: str
    plan: str
    plan_csvs: tuple[str, ...]

    @property
    def state(self) -> str:
        """done, failed, asks or running: of the whole."""
        return state_of(self.stages)

    @property
    def usable(self) -> bool:
        """True when the operator's page has something to show."""
        return any(stage.key == "csv" and stage.state == DONE for stage in self.stages)


def read(client: ClusterClient, namespace: str, name: str) -> Progress:
    """Raises NotFound when there is no such Subscription, Forbidden when it may not be read."""
    sub_object = client.get(olm.type_of(client, olm.SUBSCRIPTIONS), name, namespace)
    sub = olm.subscription(sub_object)
    plan = _maybe(lambda: client.get(olm.type_of(client, olm.PLANS), sub.plan, namespace)) if sub.plan else None
    csv_name = sub.current_csv or sub.installed_csv
    found = _maybe(lambda: client.get(olm.type_of(client, olm.CSVS), csv_name, namespace)) if csv_name else None
    first = _subscription_stage(client, sub, sub_object, plan, found)
    stages = [first, _plan_stage(sub, plan, found), *csv_stages(client, namespace, csv_name, found)]
    asks = any(stage.state == ASKS for stage in stages)
    names = csv.strings(csv.mapping((plan or {}).get("spec")).get("clusterServiceVersionNames"))
    return Progress(sub, tuple(stages), csv_name, sub.plan if asks else "", names if asks else ())


def state_of(stages: tuple[Stage, ...]) -> str:
    """done, failed, asks or running: of all of them together."""
    states = [stage.state for stage in stages]
    if FAILED in states:
        return FAILED
    return ASKS if ASKS in states else DONE if all(one == DONE for one in states) else RUNNING


def csv_stages(client: ClusterClient, namespace: str, name: str, found: KubeObject | None) -> list[Stage]:
    """The CSV, its Deployments and Pods: the same for a CSV that came by a Subscription and for one that was run (operatorhub.run)."""
    stages = [_csv_stage(namespace, name, found)]
    if found is None or workloads.deployments(found):
        running, pods = workloads.of(client, namespace, found) if found else ((), ())
        stages += [_sum("deployments", _("Deployments"), running), _sum("pods", _("Pods"), pods)]
    return stages


def _maybe(read_it: Callable[[], KubeObject]) -> KubeObject | None:
    try:
        return read_it()
    except (NotFound, Forbidden):
        return None


def _created(obj: Mapping[str, Any] | None) -> str:
    return csv.text(csv.mapping((obj or {}).get("metadata")).get("creationTimestamp"))


def _subscription_stage(
    client: ClusterClient, sub: olm.Subscription, obj: KubeObject, plan: KubeObject | None, found: KubeObject | None
) -> Stage:
    state, words = (
        DONE,
        _("Channel %(channel)s of %(package)s from the catalog %(catalog)s.")
        % {"channel": sub.channel or _("(default)"), "package": sub.package, "catalog": sub.catalog},
    )
    if found is None and plan is None:
        if sub.problem:
            state, words = FAILED, sub.problem
        elif blocked := _blocked(client, sub):
            state, words = FAILED, blocked
        else:
            state, words = RUNNING, _("OLM is choosing the versions to install.")
    return Stage(
        "subscription",
        _("Subscription"),
        state,
        words,
        page_of(olm.SUBSCRIPTIONS, sub.namespace, sub.name),
        _created(obj),
    )


def _blocked(client: ClusterClient, sub: olm.Subscription) -> str:
    """Reasons for which OLM waits in silence; '' when none is found."""
    try:
        groups = client.list(olm.type_of(client, "operatorgroups"), sub.namespace).items
        if not groups:
            return _("The namespace “%(namespace)s” has no OperatorGroup: OLM installs nothing there. Create one.") % {
                "namespace": sub.namespace
            }
        if len(groups) > 1:
            names = ", ".join(map(name_of, groups))
            return _(
                "The namespace “%(namespace)s” has more than one OperatorGroup (%(names)s): OLM installs nothing there. Delete all but one."
            ) % {"namespace": sub.namespace, "names": names}
        source = client.get(olm.type_of(client, olm.SOURCES), sub.catalog, sub.catalog_namespace)
    except NotFound:
        return _("There is no CatalogSource “%(name)s” in the namespace “%(namespace)s”.") % {
            "name": sub.catalog,
            "namespace": sub.catalog_namespace,
        }
    except KubeError:
        return ""
    seen = csv.text(csv.mapping(csv.mapping(source.get("status")).get("connectionState")).get("lastObservedState"))
    if seen in ("", "READY", "CONNECTING", "IDLE"):
        return ""
    return _(
        "The CatalogSource “%(name)s” does not answer (%(state)s). Look at its Pod in the namespace “%(namespace)s”."
    ) % {"name": sub.catalog, "state": seen, "namespace": sub.catalog_namespace}


def _plan_stage(sub: olm.Subscription, plan: KubeObject | None, found: KubeObject | None) -> Stage:
    title = _("InstallPlan")
    if plan is None:
        # Old plans are removed by OLM; with the CSV there it has done its work.
        return Stage("plan", title, DONE if found else WAITING, _("OLM has removed it since.") if found else "")
    status = csv.mapping(plan.get("status"))
    phase = csv.text(status.get("phase"))
    parts = tuple(_plan_part(step, phase) for step in csv.items(status.get("plan")))
    made = sum(one.state == DONE for one in parts)
    count = _("%(made)d of %(all)d objects are there.") % {"made": made, "all": len(parts)} if parts else ""
    problem = " ".join(
        csv.text(one.get("message")) or csv.text(one.get("reason"))
        for one in csv.items(status.get("conditions"))
        if csv.text(one.get("status")) == "False" and csv.text(one.get("reason"))
    )
    state, words = {
        "Complete": (DONE, count),
        "Failed": (FAILED, csv.text(status.get("message")) or problem or _("OLM gives no reason.")),
        "RequiresApproval": (ASKS, _("It waits for your approval.")),
    }.get(phase, (RUNNING, csv.text(status.get("message")) or problem or count or _("OLM is unpacking the bundle.")))
    return Stage("plan", title, state, words, page_of(olm.PLANS, sub.namespace, sub.plan), _created(plan), parts)


def _plan_part(step: Mapping[str, Any], phase: str) -> Part:
    resource = csv.mapping(step.get("resource"))
    word = csv.text(step.get("status"))
    state = DONE if word in ("Created", "Present") else RUNNING if phase == "Installing" else WAITING
    words = {
        "Created": _("created"),
        "Present": _("was there"),
        "NotPresent": _("to come"),
        "Unknown": _("to come"),
    }.get(word, word)
    return Part(csv.text(resource.get("kind")), csv.text(resource.get("name")), state, words)


def _csv_stage(namespace: str, name: str, found: KubeObject | None) -> Stage:
    title = _("ClusterServiceVersion")
    if found is None:
        return Stage("csv", title, WAITING, name)
    status = csv.mapping(found.get("status"))
    phase = olm.phase(found)
    state = DONE if phase == olm.SUCCEEDED else FAILED if phase == olm.FAILED else RUNNING
    words = f"{name}: {phase or _('waits for OLM')}"
    if state != DONE and (message := csv.text(status.get("message"))):
        words = f"{words} – {message}"
    parts = tuple(
        Part(
            csv.text(one.get("kind")),
            csv.text(one.get("name")),
            FAILED if "Not" in csv.text(one.get("status")) else RUNNING,
            csv.text(one.get("message")) or csv.text(one.get("status")),
        )
        for one in csv.items(status.get("requirementStatus"))
        if csv.text(one.get("status")) not in ("Present", "Satisfied", "DependentSatisfied")
    )
    return Stage(
        "csv", title, state, words, page_of(olm.CSVS, namespace, name), _created(found), parts if state != DONE else ()
    )


def _sum(key: str, title: str, parts: tuple[Part, ...]) -> Stage:
    states = {one.state for one in parts}
    state = next((one for one in (FAILED, RUNNING, WAITING) if one in states), DONE if parts else WAITING)
    return Stage(key, title, state, parts=parts)


def approve(client: ClusterClient, namespace: str, plan: str) -> None:
    """Let OLM carry the InstallPlan out."""
    client.patch(olm.type_of(client, olm.PLANS), plan, {"spec": {"approved": True}}, namespace)
