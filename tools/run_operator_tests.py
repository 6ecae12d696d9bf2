#!/usr/bin/env python3
"""`make test-operators`: the operators' own tests and the tutorials, everything in them, on the embedded cluster and
then on a real one.

The real cluster needs Go, or its programs from an earlier build; where they can't be built this says so and fails.
`--embedded` and `--real` ask for one of the two clusters alone.
"""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.realcluster.build import BuildFailed, build, print_progress  # noqa: E402
from tools.realcluster.cluster import running  # noqa: E402
from tools.realcluster.process import PartFailed  # noqa: E402
from tools.run_real_tests import Found, walk  # noqa: E402
from tools.run_tests import CACHE, SPREAD, closing, ends_all_it_starts, run_again, say_now  # noqa: E402

DATA = ROOT / ".data" / "test-operators"
FOLDER = "examples/operators/tests"


def shares() -> list[str]:
    """The folders of one operator each, without SampleDB: about half of what examples/operators/tests takes on a
    real cluster.
    """
    other = sorted(str(path.relative_to(ROOT)) for path in (ROOT / FOLDER).iterdir() if (path / "__init__.py").exists())
    return [path for path in other if not path.endswith("sampledb")]


def embedded() -> Found:
    """Operators in parallel, where each file has a cluster of its own; the tutorials one after the other, on one."""
    print_progress("operators and tutorials, embedded …")
    return {
        "operators": run_again(["-q", "-n", "2", *SPREAD, FOLDER]),
        "tutorials": run_again(["-q", "tests/tutorials"]),
    }


def real() -> Found:
    """Two clusters at once, since an operator's kinds belong to the whole of one; BuildFailed, PartFailed."""
    programs = build(print_progress)
    os.environ["PATH"] = programs.search_path
    many = shares()
    first = {
        "SampleDB and all together, real": ["-q", FOLDER, *(f"--ignore={path}" for path in many)],
        "tutorials, real": ["-q", "tests/tutorials"],
    }
    with (
        running(DATA, programs, print_progress) as first_cluster,
        running(DATA.with_name(f"{DATA.name}-2"), programs, print_progress) as second_cluster,
        ThreadPoolExecutor(1) as beside,
    ):
        others = beside.submit(
            walk, {"the other operators, real": ["-q", *many]}, second_cluster, CACHE.with_name(f"{CACHE.name}-2"), None
        )
        return walk(first, first_cluster, CACHE, say_now) | others.result()


def main() -> int:
    ends_all_it_starts()
    started = time.monotonic()
    os.environ["TUTORIALS"] = "all"
    found: Found = {}
    failed = 0
    if "--real" not in sys.argv[1:]:
        found |= embedded()
    if "--embedded" not in sys.argv[1:]:
        try:
            found |= real()
        except (BuildFailed, PartFailed) as problem:
            print_progress(str(problem))
            failed = 1
    print(f"make test-operators: {time.monotonic() - started:.0f} s")
    return closing(found.values(), failed)


if __name__ == "__main__":
    sys.exit(main())
