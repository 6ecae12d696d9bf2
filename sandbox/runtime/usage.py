"""CPU and memory of the processes of each container, from /proc/<pid>/stat (proc(5)): CPU time over a window, resident
memory.

A process belongs to a container if the container's own process leads its session or is above it. The time of children
that have ended is their parent's, so a sum only grows. Resident memory counts what processes share once for each of
them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
_TICKS = os.sysconf("SC_CLK_TCK")
_PAUSE_SECONDS = 1.0
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """`cpu_seconds`: its own and of its children that have ended. `began`: seconds after the machine's start."""

    parent: int
    session: int
    cpu_seconds: float
    began: float
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class Usage:
    """`cores`: CPU seconds for each second of the window."""

    cores: float
    memory_bytes: int


def processes() -> dict[int, Process]:
    """All running processes, by pid."""
    found = {}
    for entry in os.scandir(PROC):
        if entry.name.isdigit():
            try:
                stat = Path(entry.path, "stat").read_text(encoding="utf-8", errors="replace")
            except OSError:  # it ended meanwhile
                continue
            found[int(entry.name)] = parse(stat)
    return found


def parse(stat: str) -> Process:
    """The name of a program, in brackets, may hold blanks and brackets itself."""
    fields = stat.rpartition(")")[2].split()
    ticks = sum(int(field) for field in fields[11:15])
    return Process(
        parent=int(fields[1]),
        session=int(fields[3]),
        cpu_seconds=ticks / _TICKS,
        began=int(fields[19]) / _TICKS,
        memory_bytes=int(fields[21]) * _PAGE_BYTES,
    )


def totals(all_: Mapping[int, Process], roots: Iterable[int]) -> dict[int, tuple[float, int]]:
    """(CPU seconds, bytes) of each root with what belongs to it."""
    found = {root: (0.0, 0) for root in roots if root in all_}
    for pid, process in all_.items():
        if (root := _root(all_, pid, found)) is not None:
            cpu, memory = found[root]
            found[root] = (cpu + process.cpu_seconds, memory + process.memory_bytes)
    return found


def _root(all_: Mapping[int, Process], pid: int, roots: Mapping[int, object]) -> int | None:
    if all_[pid].session in roots:
        return all_[pid].session
    seen = set()
    while pid in all_ and pid not in seen:
        if pid in roots:
            return pid
        seen.add(pid)
        pid = all_[pid].parent
    return None


class Sampler:
    """Usage by root. What is new since the last sample is measured from its beginning.

    `window`: seconds between the two newest samples; `taken`: time.time() of the newest.
    """

    def __init__(self, window: float) -> None:
        self.usage: dict[int, Usage] = {}
        self.window = window
        self.taken = 0.0
        self._before: dict[int, tuple[float, int]] = {}
        self._at = 0.0
        self._caught_up = 0.0

    def sample(self, roots: Iterable[int]) -> None:
        """Measures all of them."""
        moment, all_ = time.monotonic(), processes()
        found = totals(all_, roots)
        if self._at:
            self.window = moment - self._at
        self.usage = {root: self._usage(all_[root], root, *used) for root, used in found.items()}
        self._before, self._at, self.taken = found, moment, time.time()

    def catch_up(self, roots: Iterable[int]) -> None:
        """Measures the new ones, so that a request right after a start needn't wait for the next sample."""
        unknown = [root for root in roots if root not in self.usage]
        if unknown and time.monotonic() - self._caught_up > _PAUSE_SECONDS:
            self._caught_up, all_ = time.monotonic(), processes()
            for root, used in totals(all_, unknown).items():
                self.usage[root] = self._usage(all_[root], root, *used)

    def _usage(self, process: Process, root: int, cpu: float, memory: int) -> Usage:
        if root in self._before:
            return Usage(max(0.0, cpu - self._before[root][0]) / self.window, memory)
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - process.began
        return Usage(cpu / max(age, 1.0), memory)
