"""The Redis server: names of keys, its memory's name, and what is asked of it outside of an event loop."""

from functools import lru_cache
from typing import Any
from uuid import uuid4

import redis
from django.conf import settings
from redis.exceptions import RedisError


def key(*parts: str) -> str:
    return ":".join((settings.REDIS_PREFIX, *parts))


def hubs_of(cluster: str) -> str:
    """The key of a cluster's hubs; '' is the default one."""
    return key("hubs", cluster) if cluster else key("hubs")


def new_word() -> bytes:
    return uuid4().hex[:8].encode()


def epoch_of(word: bytes, info: list[Any]) -> str:
    """The memory that streams and versions are in: another word after a flush, another run of the server after its
    restart, which may have brought an older memory back from its disk. `info`: what INFO answered, in a list; an error
    where that is not allowed.
    """
    run = str(info[0].get("run_id") or "") if info and isinstance(info[0], dict) else ""
    return word.decode() + run[:8]


def checked(*answers: Any) -> None:
    """Raises the first error among a pipeline's answers."""
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer


def has_no_room(info: dict[str, Any]) -> bool:
    """Whether Redis refuses to remember more. `info`: its part "memory"."""
    limit = int(info.get("maxmemory") or 0)
    return 0 < limit < int(info.get("used_memory") or 0)


def is_crowded(info: dict[str, Any]) -> bool:
    """Whether what can be done without should leave the room to live updates. `info`: its part "memory"."""
    limit = int(info.get("maxmemory") or 0)
    return 0 < limit < 2 * int(info.get("used_memory") or 0)


@lru_cache(maxsize=1)
def sync() -> "redis.Redis":
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=2.0, socket_connect_timeout=1.0)


def ping() -> None:
    """Raises RedisError when Redis does not answer."""
    sync().ping()


def position(seconds_ago: float = 0.0) -> str:
    """Where the streams stand now, or stood some seconds ago: '<id>@<epoch>'; '' when Redis does not answer.

    Writes only into an empty Redis, so that it works in a full one.
    """
    try:
        with sync().pipeline(transaction=False) as pipe:
            pipe.get(key("epoch"))
            pipe.time()
            pipe.info("server")
            word, now, *info = pipe.execute(raise_on_error=False)
        checked(word, now)
        if word is None:
            sync().set(key("epoch"), new_word(), nx=True)
            found: Any = sync().get(key("epoch"))
            word = found or b""
    except RedisError:
        return ""
    milliseconds = now[0] * 1000 + now[1] // 1000 - int(seconds_ago * 1000)
    return f"{milliseconds}-0@{epoch_of(word, info)}"
