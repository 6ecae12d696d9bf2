"""What a Subscription says of updates: one is there, one is under way, it is up to date, it failed, or none can come because the catalog is gone."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from django.urls import reverse
from django.utils.translation import gettext as _

from console.web.front import Workers
from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import KubeObject, name_of, namespace_of
from operatorhub import csv, olm
from operatorhub.running.workloads import ASKS, DONE, FAILED, RUNNING

_workers = Workers(6, thread_name_prefix="reasons")
T = TypeVar("T", bound=Any)


@dataclass(frozen=True, slots=True)
class Update:
    """`state`: done (up to date), asks (somebody has to approve), running, failed, or '' (OLM has said nothing). `url`: of what it is about; `to`: the CSV
    that comes, '' for none."""

    state: str
    word: str
    reason: str = ""
    url: str = ""
    to: str = ""


@dataclass(frozen=True, slots=True)
class Catalogs:
    """States of the CatalogSources by (namespace, name); None: they may not be listed, and nothing is said of them."""

    states: Mapping[tuple[str, str], str] | None

    def problem(self, sub: olm.Subscription) -> str:
        """Why the Subscription's catalog can give nothing; '' when it can, or when that is not known."""
        if self.states is None:
            return ""
        words = {"name": sub.catalog, "namespace": sub.catalog_namespace}
        state = self.states.get((sub.catalog_namespace, sub.catalog))
        if state is None:
            return _("The catalog “%(name)s” of the namespace “%(namespace)s” is missing.") % words
        if state in ("", "READY", "CONNECTING", "IDLE"):
            return ""
        return _("The catalog “%(name)s” does not answer (%(state)s).") % {**words, "state": state}

    def state(self, sub: olm.Subscription) -> str:
        """As OLM says it (READY, TRANSIENT_FAILURE…), 'missing', or '' when not known."""
        if self.states is None:
            return ""
        return self.states.get((sub.catalog_namespace, sub.catalog), "missing")


def catalogs(client: ClusterClient) -> Catalogs:
    """All CatalogSources, by one request."""
    try:
        found = client.list(olm.type_of(client, olm.SOURCES)).items
    except KubeError:
        return Catalogs(None)
    return Catalogs({(namespace_of(one), name_of(one)): _connection(one) for one in found})


def _connection(source: KubeObject) -> str:
    return csv.text(csv.mapping(csv.mapping(source.get("status")).get("connectionState")).get("lastObservedState"))


def of(sub: olm.Subscription, health: Catalogs) -> Update:
    """The Subscription's state in words. https://github.com/operator-framework/api/blob/master/pkg/operators/v1alpha1/subscription_types.go"""
    plan = reverse("operatorhub:plan", args=[sub.namespace, sub.plan]) if sub.plan else ""
    coming = sub.current_csv if sub.current_csv != sub.installed_csv else ""
    if sub.waits:
        return Update(ASKS, _("Update available") if sub.installed else _("Waits for approval"), "", plan, coming)
    if missing := health.problem(sub):
        return Update(FAILED, _("Can not update"), missing)
    if sub.problem:
        return Update(FAILED, _("Update failed") if sub.installed else _("Can not go on"), sub.problem, plan)
    words = {
        "UpgradeFailed": Update(FAILED, _("Update failed"), "", plan),
        "UpgradePending": Update(RUNNING, _("Updating"), "", plan, coming),
        "UpgradeAvailable": Update(ASKS, _("Update available"), "", plan, coming),
        "AtLatestKnown": Update(DONE, _("Up to date")),
    }
    return words.get(sub.state, Update("", ""))


def messages(client: ClusterClient, wanted: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], str]:
    """status.message of CSVs, by (namespace, name)."""
    type_ = olm.type_of(client, olm.CSVS)

    def read(place: tuple[str, str]) -> tuple[tuple[str, str], str]:
        try:
            found = client.get(type_, place[1], place[0])
        except KubeError as error:
            return place, str(error)
        return place, csv.text(csv.mapping(found.get("status")).get("message"))

    return dict(_workers.map(read, wanted))


def with_reason(row: T, reason: str) -> T:
    return replace(row, reason=reason) if reason else row


def last_written(obj: KubeObject) -> str:
    """When the object was last changed, by what its writers noted (managedFields); its creation where nobody did."""
    meta = csv.mapping(obj.get("metadata"))
    times = [csv.text(one.get("time")) for one in csv.items(meta.get("managedFields"))]
    return max([*times, csv.text(meta.get("creationTimestamp"))])
