"""Bundles in images: pulled, unpacked and read on demand."""

import tempfile
from pathlib import Path

from operatorhub.sources import bundlefiles, image
from operatorhub.sources.drafts import Contents


def contents(reference: str) -> Contents:
    """The bundle in an image. Raises SourceError: what happened to which image, and what to do."""
    with tempfile.TemporaryDirectory(prefix="bundle-") as scratch:
        return bundlefiles.read(image.pull(reference, Path(scratch)).folder)[0]
