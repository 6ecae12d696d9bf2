"""/api/resources/…: types and objects as JSON, and why an object isn't well (…/causes/), with the signed-in user's own
rights.

Errors are the problem shape of console.web.errors. Causes have the same sentences as the object's page.
"""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, PolymorphicProxySerializer, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from console.web import audit
from kube.client import Table
from kube.errors import KubeError
from kube.objects import clean, name_of, namespace_of, uid_of
from resources.api.lists import RefSerializer, cluster, ref, states
from resources.diagnosis import ShownCause, read_causes, shown_causes, state_of
from resources.history import writes
from resources.page import owned_rows
from resources.place import Place, place_of
from resources.types.kind_versions import deprecation

_PAGE = 500
_CLEAN = OpenApiParameter(
    "clean",
    int,
    enum=[1],
    description="objects without status and what the server or a tool wrote, to be applied elsewhere",
)


class TypeSerializer(serializers.Serializer[Any]):
    """One served type in one version."""

    group = serializers.CharField(allow_blank=True)
    version = serializers.CharField()
    plural = serializers.CharField()
    kind = serializers.CharField()
    namespaced = serializers.BooleanField()
    verbs = serializers.ListField(child=serializers.CharField())
    short_names = serializers.ListField(child=serializers.CharField())


class ObjectsSerializer(serializers.Serializer[Any]):
    """One page of objects; `continue` asks for the next.

    As `states`: uid, name, namespace, state, reason and created of each.
    """

    items = serializers.ListField(child=serializers.DictField())
    resource_version = serializers.CharField()
    remaining = serializers.IntegerField(allow_null=True)
    within = serializers.ListField(child=serializers.CharField())

    def get_fields(self) -> dict[str, Any]:
        # A word of Python's own.
        return {**super().get_fields(), "continue": serializers.CharField(allow_blank=True)}


class ColumnSerializer(serializers.Serializer[Any]):
    """`priority` above 0: only in wide lists."""

    name = serializers.CharField()
    type = serializers.CharField()
    priority = serializers.IntegerField()
    description = serializers.CharField(allow_blank=True)


class TableRowSerializer(serializers.Serializer[Any]):
    """The server's cells, one for each column."""

    uid = serializers.CharField()
    name = serializers.CharField()
    namespace = serializers.CharField(allow_blank=True)
    cells = serializers.ListField()


class TableSerializer(serializers.Serializer[Any]):
    """One page as the server's own columns and cells."""

    columns = ColumnSerializer(many=True)
    rows = TableRowSerializer(many=True)
    resource_version = serializers.CharField()
    remaining = serializers.IntegerField(allow_null=True)
    within = serializers.ListField(child=serializers.CharField())

    def get_fields(self) -> dict[str, Any]:
        return {**super().get_fields(), "continue": serializers.CharField(allow_blank=True)}


def _place(request: Request, **address: str) -> Place:
    return place_of(request._request, **address)  # type: ignore[arg-type]


class Types(APIView):
    """All types that the cluster serves."""

    @extend_schema(responses=TypeSerializer(many=True))
    def get(self, request: Request) -> Response:
        return Response(TypeSerializer(cluster(request).types(), many=True).data)


def _table(table: Table) -> dict[str, Any]:
    return {
        "columns": ColumnSerializer(table.columns, many=True).data,
        "rows": [
            {
                "uid": uid_of(row.object),
                "name": name_of(row.object),
                "namespace": namespace_of(row.object),
                "cells": row.cells,
            }
            for row in table.rows
        ],
        "resource_version": table.resource_version,
        "continue": table.continue_,
        "remaining": table.remaining,
        "within": table.within,
    }


