#!/usr/bin/env python3
"""`make test-operators`: the operators' own tests and the tutorials, everything in them, on the embedded cluster and then on a real one.

The real cluster needs Go, or its programs from an earlier build; where they can't be built this says so and fails. `--embedded` and `--real` ask for one of the two
clusters alone.
"""

import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.realcluster.build import BuildFailed, build, tell  # noqa: E402
from tools.realcluster.cluster import running  # noqa: E402
from tools.realcluster.process import PartFailed  # noqa: E402
from tools.run_tests import SPREAD, run_again  # noqa: E402

DATA = ROOT / ".data" / "test-operators"
Counts = tuple[int, dict[str, int]]


def suites(*arguments: str, parallel: bool = True) -> list[Counts]:
    """Operators in parallel where each file has a cluster of its own; the tutorials one after the other, on one."""
    spread = ["-n", "2", *SPREAD] if parallel else []
    return [
        run_again(["-q", *spread, "tests/operators", *arguments]),
        run_again(["-q", "tests/tutorials", *arguments]),
    ]


def main() -> int:
    started = time.monotonic()
    os.environ["TUTORIALS"] = "all"
    found: list[Counts] = []
    failed = 0
    if "--real" not in sys.argv[1:]:
        tell("operators and tutorials, embedded …")
        found += suites()
    if "--embedded" not in sys.argv[1:]:
        try:
            programs = build(tell)
            os.environ["PATH"] = programs.search_path
            with running(DATA, programs, tell) as cluster:
                tell("operators and tutorials, real …")
                found += suites("--kubeconfig", str(cluster.kubeconfig), parallel=False)
        except (BuildFailed, PartFailed) as problem:
            tell(str(problem))
            failed = 1
    total: dict[str, int] = {}
    for _, counts in found:
        for word, number in counts.items():
            total[word.removesuffix("s") if word == "errors" else word] = total.get(word, 0) + number
    bad = total.get("failed", 0) + total.get("error", 0) + failed
    print(f"make test-operators: {time.monotonic() - started:.0f} s")
    print(f"{total.get('passed', 0)} passed, {bad} failed, {total.get('skipped', 0)} skipped")
    return 1 if bad or any(code for code, _ in found) else 0


if __name__ == "__main__":
    sys.exit(main())
