"""/api/operatorhub/operators/…: installed operators; …/export/: one of them as clean manifests, a kustomize folder;
…/uninstall/ and /api/operatorhub/removals/…: what an uninstall removes and keeps, and its progress.
"""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from console.web import audit
from operatorhub import csv, runs
from operatorhub.api.common import NAMESPACE, ProblemSerializer, RefusedSerializer, body, cluster, refused, shape, web
from operatorhub.exports import folder, operator_objects
from operatorhub.install.choices import LABEL
from operatorhub.removing import leftovers, removal, removal_page, uninstall
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


Leftover = shape(
    leftovers.Leftover,
    "Leftover",
    "key",
    "kind",
    "group",
    "version",
    "plural",
    "namespace",
    "name",
    "words",
    "refused",
    "offered",
    "stage",
)
Stage = shape(
    removal_page.RemovalStage,
    "RemovalStage",
    "key",
    "title",
    "state",
    "total",
    "gone",
    "failed",
    "remaining",
    "things",
    "more",
)
Stuck = shape(removal_page.Stuck, "RemovalStuck", "thing", "finalizers", "command")
#: Actions on a running uninstall.
ACTIONS = ("again", "anyway", "stop")


class OperandsSerializer(serializers.Serializer[Any]):
    """The instances of one kind, in all namespaces; `problem`: why they can't be listed."""

    crd = serializers.CharField()
    kind = serializers.CharField()
    number = serializers.IntegerField()
    namespaces = serializers.DictField(child=serializers.IntegerField())
    finalizers = serializers.ListField(child=serializers.CharField())
    problem = serializers.CharField(allow_blank=True)


class UninstallPreviewSerializer(serializers.Serializer[Any]):
    """`goes`: what OLM removes with the operator; `operands` and `leftovers` stay unless they are asked for;
    `message`: its author's words on this.
    """

    csv = serializers.CharField()
    title = serializers.CharField()
    csv_uid = serializers.CharField(allow_blank=True)
    subscription = serializers.CharField(allow_blank=True)
    subscription_uid = serializers.CharField(allow_blank=True)
    deployments = serializers.ListField(child=serializers.CharField())
    goes = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))
    operands = OperandsSerializer(many=True)
    leftovers = Leftover(many=True)
    message = serializers.CharField(allow_blank=True)
    no_operands = serializers.BooleanField()
    gaps = serializers.ListField(child=serializers.CharField())
    kubectl = serializers.CharField(allow_blank=True)


class UninstallWantedSerializer(serializers.Serializer[Any]):
    """`instances`: names of CRDs whose objects go too; `leftovers`: keys of the preview.

    The uids of the preview, where they are given, must still be those.
    """

    csv_uid = serializers.CharField(required=False)
    subscription_uid = serializers.CharField(required=False)
    instances = serializers.ListField(child=serializers.CharField(), required=False)
    leftovers = serializers.ListField(child=serializers.CharField(), required=False)


class RemovalSerializer(serializers.Serializer[Any]):
    """`run`: running, done, failed (something was refused), stopped or stuck (nothing changes any more: `stuck` says
    why). `stale`: no worker is advancing it.
    """

    key = serializers.CharField()
    title = serializers.CharField()
    run = serializers.CharField()
    operator_gone = serializers.BooleanField()
    stages = Stage(many=True)
    stuck = Stuck(many=True)
    stale = serializers.BooleanField()


class ActionSerializer(serializers.Serializer[Any]):
    """`again`: retry; `anyway`: remove the operator although instances remain; `stop`: keep the rest. Otherwise:
    continue it within this request.
    """

    action = serializers.ChoiceField(ACTIONS, required=False)


