"""/audit/: who did what to which object when; one act with what it changed; all that a search finds as a file.
/api/audit/ has the same as JSON; its errors are the problem shape of console.web.errors.

The API server authorizes which acts a user can read (decision 20); there is no second RBAC. Users can always read their
own. Acts of all users need the cluster-wide permission to `get` the resource `audit` of the group operator-console.dev.
No server serves this resource, but RBAC only checks names: cluster-admin has it by its wildcards, and a ClusterRole of
three lines grants it to others.
"""

from dataclasses import dataclass
from typing import Any, cast

from django.conf import settings
from django.core.paginator import Page
from django.http import Http404, HttpResponse, HttpResponseBadRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from console.audit import search
from console.audit.models import TITLES, AuditEntry
from console.audit.search import AuditFilterForm, Offered, Scope
from console.web import audit as acts
from console.web import render
from console.web.access import can
from console.web.render import paginate
from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError

#: Of the resource that grants access to the acts of all users.
GROUP = "operator-console.dev"
_AUDIT = ResourceType(group=GROUP, version="v1", plural="audit", kind="Audit", namespaced=False)
#: Acts in a response of the API.
_LIMIT, _MAX_LIMIT = 100, 500
#: Shown even if empty: a refused sign-in has no user, and for an act on several objects the template says “several”.
_SHOWN_EMPTY = ("user", "name")
FORMATS = {
    "csv": (search.csv_lines, "text/csv; charset=utf-8"),
    "jsonl": (search.json_lines, "application/x-ndjson"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPage:
    """`has_all_users`: whether acts of all users are included. `exported`: the maximum number of rows in a file."""

    scope: Scope
    form: AuditFilterForm
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
        asked = {self.form.cleaned_data["outcome"]} - {"", "ok", search.REFUSED}
        return tuple(sorted({*self.offered.reasons, *asked}))


@require_safe
def audit(request: ConsoleRequest) -> HttpResponse:
    """The acts, newest first. `page=` counts from 1."""
    scope, form = _scope(request.cluster), AuditFilterForm(request.GET)
    rows = paginate(request, search.find(scope, form).defer("diff", "words"))
    page = AuditPage(
        scope=scope,
        form=form,
        rows=rows,
        offered=search.offered(scope),
        days=settings.AUDIT_DAYS,
        exported=min(settings.AUDIT_EXPORT_ROWS, rows.paginator.count),
    )
    return render.page(request, "console/audit.html", {"page": page}, fragment="console/_audit.html")


@require_safe
def entry(request: ConsoleRequest, key: int) -> HttpResponse:
    """One act. Of others where one may read all: elsewise it is not there."""
    row = _scope(request.cluster).rows().filter(pk=key).first() if key < 2**63 else None
    if row is None:
        raise Http404(_("This audit record doesn't exist, or you can only read your own. Old records are removed."))
    context = {"row": row, "facts": _facts(row), "more": row.changed - len(row.diff)}
    return render.page(request, "console/audit_entry.html", context)


def _facts(row: AuditEntry) -> list[tuple[str, str, str]]:
    """(field, title, value) of each field with a title and a value. The template shows some of them in another way."""
    sources = {"api": _("API"), "worker": _("Worker")}
    values = {
        "groups": ", ".join(row.groups),
        "resource": f"{row.qualified} {row.version}" if row.resource else "",
        "source": sources.get(row.source, _("Console page")),
    }
    found = [(name, str(title), str(values.get(name, getattr(row, name)))) for name, title in TITLES.items()]
    return [(name, title, value) for name, title, value in found if value or name in _SHOWN_EMPTY]


@require_http_methods(["GET", "HEAD", "POST"])
def export(request: ConsoleRequest) -> HttpResponseBase:
    """`format`: csv or jsonl; the filters as on the page.

    The page's buttons POST, which is an act; a GET reads, and reading writes no row.
    """
    asked = request.POST if request.method == "POST" else request.GET
    format_, form = asked.get("format", "csv"), AuditFilterForm(asked)
    if format_ not in FORMATS:
        return HttpResponseBadRequest(_("The format must be csv or jsonl."))
    lines, content_type = FORMATS[format_]
    rows = search.find(_scope(request.cluster), form)
    exported = lines(search.each(rows, settings.AUDIT_EXPORT_ROWS))
    name = f"audit-{timezone.now():%Y%m%d-%H%M%S}.{format_}"
    response = render.as_file(StreamingHttpResponse(exported, content_type=content_type), name)
    if request.method == "POST":
        acts.record(request, "export", f"audit {form.query_string}".strip(), "ok")
    return response


class AuditFieldSerializer(serializers.Serializer[Any]):
    """One changed field, in words; '' stands for nothing."""

    path = serializers.CharField()
    before = serializers.CharField(allow_blank=True)
    after = serializers.CharField(allow_blank=True)


class AuditEntrySerializer(serializers.Serializer[Any]):
    """One act.

    `as_user`: whom `user` impersonated, and then `groups` are that one's; `outcome`: ok, or the reason of the refusal;
    `source`: page, api or worker; `changed`: how many fields in all, of which `diff` has the first.
    """

    def get_fields(self) -> dict[str, Any]:
        """A column is text unless another type stands here.

        A method, since the column `source` can't be declared: serializers have an attribute of that name.
        """
        texts = {name: serializers.CharField(allow_blank=True) for name in search.COLUMNS}
        others = {
            "id": serializers.IntegerField(),
            "time": serializers.DateTimeField(),
            "groups": serializers.ListField(child=serializers.CharField()),
            "changed": serializers.IntegerField(),
            "diff": AuditFieldSerializer(many=True),
        }
        return {**texts, **others}


class AuditSerializer(serializers.Serializer[Any]):
    """Newest first. `everybody`: false if acts of other users are left out; `before`: the cursor of the next page."""

    everybody = serializers.BooleanField()
    before = serializers.IntegerField(allow_null=True)
    items = AuditEntrySerializer(many=True)


class AuditApi(APIView):
    """Who did what to which object when."""

    @extend_schema(
        operation_id="audit",
        parameters=[
            OpenApiParameter("q", str, description="words, all of which an act has to have"),
            *(OpenApiParameter(name, str) for name in ("user", "verb", "namespace", "name", "source")),
            OpenApiParameter("kind", str, description="as kubectl has it: pods, deployments.apps"),
            OpenApiParameter("outcome", str, description="ok, refused, or a reason such as Forbidden"),
            *(OpenApiParameter(name, str, description="ISO 8601, UTC unless said") for name in ("since", "until")),
            OpenApiParameter("limit", int, description=f"{_LIMIT} unless said, {_MAX_LIMIT} at most"),
            OpenApiParameter("before", int, description="an act's id: those that are older"),
        ],
        responses=AuditSerializer,
    )
    def get(self, request: Request) -> Response:
        """Acts that match the filters.

        The user's own acts, or those of all users with permission to `get` audit.operator-console.dev.
        """
        scope, form = _scope(_request(request).cluster), AuditFilterForm(request.query_params)
        if not form.is_valid():
            raise ValidationError(f"{' and '.join(form.errors)}: a time is written as 2026-11-22T16:00:00Z")
        rows = search.find(scope, form)
        if (before := _number(request, "before")) is not None:
            last = scope.rows().filter(pk=before).first()
            rows = search.before(rows, last) if last else rows.filter(pk__lt=before)
        limit = min(_number(request, "limit") or _LIMIT, _MAX_LIMIT)
        found = list(rows[: limit + 1])
        more = found[limit - 1].pk if len(found) > limit else None
        items = [search.as_dict(row) for row in found[:limit]]
        return Response({"everybody": not scope.user, "before": more, "items": items})


class AuditEntryApi(APIView):
    """One act."""

    @extend_schema(operation_id="audit_entry", responses=AuditEntrySerializer)
    def get(self, request: Request, key: int) -> Response:
        """One act. 404 if it doesn't exist, or belongs to another user and the caller can read only their own."""
        row = _scope(_request(request).cluster).rows().filter(pk=key).first() if key < 2**63 else None
        if row is None:
            raise Http404
        return Response(search.as_dict(row))


def _request(request: Request) -> ConsoleRequest:
    return cast(ConsoleRequest, request._request)


def _number(request: Request, name: str) -> int | None:
    text = request.query_params.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 18):
        raise ValidationError(f"{name}: a whole number")
    return int(text)


def _scope(client: ClusterClient) -> Scope:
    """The acts that the user can read."""
    if _can_read_all(client):
        return Scope(client.name)
    # With impersonation: the acts of the impersonating user as this user, not this user's own acts.
    return Scope(client.name, client.by, client.user) if client.by else Scope(client.name, client.user)


def _can_read_all(client: ClusterClient) -> bool:
    """False where the API server does not answer."""
    try:
        return can(client, "get", _AUDIT).allowed
    except KubeError:
        return False
