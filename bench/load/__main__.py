"""`make bench-load`: LOAD_USERS signed-in people browse, LOAD_STREAMS streams are open, two web processes answer,
for LOAD_MINUTES; on SQLite and on PostgreSQL.

Prints errors, times of each page, memory and CPU; writes bench/latest-load.json. Ends with 1 when anything was answered
wrongly, a stream was lost, a program died or the console's memory grew. The embedded cluster's memory is only printed:
it isn't part of the console.
"""

import argparse
import json
import os
import shutil
import signal
import tempfile
import time
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.console import CATALOG, Running, console, wait
from bench.figures import figure, machine
from bench.live.helper import helping
from bench.live.programs import Others
from bench.load import memory, people
from bench.pages import indexed_by
from tests import postgres

PAGES = {
    "overview": "/?namespace={shown}",
    "pods": "/resources/core/v1/pods/?namespace={shown}",
    "configmaps": "/resources/core/v1/configmaps/?namespace={shown}",
    "deployments": "/resources/apps/v1/deployments/?namespace={shown}",
    "services": "/resources/core/v1/services/?namespace={shown}",
    "events": "/resources/events/?namespace={shown}",
    "search": "/resources/search/?q={namespace}&namespace={shown}",
    "a ConfigMap": "/resources/core/v1/configmaps/{namespace}/{namespace}-map-03/",
    "its YAML": "/resources/core/v1/configmaps/{namespace}/{namespace}-map-03/yaml/",
    "its history": "/resources/core/v1/configmaps/{namespace}/{namespace}-map-03/history/",
    "a Deployment": "/resources/apps/v1/deployments/{namespace}/{namespace}/",
    "form of a Deployment": "/resources/apps/v1/deployments/new/?namespace={namespace}",
    "all kinds": "/resources/?namespace={shown}",
    "OperatorHub": "/operatorhub/?namespace={shown}",
    "installed operators": "/operators/?namespace={shown}",
    "audit": "/audit/?namespace={shown}",
    "settings": "/settings/",
}
WRITES_A_SECOND = 10


def main() -> int:
    parser = argparse.ArgumentParser(prog="make bench-load", description=__doc__)
    parser.add_argument("--minutes", type=float, default=float(os.environ.get("LOAD_MINUTES") or 5))
    parser.add_argument("--users", type=int, default=int(os.environ.get("LOAD_USERS") or 50))
    parser.add_argument("--wide", type=int, default=8, help="so many of them see all namespaces")
    parser.add_argument("--streams", type=int, default=int(os.environ.get("LOAD_STREAMS") or 500))
    parser.add_argument("--think", type=float, default=5.0, help="seconds between two pages of one person, on average")
    parser.add_argument("--database", choices=("sqlite", "postgres", "both"), default="both")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, _interrupt)
    kinds = ["sqlite", "postgres"] if asked.database == "both" else [asked.database]
    if "postgres" in kinds and not shutil.which("initdb"):
        print("bench-load: PostgreSQL is left out: initdb and postgres are not on PATH")
        kinds.remove("postgres")
    results: dict[str, Any] = {"machine": machine(), "asked": vars(asked), "runs": {}}
    good = bool(kinds)
    for kind in kinds:
        results["runs"][kind] = found = once(kind, asked)
        (Path(__file__).parent.parent / "latest-load.json").write_text(json.dumps(results, indent=1) + "\n")
        good &= print_run(kind, found)
    print("\nwritten to bench/latest-load.json")
    return 0 if good else 1


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def once(kind: str, asked: argparse.Namespace) -> dict[str, Any]:
    """One run on a console, a cluster and a database of its own."""
    with ExitStack() as stack:
        settings = {"SIGN_IN": "token", "SHARE_EMBEDDED_CLUSTER": "1"}
        if kind == "postgres":
            settings["DATABASE_URL"] = stack.enter_context(postgres.server())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-load-")))
        catalog = CATALOG if CATALOG.is_dir() else None
        running = stack.enter_context(console(data=folder, catalog=catalog, web=2, settings=settings))
        names = people.furnish(running, asked.users, asked.wide)
        known = [
            people.sign_in(running, name, wide=place >= asked.users - asked.wide) for place, name in enumerate(names)
        ]
        packages = sum(1 for path in catalog.iterdir() if path.is_dir()) if catalog else 1
        wait(lambda: indexed_by(running.url, known[-1].cookie) >= packages, 240, "the index of the catalog")
        return load(running, known, asked)


