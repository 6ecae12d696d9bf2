"""/resources/events/: what controllers say about everything in the namespace, or in all, as it comes."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from django.core.paginator import Page
from django.http import HttpResponse
from django.views.decorators.http import require_safe

from console.web import render
from console.web.render import paginate
from console.web.request import ConsoleRequest
from kube.types.core import Event
from resources import live_topics
from resources.page.events import EventList, EventQuery, Happened, event_list, event_query, rows_of


@dataclass(frozen=True, slots=True, kw_only=True)
class EventsPage:
    """`namespace` '' is all; `groups`: the page that is shown, and `rows` its rows; `topic`: of the live updates."""

    query: EventQuery
    namespace: str
    found: EventList
    groups: "Page[Sequence[Event]]"
    rows: tuple[Happened, ...]
    topic: str

    def address(self, **changed: str) -> str:
        """The address of this page with other choices; '' takes one away."""
        query = self.query
        now = {
            "namespace": self.namespace or "-",
            "type": query.type,
            "kind": query.kind,
            "reason": query.reason,
            "q": query.q,
            "group": "" if query.grouped else "0",
            **changed,
        }
        return f"?{urlencode({key: value for key, value in now.items() if value}, quote_via=quote)}"

    @property
    def kinds(self) -> tuple[tuple[str, int], ...]:
        return _with(self.found.kinds, self.query.kind)

    @property
    def reasons(self) -> tuple[tuple[str, int], ...]:
        return _with(self.found.reasons, self.query.reason)

    @property
    def here(self) -> str:
        return self.address(page=str(self.groups.number) if self.groups.has_previous() else "")

    @property
    def every(self) -> int:
        """Milliseconds between two live updates: each reads all the Events, so of many it is done less often."""
        return min(10_000, max(1_000, self.found.total))

    @property
    def all_types(self) -> str:
        return self.address(type="")

    @property
    def normal_only(self) -> str:
        return self.address(type="Normal")

    @property
    def warning_only(self) -> str:
        return self.address(type="Warning")

    @property
    def grouping(self) -> str:
        return self.address(group="0" if self.query.grouped else "")

    @property
    def normal(self) -> int:
        return self.found.total - self.found.warnings

    @property
    def older(self) -> str:
        return self.address(page=str(self.groups.next_page_number())) if self.groups.has_next() else ""

    @property
    def newer(self) -> str:
        return self.address(page=str(self.groups.previous_page_number())) if self.groups.has_previous() else ""

    @property
    def filtered(self) -> bool:
        return bool(self.query.type or self.query.kind or self.query.reason or self.query.q)

    @property
    def clear(self) -> str:
        return self.address(type="", kind="", reason="", q="")


def _with(counted: tuple[tuple[str, int], ...], chosen: str) -> tuple[tuple[str, int], ...]:
    """What is chosen stays in the choice, also when there is none of it any more."""
    return counted if not chosen or chosen in dict(counted) else (*counted, (chosen, 0))


@require_safe
def events(request: ConsoleRequest) -> HttpResponse:
    """`?type=`, `kind`, `reason`, `q`, `group=0`: ungrouped, `page`; only the list for htmx and live updates."""
    query, namespace = event_query(request.GET), request.namespace
    found = event_list(request.cluster, namespace, query)
    type_ = request.cluster.find("", "v1", "events")
    groups = paginate(request, found.groups)
    page = EventsPage(
        query=query,
        namespace=namespace,
        found=found,
        groups=groups,
        rows=rows_of(request.cluster, groups),
        topic=live_topics.topics(request.cluster, type_, namespace=namespace),
    )
    return render.page(request, "resources/events.html", {"page": page}, part=True)
