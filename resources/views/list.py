"""/resources/<group>/<version>/<plural>/: the objects of a kind, in the picked namespace or all of them."""

import shlex
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web import render
from console.web.access import can
from console.web.errors import explain
from console.web.request import ConsoleRequest
from kube.errors import BadRequest, Forbidden, KubeError
from resources import listing
from resources.changes import Topic
from resources.download import FORMATS
from resources.listing import PAGE, Found, RowView
from resources.place import Place, place_of


@dataclass(frozen=True, slots=True)
class Heading:
    """`direction`: 'ascending', 'descending', or '' when the list has another order; `url` asks for the other way round."""

    label: str
    url: str
    direction: str = ""
    help: str = ""


@dataclass(frozen=True, slots=True)
class Filter:
    """What the address asks for."""

    q: str = ""
    labels: str = ""
    sort: str = ""
    page: int = 1

    @classmethod
    def of(cls, request: ConsoleRequest) -> "Filter":
        """Anything that is no page counts as the first."""
        get, page = request.GET, request.GET.get("page", "")
        number = max(1, int(page)) if page.isascii() and page.isdigit() and len(page) < 8 else 1
        return cls(get.get("q", "").strip(), get.get("labels", "").strip(), get.get("sort", "").strip(), number)

    def url(self, namespace: str, **changes: str | int) -> str:
        """The same list with something else; always a complete address, which can be kept and shared."""
        values: dict[str, str | int] = {
            "q": self.q,
            "labels": self.labels,
            "sort": self.sort,
            "page": self.page,
            **changes,
        }
        kept = {key: value for key, value in values.items() if value and (key, value) != ("page", 1)}
        return f"?{urlencode({'namespace': namespace or '-', **kept})}"


@dataclass(frozen=True, slots=True)
class ListPage:
    """`label_error`: why the label selector is none. `refusal`: why there is no list, in words; `advice`: what to do then."""

    place: Place
    namespace: str
    filter: Filter
    topic: str
    found: Found
    headings: tuple[Heading, ...]
    may_create: bool
    label_error: str = ""
    refusal: str = ""
    advice: str = ""

    @property
    def rows(self) -> tuple[RowView, ...]:
        return self.found.rows

    @property
    def all_namespaces(self) -> bool:
        """Whether each row shows its namespace."""
        return self.place.type.namespaced and not self.namespace

    @property
    def width(self) -> int:
        return len(self.headings) + 2

    @property
    def first(self) -> int:
        return (self.filter.page - 1) * PAGE + 1

    @property
    def last(self) -> int:
        return (self.filter.page - 1) * PAGE + len(self.rows)

    @property
    def url(self) -> str:
        return self.filter.url(self.namespace)

    @property
    def next_url(self) -> str:
        return self.filter.url(self.namespace, page=self.filter.page + 1) if self.found.more else ""

    @property
    def previous_url(self) -> str:
        return self.filter.url(self.namespace, page=self.filter.page - 1) if self.filter.page > 1 else ""

    @property
    def kubectl(self) -> str:
        """The same list; kubectl has no filter by a part of the name."""
        scope = f" -n {self.namespace}" if self.namespace else " -A" if self.place.type.namespaced else ""
        labels = f" -l {shlex.quote(self.filter.labels)}" if self.filter.labels else ""
        return f"kubectl get {self.place.type.qualified}{scope}{labels}"

    @property
    def may_choose(self) -> bool:
        """Whether rows can be ticked for an act on many."""
        return not self.refusal and "delete" in self.place.type.verbs

    @property
    def downloads(self) -> tuple[tuple[str, str], ...]:
        """(what, address) of the whole list as a file, with the filters of this page."""
        base = self.place.kind_url("download")
        return tuple(
            (name.upper(), f"{base}{self.filter.url(self.namespace, page=1, sort='', format=name)}") for name in FORMATS
        )

    @property
    def filtered(self) -> bool:
        return bool(self.filter.q or self.filter.labels)


@require_safe
def list_(request: ConsoleRequest, group: str, version: str, plural: str) -> HttpResponse:
    """`?namespace=`, `q`, `labels`, `sort`, `page`; only the table when htmx asks."""
    place = place_of(request, group, version, plural, request.namespace or "-")
    page, status = _look(request, place, Filter.of(request))
    return render.page(request, "resources/list.html", {"list": page}, fragment="resources/_list.html", status=status)


def _look(request: ConsoleRequest, place: Place, wish: Filter) -> tuple[ListPage, int]:
    client, type_, namespace = request.cluster, place.type, place.namespace
    found, status, label_error, refusal, advice = Found((), (), 0, False), 200, "", "", ""
    try:
        if "list" in type_.verbs:
            found = listing.find(client, type_, namespace, q=wish.q, labels=wish.labels, sort=wish.sort, page=wish.page)
        else:
            refusal = _("Objects of this kind can't be listed")
            advice = _("The API server answers questions of this kind, but keeps no objects.")
    except BadRequest as error:
        if not wish.labels:
            raise
        label_error, status = str(error), 422
    except Forbidden as error:
        refusal, advice, status = explain(error).title, _advice(place, str(error)), 403
    topic = str(Topic(client.name, type_.group_or_core, type_.version, type_.plural, namespace)) if not refusal else ""
    headings = _headings(place, found, wish)
    page = ListPage(
        place, namespace, wish, topic, found, headings, _may_create(request, place), label_error, refusal, advice
    )
    return page, status


def _advice(place: Place, words: str) -> str:
    if place.type.namespaced and not place.namespace:
        return _("You may not see all namespaces. Pick one of yours above. (%(words)s)") % {"words": words}
    return _("Ask whoever manages the cluster for a role that may list them. (%(words)s)") % {"words": words}


def _may_create(request: ConsoleRequest, place: Place) -> bool:
    if "create" not in place.type.verbs:
        return False
    try:
        return can(request.cluster, "create", place.type, place.namespace).allowed
    except KubeError:
        return False


def _headings(place: Place, found: Found, wish: Filter) -> tuple[Heading, ...]:
    names = ["Name", *(["Namespace"] if place.type.namespaced and not place.namespace else [])]
    helps = {column.name: column.description for column in found.columns}
    return tuple(
        _heading(place, name, helps.get(name, ""), wish)
        for name in (*names, *(column.name for column in listing.shown(found.columns)))
    )


def _heading(place: Place, name: str, help_: str, wish: Filter) -> Heading:
    key = name.lower()
    direction = {key: "ascending", f"-{key}": "descending"}.get(wish.sort, "")
    turned = f"-{key}" if direction == "ascending" else key
    labels = {"Name": _("Name"), "Namespace": _("Namespace"), "Age": _("Age"), "Status": _("Status")}
    return Heading(labels.get(name, name), wish.url(place.namespace, sort=turned, page=1), direction, help_)
