"""What the console's processes hold and take, measured every few seconds; and whether what they hold grows."""

import contextlib
import statistics
import threading
import time
from collections import defaultdict

import psutil

#: The first part of the run fills caches that stay full: what grows after it is looked at.
WARM_UP = 0.4
#: A process is flat when the last fifth is no more than so much above the first fifth after the warm-up.
MIB, SHARE = 8.0, 0.05


def programs(supervisor: int) -> dict[str, psutil.Process]:
    """The console's own programs, by the names that its log has."""
    found = {"supervisor": psutil.Process(supervisor)}
    for member in found["supervisor"].children():
        words = " ".join(member.cmdline())
        if "console.processes.web" in words:
            found[f"web-{sum(name.startswith('web-') for name in found) + 1}"] = member
        elif " worker " in words:
            found["worker"] = member
        elif "redis" in words:
            found["redis"] = member
        elif "sandbox" in words:
            found["sandbox"] = member
    return found


class Sampler(threading.Thread):
    """`samples`: of each program, (seconds since the start, resident MiB)."""

    def __init__(self, members: dict[str, psutil.Process], every: float = 5.0) -> None:
        super().__init__(daemon=True)
        self.members, self.every = members, every
        self.samples: dict[str, list[tuple[float, float]]] = defaultdict(list)
        self._over = threading.Event()
        self._began, self._first = time.monotonic(), self._seconds()
        self.start()

    def _seconds(self) -> dict[str, float]:
        return {name: sum(member.cpu_times()[:2]) for name, member in self.members.items() if member.is_running()}

    def run(self) -> None:
        while True:
            for name, member in self.members.items():
                with contextlib.suppress(psutil.Error):
                    self.samples[name].append((time.monotonic() - self._began, member.memory_info().rss / 2**20))
            if self._over.wait(self.every):
                return

    def cores(self) -> dict[str, float]:
        """CPU of each since the start, as a share of one core. Ends the sampling."""
        self._over.set()
        elapsed = time.monotonic() - self._began
        return {name: (seconds - self._first[name]) / elapsed for name, seconds in self._seconds().items()}


def growth(samples: list[tuple[float, float]]) -> tuple[float, float]:
    """MiB (medians) of the first fifth after the warm-up, and of the last fifth."""
    after = [mib for _, mib in samples[int(len(samples) * WARM_UP) :]]
    fifth = max(1, len(after) // 5)
    return statistics.median(after[:fifth]), statistics.median(after[-fifth:])


def flat(samples: list[tuple[float, float]]) -> bool:
    first, last = growth(samples)
    return last - first <= max(MIB, first * SHARE)
