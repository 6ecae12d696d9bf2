"""/api/operatorhub/packages/…: the catalog with its filters, one package with its channels and its graph, and one
version in full. /api/operatorhub/compare/: packages side by side.
"""

from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from kube.client import ClusterClient
from kube.errors import NotFound
from operatorhub import olm, tasks
from operatorhub.api.common import ProblemSerializer, RefusedSerializer, cluster, refused, shape, web
from operatorhub.bundle import bundles, permissions
from operatorhub.bundle import package as packages
from operatorhub.csv import Api
from operatorhub.find import catalog, compare, facets
from operatorhub.find.facets import SORTS, CatalogQuery
from operatorhub.indexing import index
from operatorhub.models import Index

Entry = shape(
    catalog.PackageEntry,
    "CatalogEntry",
    "namespace",
    "catalog",
    "name",
    "title",
    "provider",
    "version",
    "level",
    "catalog_title",
    "summary",
    "deprecated",
    "deprecation",
    "states",
)
Trouble = shape(catalog.CatalogProblem, "CatalogTrouble")
ApiShape = shape(Api, "ProvidedApi")
Right = shape(
    permissions.Right,
    "Right",
    "scope",
    "service_account",
    "verbs",
    "groups",
    "resources",
    "names",
    "urls",
    "danger",
    "words",
    "why",
)
Graph = shape(bundles.Graph, "UpdateGraph")
Description = shape(packages.Description, "Description")
_PLACE = (
    "The place of a package: its catalog's namespace ('-' for ClusterCatalogs, '~' for the console's own catalogs), the"
    " catalog, its name."
)


class FacetValueSerializer(serializers.Serializer[Any]):
    """One value of a filter; `count`: how many packages it would leave, all other filters honoured."""

    value = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    count = serializers.IntegerField()
    checked = serializers.BooleanField()


class FacetSerializer(serializers.Serializer[Any]):
    """One filter with all its values."""

    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    values = FacetValueSerializer(many=True)


class PackagesSerializer(serializers.Serializer[Any]):
    """`total`: how many match; `everything`: how many there are; `hidden`: in catalogs that you can't read; `stale`:
    catalogs changed since, a worker looks.
    """

    total = serializers.IntegerField()
    everything = serializers.IntegerField()
    hidden = serializers.IntegerField()
    stale = serializers.BooleanField()
    error = serializers.CharField(allow_blank=True)
    entries = Entry(many=True)
    facets = FacetSerializer(many=True)
    troubles = Trouble(many=True)
    unread = serializers.ListField(child=serializers.CharField())


class PackageVersionSerializer(serializers.Serializer[Any]):
    """A version of a channel."""

    name = serializers.CharField()
    version = serializers.CharField(allow_blank=True)


class PackageChannelSerializer(serializers.Serializer[Any]):
    """`versions`: newest first; `deprecated`: the author's message, '' when it is not."""

    name = serializers.CharField()
    csv = serializers.CharField(allow_blank=True)
    version = serializers.CharField(allow_blank=True)
    default = serializers.BooleanField()
    deprecated = serializers.CharField(allow_blank=True)
    versions = PackageVersionSerializer(many=True)


class PackageSerializer(serializers.Serializer[Any]):
    """A package, described by the newest version of the channel asked for, else of its default channel."""

    namespace = serializers.CharField()
    catalog = serializers.CharField()
    name = serializers.CharField()
    catalog_title = serializers.CharField(allow_blank=True)
    publisher = serializers.CharField(allow_blank=True)
    deprecated = serializers.CharField(allow_blank=True)
    channel = serializers.CharField(allow_null=True)
    channels = PackageChannelSerializer(many=True)
    description = Description(allow_null=True)
    graph = Graph(allow_null=True)
    subscriptions = serializers.ListField(child=serializers.DictField())


class BundleSerializer(serializers.Serializer[Any]):
    """One version in full. `level`: '', elevated or cluster-admin."""

    name = serializers.CharField()
    package = serializers.CharField()
    version = serializers.CharField(allow_blank=True)
    image = serializers.CharField(allow_blank=True)
    partial = serializers.BooleanField()  # type: ignore[assignment]
    level = serializers.CharField(allow_blank=True)
    permissions = Right(many=True)
    images = serializers.ListField(child=serializers.CharField())
    webhooks = serializers.ListField(child=serializers.DictField())
    csv = serializers.DictField()
    crds = serializers.ListField(child=serializers.DictField())
    others = serializers.ListField(child=serializers.DictField())


def current(client: ClusterClient) -> tuple[Index, bool]:
    """The index, built here and now where there is none; and whether the catalogs changed since. Raises KubeError."""
    sources, unlisted = catalog.sources(client)
    state = Index.objects.filter(cluster=client.name).first()
    if state is None or state.built_at is None:
        if olm.served(client):
            index.build(client)
        # What only whole bundles tell, such as dependencies, is a worker's to read.
        tasks.ask_for_all(client)
        state, _made = Index.objects.get_or_create(cluster=client.name)
    stale = unlisted is None and olm.served(client) and state.sources != index.fingerprint(sources)
    return state, stale


