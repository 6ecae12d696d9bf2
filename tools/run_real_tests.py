#!/usr/bin/env python3
"""`make test-real`: the conformance suite on the sandbox and on a real cluster, then the product's own tests on the real one.

Prints the times of building, starting and stopping, writes docs/conformance.md, and closes with the sum of all summaries.
`--record` writes what the real cluster answers as what is expected (`make conformance-record`). Other arguments go to pytest.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.realcluster.build import BuildFailed, build, tell  # noqa: E402
from tools.realcluster.cluster import RealCluster, running  # noqa: E402
from tools.realcluster.process import PartFailed  # noqa: E402
from tools.run_tests import SPREAD, run, run_again  # noqa: E402

DATA = ROOT / ".data" / "test-real"
PACKAGES = ROOT / "tests" / "conformance" / "packages"
#: The product's tests that any cluster can take; the rest of tests/ is about the sandbox, or about no cluster at all.
PRODUCT = ("tests/kube", "tests/resources", "tests/console")
#: Kinds belong to the whole cluster, and so do their instances: two of these at once would count and remove each other's.
HUB = ("tests/operatorhub", "tests/deploy")
IN_PARALLEL = ("-q", "-n", "2", *SPREAD)
#: What the sandbox answered to the conformance suite, for the report.
SANDBOX = ROOT / ".data" / "conformance" / "sandbox"


def suites(cluster: RealCluster, chosen: list[str]) -> dict[str, tuple[int, dict[str, int]]]:
    """Each run's exit code and counts."""
    real = ["--kubeconfig", str(cluster.kubeconfig)]
    if chosen:
        return {"chosen": run([*real, *chosen])}
    found = {}
    if SANDBOX.exists():
        tell("conformance, sandbox: `make test` has just asked it all of this (SANDBOX_ASKED)")
    for name, arguments in {
        **({} if SANDBOX.exists() else {"conformance, sandbox": [*IN_PARALLEL, "tests/conformance"]}),
        "conformance, real": [*IN_PARALLEL, "tests/conformance", *real],
        "product, real": [*IN_PARALLEL, *PRODUCT, *real],
        "OperatorHub, real": ["-q", *HUB, *real],
        "browser, real": ["-q", "tests/e2e", *real],
        "tutorials, real": ["-q", "tests/tutorials", *real],
        # With an API server of their own, which they kill.
        "faults, real": ["-q", "tests/faults", *real],
    }.items():
        started = time.monotonic()
        tell(f"{name} …")
        found[name] = run_again(arguments)
        tell(f"{name} took {time.monotonic() - started:.0f} s")
    return found


def report() -> int:
    """docs/conformance.md anew; in CI it must be the one that was committed."""
    command = [sys.executable, "-m", "tests.conformance.report", *(["--check"] if os.environ.get("CI") else [])]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def main() -> int:
    started = time.monotonic()
    chosen = sys.argv[1:]
    # CI asks the sandbox once: `make test` has run in this very tree.
    if chosen or not os.environ.get("SANDBOX_ASKED"):
        shutil.rmtree(SANDBOX, ignore_errors=True)
    shutil.rmtree(SANDBOX.with_name("real"), ignore_errors=True)
    try:
        programs = build(tell)
        building = time.monotonic() - started
        os.environ["PATH"] = programs.search_path
        with running(DATA, programs, tell, (PACKAGES,)) as cluster:
            found = suites(cluster, chosen)
        times = cluster.times
    except (BuildFailed, PartFailed) as problem:
        tell(str(problem))
        print("0 passed, 1 failed, 0 skipped")
        return 1
    wrong = 0 if chosen else report()
    total: dict[str, int] = {}
    for _, counts in found.values():
        for word, number in counts.items():
            total[word.removesuffix("s") if word == "errors" else word] = total.get(word, 0) + number
    bad = total.get("failed", 0) + total.get("error", 0) + (1 if wrong else 0)
    print(
        f"make test-real: built in {building:.0f} s, started in {times['all']:.1f} s, stopped in {times['stop']:.1f} s"
    )
    print(f"make test-real: {time.monotonic() - started:.0f} s in all")
    print(f"{total.get('passed', 0)} passed, {bad} failed, {total.get('skipped', 0)} skipped")
    return 1 if bad or any(code for code, _ in found.values()) or not total.get("passed") else 0


if __name__ == "__main__":
    sys.exit(main())
