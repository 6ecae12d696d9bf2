#!/usr/bin/env python3
"""`make plant-faults`: plants small faults in the product, one at a time, and says which tests notice them.

A fault is first shown to the test files that are called like its module. For what these don't notice, each test file
runs once and is recorded with what it runs of the product; then the files that run the faulty line are asked, the
likeliest first. All that is found is kept in .data/faults and not asked again as long as the product and the test file
are the same, so an interrupted run goes on where it was. The table goes into docs/testing.md.
"""

import argparse
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.faults import choose, report, trees  # noqa: E402 - the tree is no package of the environment
from tools.faults.choose import Fault  # noqa: E402
from tools.faults.recording import Recording  # noqa: E402
from tools.faults.trees import Tree  # noqa: E402
from tools.faults.verdicts import GROUPS, LIKELY, UNITS, Group, Verdicts  # noqa: E402

PAGE = ROOT / "docs/testing.md"


@dataclass(slots=True)
class Planting:
    """One run: its faults are taken one after the other by each tree."""

    faults: list[Fault]
    lanes: list[Tree]
    options: argparse.Namespace

    def judge(self, verdicts: Verdicts, group: Group, *, most: int = 10_000) -> None:
        """By one group of tests; what the units notice need not be noticed by others."""
        is_each = self.options.each_suite
        left = [fault for fault in self.faults if is_each or not verdicts.verdict(fault, UNITS).test]
        print(f"plant-faults: {len(left)} faults for the {group.name}", flush=True)

        def take(tree: Tree) -> None:
            while left and not trees.is_ending():
                fault = left.pop(0)
                started = time.monotonic()
                seconds = self.options.minutes * 60
                verdict = verdicts.judge(fault, group, tree, seconds=seconds, most=most)
                said = verdict.test or f"not by {verdict.ran} files, {verdict.left} are left"
                took = time.monotonic() - started
                print(f"plant-faults: {fault.file}:{fault.line} ({fault.kind}): {said} ({took:.0f} s)", flush=True)

        threads = [threading.Thread(target=take, args=(tree,), daemon=True) for tree in self.lanes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def main() -> int:
    options = _options()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, trees.end_all)
    commit = trees.git("rev-parse", options.commit)
    lanes = [Tree(ROOT / ".data/faults" / str(number + 1), commit) for number in range(options.lanes)]
    for lane in lanes:
        lane.make()
    root = lanes[0].path
    recording = Recording(commit, root)
    run = Planting(choose.choose(root, options.count, options.seed), lanes, options)
    groups = [group for group in GROUPS if group.name in options.groups and group.exists(root)]
    started = time.monotonic()
    if UNITS in groups and not options.only_table:
        # Most faults are noticed by tests that are called like the module: what needs no recording of all tests.
        for most in LIKELY:
            run.judge(Verdicts(recording), UNITS, most=most)
    if not options.no_recording and not options.only_table and not trees.is_ending():
        recording.record(lanes, 3600)
    verdicts = Verdicts(recording)
    for group in groups if not options.only_table and not trees.is_ending() else ():
        run.judge(verdicts, group)
    table = report.table(run.faults, verdicts)
    print(table)
    PAGE.write_text(report.put(PAGE.read_text(encoding="utf-8"), table), encoding="utf-8")
    print(f"plant-faults: {time.monotonic() - started:.0f} s for {len(run.faults)} faults; {PAGE.relative_to(ROOT)}")
    return 130 if trees.is_ending() else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=30, help="how many faults")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument(
        "--commit", default="HEAD", help="whose product and tests; what is not committed does not count"
    )
    parser.add_argument("--lanes", type=int, default=2, help="how many checkouts work at the same time")
    parser.add_argument("--minutes", type=float, default=15, help="the longest that a fault takes in a group of tests")
    parser.add_argument(
        "--groups", nargs="*", default=[group.name for group in GROUPS], help="units, journeys, browser, tutorials"
    )
    parser.add_argument("--each-suite", action="store_true", help="the browser too for what the units notice")
    parser.add_argument("--no-recording", action="store_true", help="with what is recorded already")
    parser.add_argument("--only-table", action="store_true", help="of what is known; runs nothing")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(f"plant-faults: {error}: {error.stderr}")
