"""/api/operatorhub/operatorgroups/…: which namespaces the operators of a namespace watch."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from kube.errors import NotFound
from operatorhub import olm
from operatorhub.admin import groups
from operatorhub.api.common import ProblemSerializer, RefusedSerializer, audited, body, cluster, dry, refused, shape

Group = shape(
    groups.OperatorGroup,
    "OperatorGroup",
    "uid",
    "namespace",
    "name",
    "version",
    "targets",
    "selector",
    "namespaces",
    "mode",
    "account",
    "provided",
    "problems",
    "created",
)
Member = shape(groups.Member, "GroupMember")


class OperatorGroupOverlapSerializer(serializers.Serializer[Any]):
    """A group of another namespace that provides the same kinds in a namespace that both mean."""

    namespace = serializers.CharField()
    name = serializers.CharField()
    apis = serializers.ListField(child=serializers.CharField())


class OperatorGroupsSerializer(serializers.Serializer[Any]):
    """The groups of a namespace (one, where all is well) and the operators there."""

    namespace = serializers.CharField()
    groups = Group(many=True)
    members = Member(many=True)
    overlaps = OperatorGroupOverlapSerializer(many=True)
    gaps = serializers.ListField(child=serializers.CharField())


class OperatorGroupWantedSerializer(serializers.Serializer[Any]):
    """`targets`: namespaces for scope some; `labels`: key=value, … for scope selector; `name`: of a new one."""

    name = serializers.CharField(required=False)
    scope = serializers.ChoiceField(("all", "own", "some", "selector"))
    targets = serializers.ListField(child=serializers.CharField(), required=False)
    labels = serializers.CharField(required=False)
    resource_version = serializers.CharField(required=False)
    dryRun = serializers.BooleanField(required=False)


class OperatorGroupSavedSerializer(serializers.Serializer[Any]):
    """The group as it is now (or would be), and what that does to the operators there."""

    group = Group()
    effects = serializers.ListField(child=serializers.CharField())


def _texts(request: Request) -> dict[str, str]:
    """What a form would post."""
    sent = body(request, OperatorGroupWantedSerializer)
    targets = sent.get("targets")
    return {
        **{key: str(sent[key]) for key in ("name", "scope", "labels") if sent.get(key)},
        "targets": " ".join(map(str, targets if isinstance(targets, list) else [])),
        "version": str(sent.get("resource_version") or ""),
    }


class Groups(APIView):
    """The OperatorGroups of a namespace."""

    @extend_schema(
        operation_id="operatorhub_operatorgroups", responses={200: OperatorGroupsSerializer, 403: ProblemSerializer}
    )
    def get(self, request: Request, namespace: str) -> Response:
        page = groups.read(cluster(request), namespace)
        overlaps = [{"namespace": group.namespace, "name": group.name, "apis": apis} for group, apis in page.overlaps]
        answer = {
            "namespace": namespace,
            "groups": page.groups,
            "members": page.members,
            "overlaps": overlaps,
            "gaps": page.gaps,
        }
        return Response(OperatorGroupsSerializer(answer).data)

    @extend_schema(
        operation_id="operatorhub_operatorgroup_create",
        request=OperatorGroupWantedSerializer,
        responses={
            201: OperatorGroupSavedSerializer,
            400: ProblemSerializer,
            403: ProblemSerializer,
            409: ProblemSerializer,
            422: RefusedSerializer,
        },
    )
    def post(self, request: Request, namespace: str) -> Response:
        """Make a group."""
        client, form = cluster(request), groups.OperatorGroupForm(_texts(request), namespace)
        if not form.is_valid():
            return refused(_("The OperatorGroup can't be created with these values"), form)
        page = groups.read(client, namespace)
        with audited(
            request, "create", olm.ref(olm.GROUPS, namespace, form.cleaned_data["name"]), dry_run=dry(request)
        ):
            made = groups.save(client, form, dry_run=dry(request))
        answer = {"group": groups.group(made), "effects": groups.effects(page, form)}
        return Response(OperatorGroupSavedSerializer(answer).data, status=201)


class OneGroup(APIView):
    """One OperatorGroup."""

    @extend_schema(
        operation_id="operatorhub_operatorgroup_change",
        request=OperatorGroupWantedSerializer,
        responses={
            200: OperatorGroupSavedSerializer,
            400: ProblemSerializer,
            404: ProblemSerializer,
            409: ProblemSerializer,
            422: RefusedSerializer,
        },
    )
    def patch(self, request: Request, namespace: str, name: str) -> Response:
        """Let the operators of the namespace watch others."""
        sent = _texts(request)
        page, old = _find(request, namespace, name)
        form = groups.OperatorGroupForm(sent, namespace, old)
        if not form.is_valid():
            return refused(_("The OperatorGroup can't be changed with these values"), form)
        with audited(request, "patch", olm.ref(olm.GROUPS, namespace, name), dry_run=dry(request)):
            saved = groups.save(cluster(request), form, dry_run=dry(request))
        answer = {"group": groups.group(saved), "effects": groups.effects(page, form)}
        return Response(OperatorGroupSavedSerializer(answer).data)

    @extend_schema(operation_id="operatorhub_operatorgroup_delete", responses={204: None, 404: ProblemSerializer})
    def delete(self, request: Request, namespace: str, name: str) -> Response:
        """Operators without a group fail."""
        _page, old = _find(request, namespace, name)
        with audited(request, "delete", olm.ref(olm.GROUPS, namespace, name)):
            groups.delete(cluster(request), old)
        return Response(status=204)


def _find(request: Request, namespace: str, name: str) -> tuple[groups.GroupsPage, groups.OperatorGroup]:
    page = groups.read(cluster(request), namespace)
    old = next((group for group in page.groups if group.name == name), None)
    if old is None:
        raise NotFound(
            _("The OperatorGroup “%(name)s” doesn't exist in “%(namespace)s”.") % {"name": name, "namespace": namespace}
        )
    return page, old
