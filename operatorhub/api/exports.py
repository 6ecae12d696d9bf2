"""/api/operatorhub/operators/…/export/: an installed operator as clean manifests, a kustomize folder."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from console.web import audit
from operatorhub.api.common import ProblemSerializer, cluster, web
from operatorhub.api.shapes import shape
from operatorhub.exports import folder, gather
from operatorhub.install.choices import LABEL

Item = shape(gather.Item, "ExportItem")
File = shape(folder.File, "ExportFile")


class ExportSerializer(serializers.Serializer[Any]):
    """`items`: what belongs to the operator; `taken`: the keys of those that are in `files`; `unread`: what could
    not be read.
    """

    package = serializers.CharField()
    items = Item(many=True)
    taken = serializers.ListField(child=serializers.CharField())
    files = File(many=True)
    unread = serializers.ListField(child=serializers.CharField())


class Export(APIView):
    """One operator."""

    @extend_schema(
        operation_id="operatorhub_export",
        parameters=[
            OpenApiParameter(
                "take", str, many=True, description="keys of items; what the page ticks where none is named"
            ),
            OpenApiParameter("into", str, description="another namespace than its own"),
            OpenApiParameter("pin", bool, description="the Subscription begins at the installed version"),
        ],
        responses={200: ExportSerializer, 404: ProblemSerializer},
    )
    def get(self, request: Request, namespace: str, csv: str) -> Response:
        """Nothing is changed. What is taken of Secrets goes into the audit log."""
        client, asked = cluster(request), request.query_params
        offer = gather.read_offer(client, namespace, csv)
        chosen = set(asked.getlist("take")) or {item.key for item in offer.items if item.ticked}
        taken = [item for item in offer.items if item.key in chosen]
        found, unread = gather.objects(client, taken)
        into = asked.get("into", "")
        pinned = "" if asked.get("pin") in ("0", "false") else csv
        files = folder.files(found, namespace, into=into if LABEL.fullmatch(into) else namespace, pinned=pinned)
        for item, _secret in found:
            if item.secret:
                audit.record(web(request), "export", f"core/v1/secrets {item.namespace}/{item.name}", "ok")
        answer = {
            "package": offer.package,
            "items": offer.items,
            "taken": [item.key for item in taken],
            "files": files,
            "unread": (*offer.unread, *unread),
        }
        return Response(ExportSerializer(answer).data)
