"""/api/resources/: what belongs to an object, Events, and the search over all kinds, as JSON. The same answers as
the pages give.
"""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.reader import read
from kube.types.meta import Object
from resources import object_search, tree
from resources.causes.engine import explained_health
from resources.lists import child_troubles
from resources.page import events, owned_rows
from resources.page.detail import Link
from resources.place import place_of
from resources.state.health import Health

#: Rows of a page of Events. Pages of the API don't follow a user's preference.
_PAGE_EVENTS = 100


class RefSerializer(serializers.Serializer[Any]):
    """An object by its address; `group`, `version` and `plural` are '' for a kind that is not served."""

    group = serializers.CharField(allow_blank=True)
    version = serializers.CharField(allow_blank=True)
    plural = serializers.CharField(allow_blank=True)
    kind = serializers.CharField()
    namespace = serializers.CharField(allow_blank=True)
    name = serializers.CharField()


class OwnedSerializer(serializers.Serializer[Any]):
    """One object below another, in the order of a tree.

    `depth` from 0; `by`: '' an ownerReference, `claim`, or a label's key.
    """

    uid = serializers.CharField()
    depth = serializers.IntegerField()
    by = serializers.CharField(allow_blank=True)
    object = RefSerializer()
    state = serializers.CharField(allow_blank=True)
    state_reason = serializers.CharField(allow_blank=True)
    ready = serializers.CharField(allow_blank=True)
    restarts = serializers.IntegerField(allow_null=True)
    created = serializers.CharField(allow_blank=True)


class GapSerializer(serializers.Serializer[Any]):
    """A kind that could not be read, or not to its end."""

    kind = serializers.CharField()
    reason = serializers.CharField()


class TreeSerializer(serializers.Serializer[Any]):
    """`owners`: whom the object belongs to, the uppermost first."""

    owners = RefSerializer(many=True)
    items = OwnedSerializer(many=True)
    pods = serializers.IntegerField()
    ready = serializers.IntegerField()
    gaps = GapSerializer(many=True)


class EventSerializer(serializers.Serializer[Any]):
    """Repeats are one, with all objects' number and the sum of their counts."""

    warning = serializers.BooleanField()
    reason = serializers.CharField(allow_blank=True)
    message = serializers.CharField(allow_blank=True)
    objects = RefSerializer(many=True)
    number = serializers.IntegerField()
    count = serializers.IntegerField()
    first = serializers.CharField(allow_blank=True)
    last = serializers.CharField(allow_blank=True)
    reporter = serializers.CharField(allow_blank=True)


class EventsSerializer(serializers.Serializer[Any]):
    items = EventSerializer(many=True)
    total = serializers.IntegerField()
    matched = serializers.IntegerField()
    lines = serializers.IntegerField()
    beyond = serializers.BooleanField()


class ObjectEventSerializer(serializers.Serializer[Any]):
    warning = serializers.BooleanField()
    reason = serializers.CharField(allow_blank=True)
    message = serializers.CharField(allow_blank=True)
    object = RefSerializer()
    count = serializers.IntegerField()
    last = serializers.CharField(allow_blank=True)
    reporter = serializers.CharField(allow_blank=True)


class ObjectEventsSerializer(serializers.Serializer[Any]):
    """`problem`: why they can't be read, '' when they can."""

    items = ObjectEventSerializer(many=True)
    more = serializers.IntegerField()
    problem = serializers.CharField(allow_blank=True)


class HitSerializer(serializers.Serializer[Any]):
    object = RefSerializer()
    state = serializers.CharField(allow_blank=True)
    created = serializers.CharField(allow_blank=True)


class SearchSerializer(serializers.Serializer[Any]):
    """`forbidden`, `partly`, `failed`: kinds that were not searched, or not to their end."""

    items = HitSerializer(many=True)
    total = serializers.IntegerField()
    kinds = serializers.IntegerField()
    forbidden = serializers.ListField(child=serializers.CharField())
    partly = serializers.ListField(child=serializers.CharField())
    failed = GapSerializer(many=True)


def cluster(request: Request) -> ClusterClient:
    found: ClusterClient = request._request.cluster  # type: ignore[attr-defined]
    return found


def ref(type_: ResourceType | None, namespace: str, name: str, kind: str = "") -> dict[str, str]:
    known = {"group": type_.group, "version": type_.version, "plural": type_.plural} if type_ else {}
    return {
        "group": "",
        "version": "",
        "plural": "",
        **known,
        "kind": type_.kind if type_ else kind,
        "namespace": namespace,
        "name": name,
    }


def _link(link: Link) -> dict[str, str]:
    return ref(link.type, link.namespace, link.name, link.kind)


def states(
    client: ClusterClient, type_: ResourceType, namespace: str, objects: list[dict[str, Any]]
) -> list[dict[str, str]]:
    """Each in a word, as lists and pages have it."""
    found = []
    troubled = child_troubles.counts(type_) and bool(objects)
    below = child_troubles.read_troubles(client, namespace) if troubled else child_troubles.ChildTroubles()
    for obj in objects:
        own = explained_health(owned_rows.whole(type_, obj))
        metadata = read(obj, Object).metadata
        word = below.health(type_, metadata.namespace, metadata.name, own)
        found.append(
            {
                "uid": metadata.uid,
                "name": metadata.name,
                "namespace": metadata.namespace,
                "state": word.state,
                "reason": word.reason,
                "created": metadata.creation_timestamp,
            }
        )
    return found


