"""…/<package>/apis/<crd>/: the schema of a kind before its operator is installed.

It is from the bundle of the chosen version, or from the cluster when the kind is there already.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web import render
from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.errors import Forbidden, NotFound
from operatorhub import csv
from operatorhub.bundle import bundles
from operatorhub.bundle import package as packages
from operatorhub.sources.drafts import SourceError
from resources import yamltext
from resources.types import kind_versions
from resources.types import schematree as schemas

CRDS = ("apiextensions.k8s.io", "v1", "customresourcedefinitions")


@dataclass(frozen=True, slots=True)
class FoundSchema:
    """`crd`: None if neither the bundle nor the cluster has it: then `unknown` says why.

    `installed`: it is the cluster's, not the chosen version's.
    """

    crd: Mapping[str, Any] | None
    installed: bool
    unknown: str
    csv: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SchemaExample:
    """One of the author's examples, as YAML."""

    name: str
    yaml: str


@require_safe
def schema(request: ConsoleRequest, namespace: str, catalog: str, package: str, crd: str) -> HttpResponse:
    """`?channel=` and `?version=` pick the operator's version, `?api=` the API's, `?at=` the part of it, `?q=`
    searches all of it.
    """
    client = request.cluster
    manifest = packages.read(client, namespace, catalog, package, request.namespace)
    channel = manifest.channel(request.GET.get("channel", ""))
    if channel is None:
        raise NotFound(
            _("The package “%(name)s” has no channel, so it provides no resource types.") % {"name": package}
        )
    asked = request.GET.get("version", "")
    name = asked if asked in dict(channel.versions) else channel.csv
    known = _find_schema(client, (namespace, catalog, package), name, crd)
    parameters = [
        (key, value) for key, value in (("channel", request.GET.get("channel", "")), ("version", asked)) if value
    ]
    context: dict[str, Any] = {"manifest": manifest, "crd": crd, "name": name, "known": known, "parameters": parameters}
    context["back"] = f"?{urlencode(parameters)}" if parameters else ""
    if known.crd is not None:
        context |= _tree(request, known, parameters)
    # Opening a field loads its part only; so does a search.
    part = "_schema_fields.html" if request.headers.get("HX-Target", "").startswith("in-") else "_schema.html"
    return render.page(request, "operatorhub/schema.html", context, fragment=f"resources/{part}")


def _tree(request: ConsoleRequest, known: FoundSchema, parameters: list[tuple[str, str]]) -> dict[str, Any]:
    crd = csv.mapping(known.crd)
    every, version = _pick_version(crd, request.GET.get("api", ""))
    names = csv.mapping(csv.mapping(crd.get("spec")).get("names"))
    kind, group = csv.text(names.get("kind")), csv.text(csv.mapping(crd.get("spec")).get("group"))
    number = version.name if version else ""
    query = request.GET.get("q", "").strip()[:200]
    where = schemas.place(request.GET.get("at", ""))
    tree = version.schema if version else {}
    return {
        "kind": kind,
        "group": group,
        "scope": csv.text(csv.mapping(crd.get("spec")).get("scope")),
        "versions": every,
        "api": version,
        "root": f"?{urlencode([*parameters, ('api', number)])}",
        "address": f"?{urlencode([*parameters, ('api', number)])}&",
        "query": query,
        "found": schemas.search(tree, query) if query else None,
        "trail": [(schemas.path(where[:end]), schemas.address(where[:end])) for end in range(1, len(where))],
        "here": schemas.field(tree, where),
        "fields": schemas.children(tree, where),
        "top": not where,
        # What people write is open at once.
        "inner": schemas.children(tree, ("spec",)) if not where and not query else (),
        "examples": _examples(known.csv, group, number, kind) if not where and not query else (),
        "description": csv.text(tree.get("description")),
    }


def _find_schema(client: ClusterClient, place: tuple[str, str, str], name: str, crd: str) -> FoundSchema:
    """`place`: namespace, catalog and package; `name`: the version's CSV."""
    unknown = ""
    try:
        bundle = bundles.bundle(client, *place, name)
    except SourceError as error:
        bundle, unknown = None, str(error)
    if bundle is not None:
        for item in bundle.crds:
            if csv.text(csv.mapping(item.get("metadata")).get("name")) == crd:
                return FoundSchema(item, installed=False, unknown="", csv=bundle.csv)
        unknown = unknown or "\n".join(bundle.problems)
    found = _installed_crd(client, crd)
    return FoundSchema(found, found is not None, unknown, bundle.csv if bundle else {})


def _installed_crd(client: ClusterClient, crd: str) -> Mapping[str, Any] | None:
    try:
        return client.get(client.find(*CRDS), crd)
    except (NotFound, Forbidden):
        return None


def _examples(found: Mapping[str, Any], group: str, version: str, kind: str) -> tuple[SchemaExample, ...]:
    """Those of the annotation `alm-examples` that are of this kind, of the version first; what can't be read is left
    out.
    """
    notes = csv.mapping(csv.mapping(found.get("metadata")).get("annotations"))
    mine = [
        item
        for item in csv.objects(notes.get("alm-examples"))
        if item.get("kind") == kind and csv.text(item.get("apiVersion")).partition("/")[0] == group
    ]
    mine.sort(key=lambda item: item.get("apiVersion") != f"{group}/{version}")
    return tuple(
        SchemaExample(csv.text(csv.mapping(item.get("metadata")).get("name")) or _("example"), yamltext.dump(item))
        for item in mine
    )


def _pick_version(
    crd: Mapping[str, Any], wanted: str
) -> tuple[tuple[schemas.SchemaVersion, ...], schemas.SchemaVersion | None]:
    """Its versions, and the wanted one, or the one to use."""
    every = schemas.versions(crd)
    first = kind_versions.preferred(kind_versions.defined(crd))
    by_name = {version.name: version for version in every}
    return every, by_name.get(wanted) or by_name.get(first) or next(iter(every), None)
