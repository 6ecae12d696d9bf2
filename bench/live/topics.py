"""Part `topics`: what 500 topics cost one worker at rest: the ConfigMaps of 500 namespaces, one topic each.

Three streams keep up the interest, 167 topics each. Memory is the worker's resident size after it settled, less that
without these topics; CPU over 20 s of rest. And how long it takes from the last stream's `hello` until the worker
watches all of them, told by a change in each that arrives.
"""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.figures import Figure, figure
from bench.live import sse
from bench.live.api import MERGE, Api
from bench.live.clusters import Cluster
from bench.live.helper import apart
from bench.live.programs import Programs, Usage, settled

_TOPICS, _STREAMS, _REST = 500, 3, 20.0
_NAMES = [f"topic-{number:03}" for number in range(_TOPICS)]


def measure(cluster: Cluster, programs: Programs, _browser: object) -> list[Figure]:
    _namespaces(cluster.kubeconfig)
    usage = Usage(worker=programs["worker"].pid, web=programs["web"].pid, **cluster.pids)
    before = settled(lambda: usage.mebibytes("worker"))
    after, cores, began = apart(_look(cluster, programs, usage))
    print(
        f"  worker {before:.0f} → {after:.0f} MiB; at rest:"
        f" {', '.join(f'{k} {v * 100:.1f} %' for k, v in cores.items())}"
    )
    return [
        figure("500 topics in one worker: memory of each", "KiB", [(after - before) * 1024 / _TOPICS]),
        figure("500 topics in one worker: the worker, resident", "MiB", [after]),
        figure("500 topics in one worker: the worker's CPU at rest", "% core", [cores["worker"] * 100]),
        figure("500 topics in one worker: until all are watched", "s", [began]),
    ]


def _namespaces(kubeconfig: Path) -> None:
    def make(names: list[str]) -> None:
        api = Api(kubeconfig)
        for name in names:
            api.make("/api/v1/namespaces", {"metadata": {"name": name}})
            api.make(f"/api/v1/namespaces/{name}/configmaps", {"metadata": {"name": "mark"}})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(make, (_NAMES[first::4] for first in range(4))))


async def _look(cluster: Cluster, programs: Programs, usage: Usage) -> tuple[float, dict[str, float], float]:
    api = Api(cluster.kubeconfig)
    topics = [f"{api.config.name}/core/v1/configmaps/{name}" for name in _NAMES]
    seen: set[str] = set()
    all_seen = asyncio.Event()

    def hear(data: bytes, _now: float) -> None:
        seen.update(sse.words(data))
        if len(seen) >= _TOPICS:
            all_seen.set()

    readers = []
    for number in range(_STREAMS):
        request = sse.request(programs.url, notices=topics[number::_STREAMS])
        readers.append(await sse.connect(programs.url, request, hear))
    began = time.monotonic()
    # The words stand in the objects' names: each namespace gets a ConfigMap of a name that says which it is, again
    # until it was heard.
    while not all_seen.is_set():
        missing = [number for number in range(_TOPICS) if f"mark-{number}" not in seen]
        await asyncio.to_thread(_touch, api, missing[:50])
        if time.monotonic() - began > 120:
            print(f"  {len(missing)} of {_TOPICS} topics told nothing within 120 s", flush=True)
            break
    elapsed = time.monotonic() - began
    after = await asyncio.to_thread(settled, lambda: usage.mebibytes("worker"), 30.0)
    usage.restart()
    await asyncio.sleep(_REST)
    cores = usage.cores()
    for reader in readers:
        reader.transport.close()
    return after, cores, elapsed


def _touch(api: Api, numbers: list[int]) -> None:
    for number in numbers:
        path = f"/api/v1/namespaces/{_NAMES[number]}/configmaps"
        api.make(path, {"metadata": {"name": f"mark-{number}"}})
        api.ask("PATCH", f"{path}/mark-{number}", {"data": {"at": str(time.time())}}, MERGE)
