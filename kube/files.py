"""Detects that files have changed by stat(), which takes 2 microseconds."""

from pathlib import Path

#: (mtime in ns, size, inode) of a file; None while it is missing. A mounted Secret is changed by a symlink: its inode
#: is another one then.
Mark = tuple[int, int, int] | None


def mark(path: Path) -> Mark:
    """What tells that a file has changed."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def marks(paths: tuple[Path, ...]) -> tuple[Mark, ...]:
    return tuple(mark(path) for path in paths)


class TextFile:
    """A token file that is rewritten from time to time.

    While it is missing or empty, which takes a moment, the last text is used.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read: tuple[Mark, str] = (None, "")

    def text(self) -> str:
        """As it is now. Raises OSError when it could never be read."""
        seen = mark(self._path)
        read, text = self._read
        if seen is not None and seen == read:
            return text
        try:
            text = self._path.read_text(encoding="utf-8").strip() or text
        except (OSError, UnicodeDecodeError):
            if not text:
                raise
            return text
        self._read = (seen, text)
        return text
