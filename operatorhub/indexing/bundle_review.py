"""What only a package's whole CSV tells: its webhooks, and how much it may do.

Filled in after the packages are shown, each version once.
"""

import logging
from collections.abc import Iterator

from operatorhub.admin import catalogs
from operatorhub.bundle import permissions, storage
from operatorhub.csv import items, mapping
from operatorhub.models import Catalog, Package, StoredBundle
from operatorhub.sources.drafts import SourceError

log = logging.getLogger("operatorhub.indexing.bundle_review")
_CHUNK = 200


def judge(cluster: str) -> int:
    """Look at the newest version of every package whose bundle is known and was not looked at yet.

    Returns how many it were.
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
        done += _looked_at(catalog, {(head.name, head.csv): head for head in heads.values()})
    if done:
        Package.objects.bulk_update(done, ["webhooks", "rights", "judged"], batch_size=_CHUNK)
        catalogs.bump(cluster)
        log.info("%d packages of %s looked at for webhooks and rights", len(done), cluster)
    return len(done)


def _looked_at(catalog: Catalog, heads: dict[tuple[str, str], Package]) -> Iterator[Package]:
    # Only names and digests of all: CSVs are read one by one, those that are new.
    keys = [
        (key, package, name, digest)
        for key, package, name, digest in storage.bundles(catalog).values_list("pk", "package", "name", "digest")
        if (package, name) in heads and heads[(package, name)].judged != _mark(name, digest)
    ]
    for key, package, name, digest in keys:
        bundle = StoredBundle.objects.select_related("catalog").defer("manifests").get(pk=key)
        try:
            csv = storage.csv_of(bundle)
        except SourceError as error:
            log.warning("%s: %s", catalog, error)
            return
        row = heads[(package, name)]
        row.judged = _mark(name, digest)
        # Of a partial CSV the install strategy is missing: nothing is known.
        spec = mapping(csv.get("spec"))
        if spec.get("install"):
            row.webhooks = min(sum(1 for _one in items(spec.get("webhookdefinitions"))), 32767)
            row.rights = permissions.level(permissions.asked(csv))
        else:
            row.webhooks, row.rights = None, "?"
        yield row


def _mark(name: str, digest: str) -> str:
    return f"{name[:253]}@{digest}"
