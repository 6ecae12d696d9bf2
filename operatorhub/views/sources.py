"""/operatorhub/catalogs/: the sources of packages, their health and contents.

Live by the CatalogSources; one source that fails is named.
"""

from collections import Counter
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from console.web import audit, render
from console.web.access import refusal
from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError, NotFound
from operatorhub import olm, tasks
from operatorhub.admin import catalogs, catalogsources, clustercatalogs
from operatorhub.bundle import bundles
from operatorhub.models import Catalog, Index, Package
from resources import live_topics

KINDS = {catalogs.OWN: "own", catalogs.CLUSTER: "clustercatalog"}


@require_safe
def sources(request: ConsoleRequest) -> HttpResponse:
    """All of them: OLM's, OLM v1's, the console's own."""
    client = request.cluster
    olm_served, v1_served = olm.served(client), clustercatalogs.served(client)
    found, words = catalogsources.listed(client, request.namespace) if olm_served else ((), "")
    v1, v1_words = _v1(client, v1_served)
    busy = _wake(client, any(map(clustercatalogs.behind, v1)))
    hub_type = catalogsources.hub_type(client)
    defaults = catalogsources.defaults(client, hub_type) if hub_type else ()
    context = {
        "sources": found,
        "defaults": defaults,
        "default_places": {source.place for source in defaults},
        "switch_refused": refusal(client, "patch", hub_type, "", catalogsources.HUB) if hub_type else "",
        "v1": v1,
        "own": own(client),
        "gaps": [gap for gap in (words, v1_words) if gap],
        "olm_served": olm_served,
        "v1_served": v1_served,
        "refused": {
            "catalogsource": _refusal(client, "create", olm.GROUP, olm.VERSION, olm.SOURCES) if olm_served else "-",
            "clustercatalog": _refusal(client, "create", clustercatalogs.GROUP, "v1", clustercatalogs.PLURAL)
            if v1_served
            else "-",
            "own": catalogs.change_refusal(client),
        },
        "busy": busy or Catalog.objects.filter(cluster=client.name, state__in=(Catalog.NEW, Catalog.READING)).exists(),
        "topics": _topics(client, olm_served, v1_served, hub_type),
        "here": request.get_full_path(),
        "picked": request.namespace,
    }
    return render.page(request, "operatorhub/sources.html", context, part=True)


@require_safe
def source(request: ConsoleRequest, namespace: str, name: str) -> HttpResponse:
    """One of them: `~` the console's own, `-` a ClusterCatalog, else a CatalogSource."""
    client = request.cluster
    kind = KINDS.get(namespace, "catalogsource")
    facts = {"own": _own, "clustercatalog": _clustercatalog, "catalogsource": _catalogsource}[kind]
    context = {
        "namespace": namespace,
        "name": name,
        "here": request.get_full_path(),
        "packages": _packages(client, namespace, name),
        "kind": kind,
        "template": f"operatorhub/_source_{kind}.html",
        **facts(client, namespace, name),
    }
    return render.page(request, "operatorhub/source.html", context, part=True)


def own(client: ClusterClient) -> list[Catalog]:
    """The console's own catalogs, those that describe CatalogSources last."""
    rows = Catalog.objects.filter(cluster=client.name, namespace=catalogs.OWN)
    mine = [row for row in rows if bundles.is_catalog_visible(client, row)]
    catalogs.hide_folders(client, mine)
    _count_hidden(client, mine)
    return sorted(mine, key=lambda catalog: (bool(catalog.describes), (catalog.title or catalog.name).lower()))


def _count_hidden(client: ClusterClient, rows: list[Catalog]) -> None:
    """Sets `hidden_packages`, those that OperatorHub doesn't show.

    A catalog that describes another has none itself.
    """
    hidden = Package.objects.filter(cluster=client.name, namespace=catalogs.OWN).exclude(hidden="")
    counts = Counter(hidden.values_list("catalog", flat=True))
    for row in rows:
        row.hidden_packages = counts[row.name]


