"""Opens one of the console's own catalogs, whatever its kind, and writes its packages into the index.

The sources don't know each other: one unpacks an image, another finds its files, a third reads them. They are combined
here. In the index a package is described by the newest version of its default channel.
"""

import base64
import binascii
import tempfile
from collections.abc import Container, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from kube.client import ClusterClient
from operatorhub.bundle import storage
from operatorhub.csv import items, mapping, text
from operatorhub.indexing import icons, index, rows
from operatorhub.models import Catalog, Icon, Package, StoredBundle
from operatorhub.sources import clustercatalogs, fbc, fetch, folder, image
from operatorhub.sources.drafts import ChannelEntry, Draft, Graph, SourceError


@dataclass(frozen=True, slots=True)
class Opened:
    """`digest` is of what there is to read, '' when only reading tells.

    `drafts` can be run through once, while the catalog is open.
    """

    digest: str
    drafts: Iterator[Draft]
    title: str = ""


@contextmanager
def open_catalog(
    row: Catalog, client: ClusterClient, *, force: bool = False, digests: Container[str] = ()
) -> Iterator[Opened]:
    """The catalog's contents, to be read inside the `with` block.

    What is known already is not fetched again unless `force`; bundles with these digests are not read in full. Raises
    SourceError: what happened to which place; and KubeError.
    """
    known = "" if force or not row.generation else row.digest
    with ExitStack() as stack:
        if row.kind == Catalog.FOLDER:
            if not (row.given or settings.LOCAL_ONLY):
                raise SourceError(
                    _(
                        "Folders are read only if the console listens only on localhost, or if CATALOG_FOLDERS "
                        "names them."
                    )
                )
            yield open_folder(Path(row.location), stays=True, digests=digests)
            return
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="catalog-")))
        if row.kind == Catalog.CLUSTER:
            source = clustercatalogs.read_source(client, row.name)
            if source.base:
                if known and known == source.digest:
                    yield Opened(source.digest, iter(()))
                    return
                stream = stack.enter_context(clustercatalogs.content(client, source))
                yield Opened(source.digest, fbc.drafts([("", stream)], digests), source.title)
                return
            yield _of_image(source.image, scratch, known, digests)
        elif row.kind == Catalog.IMAGE:
            yield _of_image(row.location, scratch, known, digests)
        elif row.kind == Catalog.URL:
            yield open_folder(fetch.fetch(row.location, scratch), stays=False, digests=digests)
        else:
            raise SourceError(_("The upload is no longer stored. Upload the file again to reload it."))


def open_folder(path: Path, *, stays: bool, digests: Container[str] = ()) -> Opened:
    """A folder of bundles or of a file-based catalog. `stays`: its bundles can be read later, on first use."""
    if not path.is_dir():
        raise SourceError(_("The folder %(path)s doesn't exist on the console's machine.") % {"path": path})
    title = folder.about(path).get("displayName", "")
    if folder.has_bundles(path):
        return Opened("", folder.drafts(path, whole=not stays), title)
    files = folder.fbc_files(path)
    if not files:
        words = _(
            "No file-based catalog or bundle found. Expected: .yaml or .json files with olm.package, "
            "folders with package.json, or manifests/ and metadata/."
        )
        raise SourceError(words)
    return Opened(folder.stamp(files) if stays else "", fbc.drafts(_streams(path, files), digests), title)


def write_packages(row: Catalog, graphs: list[Graph], drawn: Mapping[str, str], client: ClusterClient) -> bool:
    """Make the index's packages of this catalog equal to `graphs`; True when something changed.

    `drawn`: digests of icons that the catalog gave, by package; others are the CSVs'.
    """
    known = {(package, name): key for key, package, name in storage.bundles(row).values_list("pk", "package", "name")}
    nodes = index.nodes(client)
    made: index.Rows = {}
    for graph in graphs:
        head = _head_entry(graph)
        key = known.get((graph.package, head.name)) if head else None
        new_row = _package_row(row, graph, head, _stored_csv(key), nodes)
        made[(new_row.namespace, new_row.catalog, new_row.name)] = new_row
    mine = Q(cluster=row.cluster, namespace=row.namespace, catalog=row.name)
    with transaction.atomic():
        outcome, stale = index.write(mine, made)
        Package.objects.filter(pk__in=stale).update(icon="")
        changed = outcome.written + outcome.removed
        for name, digest in drawn.items():
            changed += Package.objects.filter(mine, name=name).exclude(icon=digest).update(icon=digest)
    for found in Package.objects.filter(mine, icon="").only("pk", "name", "csv"):
        digest = keep_icon(_icon_of_csv(_stored_csv(known.get((found.name, found.csv)))))
        changed += Package.objects.filter(pk=found.pk).update(icon=digest or index.NO_ICON)
    return bool(changed)


def keep_icon(data: bytes) -> str:
    """Sanitizes and stores the icon; returns its digest, '' if it isn't an image."""
    clean = icons.clean(data) if data else None
    if clean is None:
        return ""
    Icon.objects.get_or_create(digest=clean.digest, defaults={"media_type": clean.media_type, "data": clean.data})
    return clean.digest


def _of_image(reference: str, scratch: Path, known: str, digests: Container[str]) -> Opened:
    pulled = image.pull(reference, scratch, known)
    if pulled.folder is None:
        return Opened(pulled.digest, iter(()))
    found = open_folder(pulled.folder, stays=False, digests=digests)
    return Opened(pulled.digest, found.drafts, found.title)


def _streams(path: Path, files: list[Path]) -> Iterator[tuple[str, BinaryIO]]:
    for file in files:
        with file.open("rb") as stream:
            yield str(file.relative_to(path)), stream


def _package_row(
    row: Catalog, graph: Graph, head: ChannelEntry | None, csv: Mapping[str, Any], nodes: frozenset[str] | None
) -> Package:
    """One package as a row of the index; `default` is '' if its default channel doesn't exist."""
    channel = graph.channels[0].name if graph.channels else ""
    return rows.row(
        row.cluster,
        (row.namespace, row.name, graph.package),
        rows.desc(csv),
        rows.labels(csv),
        nodes,
        default=graph.default if channel == graph.default else "",
        channel=channel,
        csv=head.name if head else "",
        version=head.version if head else "",
        catalog_title=row.title or row.name,
        deprecation=graph.deprecated,
        source=row.kind,
    )


def _head_entry(graph: Graph) -> ChannelEntry | None:
    return graph.channels[0].entries[0] if graph.channels and graph.channels[0].entries else None


def _stored_csv(key: int | None) -> Mapping[str, Any]:
    if key is None:
        return {}
    return storage.csv_of(StoredBundle.objects.select_related("catalog").defer("manifests").get(pk=key))


def _icon_of_csv(csv: Mapping[str, Any]) -> bytes:
    for item in items(mapping(csv.get("spec")).get("icon")):
        try:
            return base64.b64decode("".join(text(item.get("base64data")).split()), validate=True)
        except binascii.Error:
            continue
    return b""
