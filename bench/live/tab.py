"""Part `tab`: what one tab gets, and how long it stands still, while the cluster has 1,000 events a second.

The page is the list of a namespace of 10,000 objects, 50 of them in the page. Everything that Chromium gets from the
console goes through a relay that counts bytes; a requestAnimationFrame loop in the page notes the longest time between
two frames. Measured: at rest; while all 10,000 change in turn; and while just the 50 do. Once with real writes, as many
as the cluster takes up to 1,000 a second (the rate is printed); once with exactly 1,000 a second written into the
stream as a hub would, the worker being ended.
"""

import os
import time

from playwright.sync_api import Browser, Page

from bench.events import GROUP, PLURAL
from bench.figures import Figure, figure
from bench.live import marks
from bench.live.api import Api
from bench.live.clusters import Cluster
from bench.live.helper import Helper, helping
from bench.live.pipe import record
from bench.live.programs import Programs, Usage

_NAMESPACE, _OBJECTS, _ROWS = "large", 10_000, 50
_RATE, _SECONDS = 1000, 15.0
_FRAMES = """() => {
  window.__gap = 0;
  let last = performance.now();
  const frame = (now) => {
    window.__gap = Math.max(window.__gap, now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}"""


def measure(cluster: Cluster, programs: Programs, browser: Browser) -> list[Figure]:
    names = marks.make(cluster.kubeconfig, _OBJECTS, _NAMESPACE, threads=6)
    print(f"  {_OBJECTS} objects made", flush=True)
    api = Api(cluster.kubeconfig)
    found = {obj["metadata"]["name"]: obj["metadata"]["uid"] for obj in api.ask("GET", marks.path(_NAMESPACE))["items"]}
    parameters = {"topic": marks.topic(api, _NAMESPACE), "objects": [(found[name], name) for name in names]}
    with (
        helping("relay", host="127.0.0.1", port=programs.port) as relay,
        helping("pipe", {**os.environ, **programs.environment}, **parameters) as pipe,
    ):
        pipe.receive()
        context = browser.new_context(viewport={"width": 1400, "height": 1000})
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{relay.receive()['port']}/resources/{GROUP}/v1/{PLURAL}/?namespace={_NAMESPACE}")
        page.wait_for_selector("tbody tr")
        shown = page.evaluate("document.querySelectorAll('#rows tr[id^=row-]').length")
        assert shown == _ROWS, f"{shown} rows"
        record(pipe, api, names[-1], _NAMESPACE)
        page.evaluate(_FRAMES)
        time.sleep(3)
        tab = _Tab(page, relay, Usage(web=programs["web"].pid, worker=programs["worker"].pid, **cluster.pids))
        tab.restart()
        time.sleep(_SECONDS)
        figures = tab.figures("at rest", aim="")
        for what, chosen in (("all 10,000 change", names), ("its 50 rows change", names[:_ROWS])):
            figures += _written(cluster, tab, what, chosen)
        programs["worker"].end()
        tab.usage = Usage(web=programs["web"].pid)
        for what, number in (("all 10,000 change", _OBJECTS), ("its 50 rows change", _ROWS)):
            pipe.ask(f"only {number}")
            pipe.ask(f"feed {_RATE} 2")
            tab.restart()
            pipe.ask(f"feed {_RATE} {_SECONDS}")
            figures += tab.figures(f"{_RATE}/s into the stream, {what}")
        context.close()
    return figures


class _Tab:
    def __init__(self, page: Page, relay: Helper, usage: Usage) -> None:
        self._page, self._relay, self.usage = page, relay, usage

    def restart(self) -> None:
        self._page.evaluate("window.__gap = 0")
        self.usage.restart()
        self._relay.ask("count")

    def figures(self, what: str, aim: str = "50") -> list[Figure]:
        """Since restart()."""
        traffic, gap = self._relay.ask("count"), float(self._page.evaluate("window.__gap"))
        print(f"  {what}: CPU of a core: {self.usage.words()}", flush=True)
        return [
            figure(f"tab, {what}: received", "kB/s", [traffic["down"] / traffic["seconds"] / 1000], aim, "30,000"),
            figure(f"tab, {what}: longest between two frames", "ms", [gap]),
        ]


def _written(cluster: Cluster, tab: _Tab, what: str, names: list[str]) -> list[Figure]:
    """Two writers for `_SECONDS`, measured between their first two seconds and their end."""
    paths = [marks.path(_NAMESPACE, name) for name in names]
    parameters = {"kubeconfig": str(cluster.kubeconfig), "seconds": _SECONDS, "connections": 8, "rate": _RATE / 2}
    with (
        helping("load", paths=paths[0::2], **parameters) as first,
        helping("load", paths=paths[1::2], **parameters) as second,
    ):
        time.sleep(2)
        tab.restart()
        written = [first.receive(), second.receive()]
    rate = sum(each["written"] for each in written) / max(each["seconds"] for each in written)
    return [
        *tab.figures(f"real writes, {what}"),
        figure(f"tab, real writes, {what}: writes", "1/s", [rate]),
    ]
