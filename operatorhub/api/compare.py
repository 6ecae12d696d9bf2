"""/api/operatorhub/compare/: packages side by side."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from operatorhub.api.common import RefusedSerializer, cluster, refused, web
from operatorhub.api.shapes import shape
from operatorhub.find import compare

Column = shape(compare.PackageColumn, "ComparedPackage", "key", "title", "problem")
Row = shape(compare.ComparisonRow, "ComparedRow", "label", "same", "cells")


class ComparisonSerializer(serializers.Serializer[Any]):
    """The cells of each row are in the order of the packages."""

    packages = Column(many=True)
    rows = Row(many=True)


class Comparison(APIView):
    """Packages side by side."""

    @extend_schema(
        operation_id="operatorhub_compare",
        parameters=[
            OpenApiParameter("package", str, many=True, description="namespace/catalog/name, two to four of them")
        ],
        responses={200: ComparisonSerializer, 422: RefusedSerializer},
    )
    def get(self, request: Request) -> Response:
        wanted = compare.keys(request.query_params.getlist("package"))
        if len(wanted) < compare.LEAST:
            return refused(_("Nothing to compare"), {"package": _("Specify at least two packages.")})
        found = compare.columns(cluster(request), wanted, web(request).namespace)
        return Response(ComparisonSerializer({"packages": found, "rows": compare.rows(found)}).data)
