"""An install as its page shows it: its stages, the first problem, and what to create once the operator runs."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from console.web.access import refusal
from kube import reader
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError, NotFound
from kube.objects import KubeObject
from kube.types.meta import Object
from kube.types.olm import ClusterServiceVersion, InstallPlan
from operatorhub import csv, olm
from operatorhub.csv import Api
from operatorhub.models import Package
from operatorhub.progress import facts, stages, trouble
from operatorhub.progress.facts import InstallFacts
from operatorhub.progress.stages import PodPart, Stage, state_of
from operatorhub.progress.trouble import Trouble
from operatorhub.running.workloads import ASKS, DONE, FAILED
from resources.types import kind_versions

_LINK_ANNOTATION = "operatorframework.io/initialization-link"


@dataclass(frozen=True, slots=True)
class NextStep:
    """A kind to make an object of.

    `url`: '' while the cluster doesn't serve it yet, or if the user can't create it (`refused` says why).
    """

    api: Api
    url: str
    served: bool
    refused: str = ""


@dataclass(frozen=True, slots=True)
class After:
    """`required`: the initialization resource, None where there is none or it is there; `link`: the author's own
    page.
    """

    required: NextStep | None
    kinds: tuple[NextStep, ...]
    link: str

    @property
    def first(self) -> NextStep | None:
        """What to create now: what the author requires, else the first kind."""
        return self.required or next(iter(self.kinds), None)

    @property
    def waits(self) -> bool:
        """True while a kind isn't served yet: the page polls."""
        return any(not kind.served for kind in (*self.kinds, *((self.required,) if self.required else ())))


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """`plan` is set while an InstallPlan waits for approval; `plan_csvs` is all that approving it installs.

    `seconds`: from the Subscription to Succeeded.

    `name`: the operator's, for people. `plan_object`: the plan that waits. `older`: the CSV that runs until `csv` takes
    its place.
    """

    subscription: olm.Subscription
    name: str
    stages: tuple[Stage, ...]
    csv: str
    plan: str
    plan_csvs: tuple[str, ...]
    plan_object: KubeObject | None = None
    older: str = ""
    trouble: Trouble | None = None
    pods: tuple[PodPart, ...] = ()
    after: After | None = None
    seconds: float | None = None
    unread: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        """done, failed, asks or running: of the whole."""
        return FAILED if self.trouble and self.trouble.settled else state_of(self.stages)

    @property
    def usable_csv(self) -> str:
        """The version whose page has something to show: this one, or the one that runs until an update of it is
        approved; '' while there is none.
        """
        if any(stage.key == "csv" and stage.state == DONE for stage in self.stages):
            return self.csv
        return self.older

    @property
    def usable(self) -> bool:
        return bool(self.usable_csv)

    @property
    def old_version(self) -> str:
        """The version that runs while another one is to take its place; '' for a first install, and when the update
        is over.
        """
        return olm.version_in(self.older) if self.older else ""

    @property
    def new_version(self) -> str:
        return olm.version_in(self.csv)

    @property
    def title(self) -> str:
        """The current activity, with its object."""
        state, names = self.state, {"name": self.name, "old": self.old_version, "new": self.new_version}
        if self.old_version and state == FAILED:
            return _("The update of %(name)s %(old)s to %(new)s failed") % names
        if self.old_version:
            return _("Update %(name)s %(old)s to %(new)s") % names
        words = {
            DONE: _("%(name)s %(new)s is ready") if self.csv else _("%(name)s is installed"),
            FAILED: _("The installation of %(name)s failed"),
            ASKS: _("%(name)s is waiting for your approval"),
        }
        return words.get(state, _("Installing %(name)s")) % names


