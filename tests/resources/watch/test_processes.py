"""Hubs in processes of their own: stopped, killed, and what the stream holds afterwards."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest
import redis

from kube.client import ClusterClient
from resources.changes import Topic, living_hubs
from resources.watch.hub import owner
from tests.eventually import until
from tests.processes import running
from tests.resources.watch.hubs import config_maps

Hubs = dict[str, Popen[bytes]]


@pytest.fixture
def hubs(pipe: redis.Redis, client: ClusterClient, tmp_path: Path) -> Iterator[Hubs]:
    """Two of them, by id."""
    found: Hubs = {}
    with ExitStack() as stack:
        for id_ in ("one", "two"):
            command = [sys.executable, "-m", "tests.resources.watch.hub_process", id_]
            ready = lambda id_=id_: id_ in living_hubs()  # noqa: E731
            environment = {"DJANGO_SETTINGS_MODULE": "console.settings"}
            found[id_] = stack.enter_context(running(command, tmp_path / f"{id_}.log", ready, 60, **environment))
        yield found
        for process in found.values():
            if process.poll() is None:
                os.kill(process.pid, signal.SIGCONT)


@pytest.fixture
def maps(pipe: redis.Redis, client: ClusterClient, hubs: Hubs) -> Topic:
    """A topic with permanent interest that is watched."""
    found = config_maps(client)
    pipe.zadd("test:interest", {str(found): time.time() + 3600})
    pipe.publish("test:wake", b"interest")
    until(lambda: _told(pipe, found))
    return found


@pytest.fixture
def names(client: ClusterClient) -> Iterator[list[str]]:
    """Of objects that this test makes."""
    found = [f"stopped-{time.time_ns()}-{number}" for number in range(4)]
    yield found
    type_ = client.find("", "v1", "configmaps")
    for obj in client.list(type_, "default").items:
        if obj["metadata"]["name"] in found:
            client.delete(type_, obj["metadata"]["name"], "default")


def _write(client: ClusterClient, names: list[str], times: int) -> dict[str, str]:
    """The versions that the objects have in the end."""
    type_ = client.find("", "v1", "configmaps")
    versions = {}
    for number in range(times):
        for name in names:
            patch = {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": name},
                "data": {"n": f"{time.time_ns()} {number}"},
            }
            made = client.patch(type_, name, patch, "default", style="apply", force=True)
            versions[name] = made["metadata"]["resourceVersion"]
    return versions


def _told(pipe: redis.Redis, topic: Topic) -> list[dict[str, Any]]:
    return [
        {key.decode(): value.decode() for key, value in fields.items() if key != b"r"}
        for _, fields in pipe.xrange(f"test:changes:{topic}")
    ]


def _until_told(pipe: redis.Redis, topic: Topic, versions: dict[str, str]) -> float:
    began = time.monotonic()
    until(
        lambda: {entry["n"]: entry["v"] for entry in _told(pipe, topic) if entry.get("n") in versions} == versions,
        "what was written last",
        seconds=30,
    )
    return time.monotonic() - began


def _check(entries: list[dict[str, Any]]) -> None:
    """Nothing older after something newer, no gap in the numbers, and pages were asked to list once: in the
    beginning.
    """
    latest: dict[str, int] = {}
    for entry in entries:
        if "n" in entry and "v" in entry:
            assert int(entry["v"]) >= latest.get(entry["n"], 0), entries
            latest[entry["n"]] = int(entry["v"])
    assert [int(entry["i"]) for entry in entries] == list(range(1, len(entries) + 1))
    assert [entry["k"] for entry in entries].count("RESYNC") == 1


def test_a_hub_that_was_stopped_writes_nothing_old_when_it_wakes(
    pipe: redis.Redis, client: ClusterClient, hubs: Hubs, maps: Topic, names: list[str]
) -> None:
    _until_told(pipe, maps, _write(client, names, 1))
    mine = owner(str(maps), list(hubs))
    assert pipe.hget(f"test:topic:{maps}", "hub") == mine.encode()
    for _ in range(2):
        os.kill(hubs[mine].pid, signal.SIGSTOP)
        # Its connection keeps receiving events, which it reads when it resumes.
        _until_told(pipe, maps, _write(client, names, 3))
        assert pipe.hget(f"test:topic:{maps}", "hub") != mine.encode()
        versions = _write(client, names, 1)
        os.kill(hubs[mine].pid, signal.SIGCONT)
        _until_told(pipe, maps, versions)
        _until_told(pipe, maps, _write(client, names, 2))
        until(lambda: pipe.hget(f"test:topic:{maps}", "hub") == mine.encode())
        _until_told(pipe, maps, _write(client, names, 1))
    _check(_told(pipe, maps))


def test_a_killed_hubs_topics_are_taken_over(
    pipe: redis.Redis, client: ClusterClient, hubs: Hubs, maps: Topic, names: list[str]
) -> None:
    _until_told(pipe, maps, _write(client, names, 1))
    os.kill(hubs[owner(str(maps), list(hubs))].pid, signal.SIGKILL)
    assert _until_told(pipe, maps, _write(client, names, 2)) < 12
    _check(_told(pipe, maps))


def test_a_hub_that_ends_hands_over_at_once(
    pipe: redis.Redis, client: ClusterClient, hubs: Hubs, maps: Topic, names: list[str]
) -> None:
    _until_told(pipe, maps, _write(client, names, 1))
    mine = owner(str(maps), list(hubs))
    os.kill(hubs[mine].pid, signal.SIGINT)
    until(lambda: mine not in living_hubs())
    _until_told(pipe, maps, _write(client, names, 2))
    _check(_told(pipe, maps))
