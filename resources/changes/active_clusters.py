"""Marks clusters as active so that workers watch them: those with a recently opened page or stream.

The default cluster is always followed, the others while the mark lasts.
"""

from collections.abc import Iterable

from resources.changes.server import key, sync

#: A worker follows a cluster for this long after its last page or stream.
ACTIVE_SECONDS = 1800


def mark_active(cluster: str) -> None:
    """Raises RedisError."""
    sync().set(place(cluster), b"1", ex=ACTIVE_SECONDS)


def active_of(clusters: Iterable[str]) -> set[str]:
    """Those of the clusters that are active. Raises RedisError."""
    aliases = list(clusters)
    found: list[bytes | None] = sync().mget([place(alias) for alias in aliases]) if aliases else []  # type: ignore[assignment]
    return {alias for alias, mark in zip(aliases, found, strict=True) if mark}


def place(cluster: str) -> str:
    return key("looked", cluster)