class _VersionedView(APIView):
    """Answers about a deprecated version say so, in the header that the API server uses: `Warning: 299 - "text"`.

    In the API server's default words: what an author writes about it is for pages, where it is escaped.
    """

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        response = super().finalize_response(request, response, *args, **kwargs)
        if response.status_code < 300 and (text := self._deprecation(request, **kwargs)):
            response["Warning"] = f'299 - "{text}"'
        return response

    def _deprecation(self, request: Request, group: str, version: str, plural: str, **_address: str) -> str:
        try:
            type_ = cluster(request).find(group, version, plural)
            deprecated = deprecation(cluster(request), type_)
        except KubeError:
            return ""
        return f"{type_.api_version} {type_.kind} is deprecated" if deprecated else ""


class Objects(_VersionedView):
    """The objects of a type."""

    @extend_schema(
        operation_id="resources_objects",
        parameters=[
            *(OpenApiParameter(name, str) for name in ("namespace", "labels", "fields", "continue")),
            OpenApiParameter("limit", int),
            OpenApiParameter("as", str, enum=["objects", "table", "states"], description="objects unless said"),
            _CLEAN,
            OpenApiParameter(
                "watch",
                int,
                enum=[1],
                description=(
                    "Changes as server-sent events instead: added, modified, deleted (the object), bookmark, error (a"
                    " problem). Their ids are resourceVersions, from which Last-Event-ID or resourceVersion goes on;"
                    " 410 when that is too old."
                ),
            ),
            OpenApiParameter(
                "resourceVersion", str, description="with watch: where to go on; without it all objects come first"
            ),
        ],
        responses=PolymorphicProxySerializer("ObjectsOrTable", [ObjectsSerializer, TableSerializer], None),
    )
    def get(self, request: Request, group: str, version: str, plural: str) -> Response:
        """`namespace` '' = all; `within`: the namespaces that were read, where the user can't list all of them.

        At most `limit` objects (default 500).
        """
        place = _place(request, group=group, version=version, plural=plural)
        type_, asked = place.type, request.query_params
        if asked.get("watch") == "1":
            raise ValidationError("This server can't stream: ask the console's own ASGI server.")
        look = asked.get("as", "objects")
        if look not in ("objects", "table", "states"):
            raise ValidationError("as: objects, table or states")
        limit = asked.get("limit", "")
        client, namespace = cluster(request), asked.get("namespace", "")
        options: Any = {
            "labels": asked.get("labels", ""),
            "fields": asked.get("fields", ""),
            "limit": min(int(limit), _PAGE) if limit.isascii() and limit.isdigit() and int(limit) else _PAGE,
            "continue_": asked.get("continue", ""),
        }
        namespace = "" if namespace == "-" else namespace
        if look == "table":
            return Response(_table(client.table(type_, namespace, **options)))
        found = client.list(type_, namespace, **options)
        if place.secret and look == "objects":
            audit.secrets_read(client, Place(type_, namespace).ref, "list", map(name_of, found.items))
        items: list[Any] = found.items
        if look == "states":
            items = states(client, type_, namespace, found.items)
        elif asked.get("clean") == "1":
            items = [clean(owned_rows.whole(type_, obj)) for obj in found.items]
        return Response(
            {
                "items": items,
                "resource_version": found.resource_version,
                "continue": found.continue_,
                "remaining": found.remaining,
                "within": found.within,
            }
        )

    @extend_schema(request=OpenApiTypes.OBJECT, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request, group: str, version: str, plural: str) -> Response:
        """Create the object in the body."""
        type_ = _place(request, group=group, version=version, plural=plural).type
        obj = dict(request.data)
        metadata = obj.get("metadata") or {}
        made = cluster(request).create(type_, obj, str(metadata.get("namespace") or ""))
        place = Place(type_, str(made["metadata"].get("namespace") or ""), str(made["metadata"]["name"]))
        audit.record(request._request, "create", place.ref, "ok")  # type: ignore[arg-type]
        writes.wrote(cluster(request), "create", place, None, made)
        return Response(made, status=201)


