"""Starts programs, shows their output with a prefix each, restarts one that dies or hangs, and leaves none behind.

Every program leads a process group of its own, which is ended as a whole: first SIGTERM, then SIGKILL. On Linux the
kernel also ends each program when the supervisor itself is killed (PR_SET_PDEATHSIG), so `kill -9` leaves nothing
either.

Checks of whether a program hangs: a web server answers at /healthz, Redis answers PING, a worker touches its liveness
file.
"""

import asyncio
import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

_PR_SET_PDEATHSIG = 1
_COLOURS = {"console": 36, "redis": 31, "sandbox": 35, "web": 32, "worker": 33, "beat": 34}
_LINE_LIMIT = 256 * 1024
#: A program that answers later than this hangs.
ANSWER_SECONDS = 15.0
#: A worker touches its file every five seconds; deploy/probe.py has the same limit.
FILE_AGE_SECONDS = 60.0

Check = Callable[[], Awaitable[bool]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One program.

    `stop_seconds`: how long it can take to end after SIGTERM before it is killed. `pass_fds`: open files that it
    inherits.

    `is_alive`: called every few seconds; a program that is not alive is killed and restarted.
    """

    name: str
    command: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)
    stop_seconds: float = 6.0
    before: Callable[[], Awaitable[None]] | None = None  # awaited before each start, e.g. until Redis answers
    mute: tuple[str, ...] = ()  # lines with one of these in them are not shown
    pass_fds: tuple[int, ...] = ()
    is_alive: Check | None = None


def say(part: str, text: str) -> None:
    """One line of the common log."""
    prefix = f"{part:<8}|"
    if sys.stdout.isatty():
        prefix = f"\x1b[{_COLOURS.get(part.partition('-')[0], 37)}m{prefix}\x1b[0m"
    print(f"{prefix} {text}", flush=True)


def die_with_parent() -> None:
    """In the child, before exec: the kernel sends SIGTERM when the supervisor's thread is gone (Linux only)."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


class Supervisor:
    """Keeps `parts` running until `stop()`; starts them all at once.

    A program hangs when it fails HANG_CHECKS in a row, once it has answered or had START_SECONDS to start.
    """

    CHECK_SECONDS = 5.0
    HANG_CHECKS = 3
    START_SECONDS = 180.0

    def __init__(self, parts: list[Program], *, back_off: float = 1.0) -> None:
        self.parts = parts
        self.back_off = back_off
        self.processes: dict[str, asyncio.subprocess.Process] = {}
        self.restarts: dict[str, int] = {}
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        self._stopping.set()

    async def run(self) -> None:
        """Returns after `stop()`, when every program has ended. They end in the reverse order of their start."""
        keepers = [asyncio.create_task(self._keep(part), name=part.name) for part in self.parts]
        try:
            await self._stopping.wait()
        finally:
            for keeper in keepers:
                keeper.cancel()
            await asyncio.gather(*keepers, return_exceptions=True)
            # Web and workers first, together; what they talk to (Redis, the cluster) last, so that nothing logs lost
            # connections.
            await asyncio.gather(*(self._end(part) for part in self.parts if part.name not in ("redis", "sandbox")))
            await asyncio.gather(*(self._end(part) for part in self.parts if part.name in ("redis", "sandbox")))

    async def _keep(self, part: Program) -> None:
        wait = self.back_off
        while True:
            if part.before is not None:
                await part.before()
            started = time.monotonic()
            code = await self._once(part)
            lived = time.monotonic() - started
            wait = self.back_off if lived > 30 else min(wait * 2, 30.0)
            self.restarts[part.name] = self.restarts.get(part.name, 0) + 1
            say("console", f"{part.name} ended {_how(code)} after {lived:.0f} s; starting it again in {wait:.0f} s")
            await asyncio.sleep(wait)

    async def _once(self, part: Program) -> int:
        try:
            process = await asyncio.create_subprocess_exec(
                *part.command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                env={**os.environ, **part.environment},
                start_new_session=True,
                preexec_fn=die_with_parent,
                pass_fds=part.pass_fds,
                limit=_LINE_LIMIT,
            )
        except OSError as error:
            say(part.name, f"can't be started: {error}")
            return 127
        self.processes[part.name] = process
        assert process.stdout is not None
        watch = asyncio.create_task(self._kill_when_it_hangs(part, process))
        try:
            await _relay(part, process.stdout)
            return await process.wait()
        finally:
            watch.cancel()

    async def _kill_when_it_hangs(self, part: Program, process: asyncio.subprocess.Process) -> None:
        if part.is_alive is None:
            return
        started, has_answered, failures = time.monotonic(), False, 0
        while failures < self.HANG_CHECKS:
            await asyncio.sleep(self.CHECK_SECONDS)
            if await part.is_alive():
                has_answered, failures = True, 0
            elif has_answered or time.monotonic() - started > self.START_SECONDS:
                failures += 1
        say("console", f"{part.name} does not answer any more and is killed")
        # Not SIGTERM: a stopped or stuck program would not hear it.
        _signal_group(process.pid, signal.SIGKILL)

    async def _end(self, part: Program) -> None:
        process = self.processes.get(part.name)
        if process is None:
            return
        reader = asyncio.create_task(_relay(part, process.stdout)) if process.stdout is not None else None
        _signal_group(process.pid, signal.SIGTERM)
        try:
            await asyncio.wait_for(process.wait(), part.stop_seconds)
        except TimeoutError:
            say("console", f"{part.name} did not end within {part.stop_seconds:.0f} s and is killed")
        # Also what the program left in its group (a helper of its own), whether or not it ended in time.
        _signal_group(process.pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            await process.wait()
        if reader is not None:
            reader.cancel()
            await asyncio.gather(reader, return_exceptions=True)


async def _relay(part: Program, stream: asyncio.StreamReader) -> None:
    while True:
        try:
            line = await stream.readline()
        except ValueError:  # a line over the limit: shown in part rather than ending the relay
            line = (await stream.read(_LINE_LIMIT))[:2000] + b" [cut]\n"
        if not line:
            return
        text = line.decode(errors="replace").rstrip()
        if not any(words in text for words in part.mute):
            say(part.name, text)


def _signal_group(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def _how(code: int) -> str:
    return f"by signal {signal.Signals(-code).name}" if code < 0 else f"with code {code}"


def http_check(port: int, path: str = "/healthz") -> Check:
    """Any answer to a GET at 127.0.0.1 counts: what it says is for others to judge."""
    request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
    return lambda: _answers(lambda: asyncio.open_connection("127.0.0.1", port), request, b"HTTP/1.")


def kubeconfig_check(path: Path) -> Check:
    """The API server that a kubeconfig with one cluster names. It speaks plain HTTP on its port, too."""

    async def check() -> bool:
        try:
            text = path.read_text()
        except OSError:
            return False
        server = next((line.partition("server:")[2].strip() for line in text.splitlines() if "server:" in line), "")
        port = urlsplit(server).port
        return port is not None and await http_check(port, "/livez")()

    return check


def redis_check(at: Path | int) -> Check:
    """At a unix socket, or a port of 127.0.0.1."""
    if isinstance(at, int):
        return lambda: _answers(lambda: asyncio.open_connection("127.0.0.1", at), b"PING\r\n", b"")
    return lambda: _answers(lambda: asyncio.open_unix_connection(str(at)), b"PING\r\n", b"")


def file_check(path: Path) -> Check:
    async def check() -> bool:
        try:
            return time.time() - path.stat().st_mtime < FILE_AGE_SECONDS
        except OSError:
            return False

    return check


def worker_check(file: Path, redis_url: str) -> Check:
    """By its liveness file. A worker can't touch it while it waits for Redis: then it counts as alive, and for
    FILE_AGE_SECONDS after that.
    """
    fresh, redis = file_check(file), _url_check(redis_url)
    redis_was_silent = float("-inf")

    async def check() -> bool:
        nonlocal redis_was_silent
        if not await redis():
            redis_was_silent = time.monotonic()
        return await fresh() or time.monotonic() - redis_was_silent < FILE_AGE_SECONDS

    return check


def _url_check(redis_url: str) -> Check:
    parts = urlsplit(redis_url)
    if parts.scheme == "unix":
        return redis_check(Path(parts.path))
    host, port = parts.hostname or "127.0.0.1", parts.port or 6379
    return lambda: _answers(lambda: asyncio.open_connection(host, port), b"PING\r\n", b"")


Opened = Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]


async def _answers(connect: Callable[[], Opened], request: bytes, beginning: bytes) -> bool:
    writer: asyncio.StreamWriter | None = None
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            reader, writer = await connect()
            writer.write(request)
            line = await reader.readline()
            return bool(line) and line.startswith(beginning)
    except (OSError, TimeoutError, ValueError):
        return False
    finally:
        if writer is not None:
            with contextlib.suppress(OSError):
                writer.close()
