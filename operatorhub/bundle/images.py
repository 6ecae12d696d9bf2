"""Bundles in images: pulled, unpacked and read within a request, so with a short timeout; a failure is cached for a
minute.
"""

import tempfile
import time
from pathlib import Path
from threading import Lock

from operatorhub.sources import bundlefiles, image
from operatorhub.sources.drafts import Contents, SourceError

_SECONDS = 25.0
_KEEP_SECONDS = 60.0
_LIMIT = 256
_failures: dict[str, tuple[float, str]] = {}
_lock = Lock()


def contents(reference: str) -> Contents:
    """The bundle in an image.

    Raises SourceError: what happened to which image, and what to do; for a minute the same again, without asking.
    """
    with _lock:
        until, words = _failures.get(reference, (0.0, ""))
    if until > time.monotonic():
        raise SourceError(words)
    try:
        with tempfile.TemporaryDirectory(prefix="bundle-") as scratch:
            pulled = image.pull(reference, Path(scratch), seconds=_SECONDS)
            return bundlefiles.read(pulled.folder or Path(scratch))[0]
    except SourceError as error:
        with _lock:
            if len(_failures) >= _LIMIT:
                _failures.clear()
            _failures[reference] = (time.monotonic() + _KEEP_SECONDS, str(error))
        raise
