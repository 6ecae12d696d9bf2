"""/api/operatorhub/operators/…: installed operators, and …/export/: one of them as clean manifests, a kustomize
folder.
"""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from console.web import audit
from operatorhub import csv
from operatorhub.api.common import NAMESPACE, ProblemSerializer, cluster, web
from operatorhub.api.shapes import shape
from operatorhub.exports import folder, operator_objects
from operatorhub.install.choices import LABEL
from operatorhub.running import installed_operators, operands, operator
from operatorhub.running.workloads import StagePart

Operator = shape(installed_operators.Operator, "Operator")
OwnedApi = shape(
    operands.OwnedApi,
    "OwnedApi",
    "api",
    "count",
    "served",
    "may_create",
    "refused",
    "problem",
    api=shape(csv.Api, "OwnedKind")(),
)

PartShape = shape(StagePart, "OperatorPart")


class OperatorsSerializer(serializers.Serializer[Any]):
    """`gaps`: what could not be read, and is missing therefore."""

    operators = Operator(many=True)
    gaps = serializers.ListField(child=serializers.CharField())


class OperatorDetailSerializer(serializers.Serializer[Any]):
    """One operator: its ClusterServiceVersion as it is, and what lies around it."""

    operator = Operator()
    message = serializers.CharField(allow_blank=True)
    group = serializers.CharField(allow_blank=True)
    original = serializers.CharField(allow_blank=True)
    conditions = serializers.ListField(child=serializers.DictField())
    apis = OwnedApi(many=True)
    requirements = PartShape(many=True)
    deployments = PartShape(many=True)
    pods = PartShape(many=True)
    object = serializers.DictField()


class Operators(APIView):
    """Installed operators, and Subscriptions that have none yet."""

    @extend_schema(
        operation_id="operatorhub_operators",
        parameters=[NAMESPACE, OpenApiParameter("labels", str)],
        responses={200: OperatorsSerializer, 403: ProblemSerializer},
    )
    def get(self, request: Request) -> Response:
        """By their titles."""
        asked = request.query_params
        found = installed_operators.listed(cluster(request), asked.get("namespace", ""), asked.get("labels", ""))
        return Response(OperatorsSerializer({"operators": found.rows, "gaps": found.gaps}).data)


class OneOperator(APIView):
    """One installed operator."""

    @extend_schema(
        operation_id="operatorhub_operator", responses={200: OperatorDetailSerializer, 404: ProblemSerializer}
    )
    def get(self, request: Request, namespace: str, csv: str) -> Response:
        found = operator.detail(cluster(request), namespace, csv, web(request).namespace)
        return Response(OperatorDetailSerializer(found).data)


ExportItem = shape(operator_objects.Item, "ExportItem")
ExportFile = shape(folder.File, "ExportFile")


class ExportSerializer(serializers.Serializer[Any]):
    """`items`: what belongs to the operator; `taken`: the keys of those that are in `files`; `unread`: what could
    not be read.
    """

    package = serializers.CharField()
    items = ExportItem(many=True)
    taken = serializers.ListField(child=serializers.CharField())
    files = ExportFile(many=True)
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
        offer = operator_objects.read_offer(client, namespace, csv)
        chosen = set(asked.getlist("take")) or {item.key for item in offer.items if item.ticked}
        taken = [item for item in offer.items if item.key in chosen]
        found, unread = operator_objects.objects(client, taken)
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
