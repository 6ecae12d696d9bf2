"""Part `screen`: from a change in the cluster to the row in a browser.

A status is patched; a MutationObserver in a real Chromium notes the frame that shows the new word
(performance.timeOrigin + now, the same clock as ours), a plain watch beside it notes when the API server told it. Three
figures: from just before the PATCH is sent to the frame; from the watch's arrival to the frame, which is the console's
own share; and the PATCH to the watch, the cluster's share. Alone, and with 199 more connections on the same topic,
which ask for the rows as a page does and note their own arrivals. The samples are spread, with odd pauses, over half a
minute.
"""

import random
import time
from contextlib import ExitStack

from playwright.sync_api import Browser

from bench.events import GROUP, OBSERVE, PLURAL
from bench.figures import Figure, figure
from bench.live import marks, sse
from bench.live.api import Api
from bench.live.clusters import Cluster
from bench.live.helper import helping
from bench.live.programs import Programs, Usage

_ROWS = 30
_WARM = 5
PEERS = "OKD 180, Headlamp 668"


def measure(cluster: Cluster, programs: Programs, browser: Browser, samples: int = 120) -> list[Figure]:
    marks.make(cluster.kubeconfig, _ROWS)
    api = Api(cluster.kubeconfig)
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    page = context.new_page()
    page.goto(f"{programs.url}/resources/{GROUP}/v1/{PLURAL}/?namespace={marks.NAMESPACE}")
    page.wait_for_selector("tbody tr")
    page.evaluate(OBSERVE)
    time.sleep(2)
    found: list[Figure] = []
    for others in (0, 199):
        with ExitStack() as stack:
            watcher = stack.enter_context(
                helping("watcher", kubeconfig=str(cluster.kubeconfig), path=marks.path(marks.NAMESPACE))
            )
            watcher.receive()
            readers = None
            if others:
                uids = [obj["metadata"]["uid"] for obj in api.ask("GET", marks.path())["items"]]
                parameters = {"url": programs.url, "rows": [marks.topic(api)], "uids": sse.shown(programs.url, uids)}
                readers = stack.enter_context(helping("readers", readers=others, words=True, **parameters))
                readers.receive()
            usage = Usage(web=programs["web"].pid, worker=programs["worker"].pid, **cluster.pids)
            sent: dict[str, float] = {}
            shown: dict[str, float] = {}
            for number in range(samples + _WARM):
                word = f"mark-{1000 * (1 + others) + number}"
                time.sleep(random.uniform(0.05, 0.45))
                sent[word] = time.time() * 1000
                marks.mark(api, f"row-{number % _ROWS:05}", word)
                page.wait_for_function("word => window.__seen[word] > 0", arg=word, timeout=20000, polling=20)
                shown[word] = float(page.evaluate("word => window.__seen[word]", word))
            print(f"  {1 + others} browsers: CPU of a core: {usage.words()}", flush=True)
            watched = watcher.ask()["arrivals"]
            chosen = list(sent)[_WARM:]
            name = "1 browser" if not others else f"{1 + others} browsers"
            found += [
                figure(f"event to screen, {name}", "ms", [shown[w] - sent[w] for w in chosen], "50; p99 150", PEERS),
                figure(f"  of it from the watch event on, {name}", "ms", [shown[w] - watched[w] for w in chosen]),
                figure(f"  of it from PATCH to watch event, {name}", "ms", [watched[w] - sent[w] for w in chosen]),
            ]
            if readers is not None:
                received = readers.ask()["arrivals"]
                each = [at - sent[w] for w in chosen for at in received[w]]
                last = [max(received[w]) - sent[w] for w in chosen]
                found += [
                    figure(f"event to each of the {others} other connections", "ms", each),
                    figure(f"event to the last of the {others} other connections", "ms", last),
                ]
    context.close()
    return found
