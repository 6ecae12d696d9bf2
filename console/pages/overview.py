"""/: the cluster at a glance, and where to go from here."""

from dataclasses import dataclass

from django.http import HttpResponse
from django.utils.translation import gettext as _

from console.web import render
from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.errors import KubeError
from operatorhub import installed, olm
from operatorhub.totals import Totals, totals
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
    operators: Totals | None


KINDS = (
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
        "customresourcedefinitions": _("Custom resource definitions"),
        "namespaces": _("Namespaces"),
        "pods": _("Pods"),
    }
    counts, topics = [], []
    for group, plural in KINDS:
        number, served = count(client, group, plural)
        name = "pages:namespaces" if plural == "namespaces" else "resources:list"
        counts.append(Count(labels[plural], number, name, group or "core", served or "v1", plural))
        if number is not None:
            topics.append(str(Topic(client.name, group or "core", served, plural, "")))
    operators = _operators(client)
    if operators is not None:
        topics += [olm.topic(client, plural) for plural in (olm.CSVS, olm.SUBSCRIPTIONS)]
    return Overview(
        str(version.get("gitVersion", "")),
        str(version.get("platform", "")),
        client.host,
        tuple(counts),
        " ".join(topics),
        operators,
    )


def _operators(client: ClusterClient) -> Totals | None:
    """None on a cluster without OLM, and for those who may not see the operators of all namespaces."""
    try:
        return totals(installed.listed(client, "").rows) if olm.served(client) else None
    except KubeError:
        return None


def overview(request: ConsoleRequest) -> HttpResponse:
    return render.page(
        request, "console/overview.html", {"overview": look(request.cluster)}, fragment="console/_overview.html"
    )
