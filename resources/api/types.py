"""/api/resources/types/ and …/explain/: which kinds there are, and the schema of each, as JSON."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from console.web.request import ConsoleRequest
from resources.lists.counts import counts
from resources.place import place_of
from resources.types import schematree
from resources.types.types import SCOPES, KindQuery, find_kinds


class OwnerSerializer(serializers.Serializer[Any]):
    """Who brought a kind: `what` is a kind or a tool; `namespace` of an operator's ClusterServiceVersion."""

    what = serializers.CharField()
    name = serializers.CharField()
    namespace = serializers.CharField(allow_blank=True)


class CountSerializer(serializers.Serializer[Any]):
    """`number` is null where `problem` says why; `more`: that many at least."""

    number = serializers.IntegerField(allow_null=True)
    more = serializers.BooleanField()
    problem = serializers.CharField(allow_blank=True)
    forbidden = serializers.BooleanField()


class KindSerializer(serializers.Serializer[Any]):
    """A kind once, in the version that the cluster prefers; `versions` are all that are served."""

    group = serializers.CharField(source="type.group", allow_blank=True)
    version = serializers.CharField(source="type.version")
    plural = serializers.CharField(source="type.plural")
    kind = serializers.CharField(source="type.kind")
    singular = serializers.CharField(source="type.singular", allow_blank=True)
    namespaced = serializers.BooleanField(source="type.namespaced")
    versions = serializers.ListField(child=serializers.CharField())
    short_names = serializers.ListField(source="type.short_names", child=serializers.CharField())
    categories = serializers.ListField(source="type.categories", child=serializers.CharField())
    verbs = serializers.SerializerMethodField()
    subresources = serializers.SerializerMethodField()
    owner = OwnerSerializer(allow_null=True)
    count = CountSerializer(allow_null=True)

    def get_verbs(self, kind: Any) -> list[str]:
        """In order."""
        return sorted(kind.type.verbs)

    def get_subresources(self, kind: Any) -> list[str]:
        """In order."""
        return sorted(kind.type.subresources)


class KindsSerializer(serializers.Serializer[Any]):
    """`total`: before the filter. `errors`: groups whose own server does not answer."""

    items = KindSerializer(many=True)
    total = serializers.IntegerField()
    errors = serializers.ListField(child=serializers.CharField())  # type: ignore[assignment]


class FieldSerializer(serializers.Serializer[Any]):
    """One field of a schema; `at` opens what is inside."""

    at = serializers.CharField()
    path = serializers.CharField()
    name = serializers.CharField()
    type = serializers.CharField()
    required = serializers.BooleanField()  # type: ignore[assignment]
    immutable = serializers.BooleanField()
    deprecated = serializers.BooleanField()
    description = serializers.CharField(allow_blank=True)
    default = serializers.CharField(allow_blank=True)
    enum = serializers.ListField(child=serializers.CharField())
    limits = serializers.ListField(child=serializers.CharField())
    rules = serializers.SerializerMethodField()
    children = serializers.IntegerField()

    def get_rules(self, field: schematree.SchemaField) -> list[dict[str, str]]:
        """CEL rules, each with the message for values that break it."""
        return [{"rule": rule, "message": message} for rule, message in field.rules]


class ExplainedSerializer(serializers.Serializer[Any]):
    """A place in the schema of a kind: `here` (null at the top), the `fields` inside, and what a search found."""

    api_version = serializers.CharField(source="type.api_version")
    kind = serializers.CharField(source="type.kind")
    known = serializers.BooleanField()
    description = serializers.CharField(allow_blank=True)
    here = FieldSerializer(allow_null=True)
    fields_inside = FieldSerializer(many=True, source="fields")
    total = serializers.IntegerField(source="found.total", allow_null=True, default=None)
    found = FieldSerializer(many=True, source="found.fields", default=())
    kubectl = serializers.CharField(source="command")


def _http(request: Request) -> ConsoleRequest:
    return request._request  # type: ignore[return-value]


class Kinds(APIView):
    """Kinds, each once: versions, names, categories, who brought it, and how many objects it has."""

    @extend_schema(
        operation_id="resources_kinds",
        parameters=[
            OpenApiParameter(
                "q", str, description="words, each in one of its names, its group, a category or its operator"
            ),
            OpenApiParameter("scope", str, enum=list(SCOPES)),
            OpenApiParameter("verb", str, description="one that it must have: list unless said; any"),
            OpenApiParameter("custom", bool),
            OpenApiParameter("counts", bool, description="count their objects; else the last number known, or null"),
            OpenApiParameter("namespace", str, description="to count in; '-' is all"),
        ],
        responses=KindsSerializer,
    )
    def get(self, request: Request) -> Response:
        """In the order of the page: custom groups first."""
        http, query = _http(request), KindQuery.from_query(request.query_params.dict())
        found = find_kinds(http.cluster, query, http.namespace)
        if request.query_params.get("counts", "") in ("1", "true", "yes"):
            listed = [kind.type for group in found.groups for kind in group.kinds if kind.listable]
            counts(http.cluster, listed, http.namespace)
            found = find_kinds(http.cluster, query, http.namespace)
        every = [kind for group in found.groups for kind in group.kinds]
        return Response(KindsSerializer({"items": every, "total": found.total, "errors": found.errors}).data)


class Explain(APIView):
    """The schema of a kind, part by part."""

    @extend_schema(
        operation_id="resources_explain",
        parameters=[
            OpenApiParameter("at", str, description="a place, as /spec/containers/[]/name; the top unless said"),
            OpenApiParameter(
                "q", str, description="words: the first 100 fields with all of them in path or description"
            ),
        ],
        responses=ExplainedSerializer,
    )
    def get(self, request: Request, group: str, version: str, plural: str) -> Response:
        """404 where there is no such kind, or no such place in it."""
        http, asked = _http(request), request.query_params
        type_ = place_of(http, group, version, plural).type
        found = schematree.explain(http.cluster, type_, asked.get("at", ""), asked.get("q", ""))
        return Response(ExplainedSerializer(found).data, status=404 if found.missing else 200)
