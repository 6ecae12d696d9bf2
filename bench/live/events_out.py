"""Part `out`: how many events a second one web process sends to its browsers.

The worker is ended after one real row has gone through it; then that row is written into the stream for one object
after the other, at rates that rise, as a hub would write it. 400 connections hear of all objects of the topic by name
(as API users and trees do), in two processes of readers that only count; what arrived is divided by the time. Then the
same with the row's HTML, which the web process makes. CPU as shares of one core.
"""

import os

from bench.figures import Figure, figure
from bench.live import marks
from bench.live.api import Api
from bench.live.clusters import Cluster
from bench.live.helper import Helper, helping
from bench.live.pipe import record
from bench.live.programs import Programs, Usage

_READERS, _SECONDS = 200, 6.0  # in each of two processes
_RATES = {"notices": (25, 50, 100, 200), "rows": (5, 15, 50)}


def measure(cluster: Cluster, programs: Programs, _browser: object) -> list[Figure]:
    name, *_ = marks.make(cluster.kubeconfig, 5)
    api = Api(cluster.kubeconfig)
    topic = marks.topic(api)
    environment = {**os.environ, **programs.environment}
    found: list[Figure] = []
    with helping("pipe", environment, topic=topic, objects=_made(5000)) as pipe:
        pipe.receive()
        record(pipe, api, name)
        programs["worker"].end()
        for what, rates in _RATES.items():
            found += _one(programs, pipe, topic, what, rates)
    return found


def _made(number: int) -> list[tuple[str, str]]:
    """As many objects that are not in the cluster: (uid, name)."""
    return [(f"00000000-0000-4000-8000-{item:012}", f"fed-{item:05}") for item in range(number)]


def _one(programs: Programs, pipe: Helper, topic: str, what: str, rates: tuple[int, ...]) -> list[Figure]:
    parameters = {"url": programs.url, "readers": _READERS, "notices" if what == "notices" else "rows": [topic]}
    sent: list[tuple[float, float, float]] = []
    for rate in rates:
        with helping("readers", **parameters) as first, helping("readers", **parameters) as second:
            both = (first, second)
            for readers in both:
                readers.receive()
            pipe.ask(f"feed {rate} 1")
            usage = Usage(web=programs["web"].pid, redis=programs["redis"].pid, readers=first.process.pid)
            for readers in both:
                readers.ask()
            offered = pipe.ask(f"feed {rate} {_SECONDS}")
            received = [readers.ask() for readers in both]
            events = sum(each["events"] for each in received) / received[0]["seconds"]
            size = sum(each["bytes"] for each in received) / max(1, sum(each["events"] for each in received))
            web = usage.cores()["web"]
            sent.append((events, web, size))
            aim = offered["written"] / offered["seconds"] * 2 * _READERS
            print(
                f"  {what}: offered {aim:.0f}/s, sent {events:.0f}/s of {size:.0f} bytes; CPU of a core:"
                f" {usage.words()}",
                flush=True,
            )
    most = max(sent)
    return [
        figure(
            f"events out of one web process, {what}, at most", "1/s", [most[0]], "20000" if what == "notices" else ""
        ),
        figure(f"  bytes of each, {what}", "B", [most[2]]),
        figure(f"  CPU of the web process for 1,000 a second, {what}", "% core", [most[1] * 100 / most[0] * 1000]),
    ]
