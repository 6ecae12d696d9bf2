"""/api/audit/: the audit as JSON, with the same rights as its page.

Errors are the problem shape of console.web.errors.
"""

from typing import Any, cast

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from console.audit import exports, search
from console.audit.search import AuditQuery
from console.pages.audit_scope import scope_of
from console.web.request import ConsoleRequest

_LIMIT, _MOST = 100, 500


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

    id = serializers.IntegerField()
    time = serializers.DateTimeField()
    cluster = serializers.CharField()
    user = serializers.CharField()
    as_user = serializers.CharField(allow_blank=True)
    groups = serializers.ListField(child=serializers.CharField())
    verb = serializers.CharField()
    group = serializers.CharField(allow_blank=True)
    version = serializers.CharField(allow_blank=True)
    resource = serializers.CharField(allow_blank=True)
    kind = serializers.CharField(allow_blank=True)
    namespace = serializers.CharField(allow_blank=True)
    name = serializers.CharField(allow_blank=True)
    subresource = serializers.CharField(allow_blank=True)
    uid = serializers.CharField(allow_blank=True)
    detail = serializers.CharField(allow_blank=True)
    outcome = serializers.CharField()
    address = serializers.CharField(allow_blank=True)
    request_id = serializers.CharField(allow_blank=True)
    changed = serializers.IntegerField()
    diff = AuditFieldSerializer(many=True)

    def get_fields(self) -> dict[str, Any]:
        # A word of the serializer's own.
        return {**super().get_fields(), "source": serializers.CharField(allow_blank=True)}


class AuditSerializer(serializers.Serializer[Any]):
    """Newest first. `everybody`: false if acts of other users are left out; `before`: the cursor of the next page."""

    everybody = serializers.BooleanField()
    before = serializers.IntegerField(allow_null=True)
    items = AuditEntrySerializer(many=True)


def _request(request: Request) -> ConsoleRequest:
    return cast(ConsoleRequest, request._request)


class Audit(APIView):
    """Who did what to which object when."""

    @extend_schema(
        operation_id="audit",
        parameters=[
            OpenApiParameter("q", str, description="words, all of which an act has to have"),
            *(OpenApiParameter(name, str) for name in ("user", "verb", "namespace", "name", "source")),
            OpenApiParameter("kind", str, description="as kubectl has it: pods, deployments.apps"),
            OpenApiParameter("outcome", str, description="ok, refused, or a reason such as Forbidden"),
            *(OpenApiParameter(name, str, description="ISO 8601, UTC unless said") for name in ("since", "until")),
            OpenApiParameter("limit", int, description=f"{_LIMIT} unless said, {_MOST} at most"),
            OpenApiParameter("before", int, description="an act's id: those that are older"),
        ],
        responses=AuditSerializer,
    )
    def get(self, request: Request) -> Response:
        """Acts that match the filters.

        The user's own acts, or those of all users with permission to `get` audit.operator-console.dev.
        """
        scope, wish = scope_of(_request(request).cluster), AuditQuery.from_query(request.query_params)
        if wish.wrong:
            raise ValidationError(f"{' and '.join(wish.wrong)}: a time is written as 2026-11-22T16:00:00Z")
        rows = search.find(scope, wish)
        if (before := _number(request, "before")) is not None:
            last = scope.rows().filter(pk=before).first()
            rows = search.before(rows, last) if last else rows.filter(pk__lt=before)
        limit = min(_number(request, "limit") or _LIMIT, _MOST)
        found = list(rows[: limit + 1])
        more = found[limit - 1].pk if len(found) > limit else None
        items = [exports.as_dict(row) for row in found[:limit]]
        return Response({"everybody": not scope.user, "before": more, "items": items})


class AuditEntryDetail(APIView):
    """One act."""

    @extend_schema(operation_id="audit_entry", responses=AuditEntrySerializer)
    def get(self, request: Request, key: int) -> Response:
        """One act. 404 if it doesn't exist, or belongs to another user and the caller can read only their own."""
        row = scope_of(_request(request).cluster).rows().filter(pk=key).first() if key < 2**63 else None
        if row is None:
            raise Http404
        return Response(exports.as_dict(row))


def _number(request: Request, name: str) -> int | None:
    text = request.query_params.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 18):
        raise ValidationError(f"{name}: a whole number")
    return int(text)
