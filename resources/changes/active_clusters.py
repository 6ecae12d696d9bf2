"""Which clusters somebody looked at lately, for the workers: the default one is always followed, the others for as
long as this remembers them.
"""

from collections.abc import Iterable

from resources.changes.server import key, sync

#: A worker goes on for so long after the last page or stream of a cluster.
LOOKED_SECONDS = 1800


def look(cluster: str) -> None:
    """Somebody looks at it. Raises RedisError."""
    sync().set(place(cluster), b"1", ex=LOOKED_SECONDS)


def looked(clusters: Iterable[str]) -> set[str]:
    """Those of them that somebody looked at. Raises RedisError."""
    wanted = list(clusters)
    found: list[bytes | None] = sync().mget([place(one) for one in wanted]) if wanted else []  # type: ignore[assignment]
    return {one for one, there in zip(wanted, found, strict=True) if there}


def place(cluster: str) -> str:
    return key("looked", cluster)
