"""Bundles in images: pulled, unpacked and read on demand."""

import tempfile
from pathlib import Path

from operatorhub.sources import bundlefiles, image
from operatorhub.sources.drafts import Contents


def contents(reference: str) -> Contents:
    """The bundle in an image. Raises SourceError: what happened to which image, and what to do."""
    with tempfile.TemporaryDirectory(prefix="bundle-") as scratch:
        pulled = image.pull(reference, Path(scratch))
        return bundlefiles.read(pulled.folder or Path(scratch))[0]
