"""The console's programs, each in the bench's own hands: started as `make run` starts them, killed, stopped and
started again one by one.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psutil
from redis import Redis, RedisError

from bench.console import ROOT, ready, wait
from console.processes.__main__ import migrate
from console.processes.parts import Options, free_port, parts
from console.processes.supervisor import Program as ProgramSpec
from console.processes.supervisor import die_with_parent

# What the person's shell may hold and the bench must not hear.
for _name in ("REDIS_URL", "DATABASE_URL", "DATA_DIR", "KUBECONFIG", "CONTEXT", "CLUSTER_NOTE"):
    os.environ.pop(_name, None)


class Program:
    """One process group; its output is kept in a file. Dies with the bench."""

    def __init__(self, part: ProgramSpec, folder: Path) -> None:
        self.part = part
        self.log = folder / f"{part.name}.log"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self.log.open("ab") as sink:
            self._process = subprocess.Popen(
                self.part.command,
                cwd=ROOT,
                env={**os.environ, **self.part.environment},
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                start_new_session=True,
                preexec_fn=die_with_parent,
            )

    @property
    def pid(self) -> int:
        assert self._process is not None, f"{self.part.name} was not started"
        return self._process.pid

    def signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, number)

    def kill(self) -> None:
        self.signal(signal.SIGKILL)
        assert self._process is not None
        self._process.wait()

    def end(self) -> None:
        """SIGTERM, and SIGKILL for what is left after the part's own patience."""
        if self._process is None:
            return
        self.signal(signal.SIGCONT)
        self.signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(self.part.stop_seconds)
        self.kill()


class Programs:
    """`redis`, `web`, `worker` and whatever was added, by name.

    `environment`: the settings that web and worker share.
    """

    def __init__(self, folder: Path, kubeconfig: Path) -> None:
        self.folder, self.port = folder, free_port()
        options = Options(port=self.port, data=folder, kubeconfig=str(kubeconfig))
        migrate(options)
        found = {part.name: part for part in parts(options)}
        self.environment = found["web"].environment
        self.all = {name: Program(part, folder) for name, part in found.items()}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __getitem__(self, name: str) -> Program:
        return self.all[name]

    def worker(self, name: str, **environment: str) -> Program:
        """One more worker (not started yet), with settings of its own. It brings no second beat."""
        part = self.all["worker"].part
        command = tuple(f"{name}@%h" if word == "worker@%h" else word for word in part.command)
        settings = {**part.environment, "BEAT_IN_WORKER": "0", **environment}
        self.all[name] = Program(replace(part, name=name, command=command, environment=settings), self.folder)
        return self.all[name]

    def redis_answers(self) -> bool:
        return self._redis("PING") == "PONG"

    def flush_redis(self) -> None:
        assert self._redis("FLUSHALL") == "OK"

    def _redis(self, command: str) -> str:
        with contextlib.suppress(RedisError), Redis.from_url(self.environment["REDIS_URL"], socket_timeout=1) as server:
            answer = server.execute_command(command)
            return {True: "PONG" if command == "PING" else "OK"}.get(answer, str(answer))
        return ""

    def start(self, *names: str) -> None:
        for name in names:
            self.all[name].start()
            if name == "redis":
                wait(self.redis_answers, 20, "Redis")

    def wait_ready(self, seconds: float = 90) -> None:
        try:
            wait(lambda: ready(self.url), seconds, "readiness")
        except SystemExit:
            for program in self.all.values():
                print(f"--- {program.log}:\n{program.log.read_text()[-3000:] if program.log.exists() else ''}")
            raise

    def stop(self) -> None:
        for name in sorted(self.all, key=lambda name: name == "redis"):
            self.all[name].end()


@contextmanager
def started(kubeconfig: Path, workers: bool = True) -> Iterator[Programs]:
    """Redis, web and worker, ready; gone with their folder at the end.

    ``workers=False``: the caller starts the workers.
    """
    folder = Path(tempfile.mkdtemp(prefix="bench-live-"))
    programs = Programs(folder, kubeconfig)
    try:
        programs.start("redis", "web", *(["worker"] if workers else []))
        if workers:
            programs.wait_ready()
        else:
            wait(lambda: answers(f"{programs.url}/livez"), 60, "the web process")
        yield programs
    finally:
        programs.stop()
        shutil.rmtree(folder, ignore_errors=True)


def answers(url: str) -> bool:
    """Whether anything at all answers there."""
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


class Usage:
    """CPU seconds that processes took since it was made, as a share of one core; and what they hold in memory."""

    def __init__(self, **pids: int) -> None:
        self._members = {name: psutil.Process(pid) for name, pid in pids.items()}
        self.restart()

    def restart(self) -> None:
        self._began = time.monotonic()
        self._first = {name: self._seconds(name) for name in self._members}

    def _seconds(self, name: str) -> float:
        family = [self._members[name], *self._members[name].children(recursive=True)]
        return sum(sum(member.cpu_times()[:2]) for member in family)

    def cores(self) -> dict[str, float]:
        """0.5: half a core."""
        elapsed = time.monotonic() - self._began
        return {name: (self._seconds(name) - first) / elapsed for name, first in self._first.items()}

    def words(self) -> str:
        return ", ".join(f"{name} {cores * 100:.0f} %" for name, cores in self.cores().items())

    def mebibytes(self, name: str) -> float:
        return self._members[name].memory_info().rss / 2**20


class Others:
    """CPU time that other processes took since it was made: figures of a busy machine say little."""

    def __init__(self) -> None:
        self._began, self._all, self._ours = time.monotonic(), _busy(), _family()

    def cores(self) -> float:
        return max(0.0, (_busy() - self._all - (_family() - self._ours)) / (time.monotonic() - self._began))


def _busy() -> float:
    times = psutil.cpu_times()
    return sum(times) - times.idle - times.iowait - getattr(times, "guest", 0) - getattr(times, "guest_nice", 0)


def _family() -> float:
    """CPU seconds of this process and all that it started, also of those that have ended."""
    me = psutil.Process()
    found = 0.0
    for member in [me, *me.children(recursive=True)]:
        with contextlib.suppress(psutil.Error):
            found += sum(member.cpu_times()[:4])
    return found


def settled(measure: Callable[[], float], seconds: float = 20.0, within: float = 0.2) -> float:
    """The value once it has stayed within `within` for two seconds, or after `seconds`."""
    until, value = time.monotonic() + seconds, measure()
    while time.monotonic() < until:
        time.sleep(2)
        value, before = measure(), value
        if abs(value - before) < within:
            break
    return value
