"""A package as a row of the index: of a PackageManifest, or of the newest version in a catalog that the console read
itself.

As in the OKD console, hidden are packages without a default channel, non-standalone ones, and those for other
machines. Webhooks and the level of permissions need the whole CSV: `review_bundles` fills them in after the packages
are shown, once for each version. All else is pure.
"""

import hashlib
import logging
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from kube.reader import read
from kube.types.olm import ClusterServiceVersionSpec, CSVDescription, NamedInstallStrategy
from operatorhub import csv
from operatorhub.admin import catalogs
from operatorhub.bundle import bundles, permissions
from operatorhub.models import Catalog, Package, StoredBundle
from operatorhub.sources.drafts import SourceError

log = logging.getLogger("operatorhub.indexing.bundle_review")
NO_CHANNEL, PART, PLATFORM = "no-default-channel", "non-standalone", "platform"
_LABEL = "operatorframework.io/"
_CHUNK = 200


def platforms(labels: Mapping[str, str]) -> list[str]:
    """os/arch pairs it is made for: linux and amd64 by default, as in the OKD console."""
    kinds = {}
    for kind, default in (("os", "linux"), ("arch", "amd64")):
        prefix = f"{_LABEL}{kind}."
        names = sorted(
            key.removeprefix(prefix) for key, value in labels.items() if key.startswith(prefix) and value == "supported"
        )
        kinds[kind] = names or [default]
    return [f"{os}/{arch}" for os in kinds["os"] for arch in kinds["arch"]]


def hidden(default: str, notes: Mapping[str, str], pairs: Iterable[str], nodes: frozenset[str] | None) -> str:
    """Why it is not shown, '' when it is. `nodes`: the cluster's os/arch pairs, None while they are unknown."""
    if not default:
        return NO_CHANNEL
    if notes.get("operators.operatorframework.io/operator-type", "").strip() == "non-standalone":
        return PART
    return PLATFORM if nodes and nodes.isdisjoint(pairs) else ""


def row(
    cluster: str,
    place: tuple[str, str, str],
    about: CSVDescription,
    marks: Mapping[str, str],
    nodes: frozenset[str] | None,
    **more: Any,
) -> Package:
    """`place`: (namespace, catalog, package); `marks`: its labels; `more`: default, channel, csv, catalog_title,
    provider, deprecation, source. Lengths are cut to the columns'.
    """
    pairs = platforms(marks)
    values = {
        "namespace": place[0][:63],
        "catalog": place[1][:253],
        "name": place[2][:253],
        "catalog_title": (more.get("catalog_title") or place[1])[:512],
        "title": (about.display_name or place[2])[:512],
        "provider": (about.provider.name or more.get("provider", ""))[:512],
        "version": (about.version or more.get("version", ""))[:128],
        "channel": more.get("channel", "")[:253],
        "csv": more.get("csv", "")[:253],
        "deprecated": bool(more.get("deprecated") or more.get("deprecation")),
        "deprecation": more.get("deprecation") or "",
        "platforms": pairs,
        "hidden": hidden(more.get("default", ""), about.annotations, pairs, nodes),
        "source": more.get("source", "packagemanifest"),
        **_author_fields(about),
    }
    values = {key: _storable(value) for key, value in values.items()}
    return Package(cluster=cluster, digest=hashlib.sha256(msgspec.json.encode(values)).hexdigest(), **values)


def review_bundles(cluster: str) -> int:
    """Fill in the webhooks and the level of permissions of packages whose newest version wasn't reviewed yet.

    Returns how many packages were reviewed.
    """
    known = {
        (row.namespace, row.catalog, row.name): row
        for row in Package.objects.filter(cluster=cluster).only("namespace", "catalog", "name", "csv", "judged")
    }
    done: list[Package] = []
    for catalog in Catalog.objects.filter(cluster=cluster, generation__gt=0):
        namespace, _slash, name = (
            catalog.describes.partition("/") if catalog.describes else (catalog.namespace, "", catalog.name)
        )
        heads = {
            package.csv: package for place, package in known.items() if place[:2] == (namespace, name) and package.csv
        }
        done += _reviewed(catalog, {(head.name, head.csv): head for head in heads.values()})
    if done:
        Package.objects.bulk_update(done, ["webhooks", "rights", "judged"], batch_size=_CHUNK)
        catalogs.bump(cluster)
        log.info("%d packages of %s looked at for webhooks and rights", len(done), cluster)
    return len(done)


def _reviewed(catalog: Catalog, heads: dict[tuple[str, str], Package]) -> Iterator[Package]:
    # Only names and digests of all: CSVs are read one by one, those that are new.
    keys = [
        (key, package, name, digest)
        for key, package, name, digest in bundles.stored_bundles(catalog).values_list("pk", "package", "name", "digest")
        if (package, name) in heads and heads[(package, name)].judged != _review_key(name, digest)
    ]
    for key, package, name, digest in keys:
        bundle = StoredBundle.objects.select_related("catalog").defer("manifests").get(pk=key)
        try:
            whole = bundles.stored_csv(bundle)
        except SourceError as error:
            log.warning("%s: %s", catalog, error)
            return
        row = heads[(package, name)]
        row.judged = _review_key(name, digest)
        # Of a partial CSV the install strategy is missing: nothing is known.
        spec = read(whole.get("spec"), ClusterServiceVersionSpec)
        if spec.install != NamedInstallStrategy():
            row.webhooks = min(len(spec.webhookdefinitions), 32767)
            row.rights = permissions.level(permissions.asked(whole))
        else:
            row.webhooks, row.rights = None, "?"
        yield row


def _review_key(name: str, digest: str) -> str:
    return f"{name[:253]}@{digest}"


def _author_fields(about: CSVDescription) -> dict[str, Any]:
    """What its author says of it: the fields that are searched and filtered by."""
    notes = about.annotations
    provided = csv.apis(about.customresourcedefinitions.owned)
    return {
        "level": csv.level(notes),
        "categories": list(csv.split(notes.get("categories", ""))),
        "keywords": list(csv.strings(about.keywords)),
        "kinds": list(dict.fromkeys(api.kind for api in provided)),
        "crds": [api.crd for api in provided],
        "modes": list(csv.install_modes(about.install_modes)),
        "suggested_namespace": csv.suggested_namespace(notes)[:253],
        "summary": notes.get("description", "").strip()[:600],
        "features": list(csv.features(notes)),
        "subscriptions": list(csv.subscriptions(notes)),
        "created": csv.created(notes)[:32],
        "text": about.description[:2000],
    }


def _storable(value: Any) -> Any:
    """Without the one character that PostgreSQL takes in no text."""
    if isinstance(value, str):
        return value.replace("\0", "")
    return [_storable(item) for item in value] if isinstance(value, list) else value