class Object(_VersionedView):
    """One object; namespace '-' in the cluster's scope."""

    @extend_schema(parameters=[_CLEAN], responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, **address: str) -> Response:
        place, client = _place(request, **address), cluster(request)
        found = place.get(client)
        if place.secret:
            audit.secrets_read(client, place.ref, "get", ())
        return Response(clean(found) if request.query_params.get("clean") == "1" else found)

    @extend_schema(request=OpenApiTypes.OBJECT, responses=OpenApiTypes.OBJECT)
    def patch(self, request: Request, **address: str) -> Response:
        """A JSON merge patch."""
        place = _place(request, **address)
        before = writes.current_object(cluster(request), place)
        changed = cluster(request).patch(place.type, place.name, dict(request.data), place.namespace)
        audit.record(request._request, "patch", place.ref, "ok")  # type: ignore[arg-type]
        if place.secret:
            audit.secrets_read(cluster(request), place.ref, "patch", ())
        writes.wrote(cluster(request), "patch", place, before, changed)
        return Response(changed)

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def delete(self, request: Request, **address: str) -> Response:
        """The object where it still exists (finalizers), else a Status."""
        place = _place(request, **address)
        before = writes.current_object(cluster(request), place)
        left = cluster(request).delete(place.type, place.name, place.namespace)
        audit.record(request._request, "delete", place.ref, "ok")  # type: ignore[arg-type]
        if place.secret and uid_of(left):
            audit.secrets_read(cluster(request), place.ref, "delete", ())
        writes.wrote(cluster(request), "delete", place, before, None)
        return Response(left)


class CauseLinkSerializer(serializers.Serializer[Any]):
    """Evidence: `view` is a page of the object or kind: detail, events, logs, list, finalizers."""

    text = serializers.CharField()
    url = serializers.CharField()
    view = serializers.CharField()
    object = RefSerializer()


class CauseFixSerializer(serializers.Serializer[Any]):
    """A page that fixes it, which the user has permission for."""

    text = serializers.CharField()
    url = serializers.CharField()


class CauseSerializer(serializers.Serializer[Any]):
    """Why an object isn't well. `rule`: which rule found it; `raw`: the cluster's own text."""

    rule = serializers.CharField()
    severity = serializers.ChoiceField(["error", "warning", "note"])
    sentence = serializers.CharField()
    note = serializers.CharField(allow_blank=True)
    about = RefSerializer(allow_null=True)
    evidence = CauseLinkSerializer(many=True)
    fix = CauseFixSerializer(allow_null=True)
    raw = serializers.CharField(allow_blank=True)
    since = serializers.CharField(allow_blank=True)


class CausesSerializer(serializers.Serializer[Any]):
    """`causes`: worst first; none of an object that is well, or of which no rule is sure."""

    state = serializers.CharField(allow_blank=True)
    state_reason = serializers.CharField(allow_blank=True)
    causes = CauseSerializer(many=True)


class Causes(APIView):
    """Why an object isn't well, worst first: one sentence each, with evidence and, where there is one, a fix."""

    @extend_schema(operation_id="resources_causes", responses=CausesSerializer)
    def get(self, request: Request, **address: str) -> Response:
        client, place = cluster(request), _place(request, **address)
        obj = place.get(client)
        word = state_of(client, place, obj)
        found = shown_causes(client, place, read_causes(client, place, obj, word))
        return Response(
            {"state": word.state, "state_reason": word.reason, "causes": [_cause(cause) for cause in found]}
        )


def _cause(shown: ShownCause) -> dict[str, Any]:
    cause = shown.cause
    return {
        "rule": cause.rule,
        "severity": cause.severity.name.lower(),
        "sentence": cause.sentence,
        "note": cause.note,
        "about": ref(shown.about.type, shown.about.namespace, shown.about.name) if shown.about else None,
        "evidence": [
            {
                "text": link.label,
                "url": link.url,
                "view": link.view,
                "object": ref(link.place.type, link.place.namespace, link.place.name),
            }
            for link in shown.links
        ],
        "fix": {"text": shown.fix.label, "url": shown.fix.url} if shown.fix else None,
        "raw": cause.raw,
        "since": cause.since,
    }
