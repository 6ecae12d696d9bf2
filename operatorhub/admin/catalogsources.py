"""CatalogSources: what they are, how they are, and why not well; and the objects of new ones.

https://olm.operatorframework.io/docs/concepts/crds/catalogsource/
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.errors import Forbidden, KubeError, NotFound
from kube.objects import KubeObject, name_of, namespace_of
from operatorhub import olm
from operatorhub.admin import catalogs
from operatorhub.csv import items, mapping, strings, text
from operatorhub.models import Catalog, Index, Package
from resources.state.health import Health
from resources.state.kind_health import health as health_of

# Default before the first build records the global catalog namespaces: those of upstream OLM and of OpenShift.
USUAL = frozenset({"olm", "openshift-marketplace"})
_PODS = "olm.catalogSource"


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
        spec, status, meta = mapping(obj.get("spec")), mapping(obj.get("status")), mapping(obj.get("metadata"))
        namespace, name = namespace_of(obj), name_of(obj)
        connection = mapping(status.get("connectionState"))
        kind, endpoint = _endpoint(spec)
        service = mapping(status.get("registryService"))
        registry = (
            f"{text(service.get('serviceName'))}.{text(service.get('serviceNamespace'))}:{text(service.get('port'))}"
        )
        priority = spec.get("priority")
        return CatalogSource(
            namespace=namespace,
            name=name,
            title=text(spec.get("displayName")) or name,
            publisher=text(spec.get("publisher")),
            description=text(spec.get("description")),
            kind=kind,
            endpoint=endpoint,
            interval=interval(spec),
            priority=priority if isinstance(priority, int) else 0,
            secrets=strings(spec.get("secrets")),
            everywhere=namespace in self.everywhere,
            health=health_of(obj),
            connection=text(connection.get("lastObservedState")),
            why=_why(status),
            connected_at=text(connection.get("lastConnect")),
            polled_at=text(status.get("latestImageRegistryPoll")),
            registry=registry if service else "",
            packages=self.shown.get((namespace, name), 0),
            hidden=self.hidden.get((namespace, name), 0),
            uid=text(meta.get("uid")),
            version=text(meta.get("resourceVersion")),
            read_by=self.readers.get(f"{namespace}/{name}"),
        )


def interval(spec: Mapping[str, Any]) -> str:
    """How often OLM looks for a newer image, '' for never."""
    return text(mapping(mapping(spec.get("updateStrategy")).get("registryPoll")).get("interval"))


def _endpoint(spec: Mapping[str, Any]) -> tuple[str, str]:
    for kind in ("image", "address", "configMap"):
        if found := text(spec.get(kind)):
            return kind, found
    return "", ""


def _why(status: Mapping[str, Any]) -> str:
    """In OLM's own words: the message of the status, else of a condition, else the state of the connection."""
    if message := text(status.get("message")) or text(status.get("reason")):
        return message
    bad = [text(item.get("message")) for item in items(status.get("conditions")) if item.get("status") == "False"]
    if found := "; ".join(problem for problem in bad if problem):
        return found
    state = text(mapping(status.get("connectionState")).get("lastObservedState"))
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
    restarts = sum(
        item["restartCount"]
        for item in items(mapping(obj.get("status")).get("containerStatuses"))
        if isinstance(item.get("restartCount"), int)
    )
    created = text(mapping(obj.get("metadata")).get("creationTimestamp"))
    return RegistryPod(
        namespace=namespace_of(obj), name=name_of(obj), health=health_of(obj), restarts=restarts, created=created
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
            spec = mapping(client.get(olm.type_of(client, olm.SOURCES), name, namespace).get("spec"))
        except NotFound:
            catalogs.remove(row)
            continue
        kind, endpoint = _endpoint(spec)
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
