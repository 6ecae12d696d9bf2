"""The programs of the assembly, as processes that can be killed, stopped and started again. None outlives the tests."""

import asyncio
import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
# Settings from the shell of the tests; the assembly has its own.
_FOREIGN = ("REDIS_URL", "DATABASE_URL", "DATA_DIR", "KUBECONFIG", "CONTEXT", "CLUSTER_NOTE", "REDIS_PREFIX")
Ready = Callable[["Program"], Awaitable[bool]]


class DidNotStart(Exception):
    """With the end of its log."""


def _die_with_parent() -> None:
    """In the child. SIGKILL, since a program that is stopped hears nothing else."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Program:
    """One program, under a name; `ready` is asked until it holds."""

    def __init__(
        self, name: str, command: list[str], folder: Path, ready: Ready, environment: dict[str, str] | None = None
    ) -> None:
        self.name = name
        self.command = command
        self.log = folder / f"{name}.log"
        self.stopped = False
        self._folder = folder
        self._ready = ready
        self._environment = environment or {}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None, f"{self.name} was never started"
        return self._process.pid

    @property
    def runs(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def spawn(self) -> None:
        """Does not wait. From the thread that lives longest: the kernel ends a child with the thread that made it."""
        assert not self.runs, f"{self.name} runs already"
        mine = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
        with self.log.open("ab") as sink:
            self._process = subprocess.Popen(
                self.command,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                env={**mine, **self._environment},
                start_new_session=True,
                preexec_fn=_die_with_parent,
            )
        self.stopped = False

    async def start(self, seconds: float = 60.0) -> "Program":
        """Once it is ready. DidNotStart when it ends or takes too long."""
        self.spawn()
        await self.wait_until_ready(seconds)
        return self

    async def wait_until_ready(self, seconds: float = 60.0) -> None:
        until = time.monotonic() + seconds
        while not await self._ready(self):
            if not self.runs or time.monotonic() > until:
                code = self._process.poll() if self._process else None
                tail = self.log.read_text(errors="replace")[-4000:]
                raise DidNotStart(f"{self.name} did not come up (code {code}):\n{tail}")
            await asyncio.sleep(0.05)

    def signal(self, number: int) -> None:
        """To it and all that it started."""
        if not self.runs:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, number)
        if number in (signal.SIGSTOP, signal.SIGCONT):
            self.stopped = number == signal.SIGSTOP

    async def gone(self, seconds: float = 15.0) -> bool:
        """Whether it ended by then."""
        until = time.monotonic() + seconds
        while self.runs and time.monotonic() < until:
            await asyncio.sleep(0.02)
        return not self.runs

    async def kill(self) -> None:
        self.signal(signal.SIGKILL)
        await self.gone()

    def end(self) -> None:
        """At the end of the tests: nothing is asked any more."""
        if self._process is None:
            return
        self.signal(signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
