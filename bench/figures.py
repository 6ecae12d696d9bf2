"""Figures: medians and 99th percentiles of several runs, printed with the machine, written to bench/latest.json."""

import json
import math
import os
import platform
import statistics
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of the table. `aim` and `peer` are words for the reader, nothing is asserted."""

    name: str
    unit: str
    median: float
    p99: float
    n: int
    aim: str = ""
    peer: str = ""


def figure(name: str, unit: str, samples: list[float], aim: str = "", peer: str = "") -> Figure:
    """`samples` must not be empty. p99 is the nearest rank, so with fewer than 100 samples it is the largest."""
    ordered = sorted(samples)
    return Figure(
        name=name,
        unit=unit,
        median=statistics.median(ordered),
        p99=ordered[math.ceil(0.99 * len(ordered)) - 1],
        n=len(ordered),
        aim=aim,
        peer=peer,
    )


def machine() -> dict[str, str | int]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**30
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        model = next(
            (
                line.split(":", 1)[1].strip()
                for line in cpuinfo.read_text().splitlines()
                if line.startswith("model name")
            ),
            model,
        )
    return {
        "cores": os.cpu_count() or 0,
        "memory_gib": memory,
        "cpu": model,
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def show(figures: list[Figure], path: Path) -> None:
    """Print the table and write it, with the machine, to `path`."""
    here = machine()
    print(f"\nmachine: {here['cores']} cores, {here['memory_gib']} GiB, {here['cpu']}, Python {here['python']}\n")
    print(f"{'what':<78} {'median':>10} {'p99':>10} {'n':>4}  {'unit':<8} {'aim':<10} peer")
    for item in figures:
        print(
            f"{item.name:<78} {item.median:>10.4g} {item.p99:>10.4g} {item.n:>4}  {item.unit:<8} {item.aim:<10}"
            f" {item.peer}"
        )
    save(figures, path)
    print(f"\nwritten to {path}")


def save(figures: list[Figure], path: Path) -> None:
    """The same, for programs."""
    path.write_text(json.dumps({"machine": machine(), "figures": [asdict(item) for item in figures]}, indent=1) + "\n")
