"""/api/resources/…/<object>/history/: how an object changed, as JSON, for whom may read the object."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from console.web.request import ConsoleRequest
from resources.history import recording_status, timeline
from resources.place import place_of

_LIMIT = 100


class HistoryFieldSerializer(serializers.Serializer[Any]):
    """One changed field, in words; '' stands for nothing."""

    path = serializers.CharField()
    before = serializers.CharField(allow_blank=True)
    after = serializers.CharField(allow_blank=True)


class HistoryStepSerializer(serializers.Serializer[Any]):
    """One change.

    `event`: created, seen (first seen, made before), changed or deleted. `more`: changed fields that are not listed.
    """

    id = serializers.IntegerField(source="pk")
    event = serializers.CharField()
    at = serializers.DateTimeField()
    until = serializers.DateTimeField()
    count = serializers.IntegerField()
    generation = serializers.IntegerField()
    spec = serializers.BooleanField()
    metadata = serializers.BooleanField(source="meta")
    status = serializers.BooleanField()
    gap = serializers.BooleanField()
    manager = serializers.CharField(source="who", allow_blank=True)
    user = serializers.CharField(allow_blank=True)
    state = serializers.CharField(source="health.state", allow_blank=True)
    reason = serializers.CharField(source="health.reason", allow_blank=True)
    changed = HistoryFieldSerializer(source="fields", many=True)
    more = serializers.IntegerField()


class HistorySerializer(serializers.Serializer[Any]):
    """`recorded`: whether changes of the kind are recorded now; `uids`: all known objects of that name, newest
    first; `before` asks for older changes.
    """

    uid = serializers.CharField(allow_blank=True)
    uids = serializers.ListField(child=serializers.CharField())
    recorded = serializers.BooleanField()
    problem = serializers.CharField(allow_blank=True)
    began_at = serializers.DateTimeField(allow_null=True)
    deleted_at = serializers.DateTimeField(allow_null=True)
    number = serializers.IntegerField()
    before = serializers.IntegerField(allow_null=True)
    changes = HistoryStepSerializer(many=True)


class HistoryChangeSerializer(serializers.Serializer[Any]):
    """A change with the object before and after it, as the history keeps it: no times in the status, no passwords.
    null: not kept.
    """

    change = HistoryStepSerializer()
    before = serializers.DictField(allow_null=True)
    after = serializers.DictField(allow_null=True)


def _request(request: Request) -> ConsoleRequest:
    found: ConsoleRequest = request._request  # type: ignore[assignment]
    return found


def _number(value: str, default: int) -> int:
    return int(value) if value.isascii() and value.isdigit() and len(value) < 18 else default


class History(APIView):
    """How one object changed; also of one that is deleted, as long as it is kept."""

    @extend_schema(
        operation_id="resources_history",
        parameters=[OpenApiParameter(name, str) for name in ("uid", "show")]
        + [OpenApiParameter(name, int) for name in ("before", "limit")],
        responses=HistorySerializer,
    )
    def get(self, request: Request, **address: str) -> Response:
        """`show`: `spec` or `status` alone. At most `limit` changes (default 100), newest first."""
        place = place_of(_request(request), **address)
        client, asked = _request(request).cluster, request.query_params
        timeline.check_can_read(client, place)
        all_ = timeline.lives(client, place)
        traced = next((life for life in all_ if asked.get("uid") in (None, "", life.uid)), None)
        limit = min(_number(asked.get("limit", ""), _LIMIT), _LIMIT) or _LIMIT
        found = (
            timeline.page(traced, asked.get("show", ""), _number(asked.get("before", ""), 0), limit)
            if traced
            else timeline.Page(())
        )
        recording = recording_status.recording(client, place)
        answer = {
            "uid": traced.uid if traced else "",
            "uids": [life.uid for life in all_],
            "recorded": recording.on,
            "problem": recording.why,
            "began_at": traced.began_at if traced else None,
            "deleted_at": traced.deleted_at if traced else None,
            "number": found.number,
            "before": found.before or None,
            "changes": found.entries,
        }
        return Response(HistorySerializer(answer).data)


class HistoryChange(APIView):
    """One change of an object."""

    @extend_schema(
        operation_id="resources_history_change",
        parameters=[OpenApiParameter("step", OpenApiTypes.INT, OpenApiParameter.PATH)],
        responses=HistoryChangeSerializer,
    )
    def get(self, request: Request, step: int, **address: str) -> Response:
        """With the object before and after it."""
        place = place_of(_request(request), **address)
        row = timeline.step_of(_request(request).cluster, place, step)
        made = timeline.versions(row.traced, (row.pk, -row.pk))
        answer = {"change": timeline.entry(row), "before": made.get(-row.pk), "after": made.get(row.pk)}
        return Response(HistoryChangeSerializer(answer).data)
