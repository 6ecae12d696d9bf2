"""/api/operatorhub/runs/…: bundles that are installed without a catalog, as operator-sdk's `run bundle` does; with
their cleanup.
"""

from functools import partial
from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from console.web import audit
from console.web.frame import forget_namespaces
from operatorhub.admin import catalogs
from operatorhub.api.common import ProblemSerializer, RefusedSerializer, body, cluster, dry, refused, shape, web
from operatorhub.bundle import bundles
from operatorhub.csv import MODES
from operatorhub.install import situation
from operatorhub.progress.stages import Stage
from operatorhub.run import bundle_input, follow, plan, removal, verdicts
from operatorhub.sources.drafts import SourceError
from resources.imports import Result

RunShape = shape(follow.RunSummary, "BundleRun")
VerdictShape = shape(verdicts.Verdict, "BundleVerdict")
StageShape = shape(Stage, "BundleRunStage")


class FileSerializer(serializers.Serializer[Any]):
    """A manifest, as text."""

    name = serializers.CharField()
    content = serializers.CharField()


class RunWantedSerializer(serializers.Serializer[Any]):
    """A bundle, by exactly one of: `files`; `address` (of an archive, a file); `image`; or `catalog`
    (namespace/name) with `package`.

    `bundle`: which one, where there are several. Namespace and mode default to the page's suggestions.
    """

    files = FileSerializer(many=True, required=False)
    address = serializers.CharField(required=False)
    image = serializers.CharField(required=False)
    catalog = serializers.CharField(required=False)
    package = serializers.CharField(required=False)
    bundle = serializers.CharField(required=False)
    namespace = serializers.CharField(required=False)
    mode = serializers.ChoiceField(MODES, required=False)
    watch = serializers.ListField(child=serializers.CharField(), required=False)
    dryRun = serializers.BooleanField(required=False)


class RunResultSerializer(serializers.Serializer[Any]):
    """What became of one object: created, changed, unchanged, waits, refused or skipped."""

    kind = serializers.CharField()
    name = serializers.CharField()
    namespace = serializers.CharField(allow_blank=True)
    outcome = serializers.CharField()
    problem = serializers.CharField(allow_blank=True)


class RunMadeSerializer(serializers.Serializer[Any]):
    """`verdicts`: what is odd about the bundle; `good`: all objects are there now (or would be)."""

    package = serializers.CharField()
    namespace = serializers.CharField()
    csv = serializers.CharField()
    verdicts = VerdictShape(many=True)
    warnings = serializers.ListField(child=serializers.CharField())
    objects = serializers.ListField(child=serializers.DictField())
    results = RunResultSerializer(many=True)
    good = serializers.BooleanField()


class RunFollowedSerializer(serializers.Serializer[Any]):
    """`state`: done, failed or running."""

    package = serializers.CharField()
    namespace = serializers.CharField()
    csv = serializers.CharField(allow_blank=True)
    title = serializers.CharField(allow_blank=True)
    state = serializers.CharField()
    usable = serializers.BooleanField()
    stages = StageShape(many=True)


class RunRemovedSerializer(serializers.Serializer[Any]):
    """One object: removed, gone, replaced, refused, or held by its finalizers."""

    kind = serializers.CharField()
    namespace = serializers.CharField(allow_blank=True)
    name = serializers.CharField()
    outcome = serializers.CharField()


class RunRemovalSerializer(serializers.Serializer[Any]):
    """`operands`: instances of its kinds go too; `kinds`: the CRDs; `namespace`: the namespace, if the run made it."""

    operands = serializers.BooleanField(required=False)
    kinds = serializers.BooleanField(required=False)
    namespace = serializers.BooleanField(required=False)


class Runs(APIView):
    """The runs that there are."""

    @extend_schema(operation_id="operatorhub_runs", responses={200: RunShape(many=True)})
    def get(self, request: Request) -> Response:
        return Response(RunShape(follow.runs(cluster(request)), many=True).data)

    @extend_schema(
        operation_id="operatorhub_run",
        request=RunWantedSerializer,
        responses={
            200: RunMadeSerializer,
            201: RunMadeSerializer,
            400: ProblemSerializer,
            409: RunMadeSerializer,
            422: RefusedSerializer,
        },
    )
    def post(self, request: Request) -> Response:
        """Make the bundle's objects, server-side applied.

        200 for a dry run, 201 when all are there, 409 when some were refused.
        """
        try:
            source = _source(request)
        except SourceError as error:
            return refused(_("No bundle to run"), {"bundle": str(error)})
        bundle = source.find(str(body(request).get("bundle") or ""))
        if bundle is None:
            return refused(_("No bundle to run"), {"bundle": _("The source has no bundle with this name.")})
        findings = verdicts.judge(bundle)
        if verdicts.refused(findings):
            words = "; ".join(verdict.words for verdict in findings if verdict.level == verdicts.ERROR)
            return refused(_("This bundle can't be run"), {"bundle": words})
        wanted = _plan(request, bundle, source.place)
        if wanted.errors:
            return refused(_("The bundle can't be run with these values"), {"namespace": "; ".join(wanted.errors)})
        return _make(request, wanted, findings)


