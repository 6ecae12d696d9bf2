"""All objects that an install's page is made of, each read once.

For objects that can't be read the field holds None or (), and `unread` names their kind.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kube.client import ClusterClient
from kube.errors import KubeError, NotFound
from kube.objects import KubeObject, name_of, uid_of
from kube.reader import read, read_list
from kube.types.core import Event
from kube.types.olm import ClusterServiceVersion, ClusterServiceVersionStatus
from kube.types.workloads import Workload
from operatorhub import install_state, olm
from operatorhub.running import workloads

_SHOWN_PODS = 20
_EVENTS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallFacts:
    """`source` None with `source_missing` is a catalog that does not exist; `events` by the uid of the object they
    are about, newest last.

    `served`: CRDs that OLM reported as missing and that the cluster now serves. `older`: the CSV that is there until
    this one takes its place.
    """

    subscription: olm.Subscription
    groups: tuple[KubeObject, ...] | None
    space: KubeObject | None
    source: KubeObject | None
    source_missing: bool
    plan: KubeObject | None
    csv_name: str
    csv: KubeObject | None
    deployments: tuple[tuple[str, KubeObject | None], ...]
    pods: tuple[KubeObject, ...]
    events: Mapping[str, tuple[Event, ...]]
    unread: tuple[str, ...]
    catalog_pods: tuple[KubeObject, ...] = ()
    served: frozenset[str] = frozenset()
    older: str = ""

    @property
    def missing(self) -> tuple[install_state.Requirement, ...]:
        """Requirements of the CSV that OLM won't find by waiting."""
        return install_state.missing(self.csv, self.plan, self.served)

    @property
    def csv_status(self) -> ClusterServiceVersionStatus:
        return olm.csv_status(self.csv)

    @property
    def phase(self) -> str:
        return self.csv_status.phase


class _FactReader:
    """Reads objects and records what the user can't read."""

    def __init__(self, client: ClusterClient) -> None:
        self.client = client
        self.unread: list[str] = []

    def one(self, what: str, request: Callable[[], KubeObject]) -> KubeObject | None:
        try:
            return request()
        except NotFound:
            return None
        except KubeError as error:
            self.unread.append(f"{what}: {error.message}")
            return None

    def many(self, what: str, request: Callable[[], list[KubeObject]]) -> list[KubeObject] | None:
        try:
            return request()
        except KubeError as error:
            self.unread.append(f"{what}: {error.message}")
            return None


def read_facts(client: ClusterClient, namespace: str, name: str) -> InstallFacts:
    """Raises NotFound if there is no such Subscription, Forbidden if the user can't read it."""
    sub = olm.subscription(client.get(olm.type_of(client, olm.SUBSCRIPTIONS), name, namespace))
    reader = _FactReader(client)
    csv_name = sub.installed_csv if sub.dismissed else sub.current_csv or sub.installed_csv
    plan = (
        reader.one("InstallPlan", lambda: client.get(olm.type_of(client, olm.PLANS), sub.plan, namespace))
        if sub.plan
        else None
    )
    found = (
        reader.one("ClusterServiceVersion", lambda: client.get(olm.type_of(client, olm.CSVS), csv_name, namespace))
        if csv_name
        else None
    )
    groups = reader.many("OperatorGroups", lambda: client.list(olm.type_of(client, "operatorgroups"), namespace).items)
    space = reader.one("Namespace", lambda: client.get(client.find("", "v1", "namespaces"), namespace))
    source, missing = _source(reader, sub)
    registry = () if csv_name or plan else _registry(reader, sub)
    made, pods = _running(reader, namespace, found)
    events = _events(reader, namespace) if pods and olm.phase(found or {}) != olm.SUCCEEDED else {}
    return InstallFacts(
        subscription=sub,
        groups=None if groups is None else tuple(groups),
        space=space,
        source=source,
        source_missing=missing,
        plan=plan,
        csv_name=csv_name,
        csv=found,
        deployments=made,
        pods=pods,
        events=events,
        unread=tuple(reader.unread),
        catalog_pods=registry,
        served=install_state.served_by_now(client, found),
        older=_older(reader, sub, csv_name, found),
    )


