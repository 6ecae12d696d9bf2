"""Nodes as processes of this machine, without a cluster: what Kubernetes tells them stands in their environment."""

import contextlib
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

#: What the nodes know each other by.
KEY = "abc"
ROOT = Path(__file__).resolve().parents[4]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Nodes:
    """Up to seven nodes of the instance ``g``."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.ports = [free_port() for _ in range(7)]
        self.processes: dict[int, subprocess.Popen[bytes]] = {}

    def environment(self, number: int, **more: str) -> dict[str, str]:
        services = {
            f"G_NODE_{item}_SERVICE_{key}": value
            for item, port in enumerate(self.ports)
            for key, value in (("HOST", "127.0.0.1"), ("PORT", str(port)))
        }
        own = {
            "SANDBOX_PORT_4567": str(self.ports[number]),
            "SANDBOX_MOUNT__DATA": str(self.folder / str(number)),
            "SANDBOX_MOUNT__REPORT": str(self.folder / f"{number}-report"),
            "POD_NAME": f"g-{number}",
            "GALERA_INSTANCE": "g",
            "GALERA_DRAIN": "0.2",
            "GALERA_KEY": KEY,
        }
        return {**os.environ, "PYTHONPATH": str(ROOT), **services, **own, **more}

    def start(self, *numbers: int) -> None:
        """One after the other, as a StatefulSet does."""
        for number in numbers:
            command = [sys.executable, "-m", "examples.operators.galera", "node"]
            with (self.folder / f"{number}.log").open("ab") as log:
                self.processes[number] = subprocess.Popen(command, env=self.environment(number), stderr=log, stdout=log)
            self.until(lambda number=number: self.get(number, "/ready")[0] == 200, f"node {number} is not ready")

    def stop(self, number: int) -> None:
        process = self.processes.pop(number)
        process.send_signal(signal.SIGTERM)
        process.wait(60)

    def limit(self, number: int, largest: int) -> None:
        """No file of the node grows over so many bytes from now on; -1: any."""
        resource.prlimit(self.processes[number].pid, resource.RLIMIT_FSIZE, (largest, resource.RLIM_INFINITY))

    def kill(self, number: int) -> None:
        process = self.processes.pop(number)
        process.kill()
        process.wait(60)

    def until(self, holds: Callable[[], Any], what: str, seconds: float = 90) -> Any:
        end = time.monotonic() + seconds
        while not (found := holds()):
            logs = "\n".join(path.read_text()[-600:] for path in sorted(self.folder.glob("*.log")))
            assert time.monotonic() < end, f"{what}\n{logs}"
            time.sleep(0.1)
        return found

    def ask(self, number: int, method: str, path: str, body: str | None = None, key: str = KEY) -> tuple[int, str]:
        """Status and text; 0 when nothing answers."""
        url = f"http://127.0.0.1:{self.ports[number]}{path}"
        request = urllib.request.Request(url, body.encode() if body is not None else None, method=method)
        request.add_header("Authorization", f"Bearer {key}")
        try:
            with urllib.request.urlopen(request, timeout=40) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read().decode()
        except OSError as problem:
            return 0, str(problem)

    def get(self, number: int, path: str) -> tuple[int, str]:
        return self.ask(number, "GET", path)

    def put(self, number: int, key: str, value: str) -> int:
        return self.ask(number, "PUT", f"/keys/{key}", value)[0]

    def members(self, number: int) -> list[str]:
        return sorted(json.loads(self.get(number, "/status")[1])["members"])


@contextlib.contextmanager
def running(folder: Path, *numbers: int) -> Iterator[Nodes]:
    nodes = Nodes(folder)
    try:
        nodes.start(*numbers)
        yield nodes
    finally:
        for process in nodes.processes.values():
            process.kill()
            process.wait(30)
