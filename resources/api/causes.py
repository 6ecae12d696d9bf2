"""/api/resources/…/causes/: why an object isn't well, as JSON. The same sentences as the object's page has."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from resources.api.lists import RefSerializer, cluster, ref
from resources.diagnosis.cause_display import ShownCause, shown_causes
from resources.diagnosis.cause_reader import read_causes, state_of
from resources.place import place_of


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
        client, place = cluster(request), place_of(request._request, **address)  # type: ignore[arg-type]
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
