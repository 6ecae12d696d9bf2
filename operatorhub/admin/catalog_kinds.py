"""The kinds of catalogs that the console reads itself: one table, `KINDS`.

A kind says how it is called, which field of the form names its source, what is wrong with a source, who can't add it,
and how it is opened. The form's radio buttons, the JSON API's choices, the label on pages and the reading of a catalog
(operatorhub/indexing/refresh.py) follow from the table. The sources don't know each other; they are combined here: one
unpacks an image, another finds its files, a third reads them.
"""

import tempfile
from collections.abc import Callable, Container, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from kube.client import ClusterClient
from operatorhub.models import Catalog
from operatorhub.sources import clustercatalogs, fbc, fetch, folder, image, registry
from operatorhub.sources.drafts import Draft, SourceError

#: Fields of the form that name a source. A file can only be sent with the page's form, not with the JSON API.
LOCATION, FILE = "location", "file"


@dataclass(frozen=True, slots=True)
class OpenedCatalog:
    """`digest` is of what there is to read, '' when only reading tells.

    `drafts` can be run through once, while the catalog is open.
    """

    digest: str
    drafts: Iterator[Draft]
    title: str = ""


#: The catalog, the user's or the console's client, the digest of what is stored ('': read all), digests of bundles that
#: needn't be read in full, and what has to be closed after reading. Raises SourceError and KubeError.
Opener = Callable[[Catalog, ClusterClient, str, Container[str], ExitStack], OpenedCatalog]


def image_error(reference: str) -> str:
    """What is wrong with an image's name; '' if nothing is."""
    if not reference:
        return _("Enter an image, for example quay.io/operatorhubio/catalog:latest.")
    try:
        registry.parse(reference)
    except SourceError as error:
        return str(error)
    return ""


def _address_error(address: str) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return _("Enter an address that starts with http:// or https:// and a host.")
    return ""


def _path_error(path: str) -> str:
    return "" if path.startswith("/") else _("Enter the full path, starting with /.")


def _no_error(_location: str) -> str:
    return ""


def _folder_refusal() -> str:
    # Elsewhere a path would show the server's files to its users.
    return "" if settings.LOCAL_ONLY else _("Folders can be used only if the console listens only on localhost.")


def _no_refusal() -> str:
    return ""


def _open_url(
    row: Catalog, _client: ClusterClient, _known: str, digests: Container[str], stack: ExitStack
) -> OpenedCatalog:
    return open_folder(fetch.fetch(row.location, _scratch(stack)), stays=False, digests=digests)


def _open_image(
    row: Catalog, _client: ClusterClient, known: str, digests: Container[str], stack: ExitStack
) -> OpenedCatalog:
    return _pull(row.location, known, digests, stack)


def _open_own_folder(
    row: Catalog, _client: ClusterClient, _known: str, digests: Container[str], _stack: ExitStack
) -> OpenedCatalog:
    # Checked again: the row may be older than the setting.
    if not (row.given or settings.LOCAL_ONLY):
        raise SourceError(
            _("Folders are read only if the console listens only on localhost, or if CATALOG_FOLDERS names them.")
        )
    return open_folder(Path(row.location), stays=True, digests=digests)


def _open_upload(
    _row: Catalog, _client: ClusterClient, _known: str, _digests: Container[str], _stack: ExitStack
) -> OpenedCatalog:
    raise SourceError(_("The upload is no longer stored. Upload the file again to reload it."))


def _open_cluster_catalog(
    row: Catalog, client: ClusterClient, known: str, digests: Container[str], stack: ExitStack
) -> OpenedCatalog:
    source = clustercatalogs.read_source(client, row.name)
    if not source.base:
        return _pull(source.image, known, digests, stack)
    if known and known == source.digest:
        return OpenedCatalog(source.digest, iter(()))
    stream = stack.enter_context(clustercatalogs.content(client, source))
    return OpenedCatalog(source.digest, fbc.drafts([("", stream)], digests), source.title)


