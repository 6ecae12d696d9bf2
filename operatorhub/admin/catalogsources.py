"""CatalogSources: what they are, how they are, and why not well; and the objects of new ones.

https://olm.operatorframework.io/docs/concepts/crds/catalogsource/
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from kube import reader
from kube.client import ClusterClient
from kube.discovery import ResourceType, known_type
from kube.errors import Forbidden, KubeError, NotFound
from kube.objects import KubeObject
from kube.types import olm as olm_types
from kube.types.core import Pod
from kube.types.olm import CatalogSourceSpec, CatalogSourceStatus
from operatorhub import olm
from operatorhub.admin import catalogs
from operatorhub.csv import strings
from operatorhub.models import Catalog, Index, Package
from resources.state.health import Health
from resources.state.kind_health import health as health_of

# Default before the first build records the global catalog namespaces: those of upstream OLM and of OpenShift.
USUAL = frozenset({"olm", "openshift-marketplace"})
_PODS = "olm.catalogSource"
#: OpenShift's OperatorHub, which turns its default catalogs on and off: group, version and plural, and its one object.
HUB_TYPE, HUB = ("config.openshift.io", "v1", "operatorhubs"), "cluster"


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogSource:
    """One CatalogSource.

    `endpoint`: image, address or ConfigMap, as `kind` says; `everywhere`: offered in all namespaces; `why`: why it is
    not well.
    """

    namespace: str
    name: str
    title: str
    publisher: str
    description: str
    kind: str
    endpoint: str
    interval: str
    priority: int
    secrets: tuple[str, ...]
    everywhere: bool
    health: Health
    connection: str
    why: str
    connected_at: str
    polled_at: str
    registry: str
    packages: int
    hidden: int
    uid: str
    version: str
    read_by: Catalog | None

    @property
    def place(self) -> str:
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryPod:
    """The Pod that serves a catalog's packages."""

    namespace: str
    name: str
    health: Health
    restarts: int
    created: str


def everywhere(cluster: str) -> frozenset[str]:
    """Namespaces whose catalogs are offered in all namespaces, as the last build of the index saw; the usual ones
    before.
    """
    row = Index.objects.filter(cluster=cluster).only("places").first()
    return USUAL if row is None or row.places is None else frozenset(row.places)


def listed(client: ClusterClient, picked: str = "") -> tuple[tuple[CatalogSource, ...], str]:
    """The CatalogSources that the user may see, by title; of a `picked` namespace those that it is offered.

    And why others are missing, ''.

    Raises NotFound without OLM.
    """
    type_, words = olm.type_of(client, olm.SOURCES), ""
    try:
        all_ = client.list(type_)
        found = all_.items
        if all_.within:
            words = _("You can only list the CatalogSources in %(namespace)s.") % {"namespace": ", ".join(all_.within)}
    except Forbidden as error:
        if not picked:
            return (), _(
                "You don't have permission to list CatalogSources in all namespaces. Select a namespace above."
                " %(reason)s"
            ) % {"reason": error}
        found = client.list(type_, picked).items
        words = _("You can only list the CatalogSources in %(namespace)s.") % {"namespace": picked}
    known = _Known.read(client)
    every = (known.source(item) for item in found)
    offered = [source for source in every if not picked or source.everywhere or source.namespace == picked]
    return tuple(sorted(offered, key=lambda source: (source.title.lower(), source.place))), words


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultSource:
    """A CatalogSource that OpenShift comes with. `error`: why its marketplace operator couldn't turn it on or off.

    `version`: of the object that turns it on and off.
    """

    name: str
    disabled: bool
    error: str
    version: str

    @property
    def place(self) -> str:
        return f"openshift-marketplace/{self.name}"


def hub_type(client: ClusterClient) -> ResourceType | None:
    """None on other clusters."""
    return known_type(client.types(), *HUB_TYPE)


def defaults(client: ClusterClient, hub_type: ResourceType) -> tuple[DefaultSource, ...]:
    """OpenShift's default catalogs by name; () for users who can't read which they are.

    The status names all, the spec what is wanted; without an entry there, `disableAllDefaultSources` counts.
    https://docs.okd.io/latest/rest_api/config_apis/operatorhub-config-openshift-io-v1.html
    """
    try:
        hub = reader.read(client.get(hub_type, HUB), olm_types.OperatorHub)
    except (Forbidden, NotFound):
        return ()
    wanted = {source.name: source.disabled for source in hub.spec.sources}
    reported = {source.name: source for source in hub.status.sources}
    return tuple(
        DefaultSource(
            name=name,
            disabled=wanted.get(name, hub.spec.disable_all_default_sources),
            error=reported[name].message if name in reported and reported[name].status == "Error" else "",
            version=hub.metadata.resource_version,
        )
        for name in sorted({*wanted, *reported})
        if name
    )


def switch_default(client: ClusterClient, name: str, *, disabled: bool, version: str) -> None:
    """Turns a default catalog on or off. `version`: of the object that the user saw; Conflict if it has changed."""
    type_ = client.find(*HUB_TYPE)
    sources = reader.read(client.get(type_, HUB), olm_types.OperatorHub).spec.sources
    wanted = {source.name: source.disabled for source in sources} | {name: disabled}
    entries = [{"name": each, "disabled": off} for each, off in wanted.items()]
    client.patch(type_, HUB, {"metadata": {"resourceVersion": version}, "spec": {"sources": entries}})


def get(client: ClusterClient, namespace: str, name: str) -> CatalogSource:
    """One of them. Raises KubeError."""
    return _Known.read(client).source(client.get(olm.type_of(client, olm.SOURCES), name, namespace))