def own_row(client: ClusterClient, name: str) -> Catalog:
    row = Catalog.objects.filter(cluster=client.name, namespace=catalogs.OWN, name=name).first()
    if row is None or not bundles.is_catalog_visible(client, row):
        raise NotFound(
            _("The console has no catalog “%(name)s” of its own. The catalog may have been removed.") % {"name": name}
        )
    return row


def _own(client: ClusterClient, _namespace: str, name: str) -> dict[str, Any]:
    row = own_row(client, name)
    catalogs.hide_folders(client, [row])
    _count_hidden(client, [row])
    return {
        "row": row,
        "location": catalogs.shown(row.location),
        "refused": catalogs.change_refusal(client),
        "topics": "",
    }


def _clustercatalog(client: ClusterClient, _namespace: str, name: str) -> dict[str, Any]:
    found = clustercatalogs.get(client, name)
    _wake(client, clustercatalogs.behind(found))
    arguments = (clustercatalogs.GROUP, "v1", clustercatalogs.PLURAL)
    return {
        "source": found,
        "row": found.row,
        "edit_refused": _refusal(client, "patch", *arguments, name=name),
        "delete_refused": _refusal(client, "delete", *arguments, name=name),
        "topics": live_topics.topics(client, arguments),
    }


def _catalogsource(client: ClusterClient, namespace: str, name: str) -> dict[str, Any]:
    found = catalogsources.get(client, namespace, name)
    pods, pods_gap = catalogsources.pods(client, found)
    dependents, gap = catalogsources.dependents(client, namespace, name)
    arguments = (olm.GROUP, olm.VERSION, olm.SOURCES)
    return {
        "source": found,
        "row": found.read_by,
        "pods": pods,
        "pods_gap": pods_gap,
        "dependents": dependents,
        "dependents_gap": gap,
        "edit_refused": _refusal(client, "patch", *arguments, namespace=namespace, name=name),
        "delete_refused": _refusal(client, "delete", *arguments, namespace=namespace, name=name),
        "restart_refused": _refusal(client, "delete", "", "v1", "pods", namespace=namespace),
        "read_refused": catalogs.change_refusal(client),
        "topics": live_topics.topics(client, arguments, live_topics.PODS, namespace=namespace),
    }


def _packages(client: ClusterClient, namespace: str, name: str) -> list[Any]:
    return list(catalogsources.packages(client.name, namespace, name)[:1000])


def _v1(client: ClusterClient, served: bool) -> tuple[tuple[clustercatalogs.ClusterCatalog, ...], str]:
    """The ClusterCatalogs, or why they can't be listed."""
    try:
        return (clustercatalogs.listed(client), "") if served else ((), "")
    except KubeError as error:
        return (), _("Can't list ClusterCatalogs: %(error)s") % {"error": error}


def _wake(client: ClusterClient, behind: bool) -> bool:
    """Queue a reading of catalogs that are unread or outdated (`behind`), at most every five seconds.

    True while one is unread.
    """
    state, _made = Index.objects.get_or_create(cluster=client.name)
    unseen = state.built_at is None and not state.error
    if not unseen and not behind:
        return False
    now = timezone.now()
    quiet = Q(requested_at=None) | Q(requested_at__lt=now - timedelta(seconds=5))
    if Index.objects.filter(quiet, cluster=client.name).update(requested_at=now):
        tasks.ask_for_all(client)
    return unseen


def _topics(client: ClusterClient, olm_served: bool, v1_served: bool, hub_type: ResourceType | None) -> str:
    types = list(olm.type_names(olm.SOURCES)) if olm_served else []
    if v1_served:
        types.append((clustercatalogs.GROUP, clustercatalogs.VERSION, clustercatalogs.PLURAL))
    if hub_type:
        types.append((hub_type.group, hub_type.version, hub_type.plural))
    return live_topics.topics(client, *types)


