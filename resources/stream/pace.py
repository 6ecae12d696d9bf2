"""How fast one connection is written to: a token bucket of bytes, and a pause between two flushes, in which what
waits is merged.
"""

# So a page of a busy cluster stays under the 50 KB/s that a tab may cost; short bursts (a page's catching up) go at
# once.
BYTES_PER_SECOND = 44 * 1024
BURST_BYTES = 64 * 1024
# Between two flushes of one connection: the first change goes at once, what follows within this goes together.
FLUSH_SECONDS = 0.04
# A flush is never delayed longer, however much was sent before.
MOST_SECONDS = 1.0


class Pace:
    """Times are the event loop's, in seconds."""

    __slots__ = ("_at", "_tokens", "flushed")

    def __init__(self) -> None:
        self._tokens, self._at, self.flushed = float(BURST_BYTES), 0.0, float("-inf")

    def left(self, now: float) -> float:
        """Bytes that may be sent now; at 0 or below none, unless the last flush is MOST_SECONDS ago."""
        self._tokens = min(BURST_BYTES, self._tokens + (now - self._at) * BYTES_PER_SECOND)
        self._at = now
        if self._tokens <= 0 and now - self.flushed >= MOST_SECONDS:
            return 1.0
        return self._tokens

    def spend(self, count: int, now: float) -> None:
        self.left(now)
        self._tokens -= count
        self.flushed = now

    def next(self, now: float) -> float:
        """When something may be sent, `now` or later."""
        left = self.left(now)
        patience = 0.0 if left > 0 else min(MOST_SECONDS, (2048 - left) / BYTES_PER_SECOND)
        return max(now + patience, self.flushed + FLUSH_SECONDS)
