"""/operatorhub/: the catalog with search, filters and tiles. The page and what htmx swaps are one template.

/operatorhub/compare/: packages side by side.

Icons: the address holds the icon's digest, so browsers keep it for a year; a package whose icon is not fetched yet is
asked for by its number. The response's policy forbids scripts, so that an icon is harmless even if opened directly.
"""

import logging
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.http import HttpResponse, HttpResponseNotModified
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from kombu.exceptions import OperationalError

from console.web import render
from console.web.errors import Problem, problem_response
from console.web.request import ConsoleRequest, wants_fragment
from kube.client import ClusterClient
from kube.errors import Forbidden, KubeError
from operatorhub import olm, tasks
from operatorhub.bundle import bundles
from operatorhub.extensions import facts as extensions
from operatorhub.find import catalog as subject
from operatorhub.find import compare as comparison
from operatorhub.find.facets import MOST_COMPARED, PAGE_PACKAGES, CatalogQuery
from operatorhub.indexing import index
from operatorhub.indexing.index import NO_ICON, fetch_icon
from operatorhub.models import Icon, Index, Package
from resources import live_topics

log = logging.getLogger("operatorhub.find.catalog")
ICON_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


@require_safe
def catalog(request: ConsoleRequest) -> HttpResponse:
    """The catalog; while its index is being built, a page that says so and replaces itself."""
    client = request.cluster
    with_olm = olm.served(client)
    if not with_olm and not Package.objects.filter(cluster=client.name).exists():
        return render.page(request, "operatorhub/no_olm.html", {"title_is_installed": False})
    query = CatalogQuery.read(request.GET)
    context = {**_content(request, query, with_olm=with_olm), "query": query, "with_olm": with_olm}
    response = render.page(request, "operatorhub/catalog.html", context, part=True)
    asked_by = request.headers.get("HX-Trigger", "")
    if wants_fragment(request) and (asked_by in ("hub", "hub-more") or asked_by.startswith("hub-chip-")):
        _remember(request, response, context["here"])
    return response


def _content(request: ConsoleRequest, query: CatalogQuery, *, with_olm: bool) -> dict[str, Any]:
    client = request.cluster
    sources, unlisted = subject.sources(client)
    state, stale = _current_index(client, sources, known=unlisted is None and with_olm)
    every = subject.everything(client.name, state.revision)
    seen = subject.visible(client, every.entries, request.namespace)
    states = subject.installed_states(client)
    result = subject.find(seen, states.states, query, every.labels)
    return {
        "result": result,
        "state": state,
        "indexing": state.built_at is None and with_olm,
        "stale": stale,
        "hidden": len(every.entries) - len(seen),
        "unread": states.unread,
        "unlisted": isinstance(unlisted, Forbidden),
        "troubles": subject.catalog_problems(client, sources),
        "here": f"{request.path}{query.address()}".rstrip("?"),
        "more": query.address(shown=query.shown + PAGE_PACKAGES) if result.total > query.shown else "",
        "most_compared": MOST_COMPARED,
        "compare_url": f"{reverse('operatorhub:compare')}?{urlencode([('package', key) for key in query.compared])}",
        "uncompared": query.address(compared=()),
        "topics": _topics(client, with_olm=with_olm),
    }


def _topics(client: ClusterClient, *, with_olm: bool) -> str:
    types = list(olm.type_names(olm.SOURCES, olm.SUBSCRIPTIONS)) if with_olm else []
    if extensions.served(client):
        types.append((extensions.GROUP, extensions.VERSION, extensions.EXTENSIONS))
    return live_topics.topics(client, *types)


def _remember(request: ConsoleRequest, response: HttpResponse, here: str) -> None:
    """Keeps the URL up to date. Typing is one history entry, not one for each letter."""
    before, now = (parse_qsl(urlsplit(url).query) for url in (request.headers.get("HX-Current-URL", ""), here))
    if before == now and request.headers.get("HX-Current-URL"):
        return
    words = dict(before).get("q"), dict(now).get("q")
    same = [pair for pair in before if pair[0] not in ("q", "shown")] == [
        pair for pair in now if pair[0] not in ("q", "shown")
    ]
    response["HX-Replace-Url" if same and all(words) and words[0] != words[1] else "HX-Push-Url"] = here


