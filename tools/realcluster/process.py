"""One part of the cluster as a process: started in its own group, watched while it comes up, ended with everything
it started.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from console.processes.supervisor import die_with_parent

_TAIL = 4000
# OLM tests itself where this is set: it panics at any object that it creates without its label, TokenRequests among
# them. No production cluster has it set.
# https://github.com/operator-framework/operator-lifecycle-manager/blob/v0.46.0/pkg/controller/operators/validatingroundtripper/validating_round_tripper.go#L94
_NOT_FOR_PARTS = frozenset({"CI"})


class PartFailed(Exception):
    """A part ended or never became ready; with the end of its log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPart:
    """``ready`` is asked until it holds; ``stop_seconds`` is what it gets between SIGTERM and SIGKILL."""

    name: str
    command: tuple[str, ...]
    ready: Callable[[], bool]
    environment: dict[str, str] = field(default_factory=dict)
    seconds: float = 60.0
    stop_seconds: float = 5.0


class RunningPart:
    """A started part; its output goes to ``log``. ``again``: behind that of an earlier process."""

    def __init__(self, part: ClusterPart, folder: Path, *, again: bool = False):
        self.part = part
        self.log = folder / f"{part.name}.log"
        self.started = time.monotonic()
        with self.log.open("ab" if again else "wb") as sink:
            self.process = subprocess.Popen(
                part.command,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env={name: value for name, value in os.environ.items() if name not in _NOT_FOR_PARTS}
                | part.environment,
                start_new_session=True,
                preexec_fn=die_with_parent,
            )

    def wait_until_ready(self) -> float:
        """Seconds since its start; PartFailed."""
        while not self.part.ready():
            self.check()
            if time.monotonic() - self.started > self.part.seconds:
                raise self.failure(f"{self.part.name} was not ready after {self.part.seconds:.0f} s")
            time.sleep(0.05)
        return time.monotonic() - self.started

    def check(self) -> None:
        """PartFailed when it has ended."""
        code = self.process.poll()
        if code is not None:
            raise self.failure(f"{self.part.name} ended with code {code}")

    def failure(self, what: str) -> PartFailed:
        """The sentence and the end of the log."""
        tail = self.log.read_text(errors="replace")[-_TAIL:]
        return PartFailed(f"{what}. The end of {self.log}:\n{tail}")

    def terminate(self) -> None:
        """Asks it to end."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGTERM)

    def end(self) -> None:
        """Waits for its end, then kills what is left of its group."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(self.part.stop_seconds)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Parts:
    """The parts of one cluster, whose logs are in ``logs``. ``times``: a part's name → seconds until it was ready."""

    def __init__(self, logs: Path, say: Callable[[str], None]):
        self.times: dict[str, float] = {}
        self._logs = logs
        self._say = say
        self._running: list[RunningPart] = []

    def run(self, *wanted: ClusterPart) -> None:
        """Starts parts together and waits for all."""
        fresh = [RunningPart(part, self._logs) for part in wanted]
        self._running += fresh
        with ThreadPoolExecutor(len(fresh)) as pool:
            for running, seconds in zip(fresh, pool.map(RunningPart.wait_until_ready, fresh), strict=True):
                self.times[running.part.name] = seconds
                self._say(f"{running.part.name} ready after {seconds:.1f} s")

    def until(self, what: str, holds: Callable[[], bool], seconds: float) -> None:
        """Waits for what the parts bring about; PartFailed."""
        started = time.monotonic()
        while not holds():
            self.check()
            if time.monotonic() - started > seconds:
                raise PartFailed(f"still waiting for {what} after {seconds:.0f} s; see {self._logs}")
            time.sleep(0.1)

    def check(self) -> None:
        """PartFailed when a part has exited."""
        for running in self._running:
            running.check()

    def end(self) -> None:
        """Ends all, the latest started first."""
        for running in reversed(self._running):
            running.terminate()
            running.end()
        self._running.clear()


def free_ports(names: tuple[str, ...]) -> dict[str, int]:
    """A free port on 127.0.0.1 for each name. All are held open together, so they differ."""
    sockets = {name: socket.socket() for name in names}
    try:
        for free in sockets.values():
            free.bind(("127.0.0.1", 0))
        return {name: free.getsockname()[1] for name, free in sockets.items()}
    finally:
        for free in sockets.values():
            free.close()


def listens(port: int) -> bool:
    """Whether something accepts connections there."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False
