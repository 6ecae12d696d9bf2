"""A log from the API server to the screen: how many lines a second, what the page then weighs, and how long finding
in it takes.
"""

import json
import time
from pathlib import Path

from playwright.sync_api import Browser

from bench.console import Running, wait
from bench.figures import Figure, figure

IMAGE = "operator-console.dev/sampledb-engine:1.0.0"
LINES = 100_000
_LAST = "document.getElementById('log').lastElementChild?.lastElementChild?.textContent ?? ''"
_GAP = """() => {
  window.gap = 0;
  let last = performance.now();
  const look = () => {
    const now = performance.now();
    window.gap = Math.max(window.gap, now - last);
    last = now;
    requestAnimationFrame(look);
  };
  look();
}"""


def measure(running: Running, browser: Browser) -> list[Figure]:
    """The lines are written to the standard output of a Pod's process, as it would write them."""
    running.cluster("POST", "/api/v1/namespaces", {"metadata": {"name": "bench-logs"}})
    path = "/api/v1/namespaces/bench-logs/pods"
    running.cluster(
        "POST", path, {"metadata": {"name": "talker"}, "spec": {"containers": [{"name": "engine", "image": IMAGE}]}}
    )
    wait(lambda: running.cluster("GET", f"{path}/talker")["status"].get("phase") == "Running", 60, "the Pod's start")
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.goto(f"{running.url}/resources/core/v1/pods/bench-logs/talker/logs/?tail=100000")
    page.wait_for_selector("#log .log-piece")
    wait(lambda: "Ready to accept" in page.inner_text("#log"), 60, "the program of the Pod")
    page.evaluate(_GAP)
    begun = time.perf_counter()
    with _output(running).open("wb") as sink:
        for at in range(0, LINES, 1000):
            sink.write(
                b"".join(
                    b"2026-01-01 INFO \x1b[32mrequest\x1b[0m %d was answered in 12 ms\n" % number
                    for number in range(at, at + 1000)
                )
            )
    wait(lambda: f"request {LINES - 1} was" in str(page.evaluate(_LAST)), 120, "the last line")
    seconds = time.perf_counter() - begun
    gap = float(page.evaluate("window.gap"))
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    heap = float(session.send("Runtime.getHeapUsage")["usedSize"]) / 1e6
    begun = time.perf_counter()
    page.fill("[data-log-search]", "request 777")
    wait(lambda: page.inner_text("[data-log-found]") != "", 60, "finding")
    found = (time.perf_counter() - begun) * 1000
    page.close()
    return [
        figure(f"log: {LINES} lines from the API server to the screen", "lines/s", [LINES / seconds]),
        figure("log: the longest time without a frame meanwhile", "ms", [gap]),
        figure(f"log: a page with {LINES} lines, JavaScript heap", "MB", [heap]),
        figure(f"log: finding in {LINES} lines", "ms", [found]),
    ]


def _output(running: Running) -> Path:
    """The standard output of the Pod's process, whose number the sandbox notes."""
    uid = running.cluster("GET", "/api/v1/namespaces/bench-logs/pods/talker")["metadata"]["uid"]
    note = json.loads((running.data / "sandbox/processes" / f"{uid}.engine.json").read_text())
    return Path(f"/proc/{note['pid']}/fd/1")
