"""Opens a catalog of the console's own, whatever its kind: the one place that knows which source reads what.

The sources don't know each other: one unpacks an image, another finds its files, a third reads them. They are combined
here.

The packages of a catalog that the console read itself, in the index: each as its default channel's newest version
says.
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
def opened(
    row: Catalog, client: ClusterClient, *, force: bool = False, digests: Container[str] = ()
) -> Iterator[Opened]:
    """The catalog, open.

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
            yield of_folder(Path(row.location), stays=True, digests=digests)
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
            yield of_folder(fetch.fetch(row.location, scratch), stays=False, digests=digests)
        else:
            raise SourceError(_("The upload is no longer stored. Upload the file again to reload it."))


def _of_image(reference: str, scratch: Path, known: str, digests: Container[str]) -> Opened:
    pulled = image.pull(reference, scratch, known)
    if pulled.folder is None:
        return Opened(pulled.digest, iter(()))
    found = of_folder(pulled.folder, stays=False, digests=digests)
    return Opened(pulled.digest, found.drafts, found.title)


def of_folder(path: Path, *, stays: bool, digests: Container[str] = ()) -> Opened:
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


def _streams(path: Path, files: list[Path]) -> Iterator[tuple[str, BinaryIO]]:
    for file in files:
        with file.open("rb") as stream:
            yield str(file.relative_to(path)), stream


def write(row: Catalog, graphs: list[Graph], drawn: Mapping[str, str], client: ClusterClient) -> bool:
    """Make the index's packages of this catalog equal to `graphs`; True when something changed.

    `drawn`: digests of icons that the catalog gave, by package; others are the CSVs'.
    """
    known = {(package, name): key for key, package, name in storage.bundles(row).values_list("pk", "package", "name")}
    nodes = index.nodes(client)
    made: index.Rows = {}
    for graph in graphs:
        head = _head(graph)
        key = known.get((graph.package, head.name)) if head else None
        new_row = package(row, graph, head, _csv(key), nodes)
        made[(new_row.namespace, new_row.catalog, new_row.name)] = new_row
    mine = Q(cluster=row.cluster, namespace=row.namespace, catalog=row.name)
    with transaction.atomic():
        outcome, stale = index.write(mine, made)
        Package.objects.filter(pk__in=stale).update(icon="")
        changed = outcome.written + outcome.removed
        for name, digest in drawn.items():
            changed += Package.objects.filter(mine, name=name).exclude(icon=digest).update(icon=digest)
    for found in Package.objects.filter(mine, icon="").only("pk", "name", "csv"):
        digest = keep_icon(_icon(_csv(known.get((found.name, found.csv)))))
        changed += Package.objects.filter(pk=found.pk).update(icon=digest or index.NO_ICON)
    return bool(changed)


def keep_icon(data: bytes) -> str:
    """Sanitizes and stores the icon; returns its digest, '' if it isn't an image."""
    clean = icons.clean(data) if data else None
    if clean is None:
        return ""
    Icon.objects.get_or_create(digest=clean.digest, defaults={"media_type": clean.media_type, "data": clean.data})
    return clean.digest


def package(
    row: Catalog, graph: Graph, head: ChannelEntry | None, csv: Mapping[str, Any], nodes: frozenset[str] | None
) -> Package:
    """One package as a row. One whose default channel does not exist has none."""
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


def _head(graph: Graph) -> ChannelEntry | None:
    return graph.channels[0].entries[0] if graph.channels and graph.channels[0].entries else None


def _csv(key: int | None) -> Mapping[str, Any]:
    if key is None:
        return {}
    return storage.csv_of(StoredBundle.objects.select_related("catalog").defer("manifests").get(pk=key))


def _icon(csv: Mapping[str, Any]) -> bytes:
    for item in items(mapping(csv.get("spec")).get("icon")):
        try:
            return base64.b64decode("".join(text(item.get("base64data")).split()), validate=True)
        except binascii.Error:
            continue
    return b""
