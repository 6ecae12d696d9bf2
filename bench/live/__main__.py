"""`make bench-live`: how live the console is, on the sandbox and on a real cluster.

Prints a table, writes bench/latest-live.json. Asserts nothing.
"""

import argparse
import dataclasses
import signal
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser

from bench.browser import chromium
from bench.figures import Figure, figure, save, show
from bench.live import clusters, events_in, events_out, heal, idle, programs, screen, tab, takeover, topics
from bench.live.clusters import Cluster

Part = Callable[[Cluster, Browser], list[Figure]]


def with_console(measure: Callable[[Cluster, programs.Programs, Browser], list[Figure]]) -> Part:
    """A part that needs a console with one worker, and one of its own, so that no part feels another."""

    def run(cluster: Cluster, browser: Browser) -> list[Figure]:
        with programs.started(cluster.kubeconfig) as console:
            return measure(cluster, console, browser)

    return run


PARTS: dict[str, Part] = {
    "screen": with_console(screen.measure),
    "in": events_in.measure,
    "out": with_console(events_out.measure),
    "idle": idle.measure,
    "topics": with_console(topics.measure),
    "tab": with_console(tab.measure),
    "takeover": takeover.measure,
    "heal": heal.measure,
}


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def main() -> None:
    # So that what was started is ended, also when we are.
    signal.signal(signal.SIGTERM, _interrupt)
    parser = argparse.ArgumentParser(prog="make bench-live", description=__doc__)
    parser.add_argument("--only", choices=PARTS, action="append", help="measure only this; may repeat")
    parser.add_argument("--cluster", choices=("sandbox", "real", "both"), default="both")
    asked = parser.parse_args()
    names = ("sandbox", "real") if asked.cluster == "both" else (asked.cluster,)
    figures: list[Figure] = []
    path = Path(__file__).parent.parent / "latest-live.json"
    with chromium() as browser:
        for name in names:
            with clusters.started(name) as cluster:
                if cluster is None:
                    continue
                for part in asked.only or PARTS:
                    figures += [
                        dataclasses.replace(item, name=f"{name}: {item.name}")
                        for item in measured(part, cluster, browser)
                    ]
                    save(figures, path)  # what was measured stays, whatever comes next
    show(figures, path)


def measured(part: str, cluster: Cluster, browser: Browser) -> list[Figure]:
    """One part's figures; none, and why, where it fails: the others are worth having."""
    began, others = time.monotonic(), programs.Others()
    print(f"{cluster.name}: {part} …", flush=True)
    try:
        found = PARTS[part](cluster, browser)
    except (Exception, SystemExit) as problem:
        print(f"{cluster.name}: {part} failed: {type(problem).__name__}: {problem}", flush=True)
        return []
    for item in found:
        print(f"  {item.name}: median {item.median:.4g}, p99 {item.p99:.4g} {item.unit} (n {item.n})", flush=True)
    busy = others.cores()
    print(f"{cluster.name}: {part} took {time.monotonic() - began:.0f} s; others took {busy:.2f} cores", flush=True)
    return [*found, figure(f"(others on the machine, during {part})", "cores", [busy])]


if __name__ == "__main__":
    main()