class Tree(APIView):
    """What belongs to an object, down to its Pods, and whom it belongs to."""

    @extend_schema(operation_id="resources_tree", responses=TreeSerializer)
    def get(self, request: Request, **address: str) -> Response:
        client, place = cluster(request), place_of(request._request, **address)  # type: ignore[arg-type]
        obj = place.get(client)
        found = tree.belongings(client, place.type, obj)
        top = owned_rows.nodes(found.rows)
        sum_ = owned_rows.summary(top)
        return Response(
            {
                "owners": [_link(above.link) for above in owned_rows.chain(client, obj)],
                "items": [_owned(node.owned, node.health) for node in owned_rows.walk(top)],
                "pods": sum_.pods,
                "ready": sum_.ready,
                "gaps": [{"kind": kind, "reason": reason} for kind, reason in found.gaps],
            }
        )


def _owned(row: tree.Owned, word: Health) -> dict[str, Any]:
    metadata = read(row.object, Object).metadata
    return {
        "uid": metadata.uid,
        "depth": row.depth,
        "by": row.how,
        "object": ref(row.type, metadata.namespace, metadata.name),
        "state": word.state,
        "state_reason": word.reason,
        "ready": owned_rows.readiness(row.type.kind, row.object),
        "restarts": owned_rows.restarts(row.object) if row.type.kind == "Pod" else None,
        "created": metadata.creation_timestamp,
    }


class ObjectEvents(APIView):
    """Events of an object and of what belongs to it, newest first."""

    @extend_schema(operation_id="resources_object_events", responses=ObjectEventsSerializer)
    def get(self, request: Request, **address: str) -> Response:
        client, place = cluster(request), place_of(request._request, **address)  # type: ignore[arg-type]
        found = events.about_tree(client, place.type, place.get(client))
        rows = [
            {
                "warning": row.warning,
                "reason": row.reason,
                "message": row.message,
                "object": _link(row.about),
                "count": row.count,
                "last": row.seen,
                "reporter": row.source,
            }
            for row in found.rows
        ]
        return Response({"items": rows, "more": found.more, "problem": found.problem})


class Events(APIView):
    """Events of a namespace or of all, newest first, 100 on a page."""

    @extend_schema(
        operation_id="resources_events",
        parameters=[OpenApiParameter(name, str) for name in ("namespace", "type", "kind", "reason", "q")]
        + [
            OpenApiParameter("group", OpenApiTypes.INT, description="0: each by itself, repeats too"),
            OpenApiParameter("page", OpenApiTypes.INT),
        ],
        responses=EventsSerializer,
    )
    def get(self, request: Request) -> Response:
        asked = request.query_params
        query = events.event_query(asked)
        namespace = asked.get("namespace", "")
        found = events.event_list(cluster(request), "" if namespace == "-" else namespace, query)
        first = (_page_number(asked.get("page", "")) - 1) * _PAGE_EVENTS
        rows = [
            {
                "warning": row.warning,
                "reason": row.reason,
                "message": row.message,
                "objects": [_link(link) for link in row.objects],
                "number": row.number,
                "count": row.count,
                "first": row.first,
                "last": row.last,
                "reporter": row.source,
            }
            for row in events.rows_of(cluster(request), found.groups[first : first + _PAGE_EVENTS])
        ]
        return Response(
            {
                "items": rows,
                "total": found.total,
                "matched": found.matched,
                "lines": len(found.groups),
                "beyond": found.beyond,
            }
        )


def _page_number(text: str) -> int:
    """From 1. Text that isn't a number is page 1."""
    return max(1, min(int(text), 1000)) if text.isascii() and text.isdigit() and len(text) < 18 else 1


class Search(APIView):
    """Objects of all kinds: `q` in the words of the search page (`kind:`, `ns:`, `label:`, `annotation:`, `state:`,
    `group:` and parts of names).
    """

    @extend_schema(
        operation_id="resources_search",
        parameters=[OpenApiParameter(name, str) for name in ("q", "namespace")],
        responses=SearchSerializer,
    )
    def get(self, request: Request) -> Response:
        asked = request.query_params
        namespace = asked.get("namespace", "")
        query = object_search.parse_query(" ".join(asked.get("q", "").split())[:1000])
        found = object_search.search(cluster(request), "" if namespace == "-" else namespace, query)
        hits = [
            {"object": ref(group.type, hit.namespace, hit.name), "state": hit.state, "created": hit.created}
            for group in found.groups
            for hit in group.hits
        ]
        return Response(
            {
                "items": hits,
                "total": found.total,
                "kinds": found.searched,
                "forbidden": found.forbidden,
                "partly": found.partly,
                "failed": [{"kind": kind, "reason": reason} for kind, reason in found.failed],
            }
        )
