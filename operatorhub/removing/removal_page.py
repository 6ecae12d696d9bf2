"""The page of an uninstall: deleted objects, pending ones with the reason for the delay, refusals."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.errors import KubeError, NotFound
from operatorhub import csv, olm, runs
from operatorhub.models import Run
from operatorhub.removing.removal import FAILED, GOING, GONE, STAGES, WAITING
from operatorhub.running import workloads
from operatorhub.running.workloads import StagePart
from resources import live_topics

#: After this many seconds the finalizers of a terminating object are explained.
SLOW_SECONDS = 10
_SHOWN = 50
#: Kinds of objects that the page follows.
_FOLLOWED = 20
_EXPLAINED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """One object of the uninstall. `state`: as marks have it."""

    kind: str
    group: str
    version: str
    plural: str
    namespace: str
    name: str
    state: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovalStage:
    """`things`: those that are not gone first; `more` are not shown."""

    key: str
    title: str
    total: int
    gone: int
    failed: int
    things: tuple[Thing, ...]
    more: int

    @property
    def remaining(self) -> int:
        return self.total - self.gone - self.failed

    @property
    def state(self) -> str:
        if self.remaining and self.remaining < self.total:
            return workloads.RUNNING
        return workloads.FAILED if self.failed else workloads.DONE if not self.remaining else workloads.WAITING


@dataclass(frozen=True, slots=True)
class Stuck:
    """An object that waits for its finalizers: who should remove each, and the last way out."""

    thing: Thing
    finalizers: tuple[tuple[str, str], ...]
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovalPage:
    run: Run
    title: str
    stages: tuple[RemovalStage, ...]
    stuck: tuple[Stuck, ...]
    controllers: tuple[StagePart, ...]
    stale: bool

    @property
    def state(self) -> str:
        return {
            "done": workloads.DONE,
            "failed": workloads.FAILED,
            "stopped": workloads.FAILED,
            "stuck": workloads.ASKS,
        }.get(self.run.state, workloads.RUNNING)

    @property
    def operator_gone(self) -> bool:
        return all(
            stage.remaining == 0 and not stage.failed for stage in self.stages if stage.key in ("subscription", "csv")
        )

    @property
    def operands(self) -> RemovalStage | None:
        return next((stage for stage in self.stages if stage.key == "operands"), None)


def titles() -> Mapping[str, str]:
    return {
        "operands": _("Instances"),
        "subscription": _("Subscription"),
        "csv": _("ClusterServiceVersion"),
        "crd": _("CustomResourceDefinitions"),
        "rest": _("Leftovers"),
        "last": _("Namespace"),
    }


def read(client: ClusterClient, key: str) -> RemovalPage:
    """Raises NotFound for another user's run, or an expired one."""
    run = Run.objects.filter(key=key, kind="uninstall", cluster=client.name, user=client.owner).first()
    if run is None:
        raise NotFound(_("This uninstall doesn't exist. Uninstalls are stored for a day."))
    items = run.document["items"]
    stages = tuple(
        _stage(key, [item for item in items if item["stage"] == key])
        for key in STAGES
        if any(item["stage"] == key for item in items)
    )
    slow = [
        item
        for item in items
        if item["state"] == GOING and item.get("finalizers") and time.time() - item["asked"] > SLOW_SECONDS
    ]
    stuck = tuple(_stuck(run, item) for item in slow[:_EXPLAINED]) if run.state in ("running", "stuck") else ()
    return RemovalPage(
        run=run,
        title=run.document["title"],
        stages=stages,
        stuck=stuck,
        controllers=_controllers(client, run) if stuck else (),
        stale=runs.stale(run),
    )


def under_way(client: ClusterClient, namespace: str, name: str) -> str:
    """The key of an uninstall of this CSV that this user began and that is not over, '' when there is none."""
    runs_ = Run.objects.filter(kind="uninstall", cluster=client.name, user=client.owner, namespace=namespace, name=name)
    found = runs_.filter(state__in=("running", "stuck", "stopped")).order_by("-started_at").first()
    return found.key if found else ""


