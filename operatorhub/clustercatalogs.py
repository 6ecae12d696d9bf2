"""OLM v1's ClusterCatalogs as catalogs of the console: one row each, read by operatorhub/refresh.py as soon as the cluster serves another content."""

from kube.client import ClusterClient
from kube.errors import Forbidden, NotFound
from kube.objects import name_of
from operatorhub import catalogs
from operatorhub.csv import mapping, text
from operatorhub.models import Catalog

GROUP, VERSION, PLURAL = "olm.operatorframework.io", "v1", "clustercatalogs"


def sync(client: ClusterClient) -> None:
    """Rows for the cluster's ClusterCatalogs; those of catalogs that are gone or disabled go. Raises KubeError but for a cluster without OLM v1."""
    try:
        found = client.list(client.find(GROUP, VERSION, PLURAL)).items
    except NotFound:
        found = []
    except Forbidden:
        # Whoever the console is there may not look: what it knows stays, and is shown to those who may.
        return
    wanted = {
        name_of(one): one for one in found if text(mapping(one.get("spec")).get("availabilityMode")) != "Unavailable"
    }
    for row in Catalog.objects.filter(cluster=client.name, namespace=catalogs.CLUSTER).exclude(name__in=wanted):
        catalogs.remove(row)
    for name, one in wanted.items():
        image = text(mapping(mapping(mapping(one.get("spec")).get("source")).get("image")).get("ref"))
        values = {"kind": Catalog.CLUSTER, "location": image[:2048], "interval": 300}
        Catalog.objects.update_or_create(
            cluster=client.name,
            namespace=catalogs.CLUSTER,
            name=name,
            defaults=values,
            create_defaults={**values, "title": name},
        )
