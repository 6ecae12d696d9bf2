"""An install as its page shows it."""

from dataclasses import dataclass

from kube.client import ClusterClient
from operatorhub import csv, olm
from operatorhub.progress import after, facts, running, stages, trouble
from operatorhub.progress.after import After
from operatorhub.progress.running import PodPart
from operatorhub.progress.stages import Stage, state_of
from operatorhub.progress.trouble import Trouble
from operatorhub.running.workloads import ASKS, DONE, FAILED


@dataclass(frozen=True, slots=True)
class Progress:
    """`plan` is set while an InstallPlan waits for approval; `plan_csvs` is all that approving it installs. `seconds`: from the Subscription to Succeeded."""

    subscription: olm.Subscription
    stages: tuple[Stage, ...]
    csv: str
    plan: str
    plan_csvs: tuple[str, ...]
    trouble: Trouble | None = None
    pods: tuple[PodPart, ...] = ()
    after: After | None = None
    seconds: float | None = None
    unread: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        """done, failed, asks or running: of the whole."""
        return FAILED if self.trouble else state_of(self.stages)

    @property
    def usable_csv(self) -> str:
        """The version whose page has something to show: this one, or the one that runs until an update of it is approved; '' while there is none."""
        if any(stage.key == "csv" and stage.state == DONE for stage in self.stages):
            return self.csv
        older = self.subscription.installed_csv
        return older if older != self.csv else ""

    @property
    def usable(self) -> bool:
        return bool(self.usable_csv)


def read(client: ClusterClient, namespace: str, name: str) -> Progress:
    """Raises NotFound when there is no such Subscription, Forbidden when it may not be read."""
    found = facts.read(client, namespace, name)
    broken = trouble.find(found)
    lines = [stages.place(found), stages.catalog(found)]
    lines.append(stages.subscription(found, broken is not None and broken.stage == "subscription"))
    if (bundle := stages.bundle(found)) is not None:
        lines.append(bundle)
    lines += [stages.plan(found), running.version(found)]
    shown: tuple[PodPart, ...] = ()
    if found.csv is None or found.deployments:
        pods, shown = running.pods(found)
        lines += [running.deployments(found), pods]
    if broken:
        lines = [stages.as_broken(line, broken.stage) for line in lines]
    asks = any(stage.state == ASKS for stage in lines)
    names = csv.strings(csv.mapping((found.plan or {}).get("spec")).get("clusterServiceVersionNames"))
    end = next((one for one in lines if one.key == "csv"), lines[-1])
    total = stages.chosen_after(found.subscription.created, end.at)
    return Progress(
        found.subscription, tuple(lines), found.csv_name, found.subscription.plan if asks else "", names if asks else (),
        broken, shown, after.read(client, found), None if total is None or end.took is None else total + end.took, found.unread,
    )  # fmt: skip


def approve(client: ClusterClient, namespace: str, plan: str) -> None:
    """Let OLM carry the InstallPlan out."""
    client.patch(olm.type_of(client, olm.PLANS), plan, {"spec": {"approved": True}}, namespace)