def load(running: Running, known: list[people.Person], asked: argparse.Namespace) -> dict[str, Any]:
    """The minutes themselves."""
    plain = [item.plain() for item in known]
    each, seconds = max(1, asked.streams // len(known)), asked.minutes * 60
    began, others = datetime.now(UTC), Others()
    with helping("load.streams", url=running.url, people=plain, each=each) as tabs:
        opened = tabs.receive(300)
        print(
            f"{began:%H:%M:%S} UTC: {opened['open']} streams are open; {len(known)} people browse for"
            f" {asked.minutes:g} min",
            flush=True,
        )
        sampler = memory.Sampler(memory.programs(running.process.pid))
        with helping(
            "load.browsers", url=running.url, people=plain, pages=PAGES, seconds=seconds, think=asked.think, seed=1
        ) as browsers:
            browsers.receive()
            written = write(running, [item.name for item in known], seconds)
            visits = browsers.receive(180)
        cores, stream = sampler.cores(), tabs.ask()
    return {
        "began": f"{began:%Y-%m-%d %H:%M:%S} UTC",
        "seconds": seconds,
        "people": len(known),
        "pages": {name: _row(times) for name, times in sorted(visits["times"].items())},
        "errors": visits["errors"],
        "streams": stream,
        "written": written,
        "cores": cores,
        "others_cores": others.cores(),
        "memory": sampler.samples,
        "restarts": (running.data / "console.log").read_text().count("starting it again"),
        "log": troubles((running.data / "console.log").read_text()),
    }


def write(running: Running, names: list[str], seconds: float) -> int:
    """Changes that the streams tell, at a steady rate. Returns how many."""
    began, number = time.monotonic(), 0
    while time.monotonic() - began < seconds:
        name = names[number % len(names)]
        path = f"/api/v1/namespaces/{name}/configmaps/{name}-map-{number // len(names) % people.MAPS:02}"
        body = {"metadata": {"labels": {"seen": f"mark-{number}"}}}
        running.cluster("PATCH", path, body, "application/merge-patch+json")
        number += 1
        time.sleep(max(0.0, began + number / WRITES_A_SECOND - time.monotonic()))
    return number


def _row(times: list[float]) -> dict[str, float]:
    item = figure("", "ms", times)
    return {"n": item.n, "p50": item.median, "p99": item.p99, "most": max(times)}


def troubles(log: str) -> list[str]:
    """Lines that say that something failed."""
    words = ("ERROR", "CRITICAL", "Traceback", "WARNING")
    return [line for line in log.splitlines() if any(word in line for word in words)][:200]


def print_run(kind: str, found: dict[str, Any]) -> bool:
    """Prints a run; whether it was good."""
    pages = sum(row["n"] for row in found["pages"].values())
    print(
        f"\n{kind}, from {found['began']}: {pages} requests of {found['people']} people in {found['seconds']:.0f} s"
        f" ({pages / found['seconds']:.1f}/s), errors: {len(found['errors'])}"
    )
    for sentence in found["errors"][:20]:
        print(f"  {sentence}")
    print(f"  {'page':<24} {'n':>6} {'p50 ms':>8} {'p99 ms':>8} {'most':>8}")
    for name, row in found["pages"].items():
        print(f"  {name:<24} {row['n']:>6} {row['p50']:>8.0f} {row['p99']:>8.0f} {row['most']:>8.0f}")
    stream = found["streams"]
    print(
        f"  streams: {stream['open']} open, {stream['lost']} lost; {stream['events']} events,"
        f" {stream['bytes'] / 2**20:.1f} MiB; {found['written']} changes written"
    )
    level = True
    for name, samples in found["memory"].items():
        first, last = memory.growth(samples)
        is_flat = memory.flat(samples)
        level &= is_flat or name == "sandbox"
        print(
            f"  {name:<10} {samples[0][1]:>5.0f} MiB at first, {first:>5.0f} → {last:>5.0f} MiB after the warm-up:"
            f" {'flat' if is_flat else 'GROWS'}; CPU {found['cores'].get(name, 0) * 100:.0f} %"
        )
    print(
        f"  others on the machine: {found['others_cores']:.2f} cores; programs started anew: {found['restarts']}; lines"
        f" of trouble in the log: {len(found['log'])}"
    )
    for line in found["log"][:10]:
        print(f"  {line}")
    return not found["errors"] and not stream["lost"] and not found["restarts"] and level


if __name__ == "__main__":
    raise SystemExit(main())