def _current_index(client: ClusterClient, sources: list[dict[str, Any]], *, known: bool) -> tuple[Index, bool]:
    """The index, and whether it is stale; then a build is requested, and the page polls until it is done."""
    state = Index.objects.filter(cluster=client.name).first()
    mark = index.fingerprint(sources) if known else state.sources if state else ""
    if subject.wants_build(client, state, mark):
        _request_build(client, state)
        state = None
    found = state or Index.objects.get(cluster=client.name)
    return found, found.sources != mark and not found.error


def _request_build(client: ClusterClient, state: Index | None) -> None:
    """By a worker; when that can't be asked, or was asked seconds ago and did not come, here and now."""
    try:
        if state is not None and state.built_at is None and state.requested_at is not None and state.busy_until is None:
            log.warning("no worker has built the catalog index: building it in this request")
            index.build(client)
            return
        tasks.refresh_catalogs.apply_async(kwargs=tasks.cluster_argument(client), expires=60, retry=False)
    except OperationalError:
        log.warning("Redis does not answer: building the catalog index in this request")
        index.build(client)
    except KubeError as error:
        log.warning("the catalog index could not be built: %s", error)


@require_safe
def compare(request: ConsoleRequest) -> HttpResponse:
    """`?package=<namespace>/<catalog>/<name>`, two to four of them; with one the page says how to pick another.

    `?differences=1`: only what differs.
    """
    keys = comparison.keys(request.GET.getlist("package"))
    columns = comparison.columns(request.cluster, keys, request.namespace)
    without = {key: urlencode([("package", other) for other in keys if other != key]) for key in keys}
    others = f"{reverse('operatorhub:catalog')}?{urlencode([('compare', key) for key in keys])}"
    rows = comparison.rows(columns)
    differing = request.GET.get("differences") == "1"
    context = {
        "columns": [(column, without[column.key]) for column in columns],
        "rows": [row for row in rows if not row.same] if differing else rows,
        "differing": differing,
        "here": urlencode([("package", key) for key in keys]),
        "few": len(keys) < comparison.LEAST,
        "full": len(keys) >= MOST_COMPARED,
        "most": MOST_COMPARED,
        "others_url": others.rstrip("?"),
    }
    return render.page(request, "operatorhub/compare.html", context)


@require_safe
def icon(request: ConsoleRequest, digest: str) -> HttpResponse:
    """`digest`: of the icon, or p-<number> of a package."""
    by_content = not digest.startswith("p-")
    if by_content and request.headers.get("If-None-Match") == f'"{digest}"':
        return HttpResponseNotModified()
    found = (
        get_object_or_404(Icon, digest=digest) if by_content else _icon_of_package(request, digest.removeprefix("p-"))
    )
    if found is None:
        return problem_response(
            request,
            Problem(status=404, title=_("Icon not found"), advice=_("This package has no icon."), detail=request.path),
        )
    response = HttpResponse(bytes(found.data), content_type=found.media_type)
    response["Content-Security-Policy"] = ICON_POLICY
    response["X-Content-Type-Options"] = "nosniff"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    response["Cache-Control"] = "public, max-age=31536000, immutable" if by_content else "private, max-age=300"
    response["ETag"] = f'"{found.digest}"'
    return response


def _icon_of_package(request: ConsoleRequest, number: str) -> Icon | None:
    package = get_object_or_404(
        Package, pk=int(number) if number.isascii() and number.isdigit() and len(number) < 19 else 0
    )
    hidden = request.cluster.config.session and not bundles.visible(
        request.cluster, package.namespace, request.namespace
    )
    if package.cluster != request.cluster.name or package.icon == NO_ICON or hidden:
        return None
    if package.icon:
        return Icon.objects.filter(digest=package.icon).first()
    try:
        return fetch_icon(request.cluster, package)
    except Forbidden:
        # Of a namespace that is not theirs: the worker fetches it. What their own namespace calls so may be another's
        # icon, and this one is kept for all.
        return None
