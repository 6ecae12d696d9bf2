"""The namespaces of one node, as its starter sees them: made, entered, and gone at the end."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

from tools.realcluster.process import PartFailed

ROOT = Path(__file__).resolve().parent.parent.parent
_COMMAND_SECONDS = 300


class Machine:
    """Network, mounts, process IDs and control groups of its own (guard.py)."""

    def __init__(self, data: Path):
        self.name = f"realnode-{os.getpid()}-{id(self):x}"
        self._guard = subprocess.Popen(
            [sys.executable, "-m", "tools.realnode.guard", str(data), self.name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            # Ctrl-C is for the starter; the guard ends after it.
            start_new_session=True,
        )
        assert self._guard.stdout is not None
        output = self._guard.stdout.readline().strip()
        if not output.isdigit():
            self.close()
            raise PartFailed("the namespaces of the node could not be made: see the lines above")
        self.pid = int(output)

    @property
    def enter(self) -> tuple[str, ...]:
        """Before a command: it runs in the node."""
        return ("nsenter", f"--target={self.pid}", "--net", "--mount", "--pid", "--")

    def run(self, *command: str, seconds: float = _COMMAND_SECONDS) -> subprocess.CompletedProcess[str]:
        """Runs a command in the node to its end."""
        return subprocess.run([*self.enter, *command], capture_output=True, text=True, timeout=seconds, check=False)

    def close(self) -> None:
        """Kills what runs in it; returns when mounts, network and control groups are gone."""
        assert self._guard.stdin is not None
        with contextlib.suppress(OSError):
            self._guard.stdin.close()
        self._guard.wait(60)
        if self._guard.stdout:
            self._guard.stdout.close()
