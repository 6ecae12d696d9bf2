"""/operatorhub/: search, filters and tiles. The page and what htmx swaps are one template."""

import logging

from django.http import HttpResponse
from django.views.decorators.http import require_safe
from kombu.exceptions import OperationalError

from console.web import render
from console.web.request import ConsoleRequest, wants_fragment
from kube.client import ClusterClient
from kube.errors import Forbidden, KubeError
from operatorhub import catalog as subject
from operatorhub import index, olm, tasks
from operatorhub.models import Index

log = logging.getLogger("operatorhub.catalog")


@require_safe
def catalog(request: ConsoleRequest) -> HttpResponse:
    """The catalog; while its index is being built, a page that says so and replaces itself."""
    client = request.cluster
    if not olm.served(client):
        return render.page(request, "operatorhub/no_olm.html", {"title_is_installed": False})
    query = subject.Query.read(request.GET)
    state, stale = _current_index(client)
    every = subject.entries(client.name, state.revision)
    seen = subject.visible(client, every, request.namespace)
    result = subject.find(seen, subject.states(client), query)
    here = f"{request.path}{query.address()}".rstrip("?")
    context = {
        "query": query,
        "result": result,
        "state": state,
        "indexing": state.built_at is None,
        "stale": stale,
        "hidden": len(every) - len(seen),
        "sorts": subject.SORTS,
        "here": here,
        "more": query.address(shown=query.shown + subject.PAGE) if result.total > query.shown else "",
        "topics": f"{olm.topic(client, olm.SOURCES)} {olm.topic(client, olm.SUBSCRIPTIONS)}",
    }
    response = render.page(request, "operatorhub/catalog.html", context, fragment="operatorhub/_catalog.html")
    if wants_fragment(request) and request.headers.get("HX-Trigger") in ("hub", "hub-more"):
        response["HX-Push-Url"] = here
    return response


def _current_index(client: ClusterClient) -> tuple[Index, bool]:
    """The index, and whether the catalogs are others by now; then a build is asked for, and the page looks again until it is there."""
    state = Index.objects.filter(cluster=client.name).first()
    try:
        sources = index.fingerprint(client.list(olm.type_of(client, olm.SOURCES)).items)
    except Forbidden:
        sources = state.sources if state else ""
    if subject.wants_build(client, state, sources):
        _request_build(client, state)
        state = None
    found = state or Index.objects.get(cluster=client.name)
    return found, found.sources != sources and not found.error


def _request_build(client: ClusterClient, state: Index | None) -> None:
    """By a worker; when that can't be asked, or was asked seconds ago and did not come, here and now."""
    try:
        if state is not None and state.built_at is None and state.requested_at is not None and state.busy_until is None:
            log.warning("no worker has built the catalog index: building it in this request")
            index.build(client)
            return
        tasks.refresh_catalogs.apply_async(expires=60, retry=False)
    except OperationalError:
        log.warning("Redis does not answer: building the catalog index in this request")
        index.build(client)
    except KubeError as error:
        log.warning("the catalog index could not be built: %s", error)
