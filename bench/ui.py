"""`make bench-ui`: what the ten main pages cost a person, by the browser's own metrics.

Writes bench/latest-ui.json, asserts nothing.

Each page is loaded cold (a new profile, nothing cached) and warm (the same address again in the same profile), wide and
on a phone whose processor is slowed four times (CDP Emulation.setCPUThrottlingRate). First and largest contentful paint
and layout shifts are what Chromium reports; total blocking time is the part above 50 ms of each long task between the
first paint and SETTLED (https://web.dev/articles/tbt). Bytes are those on the wire. Then from page to page by clicks in
one tab (bench/navigation.py).
"""

import argparse
import os
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext

from bench.browser import chromium
from bench.console import CATALOG, console
from bench.figures import Figure, figure, machine, save
from bench.navigation import clicks
from kube.client import ClusterClient
from kube.config import load
from tools.atlas import scene
from tools.atlas.pages import Stop

PAGES = ("overview", "operatorhub", "package", "install", "installed", "operator", "list", "object", "form", "yaml")
#: Pages whose editor or terminal may weigh more than the aim for scripts.
HEAVY = ("yaml",)
SETTLED = 2500  # milliseconds after the load, for what the page's scripts do
SLOWED = 4
_OBSERVE = """() => {
  const seen = window.__seen = {fcp: 0, lcp: 0, shift: 0, tasks: []};
  const watch = (type, take) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({type, buffered: true});
  watch("paint", (one) => { if (one.name === "first-contentful-paint") seen.fcp = one.startTime; });
  watch("largest-contentful-paint", (one) => { seen.lcp = one.startTime; });
  watch("layout-shift", (one) => { if (!one.hadRecentInput) seen.shift += one.value; });
  watch("longtask", (one) => { seen.tasks.push([one.startTime, one.duration]); });
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """One load.

    Times in milliseconds, bytes in kilobytes of 1000 on the wire, `scripts` those of them that are JavaScript.
    """

    first_paint: float
    largest_paint: float
    blocked: float
    shift: float
    kilobytes: float
    scripts: float
    requests: float


def visit(context: BrowserContext, address: str, slowed: int) -> Cost:
    """Load the address in a new tab and wait until it is at rest."""
    page = context.new_page()
    session = context.new_cdp_session(page)
    if slowed > 1:
        session.send("Emulation.setCPUThrottlingRate", {"rate": slowed})
    session.send("Network.enable")
    kinds: dict[str, str] = {}
    sizes: dict[str, float] = {}
    session.on(
        "Network.requestWillBeSent", lambda event: kinds.__setitem__(event["requestId"], event["request"]["url"])
    )
    session.on(
        "Network.loadingFinished",
        lambda event: sizes.__setitem__(event["requestId"], float(event["encodedDataLength"])),
    )
    page.add_init_script(f"({_OBSERVE})()")
    page.goto(address)
    page.wait_for_timeout(SETTLED)
    seen = page.evaluate("window.__seen")
    page.close()
    blocked = sum(max(0.0, length - 50) for start, length in seen["tasks"] if start + length > seen["fcp"])
    scripts = sum(size for request, size in sizes.items() if kinds.get(request, "").partition("?")[0].endswith(".js"))
    # Cached responses aren't network requests.
    fetched = sum(1 for size in sizes.values() if size)
    return Cost(
        first_paint=seen["fcp"],
        largest_paint=seen["lcp"],
        blocked=blocked,
        shift=round(seen["shift"], 4),
        kilobytes=sum(sizes.values()) / 1000,
        scripts=scripts / 1000,
        requests=float(fetched),
    )


def measure(browser: Browser, address: str, *, phone: bool, times: int) -> tuple[list[Cost], list[Cost]]:
    """Cold and warm loads, as many as asked."""
    cold, warm = [], []
    for _ in range(times):
        size = {"width": 390, "height": 844} if phone else {"width": 1400, "height": 900}
        context = browser.new_context(
            viewport=size, device_scale_factor=2 if phone else 1, is_mobile=phone, has_touch=phone, locale="en-US"
        )
        slowed = SLOWED if phone else 1
        cold.append(visit(context, address, slowed))
        warm.append(visit(context, address, slowed))
        context.close()
    return cold, warm


def median(costs: list[Cost]) -> Cost:
    return Cost(
        **{field.name: statistics.median(getattr(cost, field.name) for cost in costs) for field in fields(Cost)}
    )


def _lines(name: str, costs: list[Cost], temperature: str) -> Iterator[Figure]:
    units = {"shift": "", "requests": "", "kilobytes": "kB", "scripts": "kB"}
    for field in fields(Cost):
        samples = [getattr(cost, field.name) for cost in costs]
        aim = {
            "shift": "0",
            "kilobytes": "250" if temperature == "cold" else "30",
            "scripts": "" if name in HEAVY else "150",
        }.get(field.name, "")
        yield figure(f"{name}: {field.name.replace('_', ' ')}", units.get(field.name, "ms"), samples, aim)


def missed(name: str, cold: Cost, warm: Cost) -> list[str]:
    """The aims that a page misses, in words."""
    found = [f"shift {item.shift:.3f} {when}" for when, item in (("cold", cold), ("warm", warm)) if item.shift > 0]
    found += [f"{cold.kilobytes:.0f} kB cold"] if cold.kilobytes > 250 and name not in HEAVY else []
    found += [f"{warm.kilobytes:.0f} kB warm"] if warm.kilobytes > 30 else []
    found += [f"{cold.scripts:.0f} kB of scripts"] if cold.scripts > 150 and name not in HEAVY else []
    return found


def report(browser: Browser, url: str, stops: list[Stop], times: int) -> list[Figure]:
    """Measures and prints, a line a page and window."""
    by_name = {stop.name: stop for stop in stops}
    figures: list[Figure] = []
    here = machine()
    print(
        f"machine: {here['cores']} cores, {here['memory_gib']} GiB, {here['cpu']}; medians of {times}; load"
        f" {os.getloadavg()[0]:.1f}\n"
    )
    print(
        f"{'':<14}{'':<8}{'first, largest paint ms':>26}{'blocked ms':>14}{'shift':>12}{'kB':>14}{'JS kB':>8}"
        f"{'requests':>10}"
        "   aims missed"
    )
    for phone in (False, True):
        where = "phone" if phone else "desktop"
        for name in PAGES:
            cold, warm = measure(browser, f"{url}{by_name[name].address}", phone=phone, times=times)
            figures += [
                *_lines(f"{name}, {where}, cold", cold, "cold"),
                *_lines(f"{name}, {where}, warm", warm, "warm"),
            ]
            a, b = median(cold), median(warm)
            paints = f"{a.first_paint:.0f}/{b.first_paint:.0f}, {a.largest_paint:.0f}/{b.largest_paint:.0f}"
            blocked = f"{a.blocked:.0f}/{b.blocked:.0f}"
            shift = f"{a.shift:.3f}/{b.shift:.3f}"
            kilobytes = f"{a.kilobytes:.0f}/{b.kilobytes:.1f}"
            requests = f"{a.requests:.0f}/{b.requests:.0f}"
            print(
                f"{name:<14}{where:<8}{paints:>26}{blocked:>14}{shift:>12}{kilobytes:>14}{a.scripts:>8.0f}"
                f"{requests:>10}   {', '.join(missed(name, a, b)) or '–'}",
                flush=True,
            )
    return figures


def main() -> None:
    """A console of its own, with the catalog of real packages where that is beside the checkout."""
    parser = argparse.ArgumentParser(prog="make bench-ui", description=__doc__)
    parser.add_argument("--times", type=int, default=5, help="loads of each page, cold and warm")
    asked = parser.parse_args()
    with console(catalog=CATALOG if CATALOG.is_dir() else None) as running, chromium() as browser:
        client = ClusterClient(load(str(running.data / "sandbox/kubeconfig"), None))
        stops = scene.stops(scene.prepare(running.url, client))
        path = Path(__file__).parent / "latest-ui.json"
        figures = report(browser, running.url, stops, asked.times)
        for slowed in (1, SLOWED):
            figures += clicks(browser, running.url, asked.times, slowed)
        save(figures, path)
        print(f"\ncold/warm; written to {path}")


if __name__ == "__main__":
    main()