def filters() -> list[OpenApiParameter]:
    """The page's own query parameters."""
    found = [OpenApiParameter("q", str, description="words; every one has to be found, small typos are forgiven")]
    found += [
        OpenApiParameter(name, str, many=True, description=str(kind.label)) for name, kind in facets.KINDS.items()
    ]
    found += [
        OpenApiParameter("sort", str, enum=list(SORTS)),
        OpenApiParameter("shown", int, description="at least 60, at most 10,000"),
    ]
    return found


class Packages(APIView):
    """The catalog."""

    @extend_schema(
        operation_id="operatorhub_packages",
        parameters=filters(),
        responses={200: PackagesSerializer, 403: ProblemSerializer},
    )
    def get(self, request: Request) -> Response:
        """The packages that match, ranked, with what each further filter would leave."""
        client = cluster(request)
        state, stale = current(client)
        every = catalog.everything(client.name, state.revision)
        seen = catalog.visible(client, every.entries, web(request).namespace)
        states = catalog.installed_states(client)
        found = catalog.find(seen, states.states, CatalogQuery.read(_data(request)), every.labels)
        sources, _unlisted = catalog.sources(client)
        shown = [
            {"name": facet.name, "label": facet.label, "values": [*facet.choices, *facet.more]}
            for facet in found.facets
        ]
        answer = {
            "total": found.total,
            "everything": found.everything,
            "hidden": len(every.entries) - len(seen),
            "stale": stale,
            "error": state.error,
            "entries": found.entries,
            "facets": shown,
            "troubles": catalog.catalog_problems(client, sources),
            "unread": states.unread,
        }
        return Response(PackagesSerializer(answer).data)


def _data(request: Request) -> QueryDict:
    return web(request).GET


class PackageDetail(APIView):
    """One package."""

    @extend_schema(
        operation_id="operatorhub_package",
        description=_PLACE,
        parameters=[OpenApiParameter("channel", str)],
        responses={200: PackageSerializer, 404: ProblemSerializer},
    )
    def get(self, request: Request, namespace: str, catalog: str, package: str) -> Response:
        client, asked = cluster(request), request.query_params.get("channel", "")
        found = packages.read(client, namespace, catalog, package, web(request).namespace)
        channel = found.channel(asked)
        channels = [
            {
                "name": channel.name,
                "csv": channel.csv,
                "version": channel.version,
                "default": channel.default,
                "deprecated": channel.deprecated,
                "versions": [{"name": name, "version": version} for name, version in channel.versions],
            }
            for channel in found.channels
        ]
        subscriptions = [
            {
                "namespace": subscription.namespace,
                "name": subscription.name,
                "installed_csv": subscription.installed_csv,
                "state": subscription.state,
            }
            for subscription in packages.subscriptions(client, package)
        ]
        answer = {
            "namespace": namespace,
            "catalog": catalog,
            "name": package,
            "catalog_title": found.catalog_title,
            "publisher": found.publisher,
            "deprecated": found.deprecated,
            "channel": channel.name if channel else None,
            "channels": channels,
            "description": packages.describe(channel, package) if channel else None,
            "graph": bundles.graph(client, namespace, catalog, package, web(request).namespace),
            "subscriptions": subscriptions,
        }
        return Response(PackageSerializer(answer).data)


class BundleDetail(APIView):
    """One version of a package, with its manifests, as far as a catalog gives them."""

    @extend_schema(
        operation_id="operatorhub_bundle",
        description=(
            f"{_PLACE} 404 also where nobody can give the version's manifests here: a PackageManifest does not hold"
            " them."
        ),
        responses={200: BundleSerializer, 404: ProblemSerializer},
    )
    def get(self, request: Request, namespace: str, catalog: str, package: str, version: str) -> Response:
        client = cluster(request)
        if not bundles.visible(client, namespace):
            packages.read(client, namespace, catalog, package, web(request).namespace)
        found = bundles.bundle(client, namespace, catalog, package, version)
        if found is None:
            raise NotFound(f"Nobody can give the manifests of {version} here.")
        rights = permissions.asked(found.csv)
        spec = found.csv.get("spec") or {}
        answer = {
            "name": found.name,
            "package": found.package,
            "version": found.version,
            "image": found.image,
            "partial": found.partial,
            "level": permissions.level(rights),
            "permissions": rights,
            "images": [str(image.get("image", "")) for image in found.related_images],
            "webhooks": spec.get("webhookdefinitions") or [],
            "csv": found.csv,
            "crds": found.crds,
            "others": found.others,
        }
        return Response(BundleSerializer(answer).data)


ComparedColumn = shape(compare.PackageColumn, "ComparedPackage", "key", "title", "problem")
ComparedRow = shape(compare.ComparisonRow, "ComparedRow", "label", "same", "cells")


class ComparisonSerializer(serializers.Serializer[Any]):
    """The cells of each row are in the order of the packages."""

    packages = ComparedColumn(many=True)
    rows = ComparedRow(many=True)


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
