"""/api/operatorhub/packages/…/install/ and /api/operatorhub/installs/…: the objects of an install, their creation,
how far it is, and its undoing.
"""

from functools import partial
from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from console.web import audit
from console.web.errors import explain
from console.web.frame import forget_namespaces
from kube.errors import KubeError, NotFound
from operatorhub.api.common import (
    ProblemSerializer,
    RefusedSerializer,
    body,
    cluster,
    dry,
    form,
    known_keys,
    refused,
    shape,
    web,
)
from operatorhub.api.subscriptions import Subscription
from operatorhub.bundle import package as packages
from operatorhub.csv import MODES
from operatorhub.install import choices, config, conflicts, created_objects, draft, situation
from operatorhub.install.choices import read_version
from operatorhub.progress import read as progress
from operatorhub.progress import stages, trouble

Conflict = shape(conflicts.InstallConflict, "InstallConflict")
Stage = shape(stages.Stage, "InstallStage")
Trouble = shape(trouble.Trouble, "InstallTrouble")


class InstallWantedSerializer(serializers.Serializer[Any]):
    """Defaults are those of the page: the default channel, its newest version, the operator's first mode, the suggested
    namespace.

    `version`: a ClusterServiceVersion's name. `watch`: the namespaces of SingleNamespace and MultiNamespace. `config`:
    the Subscription's spec.config (env, resources, nodeSelector, tolerations, …); each part may be YAML text as well.
    Anything unknown is refused with 400. `dryRun`: nothing is made; what is answered are the objects, and what the API
    server would say to each.
    """

    channel = serializers.CharField(required=False)
    version = serializers.CharField(required=False)
    mode = serializers.ChoiceField(MODES, required=False)
    namespace = serializers.CharField(required=False)
    watch = serializers.ListField(child=serializers.CharField(), required=False)
    approval = serializers.ChoiceField(choices.APPROVALS, required=False)
    config = serializers.DictField(child=serializers.JSONField(), required=False)
    monitoring = serializers.BooleanField(required=False)
    dryRun = serializers.BooleanField(required=False)


class InstallAnswerSerializer(serializers.Serializer[Any]):
    """What the API server said to one object: ok, present, waits (its namespace is not there yet), refused or
    untried.
    """

    kind = serializers.CharField()
    name = serializers.CharField()
    namespace = serializers.CharField(allow_blank=True)
    outcome = serializers.CharField()
    problem = serializers.SerializerMethodField()

    def get_problem(self, answer: created_objects.CreateResult) -> str:
        return answer.error.message if answer.error else ""


class InstallMadeSerializer(serializers.Serializer[Any]):
    """`objects`: what the choices mean, in the order of their creation; `answers`: what came of each; `warnings`:
    what did not hold it up.
    """

    namespace = serializers.CharField()
    subscription = serializers.CharField()
    objects = serializers.ListField(child=serializers.DictField())
    answers = InstallAnswerSerializer(many=True)
    warnings = Conflict(many=True)
    kubectl = serializers.CharField()
    problem = ProblemSerializer(allow_null=True)


class InstallProgressSerializer(serializers.Serializer[Any]):
    """`state`: done, failed, asks (`plan` needs approval) or running. It is failed only if waiting can't help.

    `usable_csv`: what runs, an older version than `csv` while an update asks. `trouble`: why it has failed, with ways
    out; while it is running (`settled` false) what is in its way so far.
    """

    state = serializers.CharField()
    usable = serializers.BooleanField()
    usable_csv = serializers.CharField(allow_blank=True)
    csv = serializers.CharField(allow_blank=True)
    plan = serializers.CharField(allow_blank=True)
    plan_csvs = serializers.ListField(child=serializers.CharField())
    stages = Stage(many=True)
    trouble = Trouble(allow_null=True)
    seconds = serializers.FloatField(allow_null=True)
    unread = serializers.ListField(child=serializers.CharField())
    subscription = Subscription()


class Install(APIView):
    """The install of one package."""

    @extend_schema(
        operation_id="operatorhub_install",
        request=InstallWantedSerializer,
        responses={
            200: InstallMadeSerializer,
            201: InstallMadeSerializer,
            400: ProblemSerializer,
            404: ProblemSerializer,
            409: InstallMadeSerializer,
            422: RefusedSerializer,
        },
    )
    def post(self, request: Request, namespace: str, catalog: str, package: str) -> Response:
        """Make the Namespace, the OperatorGroup and the Subscription, as far as they are not there.

        200 for a dry run, 201 when they are made.

        Where the API server refuses one, its status and the same answer, saying which were made before it.
        """
        wanted = _draft(request, namespace, catalog, package)
        if wanted.errors:
            return refused(_("The operator can't be installed with these values"), wanted.errors)
        client = cluster(request)
        if dry(request):
            return _answer(wanted, package, created_objects.dry_run(client, wanted.objects), None, 200)
        made = created_objects.create(client, wanted.objects, partial(audit.record, web(request), "create"))
        forget_namespaces()
        return _answer(wanted, package, made.answers, made.error, 201)


def _draft(request: Request, namespace: str, catalog: str, package: str) -> draft.InstallDraft:
    client, sent = cluster(request), dict(body(request, InstallWantedSerializer))
    manifest = packages.read(client, namespace, catalog, package, web(request).namespace)
    channel = manifest.channel(str(sent.get("channel") or ""))
    if channel is None:
        raise NotFound(_("The package “%(name)s” has no channel, so it can't be installed.") % {"name": package})
    picked = read_version(client, manifest, channel, str(sent.get("version") or ""), web(request).namespace)
    about = packages.describe(picked.channel, package)
    given = sent.pop("config", None) or {}
    if not isinstance(given, dict):
        raise ValidationError("config: an object, with the names of the Subscription's spec.config")
    known_keys("config", given, (*config.KNOWN, *config.FIELDS))
    sent |= config.as_posted(given)
    sent[choices.PLACE] = sent.pop("namespace", "")
    if sent.get("mode") == choices.SINGLE and isinstance(sent.get("watch"), list):
        sent["single"] = sent["watch"][0] if sent["watch"] else ""
    found = situation.read_situation(client, web(request).namespace, namespace)
    chosen = choices.read(
        data=form(sent), posted=True, channel=picked.channel, about=about, situation=found, package=package, picked=""
    )
    asked = conflicts.InstallRequest(
        manifest=manifest,
        channel=picked.channel,
        about=about,
        situation=found,
        choices=chosen,
        exact=picked.exact,
        needs=picked.needs,
    )
    return draft.make(asked, client)


def _answer(
    wanted: draft.InstallDraft,
    package: str,
    answers: tuple[created_objects.CreateResult, ...],
    error: KubeError | None,
    status: int,
) -> Response:
    answer = {
        "namespace": wanted.choices.namespace,
        "subscription": package,
        "objects": wanted.objects,
        "answers": answers,
        "warnings": wanted.warnings,
        "kubectl": wanted.kubectl,
        "problem": explain(error) if error else None,
    }
    return Response(InstallMadeSerializer(answer).data, status=(error.code or 502) if error else status)


class Progress(APIView):
    """Progress of an install."""

    @extend_schema(
        operation_id="operatorhub_progress", responses={200: InstallProgressSerializer, 404: ProblemSerializer}
    )
    def get(self, request: Request, namespace: str, subscription: str) -> Response:
        """Subscription, InstallPlan, its objects, CSV, Deployments, Pods; each with what it waits for."""
        return Response(InstallProgressSerializer(progress.read(cluster(request), namespace, subscription)).data)
