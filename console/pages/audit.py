"""/audit/: who did what to which object when; one act with what it changed; all that a search finds as a file."""

from dataclasses import dataclass
from datetime import UTC

from django.conf import settings
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpResponse, HttpResponseBadRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from console.audit import exports, search
from console.audit.models import AuditEntry
from console.audit.search import AuditQuery, Offered, Scope
from console.pages.audit_scope import GROUP, scope_of
from console.prefer import store
from console.web import audit as acts
from console.web import render
from console.web.request import ConsoleRequest

FORMATS = {
    "csv": (exports.csv_lines, "text/csv; charset=utf-8"),
    "jsonl": (exports.json_lines, "application/x-ndjson"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPage:
    """`has_all_users`: whether acts of all users are included. `exported`: the maximum number of rows in a file."""

    scope: Scope
    wish: AuditQuery
    rows: "Page[AuditEntry]"
    offered: Offered
    days: int
    exported: int
    group: str = GROUP

    @property
    def has_all_users(self) -> bool:
        return not self.scope.user

    @property
    def reasons(self) -> tuple[str, ...]:
        """With the one that is asked for, however long ago it was."""
        asked = {self.wish.outcome} - {"", "ok", search.REFUSED}
        return tuple(sorted({*self.offered.reasons, *asked}))

    @property
    def since(self) -> str:
        return _local(self.wish.since)

    @property
    def until(self) -> str:
        return _local(self.wish.until)


def _local(text: str) -> str:
    """In the format of a browser's datetime-local field, in UTC; '' if it isn't a time."""
    found = search.time_of(text)
    return found.astimezone(UTC).strftime("%Y-%m-%dT%H:%M") if found else ""


@require_safe
def audit(request: ConsoleRequest) -> HttpResponse:
    """The acts, newest first. `page=` counts from 1."""
    scope, wish = scope_of(request.cluster), AuditQuery.from_query(request.GET)
    rows = Paginator(search.find(scope, wish).defer("diff", "words"), store.preferences_of(request).size).get_page(
        request.GET.get("page")
    )
    page = AuditPage(
        scope=scope,
        wish=wish,
        rows=rows,
        offered=search.offered(scope),
        days=settings.AUDIT_DAYS,
        exported=min(settings.AUDIT_EXPORT_ROWS, rows.paginator.count),
    )
    return render.page(request, "console/audit.html", {"page": page}, fragment="console/_audit.html")


@require_safe
def entry(request: ConsoleRequest, key: int) -> HttpResponse:
    """One act. Of others where one may read all: elsewise it is not there."""
    row = scope_of(request.cluster).rows().filter(pk=key).first() if key < 2**63 else None
    if row is None:
        raise Http404(_("This audit record doesn't exist, or you can only read your own. Old records are removed."))
    return render.page(request, "console/audit_entry.html", {"row": row, "more": row.changed - len(row.diff)})


@require_http_methods(["GET", "HEAD", "POST"])
def export(request: ConsoleRequest) -> HttpResponseBase:
    """`format`: csv or jsonl; the filters as on the page.

    The page's buttons POST, which is an act; a GET reads, and reading writes no row.
    """
    asked = request.POST if request.method == "POST" else request.GET
    format_, wish = asked.get("format", "csv"), AuditQuery.from_query(asked)
    if format_ not in FORMATS:
        return HttpResponseBadRequest(_("The format must be csv or jsonl."))
    lines, content_type = FORMATS[format_]
    rows = search.find(scope_of(request.cluster), wish)
    exported = lines(search.each(rows, settings.AUDIT_EXPORT_ROWS))
    name = f"audit-{timezone.now():%Y%m%d-%H%M%S}.{format_}"
    response = render.as_file(StreamingHttpResponse(exported, content_type=content_type), name)
    if request.method == "POST":
        acts.record(request, "export", f"audit {wish.query}".strip(), "ok")
    return response
