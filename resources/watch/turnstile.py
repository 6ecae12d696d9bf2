"""How many watches of one hub begin at once: a hub that starts, or a server that comes back, is not run down by
hundreds together.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

# At once. A server that lets one wait for longer does not hold up the others.
AT_ONCE = 20
_PATIENCE_SECONDS = 5.0


class Turn:
    """`come()` waits; `go()` lets the next one in, once."""

    def __init__(self, places: asyncio.Semaphore) -> None:
        self._places = places
        self._timer: asyncio.TimerHandle | None = None

    async def come(self) -> None:
        await self._places.acquire()
        self._timer = asyncio.get_running_loop().call_later(_PATIENCE_SECONDS, self.go)

    def go(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._places.release()


class Turnstile:
    """Belongs to one event loop."""

    def __init__(self, places: int = AT_ONCE) -> None:
        self._places = asyncio.Semaphore(places)

    @contextmanager
    def turn(self) -> Iterator[Turn]:
        """Gone at the latest at its end."""
        found = Turn(self._places)
        try:
            yield found
        finally:
            found.go()
