"""Part `in`: how many events a second go through one worker, from the API server into Redis.

First with real writes: four writers in two processes, as fast as the API server takes them; on two cores that server is
the bottleneck, so the figure says what it took and how long after the last write the worker had all. Then against a
feeder, which answers this one watch itself with recorded Table events as fast as they are read: the worker is the
bottleneck then. Counted by the version that the worker has written to Redis, every 2 s. The history of resources is
kept by the same process, which is fed, too; so once more without it (HISTORY_KINDS=). CPU as shares of one core.
"""

import json
import os
import time
from pathlib import Path

from bench.figures import Figure, figure
from bench.live import marks
from bench.live.api import Api
from bench.live.clusters import Cluster
from bench.live.helper import Helper, helping
from bench.live.programs import Programs, Usage, started
from kube.config import load

_SECONDS, _OBJECTS = 10.0, 500


def measure(cluster: Cluster, _browser: object) -> list[Figure]:
    names = marks.make(cluster.kubeconfig, _OBJECTS)
    with started(cluster.kubeconfig, workers=False) as programs:
        programs.start("worker")
        programs.wait_ready()
        found = _real(cluster, programs, names)
        programs["worker"].end()
        return [*found, *_fed(cluster, programs, "fed"), *_fed(cluster, programs, "fed, no history", HISTORY_KINDS="")]


def _real(cluster: Cluster, programs: Programs, names: list[str]) -> list[Figure]:
    api = Api(cluster.kubeconfig)
    parameters = {"kubeconfig": str(cluster.kubeconfig), "seconds": _SECONDS, "connections": 2, "rate": 0}
    halves = [[marks.path(name=name) for name in names[first::2]] for first in range(2)]
    with helping("pipe", _environment(programs), topic=marks.topic(api), objects=[]) as pipe:
        pipe.receive()
        _until_watched(pipe, api, names[0])
        usage = Usage(worker=programs["worker"].pid, redis=programs["redis"].pid, **cluster.pids)
        with (
            helping("load", paths=halves[0], **parameters) as first,
            helping("load", paths=halves[1], **parameters) as second,
        ):
            written = [first.receive(), second.receive()]
        words = usage.words()
        ended = time.monotonic()
        objects = api.ask("GET", marks.path())["items"]
        last = max(int(obj["metadata"]["resourceVersion"]) for obj in objects)
        while int(pipe.ask("version")["version"] or 0) < last and time.monotonic() < ended + 30:
            time.sleep(0.01)
        behind = time.monotonic() - ended
    rate = sum(item["written"] for item in written) / max(item["seconds"] for item in written)
    print(
        f"  real writes: {rate:.0f}/s, {sum(item['failed'] for item in written)} refused; CPU of a core: {words}",
        flush=True,
    )
    return [
        figure("events in, real writes through one worker", "1/s", [rate]),
        figure("  after the last write, until the worker had all (at most)", "s", [behind]),
    ]


def _fed(cluster: Cluster, programs: Programs, what: str, **environment: str) -> list[Figure]:
    api = Api(cluster.kubeconfig)
    parameters = {"kubeconfig": str(cluster.kubeconfig), "path": marks.path(), "objects": 5000}
    with helping("feeder", **parameters) as feeder:
        kubeconfig = _pointed(programs.folder / "fed", api.config.name, feeder.receive()["port"], api.config.token())
        worker = programs.worker("fed", KUBECONFIG=str(kubeconfig), **environment)
        worker.start()
        with helping("pipe", _environment(programs), topic=marks.topic(api), objects=[]) as pipe:
            pipe.receive()
            feeder.ask("1000")
            _until_moves(pipe)
            feeder.ask("0")
            time.sleep(3)
            usage = Usage(worker=worker.pid, redis=programs["redis"].pid, feeder=feeder.process.pid)
            rates = []
            for _ in range(5):
                first, began = int(pipe.ask("version")["version"]), time.monotonic()
                time.sleep(_SECONDS / 5)
                rates.append((int(pipe.ask("version")["version"]) - first) / (time.monotonic() - began))
            cores = usage.cores()
            print(f"  {what}: CPU of a core: {usage.words()}", flush=True)
            feeder.ask("-1")
        worker.end()
    return [
        figure(f"events in, {what} as fast as one worker reads", "1/s", rates, "2000"),
        figure(f"  CPU of the worker, {what}", "% core", [cores["worker"] * 100]),
        figure(f"  CPU of Redis, {what}", "% core", [cores["redis"] * 100]),
    ]


def _environment(programs: Programs) -> dict[str, str]:
    return {**os.environ, **programs.environment}


def _until_watched(pipe: Helper, api: Api, name: str) -> None:
    """A change of it has gone through the worker."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        marks.mark(api, name, f"mark-{time.monotonic_ns()}")
        version = int(api.ask("GET", marks.path(name=name))["metadata"]["resourceVersion"])
        time.sleep(0.3)
        if int(pipe.ask("version")["version"] or 0) >= version:
            return
    raise SystemExit("bench: the worker did not begin to watch within 30 s")


def _until_moves(pipe: Helper) -> None:
    first, until = pipe.ask("version")["version"], time.monotonic() + 30
    while pipe.ask("version")["version"] in ("", first):
        if time.monotonic() > until:
            raise SystemExit("bench: the worker did not take what it was fed within 30 s")
        time.sleep(0.1)


def _pointed(path: Path, name: str, port: int, token: str) -> Path:
    """A kubeconfig of the same cluster, at that port of this machine, without TLS."""
    config = {
        "current-context": "fed",
        "clusters": [{"name": name, "cluster": {"server": f"http://127.0.0.1:{port}"}}],
        "users": [{"name": "user", "user": {"token": token}}],
        "contexts": [{"name": "fed", "context": {"cluster": name, "user": "user"}}],
    }
    path.write_text(json.dumps(config))
    assert load(str(path)).name == name
    return path