def open_folder(path: Path, *, stays: bool, digests: Container[str] = ()) -> OpenedCatalog:
    """A folder of bundles or of a file-based catalog. `stays`: its bundles can be read later, on first use."""
    if not path.is_dir():
        raise SourceError(_("The folder %(path)s doesn't exist on the console's machine.") % {"path": path})
    title = folder.title(path)
    if folder.has_bundles(path):
        return OpenedCatalog("", folder.drafts(path, whole=not stays), title)
    files = folder.fbc_files(path)
    if not files:
        words = _(
            "No file-based catalog or bundle found. Expected: .yaml or .json files with olm.package, "
            "folders with package.json, or manifests/ and metadata/."
        )
        raise SourceError(words)
    digest = folder.stamp(files) if stays else ""
    return OpenedCatalog(digest, fbc.drafts(_catalog_streams(path, files), digests), title)


def _pull(reference: str, known: str, digests: Container[str], stack: ExitStack) -> OpenedCatalog:
    pulled = image.pull(reference, _scratch(stack), known)
    if pulled.folder is None:
        return OpenedCatalog(pulled.digest, iter(()))
    found = open_folder(pulled.folder, stays=False, digests=digests)
    return OpenedCatalog(pulled.digest, found.drafts, found.title)


def _scratch(stack: ExitStack) -> Path:
    """A temporary folder, removed after reading."""
    return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="catalog-")))


def _catalog_streams(path: Path, files: list[Path]) -> Iterator[tuple[str, BinaryIO]]:
    for file in files:
        with file.open("rb") as stream:
            yield str(file.relative_to(path)), stream


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogKind:
    """One kind of catalog.

    `value`: in the database, the form and the JSON API. `label`: on pages. `open`: how it is read.

    For a kind that users can add, `field`: which field of the form names its source, LOCATION or FILE; `choice` and
    `help`: the words at its radio button; `location_error`: what is wrong with a location, '' if nothing is; `refusal`:
    why it can't be added to this console, '' if it can. Whether a user can add catalogs at all:
    catalogs.change_refusal().
    """

    value: str
    label: Promise | str
    open: Opener
    field: str = ""
    choice: Promise | str = ""
    help: Promise | str = ""
    location_error: Callable[[str], str] = _no_error
    refusal: Callable[[], str] = _no_refusal


_FILES = ".yaml .json .tar .tar.gz .zip"

#: In the order of the form, where kinds with the same field are together.
KINDS = (
    CatalogKind(
        value=Catalog.URL,
        label=gettext_lazy("Address"),
        open=_open_url,
        field=LOCATION,
        choice=gettext_lazy("Web address"),
        help=_FILES,
        location_error=_address_error,
    ),
    CatalogKind(
        value=Catalog.IMAGE,
        label=gettext_lazy("Image"),
        open=_open_image,
        field=LOCATION,
        choice=gettext_lazy("Image in a registry"),
        help=gettext_lazy("catalog or bundle image"),
        location_error=image_error,
    ),
    CatalogKind(
        value=Catalog.FOLDER,
        label=gettext_lazy("Folder"),
        open=_open_own_folder,
        field=LOCATION,
        choice=gettext_lazy("Folder on this machine"),
        help=gettext_lazy("file-based catalog or bundles"),
        location_error=_path_error,
        refusal=_folder_refusal,
    ),
    CatalogKind(
        value=Catalog.UPLOAD,
        label=gettext_lazy("Upload"),
        open=_open_upload,
        field=FILE,
        choice=gettext_lazy("Uploaded file"),
        help=_FILES,
    ),
    # Added by admin/clustercatalogs.py, one for each ClusterCatalog of the cluster.
    CatalogKind(value=Catalog.CLUSTER, label="ClusterCatalog", open=_open_cluster_catalog),
)
BY_VALUE = {kind.value: kind for kind in KINDS}
