"""Unpacks untrusted archives: tar, with gzip, bzip2 or xz, and zip.

Files and folders only, below the target, within limits.

Links, devices and names that lead out of the target are left out: no catalog needs them. A small file that would become
a huge one ends with a refusal.
"""

import bz2
import gzip
import lzma
import shutil
import tarfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import IO

from django.utils.translation import gettext as _

from kube import limits
from operatorhub.sources.drafts import SourceError

_WHITEOUT, _OPAQUE = ".wh.", ".wh..wh..opq"
_CHUNK = 1024 * 1024


class Budget:
    """What may still be written and read, over all archives of one source; None: as much as of a catalog."""

    def __init__(self, most: int | None = None, files: int | None = None, stream: int | None = None) -> None:
        self.bytes = limits.ARCHIVE.value if most is None else most
        self.files = limits.ARCHIVE_FILES.value if files is None else files
        self.stream = limits.ARCHIVE_STREAM.value if stream is None else stream
        self._packed = limits.ARCHIVE_UNJUDGED.value
        self._until = time.monotonic() + limits.ARCHIVE_SECONDS.value

    def packed(self, size: int) -> None:
        """An archive of `size` bytes comes: it may unpack to so many times its size."""
        self._packed += size * limits.ARCHIVE_RATIO.value

    def wrote(self, size: int) -> None:
        self.bytes -= size
        if self.bytes < 0:
            raise SourceError(_("The unpacked archive is larger than the console accepts. Use a smaller catalog."))

    def file(self) -> None:
        self.files -= 1
        if self.files < 0:
            raise SourceError(_("The archive contains more files than the console accepts. Use a smaller catalog."))

    def read(self, size: int) -> None:
        self.stream -= size
        self._packed -= size
        if self.stream < 0 or self._packed < 0:
            raise SourceError(_("The small archive unpacks to a huge amount of data. Use another archive."))
        if time.monotonic() > self._until:
            raise SourceError(_("The archive takes too long to unpack. Use a smaller archive."))


class _Counted:
    """A stream that is charged to a budget."""

    def __init__(self, stream: IO[bytes], budget: Budget) -> None:
        self._stream, self._budget = stream, budget

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size if size >= 0 else _CHUNK)
        self._budget.read(len(data))
        return data


def unpack(path: Path, target: Path, budget: Budget) -> bool:
    """A zip or tar file into `target`. False when it is neither. Raises SourceError for what is broken, or too much."""
    with path.open("rb") as stream:
        head = stream.read(512)
    budget.packed(path.stat().st_size)
    try:
        if head.startswith(b"PK\x03\x04"):
            _zip(path, target, budget)
            return True
        packed = head.startswith((b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00"))
        if packed or head[257:262] == b"ustar":
            with tarfile.open(path, "r:*") as probe:
                probe.next()
            with _decompressed(path, head) as plain:
                layer(plain, target, budget, lambda name: True, whiteouts=False)
            return True
    except (
        tarfile.TarError,
        zipfile.BadZipFile,
        EOFError,
        OSError,
        ValueError,
        RuntimeError,
        NotImplementedError,
    ) as error:
        raise SourceError(_("The archive is damaged: %(error)s") % {"error": error}) from error
    return False


def _decompressed(path: Path, head: bytes) -> IO[bytes]:
    if head.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(path)  # type: ignore[return-value]
    if head.startswith(b"BZh"):
        return bz2.open(path)
    if head.startswith(b"\xfd7zXZ\x00"):
        return lzma.open(path)
    return path.open("rb")


def layer(
    stream: IO[bytes], target: Path, budget: Budget, wanted: Callable[[str], bool], *, whiteouts: bool = True
) -> None:
    """A tar stream into `target`: the files that are `wanted`, by their clean names.

    `whiteouts`: names that delete what lower layers brought.
    """
    with tarfile.open(fileobj=_Counted(stream, budget), mode="r|") as packed:  # type: ignore[call-overload]
        for member in packed:
            name = clean(member.name)
            if not name or not wanted(name):
                continue
            place = target / name
            last = place.name
            if whiteouts and last.startswith(_WHITEOUT):
                _white_out(place.parent, last)
            elif member.isdir():
                _folder(place)
            elif member.isreg():
                source = packed.extractfile(member)
                if source is not None:
                    _write(source, place, budget)
            elif place.exists():
                # A link took the place of a file of a lower layer.
                _remove(place)


def _white_out(folder: Path, name: str) -> None:
    if name == _OPAQUE:
        for path in folder.iterdir() if folder.is_dir() else ():
            _remove(path)
    elif hidden := name.removeprefix(_WHITEOUT).strip("."):
        _remove(folder / name.removeprefix(_WHITEOUT)) if hidden else None


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _folder(path: Path) -> None:
    if path.exists() and not path.is_dir():
        path.unlink()
    path.mkdir(parents=True, exist_ok=True)


def _write(source: "IO[bytes] | _Counted", place: Path, budget: Budget) -> None:
    budget.file()
    if place.is_dir():
        shutil.rmtree(place)
    _folder(place.parent)
    with place.open("wb") as sink:
        while data := source.read(_CHUNK):
            budget.wrote(len(data))
            sink.write(data)


def clean(name: str) -> str:
    """The name below the target; '' for one that leads out of it, or can't be one."""
    path = PurePosixPath(name.replace("\\", "/"))
    parts = [part for part in path.parts if part not in ("/", ".")]
    if (
        ".." in parts
        or not parts
        or "\0" in name
        or any(len(part.encode(errors="replace")) > 255 for part in parts)
        or len(parts) > 40
    ):
        return ""
    return "/".join(parts)


def _zip(path: Path, target: Path, budget: Budget) -> None:
    with zipfile.ZipFile(path) as packed:
        for member in packed.infolist():
            name = clean(member.filename)
            # The upper half holds the Unix mode: skip symbolic links.
            if not name or member.is_dir() or (member.external_attr >> 16) & 0o170000 == 0o120000:
                continue
            with packed.open(member) as source:
                _write(_Counted(source, budget), target / name, budget)
