#!/usr/bin/env python3
"""`make test-real`: the conformance suite on the sandbox and on a real cluster, then the product's own tests on real ones: two, at once.

What asks no cluster, or is about the page in the browser alone, has been asked by `make test` and is not asked again (--asks-cluster).
Prints the times of building, starting and stopping, writes docs/conformance.md, and closes with the sum of all summaries.
`--all` leaves out nothing; `--record` writes what the real cluster answers as what is expected (`make conformance-record`). Other arguments go to pytest.
"""

import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools import suites  # noqa: E402
from tools.realcluster.build import BuildFailed, Programs, build, tell  # noqa: E402
from tools.realcluster.cluster import RealCluster, running  # noqa: E402
from tools.realcluster.process import PartFailed  # noqa: E402
from tools.run_tests import CACHE, SPREAD, Say, closing, ends_all_it_starts, run, run_again, say_now  # noqa: E402

DATA = ROOT / ".data" / os.environ.get("REAL_DATA", "test-real")
PACKAGES = ROOT / "sandbox" / "conformance" / "packages"
#: The product's tests that any cluster can take; the rest of tests/ is about the sandbox, or about no cluster at all.
PRODUCT = ("tests/kube", "tests/resources", "tests/console")
#: Kinds belong to the whole cluster, and so do their instances: two of these at once would count and remove each other's.
HUB = ("tests/operatorhub", "tests/deploy")
IN_PARALLEL = ("-q", "-n", "2", *SPREAD)
#: What the sandbox answered to the conformance suite, for the report.
SANDBOX = ROOT / ".data" / "conformance" / "sandbox"


Found = dict[str, tuple[int, dict[str, int]]]
#: One cluster's share of the suites: name → pytest's words.
Lane = dict[str, list[str]]


def lanes(*, is_compared: bool) -> tuple[Lane, Lane]:
    """Two clusters, asked at once: on one the tests mostly wait for OLM, while a browser works before the other."""
    compared: Lane = {}
    if is_compared:
        compared = {} if SANDBOX.exists() else {"conformance, sandbox": [*IN_PARALLEL, *suites.CONFORMANCE.words]}
        compared["conformance, real"] = [*IN_PARALLEL, *suites.CONFORMANCE.words]
    first = {
        "OperatorHub, real": ["-q", *HUB],
        "tutorials, real": ["-q", "tests/tutorials"],
    }
    second = {
        "product, real": [*IN_PARALLEL, *PRODUCT],
        "browser, real": ["-q", "tests/e2e"],
        # With an API server of their own, which they kill.
        "faults, real": ["-q", "tests/faults"],
    }
    return {**compared, **first}, second


def walk(lane: Lane, cluster: RealCluster, cache: Path, out: Say | None) -> Found:
    """Each suite's exit code and counts. Without `out` what a suite says is kept until it ends, so that two that run at once can be read."""
    found: Found = {}
    for name, arguments in lane.items():
        real = ["--kubeconfig", str(cluster.kubeconfig), "--asks-cluster"] if name.endswith("real") else []
        said: list[str] = []
        started = time.monotonic()
        tell(f"{name} …")
        found[name] = run_again([*arguments, *real], out or said.append, cache)
        say_now("".join(said))
        tell(f"{name} took {time.monotonic() - started:.0f} s")
    return found


def everything(programs: Programs, *, is_compared: bool) -> Found:
    """Every suite's exit code and counts; PartFailed when a cluster does not start. `is_compared`: whether both clusters' answers are."""
    if is_compared and SANDBOX.exists():
        tell("conformance, sandbox: `make test` has just asked it all of this (SANDBOX_ASKED)")
    first, second = lanes(is_compared=is_compared)
    with (
        running(DATA, programs, tell, (PACKAGES,)) as one,
        running(DATA.with_name(f"{DATA.name}-2"), programs, tell, (PACKAGES,)) as two,
        ThreadPoolExecutor(1) as beside,
    ):
        others = beside.submit(walk, second, two, CACHE.with_name(f"{CACHE.name}-2"), None)
        found = walk(first, one, CACHE, say_now)
        found |= others.result()
    say_times(one)
    return found


def chosen_only(programs: Programs, chosen: list[str]) -> Found:
    """What somebody asks for, on one cluster."""
    with running(DATA, programs, tell, (PACKAGES,)) as cluster:
        found = {"chosen": run(["--kubeconfig", str(cluster.kubeconfig), *chosen])}
    say_times(cluster)
    return found


def say_times(cluster: RealCluster) -> None:
    print(f"make test-real: started in {cluster.times['all']:.1f} s, stopped in {cluster.times['stop']:.1f} s")


def report() -> int:
    """docs/conformance.md anew; in CI it must be the one that was committed."""
    command = [sys.executable, "-m", "sandbox.conformance.report", *(["--check"] if os.environ.get("CI") else [])]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def main() -> int:
    ends_all_it_starts()
    started = time.monotonic()
    chosen = [word for word in sys.argv[1:] if word != "--all"]
    suite, tests, digest = suites.CONFORMANCE, suites.CONFORMANCE.passed(), suites.CONFORMANCE.digest()
    is_compared = "--all" in sys.argv or not tests
    # CI asks the sandbox once: `make test` has run in this very tree.
    if chosen or not os.environ.get("SANDBOX_ASKED"):
        shutil.rmtree(SANDBOX, ignore_errors=True)
    shutil.rmtree(SANDBOX.with_name("real"), ignore_errors=True)
    try:
        programs = build(tell)
        building = time.monotonic() - started
        os.environ["PATH"] = programs.search_path
        found = chosen_only(programs, chosen) if chosen else everything(programs, is_compared=is_compared)
    except (BuildFailed, PartFailed) as problem:
        tell(str(problem))
        return closing((), also_bad=1)
    wrong = report() if is_compared and not chosen else 0
    if not chosen and not is_compared:
        tell(
            f"left out: {suite.name}, {tests} tests: nothing that it depends on has changed since they passed (tools/suites.py)"
        )
    if not wrong and "conformance, real" in found and not found["conformance, real"][0]:
        suites.note(suite, digest, found["conformance, real"][1].get("passed", 0))
    print(f"make test-real: built in {building:.0f} s, {time.monotonic() - started:.0f} s in all")
    return closing(found.values(), also_bad=1 if wrong else 0)


if __name__ == "__main__":
    sys.exit(main())
