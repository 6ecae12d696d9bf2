"""/api/operatorhub/catalogs/…: where packages come from: CatalogSources, ClusterCatalogs ('-'), and the console's
own catalogs ('~').
"""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from kube.discovery import ResourceType
from kube.errors import Forbidden, KubeError, NotFound
from kube.objects import KubeObject
from operatorhub import olm, tasks
from operatorhub.admin import catalog_forms, catalog_kinds, catalogs, catalogsources, clustercatalogs
from operatorhub.api.common import (
    ProblemSerializer,
    RefusedSerializer,
    audited,
    body,
    cluster,
    dry,
    refused,
    shape,
    web,
)
from operatorhub.api.subscriptions import Subscription
from operatorhub.bundle import bundles
from operatorhub.models import Catalog

_SOURCE = (
    "namespace",
    "name",
    "title",
    "publisher",
    "description",
    "kind",
    "endpoint",
    "interval",
    "priority",
    "secrets",
    "everywhere",
    "health",
    "connection",
    "why",
    "connected_at",
    "polled_at",
    "registry",
    "packages",
    "hidden",
    "uid",
    "version",
)
_CLUSTER = (
    "name",
    "title",
    "image",
    "resolved",
    "priority",
    "mode",
    "minutes",
    "serving",
    "health",
    "why",
    "unpacked_at",
    "uid",
    "version",
    "packages",
)
Source = shape(catalogsources.CatalogSource, "CatalogSource", *_SOURCE)
ClusterCatalog = shape(clustercatalogs.ClusterCatalog, "ClusterCatalog", *_CLUSTER)
RegistryPod = shape(catalogsources.RegistryPod, "RegistryPod")


class OwnCatalogSerializer(serializers.ModelSerializer[Catalog]):
    """A catalog that the console reads itself.

    `describes`: the CatalogSource whose bundles it gives; `given`: by the setting CATALOG_FOLDERS.
    """

    location = serializers.SerializerMethodField()

    class Meta:
        model = Catalog
        fields = (
            "name",
            "title",
            "kind",
            "location",
            "describes",
            "given",
            "state",
            "error",
            "problems",
            "packages",
            "bundles",
            "refreshed_at",
            "interval",
        )

    def get_location(self, row: Catalog) -> str:
        return catalogs.shown(row.location)


class CatalogsSerializer(serializers.Serializer[Any]):
    """All of them. `gaps`: what can't be listed, and why."""

    catalogsources = Source(many=True)
    clustercatalogs = ClusterCatalog(many=True)
    own = OwnCatalogSerializer(many=True)
    gaps = serializers.ListField(child=serializers.CharField())


class CatalogSerializer(serializers.Serializer[Any]):
    """One of them: the part that it is, the others null. `dependents`: Subscriptions that get their updates from it."""

    catalogsource = Source(allow_null=True)
    clustercatalog = ClusterCatalog(allow_null=True)
    own = OwnCatalogSerializer(allow_null=True)
    pods = RegistryPod(many=True)
    dependents = Subscription(many=True)


class CatalogWantedSerializer(serializers.Serializer[Any]):
    """`kind` and the fields of its form: a catalogsource has namespace, endpoint (image or address), image, address,
    title, publisher, interval (30m), priority, secrets; a clustercatalog image, interval (minutes), priority, mode
    (Available, Unavailable); an own catalog from (url, image, folder), location, title.
    """

    kind = serializers.ChoiceField(catalog_forms.KINDS, required=False)
    name = serializers.CharField(required=False)
    namespace = serializers.CharField(required=False)
    title = serializers.CharField(required=False, allow_blank=True)
    publisher = serializers.CharField(required=False, allow_blank=True)
    endpoint = serializers.ChoiceField(("image", "address"), required=False)
    image = serializers.CharField(required=False, allow_blank=True)
    address = serializers.CharField(required=False, allow_blank=True)
    interval = serializers.CharField(required=False, allow_blank=True)
    priority = serializers.CharField(required=False, allow_blank=True)
    secrets = serializers.CharField(required=False, allow_blank=True)
    mode = serializers.CharField(required=False, allow_blank=True)
    location = serializers.CharField(required=False)
    resource_version = serializers.CharField(required=False)
    dryRun = serializers.BooleanField(required=False)

    def get_fields(self) -> dict[str, Any]:
        """`from` is a keyword in Python, so the field is declared here."""
        kinds = tuple(kind.value for kind in catalog_kinds.KINDS if kind.field == catalog_kinds.LOCATION)
        return {**super().get_fields(), "from": serializers.ChoiceField(kinds, required=False)}


