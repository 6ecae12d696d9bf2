"""/api/operatorhub/extensions/…: OLM v1's ClusterExtensions."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from operatorhub.api.common import ProblemSerializer, RefusedSerializer, audited, body, cluster, dry, refused, shape
from operatorhub.extensions import draft, facts

_FIELDS = (
    "name",
    "uid",
    "namespace",
    "account",
    "package",
    "catalog",
    "version",
    "channels",
    "policy",
    "safety",
    "bundle",
    "installed",
    "conditions",
    "deleting",
    "created",
    "state",
    "words",
    "problem",
    "lacking",
    "unsafe",
    "deprecated",
)
Extension = shape(facts.Extension, "ClusterExtension", *_FIELDS)
Owned = shape(facts.Owned, "ExtensionObject")
POLICIES = (facts.CATALOG_PROVIDED, facts.SELF_CERTIFIED)


class ExtensionDetailSerializer(serializers.Serializer[Any]):
    """An extension and its objects."""

    extension = Extension()
    objects = Owned(many=True)


class ExtensionWantedSerializer(serializers.Serializer[Any]):
    """The ServiceAccount and its rights are not made here: the page computes them, or /api/resources/ takes them as
    objects.
    """

    name = serializers.CharField()
    package = serializers.CharField()
    namespace = serializers.CharField()
    account = serializers.CharField(required=False)
    catalog = serializers.CharField(required=False)
    version = serializers.CharField(required=False)
    channels = serializers.ListField(child=serializers.CharField(), required=False)
    policy = serializers.ChoiceField(POLICIES, required=False)
    dryRun = serializers.BooleanField(required=False)


class ExtensionChangeSerializer(serializers.Serializer[Any]):
    """What is named is changed; an empty version or list lets OLM choose."""

    version = serializers.CharField(required=False, allow_blank=True)
    channels = serializers.ListField(child=serializers.CharField(), required=False)
    policy = serializers.ChoiceField(POLICIES, required=False)
    dryRun = serializers.BooleanField(required=False)


def _channels(sent: Any, default: tuple[str, ...] = ()) -> tuple[str, ...]:
    return tuple(str(item) for item in sent) if isinstance(sent, list) else default


class Extensions(APIView):
    """The ClusterExtensions. 404 on a cluster without OLM v1."""

    @extend_schema(
        operation_id="operatorhub_extensions",
        responses={200: Extension(many=True), 400: ProblemSerializer, 404: ProblemSerializer},
    )
    def get(self, request: Request) -> Response:
        return Response(Extension(facts.every(cluster(request)), many=True).data)

    @extend_schema(
        operation_id="operatorhub_extension_create",
        request=ExtensionWantedSerializer,
        responses={201: Extension, 404: ProblemSerializer, 409: ProblemSerializer, 422: RefusedSerializer},
    )
    def post(self, request: Request) -> Response:
        """Make a ClusterExtension."""
        client, sent = cluster(request), body(request, ExtensionWantedSerializer)
        texts = {
            key: str(sent.get(key) or "") for key in ("name", "package", "catalog", "namespace", "account", "version")
        }
        missing = {key: _("This field is required.") for key in ("name", "package", "namespace") if not texts[key]}
        if missing:
            return refused(_("The operator can't be installed with these values"), missing)
        choices = {
            **texts,
            "channels": list(_channels(sent.get("channels"))),
            "policy": str(sent.get("policy") or facts.CATALOG_PROVIDED),
            "unsafe": False,
        }
        obj = draft.extension(choices, accounts=facts.wants_account(client) and bool(texts["account"]))
        with audited(request, "create", facts.ref(texts["name"]), dry_run=dry(request)):
            made = client.create(facts.type_of(client), obj, dry_run=dry(request))
        return Response(Extension(facts.read(made)).data, status=201)


class OneExtension(APIView):
    """One ClusterExtension."""

    @extend_schema(
        operation_id="operatorhub_extension", responses={200: ExtensionDetailSerializer, 404: ProblemSerializer}
    )
    def get(self, request: Request, name: str) -> Response:
        client = cluster(request)
        found = facts.read(client.get(facts.type_of(client), name))
        return Response(
            ExtensionDetailSerializer({"extension": found, "objects": facts.owned_objects(client, name)}).data
        )

    @extend_schema(
        operation_id="operatorhub_extension_change",
        request=ExtensionChangeSerializer,
        responses={200: Extension, 400: ProblemSerializer, 404: ProblemSerializer, 422: ProblemSerializer},
    )
    def patch(self, request: Request, name: str) -> Response:
        """Another version, other channels, another policy: an upgrade."""
        client, sent = cluster(request), body(request, ExtensionChangeSerializer)
        present = facts.read(client.get(facts.type_of(client), name))
        catalog = {
            "version": str(sent.get("version", present.version)) or None,
            "channels": list(_channels(sent.get("channels"), present.channels)) or None,
            "upgradeConstraintPolicy": str(sent.get("policy") or present.policy),
        }
        patch = {"spec": {"source": {"catalog": catalog}}}
        with audited(request, "patch", facts.ref(name), dry_run=dry(request)):
            changed = client.patch(facts.type_of(client), name, patch, dry_run=dry(request))
        return Response(Extension(facts.read(changed)).data)

    @extend_schema(operation_id="operatorhub_extension_delete", responses={204: None, 404: ProblemSerializer})
    def delete(self, request: Request, name: str) -> Response:
        """Deletes the extension with all its objects."""
        with audited(request, "delete", facts.ref(name)):
            cluster(request).delete(facts.type_of(cluster(request)), name)
        return Response(status=204)