def _source(request: Request) -> bundle_input.Given:
    """Raises SourceError."""
    sent = body(request, RunWantedSerializer)
    files = sent.get("files")
    if isinstance(files, list) and files:
        return bundle_input.files(
            (str(file.get("name")), str(file.get("content")).encode()) for file in files if isinstance(file, dict)
        )
    if sent.get("address") or sent.get("image"):
        catalogs.check_can_name(cluster(request))
    if sent.get("address"):
        return bundle_input.address(str(sent["address"]))
    if sent.get("image"):
        return bundle_input.registry(str(sent["image"]))
    home, _slash, short = str(sent.get("catalog") or "").rpartition("/")
    package, name = str(sent.get("package") or ""), str(sent.get("bundle") or "")
    if not short or not package:
        raise SourceError(_("Specify files, an address, an image, or a catalog and a package."))
    found = bundles.bundle(cluster(request), home or "~", short, package, name)
    if found is None:
        raise SourceError(_("The catalog can't provide this bundle. Specify the bundle as a file, address or image."))
    return bundle_input.Given((found,), (), f"{home}/{short}: {package}")


def _plan(request: Request, bundle: bundles.Bundle, place: str) -> plan.RunPlan:
    client, sent = cluster(request), body(request)
    here = situation.read_situation(client, web(request).namespace)
    choice = plan.suggested(bundle, here, web(request).namespace)
    if sent.get("namespace") or sent.get("mode"):
        watch = sent.get("watch")
        targets = tuple(str(item) for item in watch) if isinstance(watch, list) else ()
        choice = plan.RunChoice(
            str(sent.get("namespace") or choice.namespace), str(sent.get("mode") or choice.mode), targets
        )
    return plan.plan(client, bundle, choice, here, place)


def _make(request: Request, wanted: plan.RunPlan, findings: tuple[verdicts.Verdict, ...]) -> Response:
    client, only_asked = cluster(request), dry(request)
    results = plan.create_objects(client, wanted, dry_run=only_asked)
    good = all(result.good for result in results)
    if not only_asked:
        note = partial(audit.record, web(request), "patch")
        for made in results:
            note(_ref(made), made.error.reason if made.error else "ok")
        plan.hand_over(client, results, note)
        forget_namespaces()
    answer = {
        "package": wanted.bundle.package,
        "namespace": wanted.choice.namespace,
        "csv": wanted.bundle.name,
        "verdicts": findings,
        "warnings": wanted.warnings,
        "objects": wanted.objects,
        "results": [_result(result) for result in results],
        "good": good,
    }
    return Response(RunMadeSerializer(answer).data, status=200 if only_asked else 201 if good else 409)


def _ref(result: Result) -> str:
    place = (
        f"{result.type.group_or_core}/{result.type.version}/{result.type.plural}"
        if result.type
        else result.document.kind
    )
    return f"{place} {result.namespace}/{result.document.name}"


def _result(result: Result) -> dict[str, str]:
    problem = result.error.message if result.error else result.detail
    return {
        "kind": result.document.kind,
        "name": result.document.name,
        "namespace": result.namespace,
        "outcome": result.outcome,
        "problem": problem,
    }


class OneRun(APIView):
    """One run: the package, and the namespace where it runs."""

    @extend_schema(
        operation_id="operatorhub_run_followed", responses={200: RunFollowedSerializer, 404: ProblemSerializer}
    )
    def get(self, request: Request, namespace: str, package: str) -> Response:
        """How far it is."""
        return Response(RunFollowedSerializer(follow.read(cluster(request), namespace, package)).data)

    @extend_schema(
        operation_id="operatorhub_run_remove",
        request=RunRemovalSerializer,
        responses={200: RunRemovedSerializer(many=True), 400: ProblemSerializer, 403: ProblemSerializer},
    )
    def delete(self, request: Request, namespace: str, package: str) -> Response:
        """Take away what the run made: everything with its label, and what the body asks for besides."""
        client, sent = cluster(request), body(request, RunRemovalSerializer)
        found = removal.find_objects(client, namespace, package)
        wanted = {
            key: sent.get(name) is True
            for key, name in (("operands", "operands"), ("kinds", "kinds"), ("space", "namespace"))
        }
        results = removal.take(client, found, **wanted, done=partial(audit.record, web(request), "delete"))
        forget_namespaces()
        answers = [
            {
                "kind": result.target.kind,
                "namespace": result.target.namespace,
                "name": result.target.name,
                "outcome": result.outcome,
            }
            for result in results
        ]
        return Response(RunRemovedSerializer(answers, many=True).data)
