"""The connection to Redis: names of keys, the server's clock, and the epoch of its memory.

Connection is a pool of async connections and belongs to one event loop. The functions, with sync_client(), are for code
outside of an event loop.
"""

import contextlib
from functools import lru_cache
from typing import Any
from uuid import uuid4

import redis
import redis.asyncio
from django.conf import settings
from redis.exceptions import OutOfMemoryError, RedisError, ResponseError


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
def sync_client() -> "redis.Redis":
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=2.0, socket_connect_timeout=1.0)


def ping() -> None:
    """Raises RedisError when Redis does not answer."""
    sync_client().ping()


def position(seconds_ago: float = 0.0) -> str:
    """Where the streams stand now, or stood some seconds ago: '<id>@<epoch>'; '' when Redis does not answer.

    Writes only into an empty Redis, so that it works in a full one.
    """
    try:
        with sync_client().pipeline(transaction=False) as pipe:
            pipe.get(key("epoch"))
            pipe.time()
            pipe.info("server")
            word, now, *info = pipe.execute(raise_on_error=False)
        checked(word, now)
        if word is None:
            sync_client().set(key("epoch"), new_word(), nx=True)
            found: Any = sync_client().get(key("epoch"))
            word = found or b""
    except RedisError:
        return ""
    milliseconds = now[0] * 1000 + now[1] // 1000 - int(seconds_ago * 1000)
    return f"{milliseconds}-0@{epoch_of(word, info)}"


# The longest blocking read, and longer than that: a Redis that hangs, or a network that swallowed the answer, is
# noticed.
BLOCK_MILLISECONDS = 3000
_PATIENCE_SECONDS = 6.0


class Connection:
    """What the parts of a ChangeLog share."""

    def __init__(self) -> None:
        # Any: redis-py's annotations unite what all its decoders might return.
        self._redis: Any = redis.asyncio.Redis.from_url(
            settings.REDIS_URL, socket_connect_timeout=1.0, socket_timeout=_PATIENCE_SECONDS
        )
        self.epoch = ""
        self._informs = True
        self._loaded: set[str] = set()

    async def close(self) -> None:
        with contextlib.suppress(RedisError, OSError):
            await self._redis.aclose()

    async def now(self) -> int:
        """Milliseconds on Redis' clock.

        Also learns the epoch, which changes when Redis lost its memory. Writes only into an empty Redis.
        """
        async with self._redis.pipeline(transaction=False) as pipe:
            pipe.get(key("epoch"))
            pipe.time()
            if self._informs:
                pipe.info("server")
            word, now, *info = await pipe.execute(raise_on_error=False)
        checked(word, now)
        if self._informs and isinstance(info[0], ResponseError):
            # Not allowed here, or the stand-in of console/processes/demo_redis.py, which closes the connection over it.
            self._informs = False
            await self._redis.connection_pool.disconnect()
        self.epoch = epoch_of(word or await self._begin(), info)
        return int(now[0]) * 1000 + int(now[1]) // 1000

    async def _begin(self) -> bytes:
        """Sets and returns the epoch of a new memory; the first process to set it wins."""
        await self._redis.set(key("epoch"), new_word(), nx=True)
        found: bytes | None = await self._redis.get(key("epoch"))
        return found or b""

    async def full(self) -> bool:
        """Whether Redis refuses to remember more."""
        if not self._informs:
            return False
        return has_no_room(await self._redis.info("memory"))

    async def _run(self, script: Any, keys: list[str], args: list[Any]) -> Any:
        """Raises OutOfMemoryError also where Redis wraps it into an error of the script."""
        try:
            if script.sha not in self._loaded:
                # The stand-in closes the connection over a script that it does not know, too.
                await self._redis.script_load(script.script)
                self._loaded.add(script.sha)
            return await script(keys=keys, args=args)
        except OutOfMemoryError:
            raise
        except ResponseError as error:
            if "OOM command not allowed" in str(error):
                raise OutOfMemoryError(str(error)) from error
            raise
