"""Uninstalling an operator: what goes, what stays behind, and the deletions themselves.

OLM removes what it made for a ClusterServiceVersion (Deployments, ServiceAccounts, roles) when that is deleted. It leaves the
CustomResourceDefinitions and their objects, so that no data is lost; and the namespace and its OperatorGroup, which others may use.
"""

from collections.abc import Callable
from dataclasses import dataclass

from kube.client import ClusterClient
from kube.errors import Forbidden, NotFound
from kube.objects import uid_of
from operatorhub import csv, installed, olm
from operatorhub.workloads import deployments


@dataclass(frozen=True, slots=True)
class Plan:
    """`csv_uid` and `subscription_uid` make sure that exactly these objects are deleted, '' where there is none."""

    namespace: str
    csv: str
    title: str
    csv_uid: str
    subscription: str
    subscription_uid: str
    deployments: tuple[str, ...]
    stays: tuple[installed.OwnedApi, ...]

    @property
    def instances(self) -> int:
        """Objects of its kinds that stay behind, as far as they could be counted."""
        return sum(one.count or 0 for one in self.stays)

    @property
    def kubectl(self) -> str:
        lines = (
            [f"kubectl delete subscriptions.{olm.GROUP} {self.subscription} -n {self.namespace}"]
            if self.subscription
            else []
        )
        return "\n".join([*lines, f"kubectl delete clusterserviceversions.{olm.GROUP} {self.csv} -n {self.namespace}"])


def look(client: ClusterClient, namespace: str, name: str) -> Plan:
    """Raises NotFound when there is no such CSV, and none that a Subscription waits for."""
    try:
        subscriptions = [
            olm.subscription(one) for one in client.list(olm.type_of(client, olm.SUBSCRIPTIONS), namespace).items
        ]
    except Forbidden:
        subscriptions = []
    sub = next((one for one in subscriptions if name in (one.current_csv, one.installed_csv)), None)
    try:
        found = client.get(olm.type_of(client, olm.CSVS), name, namespace)
    except NotFound:
        if sub is None:
            raise
        return Plan(namespace, name, sub.package, "", sub.name, sub.uid, (), ())
    spec = csv.mapping(found.get("spec"))
    apis = tuple(installed.owned(client, api, (), namespace) for api in csv.apis(spec.get("customresourcedefinitions")))
    title = csv.text(spec.get("displayName")) or name
    return Plan(
        namespace, name, title, uid_of(found), sub.name if sub else "", sub.uid if sub else "", deployments(found), apis
    )


def remove(client: ClusterClient, plan: Plan, done: Callable[[str, str], None]) -> None:
    """The Subscription first, lest OLM install again. What is gone already is no error. Raises KubeError at the first refusal."""
    for plural, name, uid in (
        (olm.SUBSCRIPTIONS, plan.subscription, plan.subscription_uid),
        (olm.CSVS, plan.csv, plan.csv_uid),
    ):
        if not uid:
            continue
        try:
            client.delete(olm.type_of(client, plural), name, plan.namespace, uid=uid)
        except NotFound:
            done(olm.ref(plural, plan.namespace, name), "NotFound")
        else:
            done(olm.ref(plural, plan.namespace, name), "ok")
