"""Opens a catalog of the console's own, whatever its kind: the one place that knows which source reads what.

The sources don't know each other: one unpacks an image, another finds its files, a third reads them. They are combined
here.
"""

import tempfile
from collections.abc import Container, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.utils.translation import gettext as _

from kube.client import ClusterClient
from operatorhub.models import Catalog
from operatorhub.sources import clustercatalogs, fbc, fetch, folder, image
from operatorhub.sources.drafts import Draft, SourceError


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
