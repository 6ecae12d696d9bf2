"""Part `idle`: what a web process holds for each of 1,000 open streams on which nothing happens, and what they cost
while they rest.

Each stream shows a list (its 50 rows, by POST as a page does; or the whole topic, by GET) and hears of one more topic.
Memory is the resident size of the web process after it settled, less that after a first 50 streams, by the number of
streams between. CPU over 20 s of rest, heartbeats included.
"""

import time

from bench.figures import Figure, figure
from bench.live import marks, sse
from bench.live.api import Api
from bench.live.clusters import Cluster
from bench.live.helper import helping
from bench.live.programs import Programs, Usage, settled, started

_STREAMS, _FIRST, _REST = 1000, 50, 20.0


def measure(cluster: Cluster, _browser: object) -> list[Figure]:
    marks.make(cluster.kubeconfig, 50)
    found: list[Figure] = []
    for what in ("50 rows of a list", "a whole topic"):
        # A console for each: what one left free, the other would take unseen.
        with started(cluster.kubeconfig) as programs:
            found += _one(cluster, programs, what)
    return found


def _one(cluster: Cluster, programs: Programs, what: str) -> list[Figure]:
    api = Api(cluster.kubeconfig)
    uids = [obj["metadata"]["uid"] for obj in api.ask("GET", marks.path())["items"]]
    parameters = {
        "url": programs.url,
        "rows": [marks.topic(api)],
        "notices": [f"{api.config.name}/core/v1/namespaces/-"],
        "uids": sse.shown(programs.url, uids) if what.startswith("50") else None,
    }
    usage = Usage(web=programs["web"].pid)
    with helping("readers", readers=_FIRST, **parameters) as first:
        first.receive()
        before = settled(lambda: usage.mebibytes("web"))
        began = time.monotonic()
        with helping("readers", readers=_STREAMS, **parameters) as readers:
            readers.receive(300)
            opened = time.monotonic() - began
            after = settled(lambda: usage.mebibytes("web"))
            usage.restart()
            time.sleep(_REST)
            cores = usage.cores()["web"]
            closed = readers.ask()["closed"]
    print(f"  {what}: {_STREAMS} streams opened in {opened:.1f} s; {closed} of them closed", flush=True)
    return [
        figure(f"one of 1,000 idle streams of {what}", "KiB", [(after - before) * 1024 / _STREAMS], "20"),
        figure(f"  web process with 1,050 streams of {what}, resident", "MiB", [after]),
        figure(f"  web process with 1,050 streams of {what}, CPU at rest", "% core", [cores * 100]),
        figure(f"  until 1,000 streams of {what} are open, 20 at once", "s", [opened]),
    ]
