"""What a Subscription says of updates: one is there, one is under way, it is up to date, it failed, or none can come
because the catalog is gone.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from console.web.front import Workers
from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import KubeObject, namespace_of
from kube.reader import read
from kube.types.meta import ManagedMeta, ObjectMeta
from kube.types.olm import CatalogSource
from operatorhub import install_state, olm
from operatorhub.running.workloads import ASKS, DONE, FAILED, RUNNING

_workers = Workers(6, thread_name_prefix="reasons")
#: The state of a catalog that is not there.
MISSING = "missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """`state`: done (up to date), asks (needs approval), running, failed, or '' (no status from OLM).

    `url`: of what it is about; `to`: the CSV
    that comes, '' for none.
    """

    state: str
    word: str
    reason: str = ""
    url: str = ""
    to: str = ""

    @property
    def version(self) -> str:
        """The version that comes, '' for none."""
        return olm.version_in(self.to) if self.to else ""


@dataclass(frozen=True, slots=True)
class CatalogHealth:
    """What is known of the CatalogSources.

    `states` by (namespace, name); None: they can't be listed, so their health is unknown. `within`: the only namespaces
    that were read, () for all: what can't be read is not missing. `silent`: those that haven't answered for long.
    """

    states: Mapping[tuple[str, str], str] | None
    within: tuple[str, ...] = ()
    silent: frozenset[tuple[str, str]] = frozenset()

    def problem(self, sub: olm.Subscription) -> str:
        """Why the Subscription's catalog can give nothing; '' when it can, or when that is not known."""
        words = {"name": sub.catalog, "namespace": sub.catalog_namespace}
        state = self.state(sub)
        if state == MISSING:
            return _("The catalog “%(name)s” in the namespace “%(namespace)s” is missing.") % words
        if (sub.catalog_namespace, sub.catalog) not in self.silent:
            return ""
        return _("The catalog “%(name)s” isn't responding (%(state)s).") % {**words, "state": state}

    def state(self, sub: olm.Subscription) -> str:
        """As OLM says it (READY, TRANSIENT_FAILURE…), MISSING, or '' when not known."""
        place = (sub.catalog_namespace, sub.catalog)
        if self.states is None or (self.within and place not in self.states and place[0] not in self.within):
            return ""
        return self.states.get(place, MISSING)


def catalogs(client: ClusterClient) -> CatalogHealth:
    """All CatalogSources, by one request."""
    try:
        found = client.list(olm.type_of(client, olm.SOURCES))
    except KubeError:
        return CatalogHealth(None)
    states: dict[tuple[str, str], str] = {}
    silent: set[tuple[str, str]] = set()
    for obj in found.items:
        source = read(obj, CatalogSource)
        place = (source.metadata.namespace, source.metadata.name)
        states[place] = source.status.connection_state.last_observed_state
        if install_state.catalog_silent(source.status):
            silent.add(place)
    return CatalogHealth(states, tuple(found.within), frozenset(silent))


def update_of(sub: olm.Subscription, health: CatalogHealth) -> Update:
    """The Subscription's state in words.
    https://github.com/operator-framework/api/blob/master/pkg/operators/v1alpha1/subscription_types.go
    """
    plan = reverse("operatorhub:plan", args=[sub.namespace, sub.plan]) if sub.plan else ""
    coming = sub.current_csv if sub.current_csv != sub.installed_csv else ""
    if sub.dismissed:
        return Update(state="", word=_("Update dismissed"), reason="", url=plan, to=coming)
    if sub.waits:
        return Update(
            state=ASKS,
            word=_("Update available") if sub.installed else _("Waiting for approval"),
            reason="",
            url=plan,
            to=coming,
        )
    if missing := health.problem(sub):
        return Update(state=FAILED, word=_("Can't update"), reason=missing)
    if problem := install_state.subscription_problem(sub):
        return Update(
            state=FAILED,
            word=_("Update failed") if sub.installed else _("Installation failed"),
            reason=problem,
            url=plan,
        )
    words = {
        "UpgradeFailed": Update(state=FAILED, word=_("Update failed"), reason="", url=plan),
        "UpgradePending": Update(state=RUNNING, word=_("Updating"), reason="", url=plan, to=coming),
        "UpgradeAvailable": Update(state=ASKS, word=_("Update available"), reason="", url=plan, to=coming),
        "AtLatestKnown": Update(state=DONE, word=_("Up to date")),
    }
    return words.get(sub.state, Update(state="", word=""))


def version_state(client: ClusterClient, found: KubeObject, plan: str) -> str:
    """done, running or failed: of a ClusterServiceVersion.

    `plan`: the name of its InstallPlan, '' where nothing says it.
    """

    def read_plan() -> KubeObject | None:
        try:
            return client.get(olm.type_of(client, olm.PLANS), plan, namespace_of(found)) if plan else None
        except KubeError:
            return None

    if olm.phase(found) == olm.SUCCEEDED:
        return DONE
    return FAILED if install_state.version_failed(client, found, read_plan) else RUNNING


def version_states(
    client: ClusterClient, wanted: Iterable[tuple[str, str, str]]
) -> Mapping[tuple[str, str], tuple[str, str]]:
    """(state, status.message) by (namespace, name) of CSVs that are given as (namespace, name, InstallPlan); '' for
    a state that can't be read.
    """
    type_ = olm.type_of(client, olm.CSVS)

    def read_state(place: tuple[str, str, str]) -> tuple[tuple[str, str], tuple[str, str]]:
        namespace, name, plan = place
        try:
            found = client.get(type_, name, namespace)
            state = version_state(client, found, plan)
        except KubeError as error:
            return (namespace, name), ("", str(error))
        return (namespace, name), (state, olm.csv_status(found).message)

    return dict(_workers.map(read_state, wanted))


def last_written(obj: KubeObject) -> str:
    """When the object was last changed according to its managedFields; its creation time without them."""
    meta = obj.get("metadata")
    times = [entry.time for entry in read(meta, ManagedMeta).managed_fields]
    return max([*times, read(meta, ObjectMeta).creation_timestamp])
