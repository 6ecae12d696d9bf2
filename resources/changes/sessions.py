"""Sessions that ended, told to all web processes: one bounded stream, read from its beginning, so that a process
that starts later knows them too.
"""

from collections.abc import AsyncIterator

from resources.changes.connection import BLOCK_MILLISECONDS, Connection, key, sync_client

# Ids of sessions that ended most recently. An older one can't be taken up again after it expired (SESSION_COOKIE_AGE).
KEEP = 10_000
_ENDED = "ended"


def end(digest: str) -> None:
    """The session's streams are closed everywhere within a second, and none is opened for it again.

    Raises RedisError.
    """
    sync_client().xadd(key(_ENDED), {"d": digest}, maxlen=KEEP, approximate=True)


class EndedSessions(Connection):
    """Belongs to one event loop."""

    def __init__(self) -> None:
        super().__init__()
        self._last = "0"

    async def follow(self) -> AsyncIterator[str]:
        """Digests, those of the past first. Ends with RedisError; called again it resumes where it was."""
        while True:
            answer = await self._redis.xread({key(_ENDED): self._last}, count=1000, block=BLOCK_MILLISECONDS)
            for _, entries in answer or ():
                for id_, fields in entries:
                    self._last = id_.decode()
                    yield fields[b"d"].decode()
