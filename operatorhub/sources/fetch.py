"""A catalog or bundle behind an address of the web, or in a file: .json, .yaml, .tar, .tar.gz, .zip.

It becomes a folder.

The address is read as operatorhub/sources/web.py says; what comes is judged by its bytes, not by its name.
"""

from pathlib import Path

from django.utils.translation import gettext as _

from kube import limits
from operatorhub.sources import archive, web
from operatorhub.sources.drafts import SourceError


def fetch(address: str, target: Path) -> Path:
    """The folder in `target` where what the address answers lies, unpacked.

    Raises SourceError: what happened to which address, and what to do.
    """
    path = target / "fetched"
    with path.open("wb") as sink:
        answer = web.get(address, sink=sink, most=limits.FETCHED.value, seconds=float(limits.FETCHED_SECONDS.value))
    if answer.status != 200:
        raise SourceError(web.explain(answer))
    try:
        return unpacked(path, target)
    except SourceError as error:
        raise SourceError(f"{web.shown(address)}: {error}") from error


def unpacked(path: Path, target: Path) -> Path:
    """A file as a folder below `target`: the archive's contents, or the file alone. Raises SourceError."""
    folder = target / "content"
    folder.mkdir()
    if archive.unpack(path, folder, archive.Budget()):
        return _inner(folder)
    with path.open("rb") as stream:
        head = stream.read(4096)
    if not head.strip():
        raise SourceError(_("The file is empty."))
    if b"\0" in head:
        raise SourceError(_("This is neither a catalog nor an archive. Expected: YAML, JSON, .tar, .tar.gz or .zip."))
    if head.lstrip()[:9].lower() in (b"<!doctype", b"<html") or head.lstrip()[:5].lower() == b"<html":
        raise SourceError(_("This is a web page, not a catalog. Use the address of the file itself (“raw”)."))
    path.rename(folder / ("catalog.json" if head.lstrip().startswith(b"{") else "catalog.yaml"))
    return folder


def _inner(folder: Path) -> Path:
    """Archives often hold one folder with everything in it."""
    while True:
        inside = [path for path in folder.iterdir() if not path.name.startswith(".")]
        if len(inside) != 1 or not inside[0].is_dir() or inside[0].name in ("manifests", "metadata", "configs"):
            return folder
        if (inside[0] / "package.json").is_file() or any(inside[0].glob("*/manifests")):
            # A package's folder: its parent is the catalog.
            return folder
        folder = inside[0]
