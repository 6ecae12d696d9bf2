"""Starts a part of a node again that has ended, as systemd does with Restart=always, and a kubelet with static Pods."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable

from tools.realcluster.process import PartFailed, RunningPart

_LOOK_SECONDS = 0.2
#: Between the end of a part and its next start.
_RESTART_SECONDS = 1.0
#: So many starts of one part in so many seconds; then it stays ended, and `check` says so.
MAX_RESTARTS, WITHIN_SECONDS = 5, 600.0


class Restarts:
    """``parts``: what runs, whose entries are replaced. ``others``: asked each time, for what heals itself."""

    def __init__(self, parts: list[RunningPart], say: Callable[[str], None]):
        self.others: list[Callable[[], None]] = []
        self.counts: dict[str, int] = defaultdict(int)
        self._parts, self._say = parts, say
        self._starts: dict[str, list[float]] = defaultdict(list)
        self._failure: PartFailed | None = None
        self._ending = threading.Event()
        # Parts die with the thread that started them, so it lives as long as the node.
        self._thread = threading.Thread(target=self._run, name="restarts", daemon=True)
        self._thread.start()

    def check(self) -> None:
        """PartFailed when a part has ended too often."""
        if self._failure:
            raise self._failure

    def stop(self) -> None:
        """Nothing is started any more on return."""
        self._ending.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ending.wait(_LOOK_SECONDS):
            for number, running in enumerate(self._parts):
                if running.process.poll() is not None and self._failure is None:
                    self._restart(number, running)
            for heal in tuple(self.others):
                heal()

    def _restart(self, number: int, running: RunningPart) -> None:
        name, now = running.part.name, time.monotonic()
        recent = [start for start in self._starts[name] if now - start < WITHIN_SECONDS]
        if len(recent) >= MAX_RESTARTS:
            self._failure = running.failure(f"{name} ended {len(recent) + 1} times in {WITHIN_SECONDS:.0f} s")
            return
        self._say(f"{name} ended with code {running.process.returncode}; starting it again")
        if self._ending.wait(_RESTART_SECONDS):
            return
        self._starts[name] = [*recent, now]
        self.counts[name] += 1
        self._parts[number] = RunningPart(running.part, running.log.parent, again=True)
