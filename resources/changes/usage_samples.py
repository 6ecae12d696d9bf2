"""An hour of CPU and memory, a hash a minute: `<namespace>/<name>` → cores and bytes. Bounded by number and by time.

Several processes may write the same minute: it is the same measurement. Minutes are of Redis' own clock.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from kube import limits
from resources.changes.connection import is_crowded, key, sync_client

#: Between two points, and how many there are.
SECONDS, POINTS = 60, 60
_KEEP_SECONDS = (POINTS + 2) * SECONDS
Sample = tuple[float, int]


def write(cluster: str, plural: str, values: Mapping[str, Sample]) -> None:
    """This minute's, unless Redis needs its room for live updates. Raises RedisError."""
    memory: Any = sync_client().info("memory")
    if is_crowded(memory):
        return
    place = _place(cluster, plural, _minute())
    room = limits.USAGE_SERIES.value - int(sync_client().hlen(place))
    fields: Any = {name: f"{cores:.4g} {memory}" for name, (cores, memory) in sorted(values.items())[: max(0, room)]}
    if not fields:
        return
    with sync_client().pipeline(transaction=False) as pipe:
        pipe.hset(place, mapping=fields)
        pipe.expire(place, _KEEP_SECONDS)
        pipe.execute()


def read(cluster: str, plural: str, names: Sequence[str]) -> list[list[Sample | None]]:
    """For each of the last POINTS minutes, the oldest first, the sample of each name. Raises RedisError."""
    if not names:
        return []
    now = _minute()
    with sync_client().pipeline(transaction=False) as pipe:
        for minute in range(now - POINTS + 1, now + 1):
            pipe.hmget(_place(cluster, plural, minute), list(names))
        found: list[list[bytes | None]] = pipe.execute()
    return [[_sample(text) for text in row] for row in found]


def _minute() -> int:
    now: Any = sync_client().time()
    return int(now[0]) // SECONDS


def _place(cluster: str, plural: str, minute: int) -> str:
    return key("usage", cluster, plural, str(minute))


def _sample(text: bytes | None) -> Sample | None:
    if text is None:
        return None
    cores, _blank, memory = text.partition(b" ")
    return float(cores), int(memory)
