"""Lines of logs within a limit, cut while they are read: a Pod may write 300 MB without a line's end."""

from kube import limits

#: What stands behind the part of a line that is shown.
CUT = f" … [cut here: the line is longer than {limits.LOG_LINE.value // 1024} KiB]".encode()


class LineCutter:
    """For one log, piece by piece.

    Of a line longer than `most` bytes its beginning is passed on, with CUT behind it.
    """

    def __init__(self, most: int = limits.LOG_LINE.value) -> None:
        self._most = most
        self._size = 0

    def feed(self, piece: bytes) -> bytes:
        """The piece without what is too much in its lines."""
        if self._size + len(piece) <= self._most:
            end = piece.rfind(b"\n")
            self._size = self._size + len(piece) if end < 0 else len(piece) - end - 1
            return piece
        first, *others = piece.split(b"\n")
        shown = [self._part(first)]
        for line in others:
            self._size = 0
            shown.append(self._part(line))
        return b"\n".join(shown)

    def _part(self, part: bytes) -> bytes:
        """The next part of the line that is being read."""
        room = self._most - self._size
        self._size += len(part)
        if len(part) <= room:
            return part
        return part[:room] + CUT if room >= 0 else b""


def page(text: bytes, most: int) -> str:
    """A log for a page: its lines cut, and a last line that says so where it has `most` bytes, which is all that was
    asked for.
    """
    shown = LineCutter().feed(text[:most]).decode("utf-8", "replace")
    if len(text) < most:
        return shown
    return (
        f"{shown}\n[cut here: a page begins with {most / 2**20:.3g} MiB of a log at most; the raw log has all of it]\n"
    )
