"""A console of the benchmark's own: its own port and folder, started as `make run` starts it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import yaml

from console.processes.parts import free_port
from console.processes.supervisor import die_with_parent

ROOT = Path(__file__).resolve().parent.parent
CATALOG = ROOT.parent / "shared" / "catalog" / "packages"


@dataclass(frozen=True, slots=True)
class Running:
    """A console that is ready. `process` is its supervisor."""

    url: str
    data: Path
    process: subprocess.Popen[bytes]

    def cluster(self, method: str, path: str, body: object = None, content_type: str = "application/json") -> dict:
        """A request to the embedded cluster with the administrator's token."""
        config = yaml.safe_load((self.data / "sandbox/kubeconfig").read_text())
        # Its port speaks plain HTTP too, which spares each request a handshake.
        server = config["clusters"][0]["cluster"]["server"].replace("https://", "http://")
        token = config["users"][0]["user"]["token"]
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{server}{path}", data, {"Authorization": f"Bearer {token}", "Content-Type": content_type}, method=method
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def memory(self) -> dict[str, tuple[float, float]]:
        """(resident MiB, MiB with each shared page divided among its users) of each process, by its place."""
        family = psutil.Process(self.process.pid)
        found: dict[str, tuple[float, float]] = {}
        for member in [family, *family.children(recursive=True)]:
            words = " ".join(member.cmdline())
            name = next(
                (
                    part
                    for part in (
                        "sandbox",
                        "uvicorn",
                        "celery -A console.celery --quiet worker",
                        "beat",
                        "redis-server",
                        "console.processes",
                    )
                    if part in words
                ),
                words[:40],
            )
            used = member.memory_full_info()
            resident, shared = found.get(name, (0.0, 0.0))
            found[name] = resident + used.rss / 2**20, shared + used.pss / 2**20
        return found


def ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/readyz", timeout=5) as answer:
            return answer.status == 200
    except (urllib.error.URLError, OSError):
        return False


def wait(condition, seconds: float, what: str) -> float:
    """Seconds until `condition()` holds."""
    started = time.monotonic()
    while not condition():
        if time.monotonic() - started > seconds:
            raise SystemExit(f"bench: {what} did not happen within {seconds:.0f} s")
        time.sleep(0.02)
    return time.monotonic() - started


@contextmanager
def console(
    data: Path | None = None,
    catalog: Path | None = None,
    kubeconfig: Path | None = None,
    web: int = 1,
    settings: dict[str, str] | None = None,
) -> Iterator[Running]:
    """Start, wait until ready, hand over, stop.

    The log is kept in the data folder until the end. ``kubeconfig``: instead of a sandbox.

    ``web``: how many web processes; ``settings``: more of the environment.
    """
    folder = data or Path(tempfile.mkdtemp(prefix="console-bench-"))
    port = free_port()
    command = [sys.executable, "-m", "console.processes", "--port", str(port), "--data", str(folder), "--web", str(web)]
    if catalog is not None:
        command += ["--catalog", str(catalog)]
    if kubeconfig is not None:
        command += ["--kubeconfig", str(kubeconfig)]
    environment = {
        key: value
        for key, value in os.environ.items()
        if key not in ("REDIS_URL", "DATABASE_URL", "DATA_DIR", "KUBECONFIG", "CONTEXT", "CLUSTER_NOTE")
    }
    # Its pages are looked at and measured: that of all components too.
    environment |= {"SHOW_COMPONENTS": "1", **(settings or {})}
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "console.log").open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
            # A run that is killed can't end it.
            preexec_fn=die_with_parent,
        )
    try:
        url = f"http://127.0.0.1:{port}"
        try:
            wait(lambda: ready(url) or process.poll() is not None, 180, "readiness")
        except SystemExit:
            print((folder / "console.log").read_text()[-6000:])
            raise
        yield Running(url, folder, process)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        if data is None:
            shutil.rmtree(folder, ignore_errors=True)
