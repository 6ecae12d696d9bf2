"""`make bench`: starts a console of its own, measures, prints a table, writes bench/latest.json. Asserts nothing."""

import argparse
import time
from pathlib import Path

from bench import events, forward, install, lists, logs, overview, pages, refresh
from bench.browser import chromium
from bench.console import CATALOG, console
from bench.figures import Figure, figure, show

PARTS = ("memory", "events", "logs", "forward", "install", "pages", "index", "lists", "overview")


def main() -> None:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument(
        "--only",
        choices=PARTS,
        action="append",
        help="measure only this",
    )
    parser.add_argument("--objects", type=int, default=10_000, help="how many objects the lists have")
    asked = parser.parse_args()
    only = asked.only or list(PARTS)
    figures: list[Figure] = []
    catalog = CATALOG if CATALOG.is_dir() else None
    if catalog is None:
        print("the catalog of 268 real packages is not beside this checkout: the page figures are left out")
    with console(catalog=catalog) as running, chromium() as browser:
        if catalog is not None:
            packages = sum(1 for folder in catalog.iterdir() if folder.is_dir())
            figures.append(
                figure(f"index: from ready to {packages} packages searchable", "s", [pages.indexed(running, packages)])
            )
        if "memory" in only:
            time.sleep(15)  # at rest: start-up's garbage is gone
            memory = running.memory()
            for name, (resident, shared) in sorted(memory.items()):
                print(f"at rest: {name}: resident {resident:.0f} MiB, {shared:.0f} with shared pages divided")
            total = [sum(column) for column in zip(*memory.values(), strict=True)]
            figures.append(figure("memory: all processes at rest, resident", "MiB", total[:1], "400"))
            figures.append(figure("memory: the same, shared pages counted once", "MiB", total[1:], "350"))
        if "events" in only:
            figures.append(events.event_to_screen(running, browser))
        if "logs" in only:
            figures += logs.measure(running, browser)
        if "forward" in only:
            figures += forward.measure(running)
        if "install" in only:
            figures += install.succeeded(running)
        if "pages" in only and catalog is not None:
            figures += pages.catalog(running, browser)
            figures += pages.argocd_form(running, browser)
        if "index" in only and catalog is not None:
            figures += refresh.measure(running, catalog)
        if "lists" in only:
            figures += lists.measure(running, browser, asked.objects)
        if "overview" in only:
            figures += overview.measure(running, browser, asked.objects)
    show(figures, Path(__file__).parent / "latest.json")


if __name__ == "__main__":
    main()
