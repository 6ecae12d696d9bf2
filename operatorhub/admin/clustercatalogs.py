"""OLM v1's ClusterCatalogs as catalogs of the console: one row each, read by operatorhub/indexing/refresh.py as soon
as the cluster serves another content.
"""

from dataclasses import dataclass

from kube.client import ClusterClient
from kube.errors import Forbidden, NotFound
from kube.objects import KubeObject
from kube.reader import read
from kube.types import olm as olm_types
from kube.types.meta import Condition
from operatorhub.admin import catalogs
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
    every = (read(item, olm_types.ClusterCatalog) for item in found)
    wanted = {catalog.metadata.name: catalog for catalog in every if catalog.spec.availability_mode != "Unavailable"}
    for row in Catalog.objects.filter(cluster=client.name, namespace=catalogs.CLUSTER).exclude(name__in=wanted):
        catalogs.remove(row)
    for name, catalog in wanted.items():
        image = catalog.spec.source.image.ref
        title = catalog.metadata.annotations.get(TITLE, "").strip() or name
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
    found = read(obj, olm_types.ClusterCatalog)
    meta, spec, status = found.metadata, found.spec, found.status
    serving = status.is_serving
    bad = [condition.message for condition in status.conditions if _bad(condition)]
    mode = spec.availability_mode or "Available"
    state = READY if serving else SUSPENDED if mode == "Unavailable" else DEGRADED if bad else PROGRESSING
    return ClusterCatalog(
        name=meta.name,
        title=meta.annotations.get(TITLE, "").strip() or meta.name,
        image=spec.source.image.ref,
        resolved=status.resolved_source.image.ref,
        priority=spec.priority or 0,
        mode=mode,
        minutes=spec.source.image.poll_interval_minutes or 0,
        serving=serving,
        health=Health(state=state),
        why="; ".join(problem for problem in bad if problem),
        unpacked_at=status.last_unpacked,
        base=status.urls.base,
        uid=meta.uid,
        version=meta.resource_version,
        packages=Package.objects.filter(cluster=cluster, namespace=catalogs.CLUSTER, catalog=meta.name).count(),
        row=rows.get(meta.name),
    )


def _bad(condition: Condition) -> bool:
    """Serving that is not; and progress that is held up, or was given up."""
    if condition.type == "Serving":
        return condition.status != "True" and condition.reason != "UserSpecifiedUnavailable"
    return condition.type == "Progressing" and condition.reason in ("Retrying", "Blocked")