def _refusal(
    client: ClusterClient, verb: str, group: str, version: str, plural: str, *, namespace: str = "", name: str = ""
) -> str:
    """Why an action is not possible for this user, '' when it is."""
    try:
        return refusal(client, verb, client.find(group, version, plural), namespace, name)
    except KubeError as error:
        return str(error)


@require_POST
def refresh(request: ConsoleRequest, namespace: str, name: str) -> HttpResponse:
    """Read it again now, away from this request."""
    if namespace == catalogs.OWN and (words := catalogs.change_refusal(request.cluster)):
        messages.error(request, words)
        return _back(namespace, name)
    row = Catalog.objects.filter(cluster=request.cluster.name, namespace=namespace, name=name).first()
    if row is None and namespace == catalogs.OWN:
        raise Http404
    audit.record(request, "refresh", f"catalog {namespace}/{name}", "ok")
    asked = tasks.ask(row) if row is not None else tasks.ask_for_all(request.cluster)
    _say(request, asked, _("The catalog “%(name)s” is being read again.") % {"name": name})
    return _back(namespace, name)


@require_POST
def read(request: ConsoleRequest, namespace: str, name: str) -> HttpResponse:
    """Read a CatalogSource's own image, for its bundles and graphs: the package server has neither.

    `stop=1` forgets them.
    """
    if words := catalogs.change_refusal(request.cluster):
        messages.error(request, words)
        return _back(namespace, name)
    found = catalogsources.get(request.cluster, namespace, name)
    if "stop" in request.POST:
        if found.read_by and not found.read_by.given:
            catalogs.remove(found.read_by)
        return _back(namespace, name)
    row = catalogs.describe(request.cluster.name, namespace, name, found.title, found.endpoint)
    audit.record(request, "read", f"catalog image of {found.place}", "ok")
    _say(request, tasks.ask(row), _("The image %(image)s is being read.") % {"image": found.endpoint})
    return _back(namespace, name)


@require_POST
def switch_default(request: ConsoleRequest, name: str) -> HttpResponse:
    """Turns one of OpenShift's default catalogs off (`disabled`) or on."""
    disabled = bool(request.POST.get("disabled"))
    with audit.recorded(request, "patch", f"config.openshift.io/v1/operatorhubs {catalogsources.HUB}"):
        catalogsources.switch_default(request.cluster, name, disabled=disabled, version=request.POST.get("version", ""))
    words = _("OpenShift deletes the catalog “%(name)s”.") if disabled else _("OpenShift adds the catalog “%(name)s”.")
    messages.info(request, words % {"name": name})
    return HttpResponseRedirect(reverse("operatorhub:sources"))


@require_POST
def restart(request: ConsoleRequest, namespace: str, name: str) -> HttpResponse:
    """Delete the Pods of its registry: OLM makes new ones, which pull the image again."""
    client = request.cluster
    pods, gap = catalogsources.pods(client, catalogsources.get(client, namespace, name))
    for pod in pods:
        client.delete(client.find("", "v1", "pods"), pod.name, namespace)
        audit.record(request, "delete", f"core/v1/pods {namespace}/{pod.name}", "ok")
    words = _("The registry of “%(name)s” is restarting.") if pods else gap or _("“%(name)s” has no registry Pod.")
    messages.info(request, words % {"name": name} if "%(name)s" in words else words)
    return _back(namespace, name)


def _say(request: ConsoleRequest, asked: bool, words: str) -> None:
    if asked:
        messages.info(request, words)
    else:
        messages.error(
            request,
            _("Can't reach a worker: Redis isn't responding. The catalog will be read at the next scheduled time."),
        )


def _back(namespace: str, name: str) -> HttpResponseRedirect:
    return HttpResponseRedirect(reverse("operatorhub:source", args=[namespace, name]))