class Uninstall(APIView):
    """The uninstall of one operator."""

    @extend_schema(
        operation_id="operatorhub_uninstall_preview",
        responses={200: UninstallPreviewSerializer, 404: ProblemSerializer},
    )
    def get(self, request: Request, namespace: str, csv: str) -> Response:
        """Nothing is changed."""
        plan = uninstall.read_plan(cluster(request), namespace, csv)
        return Response(
            UninstallPreviewSerializer(
                {**_plan_fields(plan), "operands": [_operands(operand) for operand in plan.operands]}
            ).data
        )

    @extend_schema(
        operation_id="operatorhub_uninstall",
        request=UninstallWantedSerializer,
        responses={202: RemovalSerializer, 400: ProblemSerializer, 404: ProblemSerializer, 422: RefusedSerializer},
    )
    def post(self, request: Request, namespace: str, csv: str) -> Response:
        """Begin. Instances go first, then the Subscription, the version, the rest; each by its uid."""
        client, sent = cluster(request), body(request, UninstallWantedSerializer)
        plan = uninstall.read_plan(client, namespace, csv)
        for name in ("csv_uid", "subscription_uid"):
            if sent.get(name, getattr(plan, name)) != getattr(plan, name):
                return refused(_("The operator was replaced in the meantime"), {name: _("Check the preview again.")})
        kinds = () if plan.no_operands else _list(sent, "instances")
        document = removal.document(client, plan, kinds, _list(sent, "leftovers"))
        run = runs.create(
            key=uuid4().hex, kind=removal.KIND, client=client, namespace=namespace, name=csv, document=document
        )
        runs.go_on(client, run, removal.advance, removal.SECONDS)
        return Response(_removal_answer(removal_page.read(client, run.key)), status=202)


def _plan_fields(plan: uninstall.UninstallPlan) -> dict[str, Any]:
    names = (
        "csv",
        "title",
        "csv_uid",
        "subscription",
        "subscription_uid",
        "deployments",
        "goes",
        "leftovers",
        "message",
        "no_operands",
        "gaps",
        "kubectl",
    )
    return {name: getattr(plan, name) for name in names}


def _operands(operands: uninstall.Operands) -> dict[str, Any]:
    return {
        "crd": operands.owned.api.crd,
        "kind": operands.owned.api.kind,
        "number": operands.number,
        "namespaces": dict(operands.by_namespace),
        "finalizers": operands.finalizers,
        "problem": operands.problem,
    }


def _list(sent: Mapping[str, Any], name: str) -> list[str]:
    value = sent.get(name)
    return [str(item) for item in value] if isinstance(value, list) else []


def _removal_answer(page: removal_page.RemovalPage) -> Any:
    answer = {
        "key": page.run.key,
        "title": page.title,
        "run": page.run.state,
        "operator_gone": page.operator_gone,
        "stages": page.stages,
        "stuck": page.stuck,
        "stale": page.stale,
    }
    return RemovalSerializer(answer).data


class Removal(APIView):
    """An uninstall that was begun."""

    @extend_schema(
        operation_id="operatorhub_removal",
        responses={200: RemovalSerializer, 400: ProblemSerializer, 404: ProblemSerializer},
    )
    def get(self, request: Request, key: str) -> Response:
        """How far it is."""
        return Response(_removal_answer(removal_page.read(cluster(request), key)))

    @extend_schema(
        operation_id="operatorhub_removal_go_on",
        request=ActionSerializer,
        responses={200: RemovalSerializer, 404: ProblemSerializer},
    )
    def post(self, request: Request, key: str) -> Response:
        """Advance the uninstall within this request, or apply `action`."""
        client, action = cluster(request), str(body(request, ActionSerializer).get("action") or "")
        run = removal_page.read(client, key).run
        if action == "stop":
            removal.stop(run)
        elif action == "anyway":
            removal.go_anyway(run)
        elif action == "again":
            removal.again(run)
        runs.go_on(client, run, removal.advance, removal.SECONDS)
        if run.state != "running":
            runs.save(run)
        return Response(_removal_answer(removal_page.read(client, key)))
