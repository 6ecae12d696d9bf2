"""Helpers of the bench in processes of their own, so that they are measured apart: they say lines of JSON, and end
with their standard input.
"""

import asyncio
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from bench.console import ROOT
from console.processes.supervisor import die_with_parent

T = TypeVar("T")


class Helper:
    """`python -m bench.live.<module>` (`bench.<module>` where it has a point); the first line of its input is its
    parameters as JSON.
    """

    def __init__(self, module: str, environment: dict[str, str] | None, parameters: dict[str, Any]) -> None:
        self.module = module
        self.process = subprocess.Popen(
            [sys.executable, "-m", f"bench.{module}" if "." in module else f"bench.live.{module}"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            preexec_fn=die_with_parent,
        )
        self._lines: queue.Queue[Any] = queue.Queue()
        self.send_line(json.dumps(parameters))
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(json.loads(line))
        self._lines.put(None)

    def receive(self, seconds: float = 120) -> Any:
        """The next line."""
        try:
            found = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise SystemExit(f"bench: {self.module} said nothing for {seconds:.0f} s") from None
        if found is None:
            raise SystemExit(f"bench: {self.module} ended with code {self.process.wait()}")
        return found

    @property
    def spoke(self) -> bool:
        """Whether receive() would return at once."""
        return not self._lines.empty()

    def send_line(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def ask(self, line: str = "", seconds: float = 120) -> Any:
        """One line to it, its next line back."""
        self.send_line(line)
        return self.receive(seconds)


@contextmanager
def helping(module: str, environment: dict[str, str] | None = None, **parameters: Any) -> Iterator[Helper]:
    helper = Helper(module, environment, parameters)
    try:
        yield helper
    finally:
        helper.process.kill()
        helper.process.wait()


def apart(work: Coroutine[Any, Any, T]) -> T:
    """Run it in an event loop of its own: the main thread's is Playwright's."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


# In the helper itself


def read_parameters() -> dict[str, Any]:
    return dict(json.loads(sys.stdin.readline()))


def say(what: Any) -> None:
    print(json.dumps(what), flush=True)


async def asked() -> str | None:
    """The next line from the bench; None when it is gone."""
    line = await asyncio.to_thread(sys.stdin.readline)
    return line.strip() if line else None
