"""How far a run is: its objects, the CSV, its Deployments and Pods, read from the cluster at this moment."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from kube import reader
from kube.client import ClusterClient
from kube.errors import Forbidden, KubeError, NotFound
from kube.objects import KubeObject, name_of
from kube.types.meta import ObjectMeta
from kube.types.olm import ClusterServiceVersion, ClusterServiceVersionSpec
from operatorhub import olm
from operatorhub.progress import facts, stages, trouble
from operatorhub.progress.stages import Stage, judged
from operatorhub.progress.trouble import Trouble
from operatorhub.run.plan import RUN, SOURCE, run_name
from operatorhub.running.workloads import DONE, FAILED, RUNNING, deployments


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """`csv` '' when there is none any more; `replaces`: the version that it takes the place of; `state` as
    progress.Progress has it.
    """

    package: str
    namespace: str
    csv: str
    title: str
    source: str
    replaces: str
    stages: tuple[Stage, ...]
    trouble: Trouble | None = None

    @property
    def heading(self) -> str:
        """The current activity, with its operator."""
        words = {
            DONE: _("%(name)s is running"),
            FAILED: _("%(name)s failed to start"),
            RUNNING: _("Starting %(name)s"),
        }
        return words[self.state] % {"name": self.title}

    @property
    def state(self) -> str:
        states = [stage.state for stage in self.stages]
        return FAILED if FAILED in states else DONE if all(state == DONE for state in states) else RUNNING

    @property
    def usable(self) -> bool:
        return any(stage.key == "csv" and stage.state == DONE for stage in self.stages)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """A run, as the list of them shows it."""

    package: str
    namespace: str
    csv: str
    title: str
    phase: str


def runs(client: ClusterClient) -> tuple[RunSummary, ...]:
    """All runs that the user can see; () if they can't list ClusterServiceVersions or there is no OLM."""
    try:
        found = client.list(olm.type_of(client, olm.CSVS), labels=f"{RUN},!{olm.COPIED}").items
    except (Forbidden, NotFound):
        return ()
    return tuple(
        RunSummary(
            package=_package(csv.metadata),
            namespace=csv.metadata.namespace,
            csv=csv.metadata.name,
            title=csv.spec.display_name,
            phase=csv.status.phase,
        )
        for csv in (reader.read(item, ClusterServiceVersion) for item in found)
    )


def package_of(csv: KubeObject) -> str:
    """The run's package: its name without the namespace behind it. '' for a CSV that no run brought."""
    return _package(reader.read(csv.get("metadata"), ObjectMeta))


def _package(metadata: ObjectMeta) -> str:
    return metadata.labels.get(RUN, "").removesuffix(f".{metadata.namespace}")


def read(client: ClusterClient, namespace: str, package: str) -> RunProgress:
    """Raises Forbidden if the user can't read CSVs here, NotFound if the run's CSV is gone."""
    query = f"{RUN}={run_name(package, namespace)}"
    found = [
        item
        for item in client.list(olm.type_of(client, olm.CSVS), namespace, labels=query).items
        if not olm.copied(item)
    ]
    replaced = {reader.read(item.get("spec"), ClusterServiceVersionSpec).replaces for item in found}
    csv = next((item for item in found if name_of(item) not in replaced), None)
    if csv is None:
        words = _("The bundle “%(package)s” isn't running in the namespace “%(namespace)s”. It may have been removed.")
        raise NotFound(words % {"package": package, "namespace": namespace})
    groups = _groups(client, namespace)
    csv_facts = facts.of_csv(client, namespace, csv)
    lines, broken = [stages.version(csv_facts)], trouble.find(csv_facts)
    if deployments(csv):
        lines += [stages.deployments(csv_facts), stages.pods(csv_facts)[0]]
    typed = reader.read(csv, ClusterServiceVersion)
    return RunProgress(
        package=package,
        namespace=namespace,
        csv=typed.metadata.name,
        title=typed.spec.display_name or typed.metadata.name,
        source=typed.metadata.annotations.get(SOURCE, ""),
        replaces=typed.spec.replaces,
        stages=judged((*groups, *lines), broken),
    )


def _groups(client: ClusterClient, namespace: str) -> list[Stage]:
    """Without exactly one OperatorGroup OLM does not look at a CSV, and does not say so."""
    try:
        groups = client.list(olm.type_of(client, "operatorgroups"), namespace).items
    except KubeError:
        return []
    title = _("OperatorGroup")
    if len(groups) == 1:
        return [Stage(key="place", title=title, state=DONE, words=name_of(groups[0]))]
    words = _("The namespace “%(namespace)s” has %(count)d OperatorGroups; OLM requires exactly one.")
    return [Stage(key="place", title=title, state=FAILED, words=words % {"namespace": namespace, "count": len(groups)})]
