"""What the stream of this process has done so far.

Plain numbers, since they are added to some ten thousand times a second; metrics.py shows them.
"""

from bisect import bisect_left
from collections import Counter

# Milliseconds; the last bucket is everything above.
LAG_BOUNDS = (5, 10, 25, 50, 100, 150, 250, 500, 1000, 2500, 5000, 10000)


class Counts:
    """`skew`: Redis' clock minus ours, in milliseconds, so that times of entries can be compared with now."""

    def __init__(self) -> None:
        self.entries = 0  # read from Redis
        self.events = 0  # written to browsers
        self.bytes = 0
        self.merged = 0
        self.rendered = 0
        self.refused = 0
        self.stuck = 0  # connections cut off because nothing was read
        self.resyncs: Counter[str] = Counter()
        self.lag = [0] * (len(LAG_BOUNDS) + 1)
        self.lag_sum = 0.0
        self.skew = 0.0

    def observe(self, entries: list[int], now: float) -> None:
        """`entries`: times of changes that were just written, in ms of Redis; `now`: ours."""
        for time in entries:
            lag = max(0.0, now + self.skew - time)
            self.lag[bisect_left(LAG_BOUNDS, lag)] += 1
            self.lag_sum += lag


counts = Counts()
