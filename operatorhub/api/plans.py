"""/api/operatorhub/installplans/…: what OLM is about to make or has made, what it changes, and the approval."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from operatorhub import olm
from operatorhub.api.common import NAMESPACE, ProblemSerializer, audited, body, cluster, dry
from operatorhub.api.packages import Right
from operatorhub.api.shapes import shape
from operatorhub.upgrade import plan_check, plan_diff, plans

_FIELDS = (
    "uid",
    "namespace",
    "name",
    "phase",
    "state",
    "approval",
    "approved",
    "waits",
    "csvs",
    "catalogs",
    "subscriptions",
    "components",
    "created",
    "message",
    "conditions",
    "generation",
    "content",
)
Plan = shape(plans.InstallPlan, "InstallPlan", *_FIELDS)
Step = shape(
    plans.PlanStep,
    "InstallPlanStep",
    "number",
    "resolving",
    "real_kind",
    "api_version",
    "name",
    "status",
    "state",
    "manifest",
    "gap",
)
StepName = shape(plans.PlanStep, "InstallPlanStepName", "number", "real_kind", "api_version", "name")
CrdChange = shape(plan_diff.Crd, "CrdChange", "diff", "same", "conversion", "step", step=StepName())
OtherChange = shape(plan_diff.Other, "OtherChange", "what", "words", "step", step=StepName())
Change = shape(
    plan_diff.OperatorChange,
    "OperatorChange",
    "csv",
    "title",
    "version",
    "old",
    "old_version",
    "added",
    "removed",
    "level",
    "images",
    "gap",
    "crds",
    "others",
    added=Right(many=True),
    removed=Right(many=True),
    crds=CrdChange(many=True),
    others=OtherChange(many=True),
)


Check = shape(plan_check.Check, "InstanceCheck")


class InstallPlanDetailSerializer(serializers.Serializer[Any]):
    """A plan with its steps.

    With `?changes=true` what they would change of what is there, with `?check=true` the instances that new schemas
    would refuse.
    """

    plan = Plan()
    steps = Step(many=True)
    changes = Change(many=True, allow_null=True)
    check = Check(allow_null=True)


class InstallPlanApprovalSerializer(serializers.Serializer[Any]):
    """`content`: of the plan that was looked at; another one is refused with 409."""

    content = serializers.CharField(required=False)
    dryRun = serializers.BooleanField(required=False)


class Plans(APIView):
    """The InstallPlans, newest first."""

    @extend_schema(
        operation_id="operatorhub_installplans",
        parameters=[NAMESPACE, OpenApiParameter("csv", str, description="only those that carry this version")],
        responses={200: Plan(many=True), 403: ProblemSerializer},
    )
    def get(self, request: Request) -> Response:
        asked = request.query_params
        return Response(
            Plan(plans.listed(cluster(request), asked.get("namespace", ""), asked.get("csv", "")), many=True).data
        )


class OnePlan(APIView):
    """One InstallPlan."""

    @extend_schema(
        operation_id="operatorhub_installplan",
        parameters=[
            OpenApiParameter("changes", bool, description="compare every step with what is there: some seconds"),
            OpenApiParameter(
                "check",
                bool,
                description="hold every instance against the new schemas; asked again until its state is done",
            ),
        ],
        responses={200: InstallPlanDetailSerializer, 404: ProblemSerializer},
    )
    def get(self, request: Request, namespace: str, plan: str) -> Response:
        client = cluster(request)
        found = plans.read(client, namespace, plan)
        wanted = {name for name in ("changes", "check") if request.query_params.get(name) in ("1", "true")}
        answer = {
            "plan": found,
            "steps": plans.steps(client, found),
            "changes": plan_diff.changes(client, found) if "changes" in wanted else None,
            "check": plan_check.current_check(client, found) if "check" in wanted else None,
        }
        return Response(InstallPlanDetailSerializer(answer).data)


class Approval(APIView):
    """The approval of a plan that waits for one."""

    @extend_schema(
        operation_id="operatorhub_approve",
        request=InstallPlanApprovalSerializer,
        responses={200: Plan, 404: ProblemSerializer, 409: ProblemSerializer},
    )
    def post(self, request: Request, namespace: str, plan: str) -> Response:
        """All operators that the plan carries are installed. 409 when the plan changed since."""
        client, only_asked = cluster(request), dry(request)
        found, seen = plans.read(client, namespace, plan), str(body(request).get("content") or "")
        with audited(request, "approve", olm.ref(olm.PLANS, namespace, plan), dry_run=only_asked):
            plans.approve(client, found, seen=seen, dry_run=only_asked)
        return Response(Plan(plans.read(client, namespace, plan)).data)
