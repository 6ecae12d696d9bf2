"""The bootstep in real Celery workers: what happens when one is killed, and when one is asked to stop."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen

import redis

from kube.client import ClusterClient
from resources.changes import living_hubs
from tests.eventually import until
from tests.processes import running, worker_command


@contextmanager
def _worker(name: str, folder: Path) -> Iterator[Popen[bytes]]:
    """Ready when its hub beats."""
    command = worker_command(name)
    before = len(living_hubs())
    with running(command, folder / f"{name}.log", lambda: len(living_hubs()) > before) as process:
        yield process


def _wait(condition: Callable[[], object], seconds: float) -> float:
    started = time.monotonic()
    until(condition, seconds=seconds)
    return time.monotonic() - started


def test_a_killed_workers_topics_are_taken_over(pipe: redis.Redis, client: ClusterClient, tmp_path: Path) -> None:
    namespaces = client.find("", "v1", "namespaces")
    stream = f"test:changes:{client.name}/core/v1/namespaces/-"
    with _worker("one", tmp_path) as first:
        _wait(lambda: pipe.xlen(stream), 10)
        with _worker("two", tmp_path):
            os.killpg(first.pid, signal.SIGKILL)
            client.create(namespaces, {"metadata": {"name": "after-the-kill"}})
            _wait(lambda: any(b"after-the-kill" in fields.get(b"n", b"") for _, fields in pipe.xrange(stream)), 12)
            _wait(lambda: len(living_hubs()) == 1, 12)
    client.delete(namespaces, "after-the-kill")


def test_a_stopped_worker_leaves_at_once(pipe: redis.Redis, client: ClusterClient, tmp_path: Path) -> None:
    with _worker("one", tmp_path) as process:
        started = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.wait(10)
        assert time.monotonic() - started < 6
        assert living_hubs() == []
    log = (tmp_path / "one.log").read_text()
    assert "Traceback" not in log, log


def test_a_worker_that_starts_while_redis_is_full_waits_for_room(
    pipe: redis.Redis, client: ClusterClient, tmp_path: Path
) -> None:
    """Celery's own notes are refused, too: a channel error, at which a worker ends unless it is configured to retry."""
    pipe.config_set("maxmemory", 1)
    lifted = False

    def ready() -> bool:
        nonlocal lifted
        log = (tmp_path / "full.log").read_text()
        if not lifted and "used memory >" in log:
            pipe.config_set("maxmemory", 0)
            lifted = True
        return lifted and "full@" in log and "ready." in log and bool(living_hubs())

    command = worker_command("full", "-l", "INFO")
    try:
        with running(command, tmp_path / "full.log", ready, 60) as process:
            assert process.poll() is None
    finally:
        pipe.config_set("maxmemory", 0)
