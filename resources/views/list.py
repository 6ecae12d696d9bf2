"""The objects of a kind in the chosen namespace or in all of them, as a page or as a file.

/resources/<group>/<version>/<plural>/: the page.
/resources/<group>/<version>/<plural>/download/: the whole list as a file, with the page's filters.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web import audit, render
from console.web.access import can
from console.web.errors import all_namespaces_refused, explain
from console.web.request import ConsoleRequest, wants_fragment
from kube.errors import BadRequest, Forbidden, KubeError, ServerError
from resources import live_topics
from resources.lists import download as downloads
from resources.lists import listing, saved_searches
from resources.lists.entries import stateful
from resources.lists.listing import ListResult
from resources.place import Place, place_of
from resources.templatetags.resources import position_at_start
from resources.usage import plural_of, readings
from resources.views.filter import Filter
from resources.views.list_page import USAGE, ColumnChoice, ListPage

_HEARD = "X-Live-Version"
_LONGEST_VERSION = 40


@require_safe
def list_(request: ConsoleRequest, group: str, version: str, plural: str) -> HttpResponse:
    """What Filter reads, and `namespace`; only the table when htmx asks, only the states with `part=states`.

    `count=1`: count them at once.
    """
    since = position_at_start(request)
    place = place_of(request, group, version, plural, request.namespace or "-")
    filter_, choice = Filter.from_query(request.GET), ColumnChoice.from_request(request, place.type.qualified)
    if request.GET.get("part") == "states":
        return _told(_states(request, place, filter_, choice), since, "")
    page, status = _list_page(request, place, filter_, choice)
    answer = render.page(request, "resources/list.html", {"list": page}, fragment="resources/_list.html", status=status)
    return _told(answer, since, page.found.version)


def _told(answer: HttpResponse, since: str, version: str) -> HttpResponse:
    """With the position from which live updates of this answer resume, and its resourceVersion."""
    if since:
        answer["X-Live-Since"] = since
    if version:
        answer[_HEARD] = version
    return answer


def _min_version(request: ConsoleRequest) -> str:
    """The highest resourceVersion of this list that the page has received."""
    version = request.headers.get(_HEARD, "")
    return version if version.isascii() and version.isdigit() and len(version) <= _LONGEST_VERSION else ""


def _states(request: ConsoleRequest, place: Place, filter_: Filter, choice: ColumnChoice) -> HttpResponse:
    """The states of the whole list, as a part of the page."""
    query = replace(filter_.query(), min_version=_min_version(request))
    states = listing.counted(request.cluster, place.type, place.namespace, query)
    page = ListPage(
        place=place,
        namespace=place.namespace,
        filter=filter_,
        choice=choice,
        topic=_topic(request, place),
        found=ListResult(columns=(), entries=(), total=0, more=False, states=states),
    )
    return render.page(request, "resources/_list.html", {"list": page}, block="states")


def _list_page(request: ConsoleRequest, place: Place, filter_: Filter, choice: ColumnChoice) -> tuple[ListPage, int]:
    client, type_, namespace = request.cluster, place.type, place.namespace
    found, status, error, refusal, advice = ListResult(columns=(), entries=(), total=0, more=False), 200, "", "", ""
    words = ""
    query = replace(filter_.query(choice.size), min_version=_min_version(request))
    try:
        if "list" in type_.verbs:
            asked = readings.ask(client, plural_of(type_), namespace)
            found = listing.find(client, type_, namespace, query, asked)
            if found.states is None and stateful(type_) and "count" in request.GET:
                found = listing.with_states(client, type_, namespace, query, found)
        else:
            refusal = _("Can't list objects of this resource type")
            advice = _("The API server answers requests of this kind, but doesn't store objects.")
    except BadRequest as problem:
        if not (query.labels or query.fields):
            raise
        error, status = str(problem), 422
    except Forbidden as problem:
        refusal, advice, status = explain(problem).title, _refusal_advice(place), 403
        words = str(problem)
    except ServerError as problem:
        # A broken webhook or API server of this kind alone: shown here, with links to its definition and other kinds.
        explained = explain(problem)
        refusal, advice, status = explained.title, f"{explained.advice} ({explained.detail})", explained.status
    topic = _topic(request, place) if not refusal else ""
    page = ListPage(
        place=place,
        namespace=namespace,
        filter=filter_,
        choice=choice,
        topic=topic,
        found=found,
        may_create=_may_create(request, place),
        # The API server says which selector it can't read in its words only.
        label_error="" if "field" in error.lower() else error,
        field_error=error if "field" in error.lower() else "",
        refusal=refusal,
        advice=advice,
        # A live update renews the rows, not the tabs and menus above them.
        saved=() if wants_fragment(request) and request.htmx.target != "list" else saved_searches.mine(client, place),
        with_usage=request.GET[USAGE] == "1" if request.GET.get(USAGE) in ("0", "1") else None,
        refused_words=words,
    )
    return page, status


def _topic(request: ConsoleRequest, place: Place) -> str:
    return live_topics.topics(request.cluster, place.type, namespace=place.namespace)


def _refusal_advice(place: Place) -> str:
    if place.type.namespaced and not place.namespace:
        return all_namespaces_refused()
    return _("Ask a cluster administrator for a role that can list them.")


def _may_create(request: ConsoleRequest, place: Place) -> bool:
    if "create" not in place.type.verbs:
        return False
    try:
        return can(request.cluster, "create", place.type, place.namespace).allowed
    except KubeError:
        return False


@require_safe
def download(request: ConsoleRequest, group: str, version: str, plural: str) -> HttpResponseBase:
    """`?format=` csv, json or yaml; `clean=1`: objects to be applied elsewhere (kube/objects.py).

    Values of Secrets are left out but for `reveal=1`, which is written to the audit log.
    """
    place = place_of(request, group, version, plural, request.namespace or "-")
    format_ = request.GET.get("format", "csv")
    if format_ not in downloads.FORMATS:
        raise BadRequest(_("The format “%(name)s” doesn't exist. Use csv, json or yaml.") % {"name": format_[:40]})
    if request.method == "HEAD":
        return HttpResponse(content_type=downloads.FORMATS[format_])
    parts = _download_parts(request, place, format_)
    # The first part is made before the answer begins, so that errors get the usual error page.
    first = next(parts, "")
    answer = StreamingHttpResponse(downloads.whole(chain([first], parts)), content_type=downloads.FORMATS[format_])
    name = "-".join(filter(None, (place.type.plural, place.type.group, place.namespace)))
    return render.as_file(answer, f"{name}.{format_}")


def _download_parts(request: ConsoleRequest, place: Place, format_: str) -> Iterator[str]:
    query, client, type_ = Filter.from_query(request.GET).query(), request.cluster, place.type
    if format_ == "csv":
        return downloads.rows(
            client, type_, place.namespace, query, ColumnChoice.from_request(request, type_.qualified).keys
        )
    masked = place.secret and request.GET.get("reveal") != "1"
    if place.secret and not masked:
        audit.record(request, "download", place.ref, "ok")
    neat = request.GET.get("clean") == "1"
    found = downloads.objects(client, type_, place.namespace, query, masked=masked, neat=neat)
    return downloads.as_json(found) if format_ == "json" else downloads.as_yaml(found)
