"""A catalog or bundle behind an address of the web."""

from pathlib import Path


def fetch(address: str, target: Path) -> Path:
    raise NotImplementedError
