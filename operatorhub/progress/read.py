"""An install as its page shows it."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.objects import KubeObject
from operatorhub import csv, olm
from operatorhub.models import Package
from operatorhub.progress import csv_stages, facts, next_steps, stages, trouble
from operatorhub.progress.csv_stages import PodPart
from operatorhub.progress.next_steps import After
from operatorhub.progress.stages import Stage, state_of
from operatorhub.progress.trouble import Trouble
from operatorhub.running.workloads import ASKS, DONE, FAILED


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
    found = facts.read(client, namespace, name)
    broken = trouble.find(found)
    lines = [stages.place(found), stages.catalog(found)]
    lines.append(stages.subscription(found, broken is not None and broken.stage == "subscription"))
    if (bundle := stages.bundle(found)) is not None:
        lines.append(bundle)
    lines += [] if found.subscription.dismissed else [stages.plan(found)]
    lines.append(csv_stages.version(found))
    shown: tuple[PodPart, ...] = ()
    if found.csv is None or found.deployments:
        pods, shown = csv_stages.pods(found)
        lines += [csv_stages.deployments(found), pods]
    judged = stages.judged(lines, broken)
    asks = any(stage.state == ASKS for stage in judged)
    names = csv.strings(csv.mapping((found.plan or {}).get("spec")).get("clusterServiceVersionNames"))
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
        after=next_steps.read(client, found),
        seconds=None if total is None or end.took is None else total + end.took,
        unread=found.unread,
    )


def _name(client: ClusterClient, found: facts.InstallFacts) -> str:
    """By its CSV, else as its catalog's package is called."""
    sub = found.subscription
    if title := csv.text(csv.mapping((found.csv or {}).get("spec")).get("displayName")):
        return title
    rows = Package.objects.filter(cluster=client.name, namespace=sub.catalog_namespace, catalog=sub.catalog)
    return rows.filter(name=sub.package).values_list("title", flat=True).first() or sub.package
