"""OLM v1's ClusterCatalogs as catalogs of the console: one row each, read by operatorhub/indexing/refresh.py as soon
as the cluster serves another content.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kube.client import ClusterClient
from kube.errors import Forbidden, NotFound
from kube.objects import KubeObject, name_of
from operatorhub.admin import catalogs
from operatorhub.csv import items, mapping, text
from operatorhub.models import Catalog, Package
from operatorhub.sources.clustercatalogs import TITLE
from resources.state.health import DEGRADED, PROGRESSING, READY, SUSPENDED, Health

GROUP, VERSION, PLURAL = "olm.operatorframework.io", "v1", "clustercatalogs"


def sync(client: ClusterClient) -> None:
    """Rows for the cluster's ClusterCatalogs; those of catalogs that are gone or disabled go.

    Raises KubeError but for a cluster without OLM v1.
    """
    try:
        found = client.list(client.find(GROUP, VERSION, PLURAL)).items
    except NotFound:
        found = []
    except Forbidden:
        # The console's identity lacks permission: keep the stored catalogs for users who have it.
        return
    wanted = {
        name_of(item): item
        for item in found
        if text(mapping(item.get("spec")).get("availabilityMode")) != "Unavailable"
    }
    for row in Catalog.objects.filter(cluster=client.name, namespace=catalogs.CLUSTER).exclude(name__in=wanted):
        catalogs.remove(row)
    for name, obj in wanted.items():
        image = text(mapping(mapping(mapping(obj.get("spec")).get("source")).get("image")).get("ref"))
        title = text(mapping(mapping(obj.get("metadata")).get("annotations")).get(TITLE)) or name
        values = {"kind": Catalog.CLUSTER, "location": image[:2048], "interval": 300, "title": title[:512]}
        Catalog.objects.update_or_create(
            cluster=client.name,
            namespace=catalogs.CLUSTER,
            name=name,
            defaults=values,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterCatalog:
    """One of them.

    `image`: as it was named; `resolved`: with the digest that is served; `why`: what its conditions complain of; `row`:
    as the console read it.
    """

    name: str
    title: str
    image: str
    resolved: str
    priority: int
    mode: str
    minutes: int
    serving: bool
    health: Health
    why: str
    unpacked_at: str
    base: str
    uid: str
    version: str
    packages: int
    row: Catalog | None


def behind(catalog: ClusterCatalog) -> bool:
    """True if the console hasn't noticed yet that it was created or made unavailable."""
    if not catalog.serving:
        return catalog.row is not None and catalog.mode == "Unavailable"
    return catalog.row is None or catalog.row.state == Catalog.FAILED


def served(client: ClusterClient) -> bool:
    """Whether this cluster has OLM v1."""
    try:
        client.find(GROUP, VERSION, PLURAL)
    except NotFound:
        return False
    return True


def listed(client: ClusterClient) -> tuple[ClusterCatalog, ...]:
    """By name. Raises KubeError."""
    rows = {
        catalog.name: catalog for catalog in Catalog.objects.filter(cluster=client.name, namespace=catalogs.CLUSTER)
    }
    found = client.list(client.find(GROUP, VERSION, PLURAL)).items
    return tuple(sorted((_read(client.name, item, rows) for item in found), key=lambda catalog: catalog.name))


def get(client: ClusterClient, name: str) -> ClusterCatalog:
    """Raises KubeError."""
    rows = {
        catalog.name: catalog
        for catalog in Catalog.objects.filter(cluster=client.name, namespace=catalogs.CLUSTER, name=name)
    }
    return _read(client.name, client.get(client.find(GROUP, VERSION, PLURAL), name), rows)


def _read(cluster: str, obj: KubeObject, rows: dict[str, Catalog]) -> ClusterCatalog:
    spec, status, meta = mapping(obj.get("spec")), mapping(obj.get("status")), mapping(obj.get("metadata"))
    name = name_of(obj)
    image = mapping(mapping(spec.get("source")).get("image"))
    conditions = {text(item.get("type")): item for item in items(status.get("conditions"))}
    serving = text(mapping(conditions.get("Serving")).get("status")) == "True"
    bad = [text(condition.get("message")) for kind, condition in conditions.items() if _bad(kind, condition)]
    minutes, priority = image.get("pollIntervalMinutes"), spec.get("priority")
    mode = text(spec.get("availabilityMode")) or "Available"
    state = READY if serving else SUSPENDED if mode == "Unavailable" else DEGRADED if bad else PROGRESSING
    return ClusterCatalog(
        name=name,
        title=text(mapping(meta.get("annotations")).get(TITLE)) or name,
        image=text(image.get("ref")),
        resolved=text(mapping(mapping(status.get("resolvedSource")).get("image")).get("ref")),
        priority=priority if isinstance(priority, int) else 0,
        mode=mode,
        minutes=minutes if isinstance(minutes, int) else 0,
        serving=serving,
        health=Health(state=state),
        why="; ".join(problem for problem in bad if problem),
        unpacked_at=text(status.get("lastUnpacked")),
        base=text(mapping(status.get("urls")).get("base")),
        uid=text(meta.get("uid")),
        version=text(meta.get("resourceVersion")),
        packages=Package.objects.filter(cluster=cluster, namespace=catalogs.CLUSTER, catalog=name).count(),
        row=rows.get(name),
    )


def _bad(kind: str, item: Mapping[str, Any]) -> bool:
    """Serving that is not; and progress that is held up, or was given up."""
    if kind == "Serving":
        return item.get("status") != "True" and item.get("reason") != "UserSpecifiedUnavailable"
    return kind == "Progressing" and item.get("reason") in ("Retrying", "Blocked")