class CatalogMadeSerializer(serializers.Serializer[Any]):
    """The object as it is now (or would be); null for the console's own catalogs, which have no object."""

    object = serializers.DictField(allow_null=True)


class Catalogs(APIView):
    """All catalogs."""

    @extend_schema(operation_id="operatorhub_catalogs", responses={200: CatalogsSerializer})
    def get(self, request: Request) -> Response:
        client = cluster(request)
        gaps: list[str] = []
        sources: tuple[catalogsources.CatalogSource, ...] = ()
        v1: tuple[clustercatalogs.ClusterCatalog, ...] = ()
        if olm.served(client):
            sources, words = catalogsources.listed(client, web(request).namespace)
            gaps += [words] if words else []
        if clustercatalogs.served(client):
            try:
                v1 = clustercatalogs.listed(client)
            except KubeError as error:
                gaps.append(str(error))
        rows = Catalog.objects.filter(cluster=client.name, namespace=catalogs.OWN).order_by("name")
        own = [row for row in rows if bundles.is_catalog_visible(client, row)]
        catalogs.hide_folders(client, own)
        return Response(
            CatalogsSerializer({"catalogsources": sources, "clustercatalogs": v1, "own": own, "gaps": gaps}).data
        )

    @extend_schema(
        operation_id="operatorhub_catalog_create",
        request=CatalogWantedSerializer,
        responses={
            201: CatalogMadeSerializer,
            400: ProblemSerializer,
            403: ProblemSerializer,
            409: ProblemSerializer,
            422: RefusedSerializer,
        },
    )
    def post(self, request: Request) -> Response:
        """Add one. Files are uploaded on the page only."""
        sent = _texts(body(request, CatalogWantedSerializer))
        kind = sent.pop("kind", "")
        if kind not in catalog_forms.KINDS:
            return refused(
                _("The catalog can't be added"),
                {"kind": _("Choose one of: %(kinds)s.") % {"kinds": ", ".join(catalog_forms.KINDS)}},
            )
        if kind == catalog_forms.OWN:
            return _own(request, sent)
        form = catalog_forms.OBJECT_FORMS[kind](sent)
        if not form.is_valid():
            return refused(_("The catalog can't be added"), form)
        return Response({"object": _create(request, _type(request, kind), form.manifest)}, status=201)


