"""What a node measures of itself: requests of clients, those that failed, how long they took, and its memory.

GET /metrics says it to Prometheus. Each second it is also written to a file, which the autopilot of the engine reads
(examples/operators/kudo/pilot.py): the engine can run a command in a Pod on every cluster, but not reach its port on
every one. A node that is stuck stops counting `beat`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from pathlib import Path

from . import place

#: Where the file is, and its name.
FOLDER, FILE = "/report", "report.json"
#: Seconds between two reports.
BEAT = 1.0


class Gauge:
    """Sums since the start."""

    def __init__(self) -> None:
        self.requests = 0
        self.failed = 0
        self.seconds = 0.0
        self._beat = 0

    def note(self, seconds: float, status: int) -> None:
        """One request of a client, and its answer."""
        self.requests += 1
        self.failed += status >= 500
        self.seconds += seconds

    def report(self) -> dict[str, float]:
        """`seconds`: of all requests together; `memory` in bytes."""
        return {
            "beat": self._beat,
            "requests": self.requests,
            "failed": self.failed,
            "seconds": round(self.seconds, 6),
            "memory": memory(),
        }

    def metrics(self, node: str, members: int, keys: int) -> str:
        """In the text format of Prometheus."""
        rows = (
            ("requests_total", "counter", "Requests of clients.", self.requests),
            ("request_failures_total", "counter", "Those that were answered with an error of the server.", self.failed),
            ("request_seconds_total", "counter", "The time that they took together.", round(self.seconds, 6)),
            ("members", "gauge", "Nodes of the cluster, as this one knows them.", members),
            ("keys", "gauge", "Entries that it has, deleted ones too.", keys),
            ("memory_bytes", "gauge", "Memory that it has in use.", memory()),
        )
        return "".join(
            f'# HELP galera_{name} {help_}\n# TYPE galera_{name} {kind}\ngalera_{name}{{node="{node}"}} {value}\n'
            for name, kind, help_, value in rows
        )

    async def write(self) -> None:
        """Writes the report until it is cancelled; returns at once on a node without the volume."""
        folder = place.folder(FOLDER)
        while folder.is_dir():
            self._beat += 1
            new = folder / f"{FILE}.new"
            with contextlib.suppress(OSError):
                new.write_text(json.dumps(self.report()), encoding="utf-8")
                new.replace(folder / FILE)
            await asyncio.sleep(BEAT)


def memory(statm: Path = Path("/proc/self/statm")) -> int:
    """Bytes of memory in use (proc(5): the second number, in pages); 0 where there is no /proc."""
    try:
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