def _older(reader: _FactReader, sub: olm.Subscription, csv_name: str, found: KubeObject | None) -> str:
    """OLM records a version as installed as soon as its CSV exists; then `replaces` tells which one is updated."""
    if sub.dismissed:
        return ""
    if sub.installed_csv not in ("", csv_name):
        return sub.installed_csv
    version = read(found, ClusterServiceVersion)
    name = version.spec.replaces
    if not name or version.status.phase == olm.SUCCEEDED:
        return ""
    client = reader.client
    replaced = reader.one(
        "ClusterServiceVersion", lambda: client.get(olm.type_of(client, olm.CSVS), name, sub.namespace)
    )
    return name if replaced else ""


def of_csv(client: ClusterClient, namespace: str, found: KubeObject) -> InstallFacts:
    """Of a CSV that came without a Subscription (operatorhub.run): what hangs on it alone."""
    reader = _FactReader(client)
    groups = reader.many("OperatorGroups", lambda: client.list(olm.type_of(client, "operatorgroups"), namespace).items)
    made, pods = _running(reader, namespace, found)
    events = _events(reader, namespace) if pods and olm.phase(found) != olm.SUCCEEDED else {}
    sub = olm.subscription({"metadata": {"name": name_of(found), "namespace": namespace}})
    return InstallFacts(
        subscription=sub,
        groups=None if groups is None else tuple(groups),
        space=None,
        source=None,
        source_missing=False,
        plan=None,
        csv_name=name_of(found),
        csv=found,
        deployments=made,
        pods=pods,
        events=events,
        unread=tuple(reader.unread),
        served=install_state.served_by_now(client, found),
    )


def _source(reader: _FactReader, sub: olm.Subscription) -> tuple[KubeObject | None, bool]:
    type_ = olm.type_of(reader.client, olm.SOURCES)
    try:
        return reader.client.get(type_, sub.catalog, sub.catalog_namespace), False
    except NotFound:
        return None, True
    except KubeError as error:
        reader.unread.append(f"CatalogSource: {error.message}")
        return None, False


def _registry(reader: _FactReader, sub: olm.Subscription) -> tuple[KubeObject, ...]:
    """The Pods of the catalog's registry: where it does not answer, they know why."""
    client, query = reader.client, f"olm.catalogSource={sub.catalog}"
    listed = reader.many(
        "Pods",
        lambda: (
            client.list(client.find("", "v1", "pods"), sub.catalog_namespace, labels=query, limit=_SHOWN_PODS).items
        ),
    )
    return tuple(listed or ())


def _running(
    reader: _FactReader, namespace: str, found: KubeObject | None
) -> tuple[tuple[tuple[str, KubeObject | None], ...], tuple[KubeObject, ...]]:
    """The CSV's Deployments by name, and the Pods of those that are there."""
    client = reader.client
    made: list[tuple[str, KubeObject | None]] = []
    pods: dict[str, KubeObject] = {}
    for name in workloads.deployments(found) if found else ():
        item = reader.one(
            "Deployment",
            lambda name=name: client.get(client.find("apps", "v1", "deployments"), name, namespace),  # type: ignore[misc]
        )
        made.append((name, item))
        labels = read(item, Workload).spec.selector.match_labels
        if labels:
            query = ",".join(f"{key}={value}" for key, value in labels.items())
            listed = reader.many(
                "Pods",
                lambda query=query: (
                    client.list(  # type: ignore[misc]
                        client.find("", "v1", "pods"), namespace, labels=query, limit=_SHOWN_PODS
                    ).items
                ),
            )
            pods |= {uid_of(pod): pod for pod in listed or ()}
    return tuple(made), tuple(pods.values())


def _events(reader: _FactReader, namespace: str) -> dict[str, tuple[Event, ...]]:
    """Warnings of the namespace, by the uid of the object they are about; newest last."""
    client = reader.client
    listed = reader.many(
        "Events",
        lambda: client.list(client.find("", "v1", "events"), namespace, fields="type=Warning", limit=_EVENTS).items,
    )
    found: dict[str, tuple[Event, ...]] = {}
    events = read_list(listed, Event)
    for event in sorted(events, key=lambda event: event.last_timestamp or event.event_time or ""):
        uid = event.involved_object.uid
        found[uid] = (*found.get(uid, ()), event)
    return found
