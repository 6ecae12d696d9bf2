"""Semantic versions, compared as https://semver.org/ says. Pure."""

import re
from functools import lru_cache

_VERSION = re.compile(
    r"v?(0|[1-9]\d{0,17})\.(0|[1-9]\d{0,17})\.(0|[1-9]\d{0,17})(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?"
)
Key = tuple[int, int, int, bool, tuple[tuple[bool, int, str], ...]]


def valid(version: str) -> bool:
    return _VERSION.fullmatch(version) is not None


@lru_cache(maxsize=16384)
def key(version: str) -> Key:
    """Sort key of a version; invalid ones come first."""
    found = _VERSION.fullmatch(version)
    if found is None:
        return (-1, 0, 0, False, ())
    major, minor, patch, pre = found.groups()
    # A pre-release comes before its release; numbers before words.
    parts = tuple(
        (not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in (pre or "").split(".") if part
    )
    return (int(major), int(minor), int(patch), not pre, parts)
