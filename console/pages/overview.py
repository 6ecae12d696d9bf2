"""/: the cluster at a glance, and where to go from here.

Two regions renew themselves: the numbers at each Pod that comes or goes, the operators (`?part=operators`, a dozen lists) only when one of them changes.
"""

from dataclasses import dataclass

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web import render
from console.web.request import ConsoleRequest, wants_fragment
from kube.client import ClusterClient
from kube.errors import KubeError
from operatorhub import olm
from operatorhub.running import installed
from operatorhub.running.totals import Totals, totals
from resources import followable


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


@dataclass(frozen=True, slots=True)
class Operators:
    """`totals` None: a cluster without OLM, or not to be seen by this user."""

    totals: Totals | None
    topics: str = ""


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
            topics.append(followable.topics(client, group, served, plural))
    return Overview(
        str(version.get("gitVersion", "")),
        str(version.get("platform", "")),
        client.host,
        tuple(counts),
        " ".join(topics),
    )


def operators(client: ClusterClient) -> Operators:
    """How those of all namespaces are."""
    try:
        if not olm.served(client):
            return Operators(None)
        found = totals(installed.listed(client, "").rows)
    except KubeError:
        return Operators(None)
    return Operators(found, " ".join(olm.topic(client, plural) for plural in (olm.CSVS, olm.SUBSCRIPTIONS)))


@require_safe
def overview(request: ConsoleRequest) -> HttpResponse:
    """The page, or one of its regions when htmx asks."""
    client = request.cluster
    if request.GET.get("part") == "operators":
        return render.page(request, "console/_overview_operators.html", {"operators": operators(client)})
    if wants_fragment(request):
        return render.page(request, "console/_overview.html", {"overview": look(client)})
    context = {"overview": look(client), "operators": operators(client)}
    return render.page(request, "console/overview.html", context)
