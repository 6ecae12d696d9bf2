"""Local processes that stand for containers: each leads its own process group and never outlives the sandbox.

On Linux the kernel ends them with the sandbox (PR_SET_PDEATHSIG); elsewhere, and for what they start themselves, a
small watchdog does. What a killed sandbox still left behind is found by its pid files at the next start.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from .confinement import Launch

#: prctl(2)
_PR_SET_PDEATHSIG = 1
#: How long output may still come after a process ended, while something it started holds the pipe.
_DRAIN_SECONDS = 0.3
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None
_PROC = Path("/proc")
#: Marks the environment of every process of ours.
MARK = "SANDBOX_POD_UID"


def _die_with_parent() -> None:
    """Runs in the child between fork and exec."""
    if _libc is not None:
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def exit_code(returncode: int) -> int:
    """As a container runtime reports it: 128 + n for a signal."""
    return 128 - returncode if returncode < 0 else returncode


class _Output(asyncio.SubprocessProtocol):
    """Passes output on; signals when the process has ended and its output is complete."""

    def __init__(self, sink: Callable[[bytes], None]):
        self._sink = sink
        loop = asyncio.get_running_loop()
        self.exited: asyncio.Future[None] = loop.create_future()
        self.drained: asyncio.Future[None] = loop.create_future()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self._sink(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 1 and not self.drained.done():
            self.drained.set_result(None)

    def process_exited(self) -> None:
        if not self.exited.done():
            self.exited.set_result(None)


class Process:
    """One running program. Make it with :meth:`start`."""

    def __init__(
        self,
        transport: asyncio.SubprocessTransport,
        output: _Output,
        record: Path,
        terminate: Callable[[int], None],
    ):
        self._transport = transport
        self._terminate = terminate
        self._output = output
        self._record = record
        self.pid = transport.get_pid()

    @classmethod
    async def start(
        cls,
        launch: Launch,
        folder: Path,
        record: Path,
        sink: Callable[[bytes], None],
        terminate: Callable[[int], None],
    ) -> Process:
        """Starts a program; OSError when it cannot be.

        ``record`` is where its pid is noted, ``sink`` gets its output, ``terminate(pid)`` sends SIGTERM to the program.
        """
        transport, output = await asyncio.get_running_loop().subprocess_exec(
            lambda: _Output(sink),
            *launch.command,
            env=launch.environment,
            pass_fds=launch.descriptors,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_die_with_parent if _libc is not None else None,
        )
        process = cls(transport, output, record, terminate)
        try:
            note(record, process.pid)
        except OSError:
            process.kill()
            raise
        return process

    async def wait(self) -> int:
        """The exit code, once the process has ended. What it left running in its group is killed."""
        await asyncio.shield(self._output.exited)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_DRAIN_SECONDS):
                await asyncio.shield(self._output.drained)
        _kill_group(self.pid, signal.SIGKILL)
        code = self._transport.get_returncode()
        self._transport.close()
        self._record.unlink(missing_ok=True)
        return exit_code(code if code is not None else -signal.SIGKILL)

    def terminate(self) -> None:
        """SIGTERM to the process itself, as a container runtime sends it."""
        if self._transport.get_returncode() is None:
            self._terminate(self.pid)

    def kill(self) -> None:
        """SIGKILL to the whole group."""
        _kill_group(self.pid, signal.SIGKILL)


def end_group(pid: int) -> None:
    """Kills whatever is left of a process group."""
    _kill_group(pid, signal.SIGKILL)


def _kill_group(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


# Pid files: which processes there were, for a sandbox that was killed


def note(record: Path, pid: int) -> None:
    """Records a process with its start time, which distinguishes it from a later one of the same number."""
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_text(json.dumps({"pid": pid, "started": started(pid)}), encoding="utf-8")


def started(pid: int) -> str:
    """When a process began, in the system's own words; empty when there is none."""
    if not _PROC.is_dir():
        done = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
        return done.stdout.strip()
    try:
        text = (_PROC / str(pid) / "stat").read_text(encoding="utf-8")
    except OSError:
        return ""
    fields = text.rpartition(")")[2].split()
    return "" if fields[0] == "Z" else fields[19]


def end_orphans(records: Iterable[Path]) -> int:
    """Kills the processes that an earlier sandbox noted and that still run; returns how many there were."""
    count = 0
    for record in records:
        try:
            found = json.loads(record.read_text(encoding="utf-8"))
            pid, begun = int(found["pid"]), str(found["started"])
        except (OSError, ValueError, KeyError, TypeError):
            record.unlink(missing_ok=True)
            continue
        if begun and started(pid) == begun:
            _kill_group(pid, signal.SIGKILL)
            count += 1
        count += _end_group(pid)
        record.unlink(missing_ok=True)
    return count


def _end_group(group: int) -> int:
    """Members of a group whose leader is gone, recognised by the mark in their environment (Linux)."""
    count = 0
    for stat in _PROC.glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8").rpartition(")")[2].split()
            marked = f"{MARK}=".encode() in (stat.parent / "environ").read_bytes()
        except OSError:
            continue
        if int(fields[2]) == group and marked:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(int(stat.parent.name), signal.SIGKILL)
                count += 1
    return count
