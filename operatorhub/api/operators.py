"""/api/operatorhub/operators/…: what is installed."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from operatorhub import csv
from operatorhub.api.common import NAMESPACE, ProblemSerializer, cluster, web
from operatorhub.api.shapes import shape
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
