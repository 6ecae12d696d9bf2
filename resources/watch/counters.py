"""What one hub counts, for its heartbeat and so for /metrics."""

import math
from collections import deque
from dataclasses import dataclass, field

_SAMPLES = 500


@dataclass(eq=False, slots=True, kw_only=True)
class Counters:
    """See HubState. Shared by all topics of a hub, on one event loop."""

    watches: int = 0
    events: int = 0
    relists: int = 0
    resumes: int = 0
    errors: int = 0
    lost: int = 0
    buffered: int = 0
    refused: int = 0  # by a full Redis
    _milliseconds: deque[float] = field(default_factory=lambda: deque(maxlen=_SAMPLES))

    def appended(self, seconds: float) -> None:
        """So long after its bytes came a batch stood in Redis."""
        self._milliseconds.append(seconds * 1000)

    @property
    def append_ms(self) -> float:
        """99th percentile of the newest."""
        ordered = sorted(self._milliseconds)
        return round(ordered[math.ceil(len(ordered) * 0.99) - 1], 2) if ordered else 0.0