def read(client: ClusterClient, namespace: str, name: str) -> Progress:
    """Raises NotFound if there is no such Subscription, Forbidden if the user can't read it."""
    found = facts.read_facts(client, namespace, name)
    broken = trouble.find(found)
    lines = [stages.place(found), stages.catalog(found)]
    lines.append(stages.subscription(found, broken is not None and broken.stage == "subscription"))
    if (bundle := stages.bundle(found)) is not None:
        lines.append(bundle)
    lines += [] if found.subscription.dismissed else [stages.plan(found)]
    lines.append(stages.version(found))
    shown: tuple[PodPart, ...] = ()
    if found.csv is None or found.deployments:
        pods, shown = stages.pods(found)
        lines += [stages.deployments(found), pods]
    judged = stages.judged(lines, broken)
    asks = any(stage.state == ASKS for stage in judged)
    names = csv.strings(reader.read(found.plan, InstallPlan).spec.cluster_service_version_names)
    end = next((line for line in lines if line.key == "csv"), lines[-1])
    total = stages.chosen_after(found.subscription.created, end.at)
    return Progress(
        subscription=found.subscription,
        name=_name(client, found),
        stages=judged,
        csv=found.csv_name,
        plan=found.subscription.plan if asks else "",
        plan_csvs=names if asks else (),
        plan_object=found.plan if asks else None,
        older=found.older,
        trouble=broken,
        pods=shown,
        after=_read_after(client, found),
        seconds=None if total is None or end.took is None else total + end.took,
        unread=found.unread,
    )


def _name(client: ClusterClient, found: InstallFacts) -> str:
    """By its CSV, else as its catalog's package is called."""
    sub = found.subscription
    if title := reader.read(found.csv, ClusterServiceVersion).spec.display_name:
        return title
    rows = Package.objects.filter(cluster=client.name, namespace=sub.catalog_namespace, catalog=sub.catalog)
    return rows.filter(name=sub.package).values_list("title", flat=True).first() or sub.package


def _read_after(client: ClusterClient, found: InstallFacts) -> After | None:
    """What to create next; None until the operator runs."""
    if found.csv is None or found.phase != olm.SUCCEEDED:
        return None
    version = reader.read(found.csv, ClusterServiceVersion)
    annotations = version.metadata.annotations
    groups = found.groups or ()
    targets = olm.group_targets(groups[0]) if len(groups) == 1 else ()
    place = found.subscription.namespace
    if targets and olm.EVERYWHERE not in targets and place not in targets:
        place = targets[0]
    first = reader.read(csv.initialization(annotations), Object)
    link = annotations.get(_LINK_ANNOTATION, "").strip()
    return After(
        _required_step(client, first, place),
        tuple(
            _next_step(client, _in_preferred_version(client, api), place)
            for api in csv.provided(version.spec, annotations)
        ),
        link if link.startswith(("https://", "http://")) else "",
    )


def _find_type(client: ClusterClient, find: Callable[[], ResourceType]) -> ResourceType | None:
    """Repeats the discovery if the type is missing: its CRD may be new."""
    for fresh in (False, True):
        if fresh:
            client.forget_types()
        try:
            return find()
        except NotFound:
            continue
    return None


def _in_preferred_version(client: ClusterClient, api: Api) -> Api:
    """In the version to use, where the cluster serves the kind."""
    type_ = kind_versions.preferred_type(client, api.group, api.plural)
    return replace(api, version=type_.version) if type_ else api


def _next_step(client: ClusterClient, api: Api, namespace: str, start: str = "") -> NextStep:
    type_ = _find_type(client, lambda: client.find(api.group, api.version, api.plural))
    if type_ is None:
        return NextStep(api, "", False)
    place = namespace if type_.namespaced else ""
    if refused := refusal(client, "create", type_, place):
        return NextStep(api, "", True, refused)
    query = {**({"namespace": place} if place else {}), **({"start": f"example:{start}"} if start else {})}
    page = reverse("resources:new", args=[type_.group_or_core, type_.version, type_.plural])
    return NextStep(api, f"{page}?{urlencode(query)}" if query else page, True)


def _required_step(client: ClusterClient, wanted: Object, namespace: str) -> NextStep | None:
    """The author's first object, unless one of its kind is there already."""
    group, version, kind = wanted.group, wanted.version, wanted.kind
    if not kind:
        return None
    try:
        client_type = _find_type(client, lambda: client.find_kind(group, kind, version))
    except KubeError:
        client_type = None
    if client_type is None:
        return NextStep(Api(group=group, version=version, plural="", kind=kind, title=kind), "", False)
    try:
        if client.table(client_type, limit=1, include="None").rows:
            return None
    except KubeError:
        pass  # users who can't list them get the card too
    return _next_step(
        client,
        Api(group=group, version=client_type.version, plural=client_type.plural, kind=kind, title=kind),
        wanted.metadata.namespace or namespace,
        wanted.metadata.name or kind.lower(),
    )