@dataclass(frozen=True, slots=True)
class _Known:
    """What the database knows of all catalogs, asked once for a page."""

    shown: Mapping[tuple[str, str], int]
    hidden: Mapping[tuple[str, str], int]
    everywhere: frozenset[str]
    readers: Mapping[str, Catalog]

    @classmethod
    def read(cls, client: ClusterClient) -> "_Known":
        cluster = client.name
        shown: Counter[tuple[str, str]] = Counter()
        hidden: Counter[tuple[str, str]] = Counter()
        for namespace, catalog, why in Package.objects.filter(cluster=cluster).values_list(
            "namespace", "catalog", "hidden"
        ):
            (hidden if why else shown)[(namespace, catalog)] += 1
        readers = {row.describes: row for row in Catalog.objects.filter(cluster=cluster).exclude(describes="")}
        catalogs.hide_folders(client, readers.values())
        return cls(shown, hidden, everywhere(cluster), readers)

    def source(self, obj: KubeObject) -> CatalogSource:
        found = reader.read(obj, olm_types.CatalogSource)
        meta, spec, status = found.metadata, found.spec, found.status
        namespace, name = meta.namespace, meta.name
        kind, endpoint = _endpoint(spec)
        service = status.registry_service
        registry = f"{service.service_name}.{service.service_namespace}:{service.port}"
        return CatalogSource(
            namespace=namespace,
            name=name,
            title=spec.display_name or name,
            publisher=spec.publisher,
            description=spec.description,
            kind=kind,
            endpoint=endpoint,
            interval=spec.update_strategy.registry_poll.interval,
            priority=spec.priority or 0,
            secrets=strings(spec.secrets),
            everywhere=namespace in self.everywhere,
            health=health_of(obj),
            connection=status.connection_state.last_observed_state,
            why=why_not_ready(status),
            connected_at=status.connection_state.last_connect,
            polled_at=status.latest_image_registry_poll,
            registry=registry if service.service_name else "",
            packages=self.shown.get((namespace, name), 0),
            hidden=self.hidden.get((namespace, name), 0),
            uid=meta.uid,
            version=meta.resource_version,
            read_by=self.readers.get(f"{namespace}/{name}"),
        )


def _endpoint(spec: CatalogSourceSpec) -> tuple[str, str]:
    endpoints = {"image": spec.image, "address": spec.address, "configMap": spec.config_map}
    return next(((kind, endpoint) for kind, endpoint in endpoints.items() if endpoint), ("", ""))


def why_not_ready(status: CatalogSourceStatus) -> str:
    """In OLM's own words: the message of the status, else of a condition, else the state of the connection."""
    if message := status.message or status.reason:
        return message
    bad = [condition.message for condition in status.conditions if condition.status == "False"]
    if found := "; ".join(problem for problem in bad if problem):
        return found
    state = status.connection_state.last_observed_state
    if not state:
        return _("OLM hasn't processed this catalog yet.")
    return (
        ""
        if state == "READY"
        else _(
            "The connection to the catalog's registry isn't ready (state: %(state)s). If this persists, "
            "check the registry's Pod or address."
        )
        % {"state": state}
    )


def pods(client: ClusterClient, source: CatalogSource) -> tuple[tuple[RegistryPod, ...], str]:
    """Its registry's Pods, and why they can't be seen, ''."""
    try:
        found = client.list(
            client.find("", "v1", "pods"), source.namespace, labels=f"{_PODS}={source.name}", limit=20
        ).items
    except KubeError as error:
        return (), str(error)
    return tuple(map(_pod, found)), ""


def _pod(obj: KubeObject) -> RegistryPod:
    pod = reader.read(obj, Pod)
    return RegistryPod(
        namespace=pod.metadata.namespace,
        name=pod.metadata.name,
        health=health_of(obj),
        restarts=sum(container.restart_count for container in pod.status.container_statuses),
        created=pod.metadata.creation_timestamp,
    )


def dependents(client: ClusterClient, namespace: str, name: str) -> tuple[tuple[olm.Subscription, ...], str]:
    """Subscriptions that get their updates from it, and why not all can be seen, ''."""
    unseen = _(
        "You don't have permission to list Subscriptions in all namespaces, so dependent "
        "Subscriptions can be missing here. %(reason)s"
    )
    try:
        found = client.list(olm.type_of(client, olm.SUBSCRIPTIONS))
    except Forbidden as error:
        return (), unseen % {"reason": error}
    every = map(olm.subscription, found.items)
    words = unseen % {"reason": ", ".join(found.within)} if found.within else ""
    return tuple(
        subscription
        for subscription in every
        if (subscription.catalog_namespace, subscription.catalog) == (namespace, name)
    ), words


def follow(client: ClusterClient) -> None:
    """Catalogs that read the image of a CatalogSource follow it: to another image, or out of the world.

    Raises KubeError.
    """
    for row in Catalog.objects.filter(cluster=client.name, kind=Catalog.IMAGE, given=False).exclude(describes=""):
        namespace, _slash, name = row.describes.partition("/")
        try:
            obj = client.get(olm.type_of(client, olm.SOURCES), name, namespace)
        except NotFound:
            catalogs.remove(row)
            continue
        kind, endpoint = _endpoint(reader.read(obj.get("spec"), CatalogSourceSpec))
        if kind != "image":
            catalogs.remove(row)
        elif endpoint != row.location:
            # The stored contents are of another image, so they are dropped.
            Catalog.objects.filter(pk=row.pk).update(
                location=endpoint[:2048], digest="", generation=0, state=Catalog.NEW, refreshed_at=None
            )


def packages(cluster: str, namespace: str, name: str) -> QuerySet[Package]:
    """Its packages in the index, by title."""
    return Package.objects.filter(cluster=cluster, namespace=namespace, catalog=name).order_by("title", "name")
