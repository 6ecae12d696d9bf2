#!/usr/bin/env python3
"""`make plant-faults`: plants small faults in the product, and says which tests notice them.

Each fault is shown alone to the test files that are called like its module or import it. Those that are left are
planted together, and all units run once; what fails then is run with each fault alone. The same with the browser's
journeys, the tutorials, and all browser tests (tools/faults/stages.py). Results are stored in .data/faults by the
content of the product and the tests, so an interrupted run resumes where it was. The table goes into docs/testing.md.
"""

import argparse
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.faults import choose, report, trees  # noqa: E402 - the tree isn't installed in the environment
from tools.faults.repository import git  # noqa: E402
from tools.faults.stages import STAGES, Judge, Results  # noqa: E402
from tools.faults.trees import Tree  # noqa: E402

PAGE = ROOT / "docs/testing.md"


def main() -> int:
    options = _options()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, trees.end_all)
    folder = ROOT / ".data/faults"
    commit = git("rev-parse", options.commit)
    lanes = [Tree(folder / str(number + 1), commit) for number in range(options.lanes)]
    for lane in lanes:
        lane.make()
    root = lanes[0].path
    faults = choose.choose(root, options.count, options.seed)
    judge = Judge(lanes, Results(folder / "results", root))
    started = time.monotonic()
    if not options.only_table:
        judge.alone(faults)
        for stage in STAGES:
            if stage.name in options.stages:
                judge.together(faults, stage)
    table = report.table(faults, judge.results)
    print(table)
    PAGE.write_text(report.put(PAGE.read_text(encoding="utf-8"), table), encoding="utf-8")
    print(f"plant-faults: {time.monotonic() - started:.0f} s for {len(faults)} faults; {PAGE.relative_to(ROOT)}")
    return 130 if trees.is_ending() else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=30, help="how many faults")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument(
        "--commit", default="HEAD", help="whose product and tests; what is not committed does not count"
    )
    parser.add_argument("--lanes", type=int, default=2, help="how many faults are tried alone at the same time")
    names = [stage.name for stage in STAGES]
    parser.add_argument("--stages", nargs="*", default=names, choices=names, help="which tests all that are left meet")
    parser.add_argument("--only-table", action="store_true", help="of what is known; runs nothing")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(f"plant-faults: {error}: {error.stderr}")
