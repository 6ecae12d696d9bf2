"""The Redis server: names of keys, its memory's name, and what is asked of it outside of an event loop."""

from functools import lru_cache
from typing import Any
from uuid import uuid4

import redis
from django.conf import settings
from redis.exceptions import RedisError


def key(*parts: str) -> str:
    return ":".join((settings.REDIS_PREFIX, *parts))


def new_word() -> bytes:
    return uuid4().hex[:8].encode()


def epoch_of(word: bytes, info: list[Any]) -> str:
    """The memory that streams and versions are in: another word after a flush, another run of the server after its restart, which may have
    brought an older memory back from its disk. `info`: what INFO answered, in a list; an error where that is not allowed.
    """
    run = str(info[0].get("run_id") or "") if info and isinstance(info[0], dict) else ""
    return word.decode() + run[:8]


@lru_cache(maxsize=1)
def _sync() -> "redis.Redis":
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=2.0, socket_connect_timeout=1.0)


def ping() -> None:
    """Raises RedisError when Redis does not answer."""
    _sync().ping()


def living_hubs() -> list[str]:
    """Ids of the hubs with a heartbeat. Raises RedisError."""
    members: Any = _sync().smembers(key("hubs"))
    ids = sorted(member.decode() for member in members)
    beats: Any = _sync().mget([key("hub", id_) for id_ in ids]) if ids else []
    return [id_ for id_, beat in zip(ids, beats, strict=True) if beat is not None]


def position(seconds_ago: float = 0.0) -> str:
    """Where the streams stand now, or stood some seconds ago: '<id>@<epoch>'; '' when Redis does not answer.

    Writes only into an empty Redis, so that a full one is no hindrance.
    """
    try:
        with _sync().pipeline(transaction=False) as pipe:
            pipe.get(key("epoch"))
            pipe.time()
            pipe.info("server")
            word, now, *info = pipe.execute(raise_on_error=False)
        for answer in (word, now):
            if isinstance(answer, Exception):
                raise answer
        if word is None:
            _sync().set(key("epoch"), new_word(), nx=True)
            found: Any = _sync().get(key("epoch"))
            word = found or b""
    except RedisError:
        return ""
    milliseconds = now[0] * 1000 + now[1] // 1000 - int(seconds_ago * 1000)
    return f"{milliseconds}-0@{epoch_of(word, info)}"
