"""/operators/: what is installed, in the picked namespace or in all, filtered by name, labels, status and namespace.
Each value of a filter shows how many rows it would leave.

/operators/services/: the resource types that the installed operators provide, one tile with a button for each. A type
that several installs provide (an operator in each of ten namespaces) is one tile; it offers the newest version of the
type.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from urllib.parse import quote, urlencode

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web import render
from console.web.access import refusal
from console.web.errors import explain
from console.web.render import paginate
from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import BadRequest, Forbidden
from operatorhub import olm
from operatorhub.csv import Api
from operatorhub.running.installed_operators import Listed, Operator, listed, with_lifecycles
from resources import live_topics
from resources.types import kind_versions


@dataclass(frozen=True, slots=True)
class FilterChoice:
    """One value of a filter. `count`: of the rows that all other filters leave."""

    value: str
    label: str
    count: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class ShownFilter:
    """A filter above the list; `name`: of its parameter."""

    name: str
    label: str
    choices: tuple[FilterChoice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorFilter:
    """The filters of the URL: values of one filter are alternatives, filters are combined with "and"."""

    q: str = ""
    labels: str = ""
    status: tuple[str, ...] = ()
    places: tuple[str, ...] = ()

    @property
    def active(self) -> bool:
        return bool(self.q or self.labels or self.status or self.places)

    def url(self, page: int) -> str:
        pairs = [
            ("q", self.q),
            ("labels", self.labels),
            *(("status", status) for status in self.status),
            *(("in", place) for place in self.places),
        ]
        return "?" + urlencode(
            [(key, value) for key, value in (*pairs, ("page", str(page) if page > 1 else "")) if value]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterResult:
    """`rows` of all pages; `everything`: the number of rows without filters."""

    rows: tuple[Operator, ...]
    everything: int
    status: tuple[FilterChoice, ...]
    places: tuple[FilterChoice, ...]


#: Namespaces above the list.
_MAX_PLACES = 12


@require_safe
def installed(request: ConsoleRequest) -> HttpResponse:
    """`?q=`, `labels`, `status`, `in` (namespaces) and `page`."""
    client, namespace = request.cluster, request.namespace
    if not olm.served(client):
        return render.page(request, "operatorhub/no_olm.html", {})
    query, found, status, problem, label_error = _requested_filter(request), Listed(()), 200, None, ""
    try:
        found = listed(client, namespace, query.labels)
    except BadRequest as error:
        if not query.labels:
            raise
        status, label_error = 422, str(error)
    except Forbidden as error:
        status, problem = 403, explain(error)
    operators = with_lifecycles(client, found.rows, found.subscriptions)
    result = filter_operators(operators, query)
    rows = paginate(request, result.rows)
    plurals = (olm.CSVS, olm.SUBSCRIPTIONS) if status == 200 else ()
    context = {
        "result": result,
        "rows": rows,
        "query": query,
        "filters": _shown_filters(result, namespace),
        "has_lifecycles": any(row.lifecycle for row in operators),
        "gaps": found.gaps,
        "namespace": namespace,
        "problem": problem,
        "label_error": label_error,
        "advice": _(
            "Select one of your namespaces above, or ask an administrator for permission to list"
            " ClusterServiceVersions."
        ),
        "topics": live_topics.topics(client, *olm.type_names(*plurals), namespace=namespace),
        "previous": query.url(rows.number - 1),
        "next": query.url(rows.number + 1),
    }
    return render.page(request, "operatorhub/installed.html", context, part=True, status=status)


def _shown_filters(result: FilterResult, namespace: str) -> tuple[ShownFilter, ...]:
    """Those with something to choose from."""
    places = () if namespace or len(result.places) < 2 else result.places[:_MAX_PLACES]
    filters = (ShownFilter("status", _("Status"), result.status), ShownFilter("in", _("Namespace"), places))
    return tuple(shown for shown in filters if shown.choices)


def _requested_filter(request: ConsoleRequest) -> OperatorFilter:
    get = request.GET
    return OperatorFilter(
        q=get.get("q", "").strip()[:200],
        labels=get.get("labels", "").strip()[:500],
        status=tuple(value for value in get.getlist("status") if value in _status_labels()),
        places=tuple(dict.fromkeys(get.getlist("in")))[:50] if not request.namespace else (),
    )


def filter_operators(rows: Iterable[Operator], wanted: OperatorFilter) -> FilterResult:
    """The rows that fit, and the counts."""
    everything = tuple(rows)
    named = [row for row in everything if _named(row, wanted.q)]
    by_status = [row for row in named if not wanted.status or _statuses(row) & set(wanted.status)]
    by_place = [row for row in named if not wanted.places or row.namespace in wanted.places]
    left = [row for row in by_status if not wanted.places or row.namespace in wanted.places]
    of_status = Counter(kind for row in by_place for kind in _statuses(row))
    of_place = Counter(row.namespace for row in by_status)
    status = tuple(
        FilterChoice(value, label, of_status[value], value in wanted.status)
        for value, label in _status_labels().items()
        if of_status[value] or value in wanted.status
    )
    names = sorted({*of_place, *wanted.places}, key=lambda place: (-of_place[place], place))
    places = tuple(FilterChoice(name, name, of_place[name], name in wanted.places) for name in names)
    return FilterResult(rows=tuple(left), everything=len(everything), status=status, places=places)


def _status_labels() -> Mapping[str, str]:
    """The statuses by which a list can be filtered, those that need attention first."""
    return {
        "failed": _("Failed"),
        "asks": _("Waiting for approval"),
        "running": _("In progress"),
        "done": _("Succeeded"),
        "updates": _("Update available"),
        "deprecated": _("Deprecated"),
        "orphan": _("Without Subscription"),
    }


def _statuses(row: Operator) -> frozenset[str]:
    """The statuses of a row: how it is, and what is special about it."""
    found = {row.state}
    if row.update is not None and row.update.state == "asks" and row.csv:
        found.add("updates")
    if row.update is not None and row.update.state == "failed":
        found.add("failed")
    if row.deprecated:
        found.add("deprecated")
    if row.orphan:
        found.add("orphan")
    return frozenset(found)


def _named(row: Operator, q: str) -> bool:
    words = f"{row.title} {row.csv} {row.package} {row.provider} {row.subscription}".lower()
    return all(word in words for word in q.lower().split())


@dataclass(frozen=True, slots=True)
class Service:
    """One kind.

    `operators`: its providers. `type`: None while the cluster doesn't serve it; `refused`: why nothing can be created
    here, '' if it can.
    """

    api: Api
    operators: tuple[Operator, ...]
    type: ResourceType | None = None
    refused: str = ""

    @property
    def icon_name(self) -> str:
        return next((operator.icon_name for operator in self.operators if operator.icon_name), "")

    @property
    def titles(self) -> tuple[str, ...]:
        """Of its operators, each once."""
        return tuple(dict.fromkeys(operator.title for operator in self.operators))


@require_safe
def services(request: ConsoleRequest) -> HttpResponse:
    """`?q=` keeps those that have its words."""
    client = request.cluster
    if not olm.served(client):
        return render.page(request, "operatorhub/no_olm.html", {})
    q = " ".join(request.GET.get("q", "").split())[:200]
    found = listed(client, request.namespace)
    shown = services_of(found.rows, q)
    context = {
        "services": with_types(client, shown, request.namespace),
        "everything": len(shown) if not q else len(services_of(found.rows)),
        "q": q,
        "in_namespace": f"?namespace={quote(request.namespace)}" if request.namespace else "",
        "gaps": found.gaps,
        "topics": live_topics.topics(client, *olm.type_names(olm.CSVS), namespace=request.namespace),
    }
    return render.page(request, "operatorhub/services.html", context, part=True)


def services_of(operators: Iterable[Operator], q: str = "") -> tuple[Service, ...]:
    """By title. `q`: all its words must be in the kind's or its operators' texts."""
    found: dict[str, Service] = {}
    for operator in operators:
        for api in operator.apis:
            known = found.get(api.crd)
            found[api.crd] = (
                replace(known, operators=(*known.operators, operator)) if known else Service(api, (operator,))
            )
    words = q.lower().split()
    matches = (service for service in found.values() if all(word in _search_text(service) for word in words))
    return tuple(sorted(matches, key=lambda service: (service.api.title.lower(), service.api.crd)))


def _search_text(service: Service) -> str:
    api = service.api
    return " ".join((api.title, api.kind, api.group, api.plural, api.description, *service.titles)).lower()


def with_types(client: ClusterClient, found: Iterable[Service], namespace: str) -> tuple[Service, ...]:
    """With the type that the cluster serves, and whether this user may create one in the namespace ('' = in every
    one).
    """
    return tuple(_with_type(client, service, namespace) for service in found)


def _with_type(client: ClusterClient, service: Service, namespace: str) -> Service:
    type_ = kind_versions.preferred_type(client, service.api.group, service.api.plural)
    if type_ is None:
        return service
    return replace(service, type=type_, refused=refusal(client, "create", type_, namespace))
