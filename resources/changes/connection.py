"""One pool of async connections to Redis, its clock and its epoch; belongs to one event loop."""

import contextlib
from typing import Any

import redis.asyncio
from django.conf import settings
from redis.exceptions import OutOfMemoryError, RedisError, ResponseError

from resources.changes.server import checked, epoch_of, has_no_room, key, new_word

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
