"""What the overview costs with many objects: the page, each card on its own, and how soon a change shows.

10,000 objects of one custom kind (bench/lists.py) and the catalog of 268 packages; `python -m bench --only overview`.
"""

import json
import time
import urllib.request

from playwright.sync_api import Browser

from bench import lists
from bench.browser import cold_load
from bench.console import Running
from bench.figures import Figure, figure

CARDS = ("cluster", "olm", "operators", "instances", "pods", "changes", "warnings", "favourites", "recent", "tour")
NEWS = 5
_GONE = "() => !document.querySelector('[data-coming], [data-pending]')"


def _asked(url: str) -> tuple[float, float]:
    """(milliseconds until all of it was read, kilobytes)."""
    began = time.perf_counter()
    with urllib.request.urlopen(
        urllib.request.Request(url, headers={"Accept-Encoding": "gzip"}), timeout=120
    ) as answer:
        length = len(answer.read())
    return (time.perf_counter() - began) * 1000, length / 1000


def _whole(running: Running, browser: Browser) -> float:
    """Milliseconds from the address until every card has told all of it, cold."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    page = context.new_page()
    began = time.perf_counter()
    page.goto(f"{running.url}/", wait_until="commit")
    page.wait_for_selector("[data-card]", state="attached")
    page.wait_for_function(_GONE, timeout=120_000)
    milliseconds = (time.perf_counter() - began) * 1000
    context.close()
    return milliseconds


def _news(running: Running, browser: Browser) -> list[float]:
    """Milliseconds from an object's status written until the verdict above the cards names it."""
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.goto(f"{running.url}/")
    page.wait_for_function(_GONE, timeout=120_000)
    page.wait_for_timeout(3000)
    found = []
    for number in range(NEWS):
        body = {**lists.widget(0), "metadata": {"name": f"news-{number}"}}
        began = time.perf_counter()
        running.cluster("POST", f"/apis/{lists.GROUP}/v1/namespaces/bench-a/{lists.PLURAL}", body)
        page.wait_for_selector(f"#overview-verdict >> text=Widget news-{number} in bench-a", timeout=120_000)
        found.append((time.perf_counter() - began) * 1000)
        page.wait_for_timeout(1000)
    page.close()
    return found


def measure(running: Running, browser: Browser, objects: int = 10_000) -> list[Figure]:
    lists.fill(running, objects)
    name = f"overview, {objects:,} objects"
    first = {card: _asked(f"{running.url}/?part={card}") for card in CARDS}
    print("first: " + json.dumps({card: [round(item) for item in pair] for card, pair in first.items()}))
    again = {card: [_asked(f"{running.url}/?part={card}") for _ in range(5)] for card in CARDS}
    loads = [cold_load(browser, f"{running.url}/", "#overview-verdict") for _ in range(4)][1:]
    return [
        figure(
            f"{name}: cold, until the verdict's place is visible", "ms", [load.milliseconds for load in loads], "500"
        ),
        figure(f"{name}: server, first byte", "ms", [load.server_milliseconds for load in loads], "100"),
        figure(f"{name}: over the wire with every card", "kB", [load.kilobytes for load in loads], "250"),
        figure(f"{name}: requests", "", [float(load.requests) for load in loads]),
        figure(f"{name}: until every card has told all, cold", "ms", [_whole(running, browser) for _ in range(3)]),
        *(figure(f"{name}: card {card}, nothing kept", "ms", [first[card][0]], "3000") for card in CARDS),
        *(figure(f"{name}: card {card}, again", "ms", [item[0] for item in again[card]]) for card in CARDS),
        figure(f"{name}: a new object in trouble, until the verdict names it", "ms", _news(running, browser)),
    ]
