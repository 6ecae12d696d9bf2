"""/: the cluster at a glance, and where to go from here."""

from dataclasses import dataclass

from django.http import HttpResponse
from django.utils.translation import gettext as _

from console.web import render
from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.errors import KubeError
from resources.changes import Topic


@dataclass(frozen=True, slots=True)
class Count:
    """How many of a kind there are. `number` None: this user may not list them, or the cluster does not serve them."""

    label: str
    number: int | None
    url_name: str
    group: str = ""
    version: str = ""
    plural: str = ""


@dataclass(frozen=True, slots=True)
class Overview:
    version: str
    platform: str
    host: str
    counts: tuple[Count, ...]
    topics: str


KINDS = (
    ("operators.coreos.com", "clusterserviceversions"),
    ("apiextensions.k8s.io", "customresourcedefinitions"),
    ("", "namespaces"),
    ("", "pods"),
)


def count(client: ClusterClient, group: str, plural: str) -> tuple[int | None, str]:
    """How many objects, by one request for a single row and what the server says remains; and the version that was asked."""
    try:
        type_ = client.find(group, "", plural)
        table = client.table(type_, limit=1)
    except KubeError:
        return None, ""
    return len(table.rows) + (table.remaining or 0), type_.version


def look(client: ClusterClient) -> Overview:
    """Raises KubeError when the cluster does not answer."""
    version = client.version()
    labels = {
        "clusterserviceversions": _("Installed operators"),
        "customresourcedefinitions": _("Custom resource definitions"),
        "namespaces": _("Namespaces"),
        "pods": _("Pods"),
    }
    counts, topics = [], []
    for group, plural in KINDS:
        number, served = count(client, group, plural)
        name = {"clusterserviceversions": "operatorhub:installed", "namespaces": "pages:namespaces"}.get(
            plural, "resources:list"
        )
        counts.append(Count(labels[plural], number, name, group or "core", served or "v1", plural))
        if number is not None:
            topics.append(str(Topic(client.name, group or "core", served, plural, "")))
    return Overview(
        str(version.get("gitVersion", "")),
        str(version.get("platform", "")),
        client.host,
        tuple(counts),
        " ".join(topics),
    )


def overview(request: ConsoleRequest) -> HttpResponse:
    return render.page(
        request, "console/overview.html", {"overview": look(request.cluster)}, fragment="console/_overview.html"
    )
