"""/api/operatorhub/subscriptions/…: Subscriptions and their changes; /api/operatorhub/installplans/…: InstallPlans,
what they change, and their approval.
"""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from operatorhub import olm
from operatorhub.api.common import (
    NAMESPACE,
    ProblemSerializer,
    RefusedSerializer,
    as_yaml,
    audited,
    body,
    cluster,
    dry,
    known_keys,
    refused,
    shape,
)
from operatorhub.api.packages import Right
from operatorhub.running import updates
from operatorhub.upgrade import plan_check, plan_diff, plans, subscription
from operatorhub.upgrade.subscription import CONFIG, SubscriptionForm

_SUBSCRIPTION_FIELDS = (
    "name",
    "namespace",
    "package",
    "catalog",
    "catalog_namespace",
    "channel",
    "approval",
    "starting_csv",
    "current_csv",
    "installed_csv",
    "state",
    "plan",
    "uid",
    "created",
    "installed",
    "waits",
    "problem",
    "deprecations",
    "dismissed",
)
Subscription = shape(olm.Subscription, "Subscription", *_SUBSCRIPTION_FIELDS)
Head = shape(subscription.Head, "ChannelHead")
Update = shape(updates.Update, "Update")
Page = subscription.SubscriptionPage


class SubscriptionConditionSerializer(serializers.Serializer[Any]):
    """One condition."""

    type = serializers.CharField()
    status = serializers.CharField()
    reason = serializers.CharField(allow_blank=True)
    message = serializers.CharField(allow_blank=True)


class SubscriptionPageSerializer(serializers.Serializer[Any]):
    """A Subscription, the channels it could follow, and what OLM says of it."""

    subscription = Subscription(source="sub")
    conditions = SubscriptionConditionSerializer(source="sub.conditions", many=True, read_only=True)
    update = Update()  # type: ignore[assignment]
    catalog_state = serializers.CharField(allow_blank=True)
    channels = Head(source="heads", many=True)
    graph_problem = serializers.CharField(allow_blank=True)
    others_manual = serializers.ListField(child=serializers.CharField())
    resource_version = serializers.CharField(source="version")
    config = serializers.DictField()


class SubscriptionChangeSerializer(serializers.Serializer[Any]):
    """What is named is changed.

    `source`: namespace/name of another catalog that has the package. `config`: parts of spec.config, each as YAML text.

    `resource_version`: of the Subscription that was looked at; another one is refused with 409.
    """

    channel = serializers.CharField(required=False)
    approval = serializers.ChoiceField(subscription.APPROVALS, required=False)
    source = serializers.CharField(required=False)  # type: ignore[assignment]
    config = serializers.DictField(child=serializers.JSONField(), required=False)
    resource_version = serializers.CharField(required=False)
    dryRun = serializers.BooleanField(required=False)


class SubscriptionChangedSerializer(serializers.Serializer[Any]):
    """What was changed (or would be), as a merge patch; {} when all was so already.

    `warnings`: what it means besides.
    """

    patch = serializers.DictField()
    warnings = serializers.ListField(child=serializers.CharField())
    subscription = Subscription()


class Subscriptions(APIView):
    """The Subscriptions."""

    @extend_schema(
        operation_id="operatorhub_subscriptions",
        parameters=[NAMESPACE],
        responses={200: Subscription(many=True), 403: ProblemSerializer},
    )
    def get(self, request: Request) -> Response:
        client = cluster(request)
        found = client.list(olm.type_of(client, olm.SUBSCRIPTIONS), request.query_params.get("namespace", "")).items
        return Response(Subscription(map(olm.subscription, found), many=True).data)


class OneSubscription(APIView):
    """One Subscription."""

    @extend_schema(
        operation_id="operatorhub_subscription", responses={200: SubscriptionPageSerializer, 404: ProblemSerializer}
    )
    def get(self, request: Request, namespace: str, subscription: str) -> Response:
        return Response(SubscriptionPageSerializer(_read_subscription(request, namespace, subscription)).data)

    @extend_schema(
        operation_id="operatorhub_subscription_change",
        request=SubscriptionChangeSerializer,
        responses={
            200: SubscriptionChangedSerializer,
            400: ProblemSerializer,
            404: ProblemSerializer,
            409: ProblemSerializer,
            422: RefusedSerializer,
        },
    )
    def patch(self, request: Request, namespace: str, subscription: str) -> Response:
        """Change channel, approval, catalog or configuration."""
        page, sent = _read_subscription(request, namespace, subscription), body(request, SubscriptionChangeSerializer)
        posted = {key: str(sent[key]) for key in ("channel", "approval", "source") if sent.get(key)}
        config = sent.get("config") or {}
        if not isinstance(config, dict):
            raise ValidationError("config: an object, with the names of spec.config")
        known_keys("config", config, CONFIG)
        posted |= {f"config.{key}": as_yaml(value) for key, value in config.items()}
        posted["version"] = str(sent.get("resource_version") or "")
        return _change_subscription(request, SubscriptionForm(page, posted))


def _read_subscription(request: Request, namespace: str, name: str) -> subscription.SubscriptionPage:
    return subscription.read(cluster(request), namespace, name)


def _change_subscription(request: Request, form: SubscriptionForm) -> Response:
    client, sub = cluster(request), form.page.sub
    if form.errors:
        return refused(_("The Subscription can't be changed with these values"), form)
    found = form.page.object
    if form.patch:
        with audited(request, "patch", olm.ref(olm.SUBSCRIPTIONS, sub.namespace, sub.name), dry_run=dry(request)):
            found = subscription.save(client, form, dry_run=dry(request))
    answer = {
        "patch": form.patch,
        "warnings": subscription.warnings(form),
        "subscription": olm.subscription(found),
    }
    return Response(SubscriptionChangedSerializer(answer).data)


_PLAN_FIELDS = (
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
Plan = shape(plans.InstallPlan, "InstallPlan", *_PLAN_FIELDS)
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
