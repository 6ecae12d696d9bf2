"""Part `takeover`: how long changes wait after one of two workers is killed with SIGKILL.

Twenty topics, shared by two workers; one connection hears of them all. The one object of each is changed again and
again, ten times a second. From the kill until a change made after it has arrived of every topic: so of the dead one's
topics, too, whichever they were. The killed worker is started again between two runs; the two take turns.
"""

import asyncio
import os
import threading
import time
from pathlib import Path

from bench.console import wait
from bench.figures import Figure, figure
from bench.live import marks, sse
from bench.live.api import Api
from bench.live.clusters import Cluster
from bench.live.helper import Helper, apart, helping
from bench.live.programs import Programs, started

_TOPICS, _RUNS, _SHARED = 20, 6, 5.0
_NAMES = [f"shared-{number:02}" for number in range(_TOPICS)]


class Writer(threading.Thread):
    """Changes every topic's object in turn; the words count up: `mark-<when in milliseconds><topic in two digits>`."""

    def __init__(self, kubeconfig: Path) -> None:
        super().__init__(daemon=True)
        self._kubeconfig, self.ending = kubeconfig, threading.Event()

    def run(self) -> None:
        api = Api(self._kubeconfig)
        while not self.ending.is_set():
            for number, name in enumerate(_NAMES):
                word = f"mark-{time.time_ns() // 10**6}{number:02}"
                marks.mark(api, "row-00000", word, name)
            self.ending.wait(0.1)


def measure(cluster: Cluster, _browser: object) -> list[Figure]:
    api = Api(cluster.kubeconfig)
    for name in _NAMES:
        marks.make(cluster.kubeconfig, 1, name)
    with started(cluster.kubeconfig) as programs:
        programs.worker("worker2").start()
        writer = Writer(cluster.kubeconfig)
        writer.start()
        topics = [marks.topic(api, name) for name in _NAMES]
        try:
            with helping("pipe", {**os.environ, **programs.environment}, topic=topics[0], objects=[]) as pipe:
                pipe.receive()
                samples, disturbed = apart(_runs(programs, topics, pipe))
        finally:
            writer.ending.set()
            writer.join(5)
    print(f"  topics that the killed worker had, run by run: {disturbed}", flush=True)
    return [figure("after SIGKILL of one of two workers: until every topic's changes come", "s", samples, "5")]


async def _runs(programs: Programs, topics: list[str], pipe: Helper) -> tuple[list[float], list[int]]:
    last = dict.fromkeys(range(_TOPICS), 0.0)  # topic → when its latest change that has arrived was made

    def hear(data: bytes, _now: float) -> None:
        for word in sse.words(data):
            if len(number := word.removeprefix("mark-")) == 15:
                last[int(number[13:])] = max(last[int(number[13:])], float(number[:13]) / 1000)

    reader = await sse.connect(programs.url, sse.request(programs.url, rows=topics), hear)
    samples, disturbed = [], []
    for run in range(_RUNS):
        await asyncio.sleep(_SHARED)  # so that the dead one is forgotten
        await asyncio.to_thread(wait, lambda: pipe.ask("hubs")["hubs"] == 2, 60, "the second hub")
        await asyncio.sleep(_SHARED)  # so that the one that came back has its share
        await _all_after(last, time.time(), 60)
        victim = programs[("worker", "worker2")[run % 2]]
        killed = time.time()
        victim.kill()
        await asyncio.sleep(0.6)
        disturbed.append(sum(1 for at in last.values() if at <= killed))
        samples.append(await _all_after(last, killed, 60) - killed)
        print(f"  run {run + 1}: {samples[-1]:.2f} s", flush=True)
        victim.start()
    reader.transport.close()
    return samples, disturbed


async def _all_after(last: dict[int, float], moment: float, seconds: float) -> float:
    """When a change made after `moment` had arrived of every topic."""
    while min(last.values()) <= moment:
        if time.time() > moment + seconds:
            silent = [number for number, at in last.items() if at <= moment]
            raise SystemExit(f"bench: topics {silent} told nothing for {seconds:.0f} s")
        await asyncio.sleep(0.01)
    return time.time()