class OneCatalog(APIView):
    """One catalog: namespace '-' for a ClusterCatalog, '~' for one of the console's own."""

    @extend_schema(
        operation_id="operatorhub_catalog",
        responses={200: CatalogSerializer, 400: ProblemSerializer, 404: ProblemSerializer},
    )
    def get(self, request: Request, namespace: str, name: str) -> Response:
        client = cluster(request)
        answer: dict[str, Any] = {
            "catalogsource": None,
            "clustercatalog": None,
            "own": None,
            "pods": (),
            "dependents": (),
        }
        if namespace == catalogs.OWN:
            answer["own"] = _row(request, name)
            catalogs.hide_folders(client, [answer["own"]])
        elif namespace == catalogs.CLUSTER:
            answer["clustercatalog"] = clustercatalogs.get(client, name)
        else:
            found = catalogsources.get(client, namespace, name)
            answer |= {"catalogsource": found, "pods": catalogsources.pods(client, found)[0]}
            answer["dependents"] = catalogsources.dependents(client, namespace, name)[0]
        return Response(CatalogSerializer(answer).data)

    @extend_schema(
        operation_id="operatorhub_catalog_change",
        request=CatalogWantedSerializer,
        responses={200: CatalogMadeSerializer, 404: ProblemSerializer, 409: ProblemSerializer, 422: RefusedSerializer},
    )
    def patch(self, request: Request, namespace: str, name: str) -> Response:
        """Changes the given fields; an empty text removes one. The console's own catalogs must be recreated instead."""
        if namespace == catalogs.OWN:
            return refused(_("The catalog can't be changed"), {"namespace": _("Remove the catalog and add a new one.")})
        client = cluster(request)
        kind = catalog_forms.CLUSTER if namespace == catalogs.CLUSTER else catalog_forms.SOURCE
        place, type_ = "" if kind == catalog_forms.CLUSTER else namespace, _type(request, kind)
        old = client.get(type_, name, place)
        form_class = catalog_forms.OBJECT_FORMS[kind]
        initial = form_class.values_of(old)
        form = form_class(initial | _texts(body(request, CatalogWantedSerializer)), initial=initial, is_new=False)
        if not form.is_valid():
            return refused(_("The catalog can't be changed with these values"), form)
        asked = str(body(request).get("resource_version") or "")

        only_asked = dry(request)
        with audited(request, "patch", f"{type_.topic_part} {namespace}/{name}", dry_run=only_asked):
            changed = olm.patch_spec(
                client=client,
                type_=type_,
                name=name,
                namespace=place,
                change=form.patch,
                version=asked or olm.spec_version(old),
                dry_run=only_asked,
            )
        return Response({"object": changed})

    @extend_schema(
        operation_id="operatorhub_catalog_delete", responses={204: None, 403: ProblemSerializer, 404: ProblemSerializer}
    )
    def delete(self, request: Request, namespace: str, name: str) -> Response:
        """Operators that came from it stay, and get no more updates."""
        client = cluster(request)
        with audited(request, "delete", f"catalog {namespace}/{name}"):
            if namespace == catalogs.OWN:
                _may(request)
                row = _row(request, name)
                if row.given:
                    raise Forbidden(_("This catalog is defined by the setting CATALOG_FOLDERS."))
                catalogs.remove(row)
            elif namespace == catalogs.CLUSTER:
                client.delete(_type(request, catalog_forms.CLUSTER), name)
            else:
                client.delete(_type(request, catalog_forms.SOURCE), name, namespace)
        return Response(status=204)


def _texts(sent: Mapping[str, Any]) -> dict[str, str]:
    """What a form would post."""
    return {
        key: str(value)
        for key, value in sent.items()
        if isinstance(value, str | int) and key not in ("dryRun", "resource_version")
    }


def _type(request: Request, kind: str) -> ResourceType:
    if kind == catalog_forms.CLUSTER:
        return cluster(request).find(clustercatalogs.GROUP, clustercatalogs.VERSION, clustercatalogs.PLURAL)
    return olm.type_of(cluster(request), olm.SOURCES)


def _create(request: Request, type_: ResourceType, obj: KubeObject) -> KubeObject:
    meta = obj["metadata"]
    place = str(meta.get("namespace", ""))
    with audited(request, "create", f"{type_.topic_part} {place or '-'}/{meta['name']}", dry_run=dry(request)):
        return cluster(request).create(type_, obj, place, dry_run=dry(request))


def _may(request: Request) -> None:
    """The console's own catalogs are not protected by the cluster's RBAC: see admin/catalogs.py."""
    if words := catalogs.change_refusal(cluster(request)):
        raise Forbidden(words)


def _row(request: Request, name: str) -> Catalog:
    row = Catalog.objects.filter(cluster=cluster(request).name, namespace=catalogs.OWN, name=name).first()
    if row is None or not bundles.is_catalog_visible(cluster(request), row):
        raise NotFound(
            _("The console has no catalog “%(name)s” of its own. The catalog may have been removed.") % {"name": name}
        )
    return row


def _own(request: Request, sent: Mapping[str, str]) -> Response:
    _may(request)
    client = cluster(request)
    if sent.get("from") == Catalog.UPLOAD:
        words = _("Upload files on the console's page, not through the API.")
        return refused(_("The catalog can't be added"), {"from": words})
    # `interval` is of the other kinds.
    form = catalog_forms.OwnCatalogForm({**sent, "interval": ""}, cluster=client.name)
    if not form.is_valid():
        return refused(_("The catalog can't be added"), form)
    typed = form.cleaned_data
    if not dry(request):
        with audited(request, "create", f"catalog ~/{typed['name']} from {typed['from']}"):
            tasks.ask(catalogs.add(client.name, typed))
    return Response({"object": None}, status=201)
