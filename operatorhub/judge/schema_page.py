"""The schema of a kind before its operator is installed: from the bundle of the chosen version, or from the cluster
when the kind is there already.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.errors import Forbidden, NotFound
from operatorhub import csv
from operatorhub.bundle import bundles
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


def find(client: ClusterClient, place: tuple[str, str, str], name: str, crd: str) -> FoundSchema:
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
    found = _installed(client, crd)
    return FoundSchema(found, found is not None, unknown, bundle.csv if bundle else {})


def _installed(client: ClusterClient, crd: str) -> Mapping[str, Any] | None:
    try:
        return client.get(client.find(*CRDS), crd)
    except (NotFound, Forbidden):
        return None


def examples(found: Mapping[str, Any], group: str, version: str, kind: str) -> tuple[SchemaExample, ...]:
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


def pick(crd: Mapping[str, Any], wanted: str) -> tuple[tuple[schemas.SchemaVersion, ...], schemas.SchemaVersion | None]:
    """Its versions, and the wanted one, or the one to use."""
    every = schemas.versions(crd)
    first = kind_versions.preferred(kind_versions.defined(crd))
    by_name = {version.name: version for version in every}
    return every, by_name.get(wanted) or by_name.get(first) or next(iter(every), None)