_STATES = {WAITING: workloads.WAITING, GOING: workloads.RUNNING, GONE: workloads.DONE, FAILED: workloads.FAILED}
_RANK = {FAILED: 0, GOING: 1, WAITING: 2, GONE: 3}


def _stage(key: str, items: list[dict[str, Any]]) -> RemovalStage:
    ordered = sorted(items, key=lambda item: _RANK[item["state"]])
    gone, failed = (sum(item["state"] == state for item in items) for state in (GONE, FAILED))
    things = tuple(map(_thing, ordered[:_SHOWN]))
    return RemovalStage(
        key=key,
        title=titles()[key],
        total=len(items),
        gone=gone,
        failed=failed,
        things=things,
        more=max(0, len(items) - _SHOWN),
    )


def _thing(item: Mapping[str, Any]) -> Thing:
    return Thing(
        kind=item["kind"],
        group=item["group"] or "core",
        version=item["version"],
        plural=item["plural"],
        namespace=item["namespace"],
        name=item["name"],
        state=_STATES[item["state"]],
        message=item["message"],
    )


def _stuck(run: Run, item: Mapping[str, Any]) -> Stuck:
    kind = f"{item['plural']}.{item['group']}" if item["group"] else item["plural"]
    scope = f" -n {item['namespace']}" if item["namespace"] else ""
    command = f'kubectl patch {kind} {item["name"]}{scope} --type merge -p \'{{"metadata":{{"finalizers":null}}}}\''
    return Stuck(_thing(item), tuple((name, whose(name, run.document)) for name in item["finalizers"]), command)


def whose(finalizer: str, document: Mapping[str, Any]) -> str:
    """Who should remove it, as far as its name tells.

    Kubernetes' own: https://kubernetes.io/docs/concepts/overview/working-with-objects/finalizers/
    """
    if finalizer == "foregroundDeletion":
        return _("Kubernetes removes it when everything that the object owns is deleted.")
    if finalizer == "orphan":
        return _("Kubernetes' garbage collector removes it.")
    if finalizer.startswith("kubernetes.io/pv"):
        return _("Kubernetes removes it when no Pod uses the volume.")
    if finalizer == "customresourcecleanup.apiextensions.k8s.io":
        return _("Kubernetes removes it when no instance of the resource type is left.")
    if finalizer == "operators.coreos.com/csv-cleanup":
        return _("OLM removes it after cleaning up for the ClusterServiceVersion.")
    domain = finalizer.partition("/")[0]
    groups = {name.partition(".")[2] for name in document["apis"]}
    if any(
        domain == group or domain.endswith(f".{group}") or group.endswith((f".{domain}", domain)) for group in groups
    ):
        return _("The operator removes it after cleaning up. The operator must be running for that.")
    return _("Judging by its name, a controller of %(domain)s removes it. It might not be this operator.") % {
        "domain": domain
    }


def _controllers(client: ClusterClient, run: Run) -> tuple[StagePart, ...]:
    """The operator's Deployments: whether those who should act can."""
    try:
        found = client.get(olm.type_of(client, olm.CSVS), run.document["csv"], run.document["namespace"])
        return workloads.read_workloads(client, run.document["namespace"], found)[0]
    except KubeError:
        return ()


def topics(client: ClusterClient, page: RemovalPage) -> str:
    """What the page follows: the kinds of what isn't gone, also of later stages, since the page is loaded once."""
    own = live_topics.topics(client, *olm.type_names(olm.CSVS, olm.SUBSCRIPTIONS), namespace=page.run.namespace)
    kinds = dict.fromkeys(
        (item["group"], item["version"], item["plural"]) for item in page.run.document["items"] if item["state"] != GONE
    )
    return f"{own} {live_topics.topics(client, *list(kinds)[:_FOLLOWED])}"


def namespaces(page: RemovalPage) -> tuple[str, ...]:
    return csv.strings([item["namespace"] for item in page.run.document["items"]])
