#!/usr/bin/env python3
"""`make test-real`: the conformance suite on the sandbox and on a real cluster, then the product's own tests on real
ones: two, at once.

What asks no cluster, or is about the page in the browser alone, has been asked by `make test` and is not asked again
(--asks-cluster). Of the rest a landing runs LANDING: what only a real API server, real controllers and a real OLM
decide. The conformance suite holds the embedded cluster to the same answers, so what else is tested there holds here
too; `make test-all` asks it all the same. Prints the times of building, starting and stopping, writes
docs/conformance.md, and closes with the sum of all summaries. `--all` leaves out nothing; `--record` writes what the
real cluster answers as what is expected (`make conformance-record`). Other arguments go to pytest.
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
from tools.realcluster.build import BuildFailed, Programs, build, print_progress  # noqa: E402
from tools.realcluster.cluster import RealCluster, running  # noqa: E402
from tools.realcluster.process import PartFailed  # noqa: E402
from tools.run_tests import CACHE, SPREAD, Say, closing, ends_all_it_starts, run, run_again, say_now  # noqa: E402

DATA = ROOT / ".data" / os.environ.get("REAL_DATA", "test-real")
PACKAGES = ROOT / "sandbox" / "conformance" / "packages"
#: The product's tests that any cluster can take; the rest of tests/ is about the sandbox, or about no cluster at all.
PRODUCT = ("tests/kube", "tests/resources", "tests/console")
#: Kinds belong to the whole cluster, and so do their instances: two of these at once would count and remove each
#: other's.
HUB = ("tests/operatorhub", "tests/deploy")
#: What can differ on a real cluster, of PRODUCT: refusals, patches and conflicts, watches and their resuming, tables,
#: kinds that come and go, warnings and dry runs, deletion, controllers, logs and ports of Pods.
LANDING_PRODUCT = (
    "tests/kube/test_client.py",
    "tests/kube/test_person.py",
    "tests/kube/test_restarts.py",
    "tests/kube/test_schema.py",
    "tests/console/reach/test_walk.py",
    "tests/console/test_removed_kinds.py",
    "tests/resources/history/test_recorder.py",
    "tests/resources/lists/test_snapshot.py",
    "tests/resources/stream/test_stream.py",
    "tests/resources/views/test_api_watch.py",
    "tests/resources/views/test_conflicts.py",
    "tests/resources/views/test_crds.py",
    "tests/resources/views/test_delete_and_scale.py",
    "tests/resources/views/test_forward.py",
    "tests/resources/views/test_review.py",
    "tests/resources/views/test_rights.py",
    "tests/resources/views/test_warnings.py",
    "tests/resources/watch/test_hub.py",
)
#: The same of HUB: what OLM does with what the pages send, and whether the commands beside the buttons do the same.
LANDING_HUB = (
    "tests/operatorhub/test_install_pages.py",
    "tests/operatorhub/test_kubectl_blocks.py",
    "tests/operatorhub/test_lifecycle.py",
    "tests/operatorhub/test_plans.py",
    "tests/operatorhub/test_uninstall.py",
    "tests/deploy/test_apply.py",
    "tests/deploy/test_overlays.py",
)
IN_PARALLEL = ("-q", "-n", "2", *SPREAD)
#: What the sandbox answered to the conformance suite, for the report.
SANDBOX = ROOT / ".data" / "conformance" / "sandbox"


Found = dict[str, tuple[int, dict[str, int]]]
#: One cluster's share of the suites: name → pytest's words.
Lane = dict[str, list[str]]


def lanes(*, is_compared: bool, is_whole: bool) -> tuple[Lane, Lane]:
    """Two clusters, asked at once: on one the tests mostly wait for OLM, while a browser works before the other."""
    compared: Lane = {}
    if is_compared:
        compared = {} if SANDBOX.exists() else {"conformance, sandbox": [*IN_PARALLEL, *suites.CONFORMANCE.words]}
        compared["conformance, real"] = [*IN_PARALLEL, *suites.CONFORMANCE.words]
    first = {
        "OperatorHub, real": ["-q", *(HUB if is_whole else LANDING_HUB)],
        "tutorials, real": ["-q", "tests/tutorials"],
    }
    second = {
        "product, real": [*IN_PARALLEL, *(PRODUCT if is_whole else LANDING_PRODUCT)],
        "browser, real": ["-q", "tests/e2e", *([] if is_whole else ["--journeys"])],
        # With an API server of their own, which they kill.
        "faults, real": ["-q", "tests/faults"],
    }
    return {**compared, **first}, second


def walk(lane: Lane, cluster: RealCluster, cache: Path, out: Say | None) -> Found:
    """Each suite's exit code and counts.

    Without `out` a suite's output is printed when it ends, so that two that run at once stay readable.
    """
    found: Found = {}
    for name, arguments in lane.items():
        real = ["--kubeconfig", str(cluster.kubeconfig), "--asks-cluster"] if name.endswith("real") else []
        output: list[str] = []
        started = time.monotonic()
        print_progress(f"{name} …")
        found[name] = run_again([*arguments, *real], out or output.append, cache)
        say_now("".join(output))
        print_progress(f"{name} took {time.monotonic() - started:.0f} s")
    return found


def everything(programs: Programs, *, is_compared: bool, is_whole: bool) -> Found:
    """Every suite's exit code and counts; PartFailed when a cluster does not start.

    `is_compared`: whether both clusters' answers are.
    """
    if is_compared and SANDBOX.exists():
        print_progress("conformance, sandbox: `make test` has just asked it all of this (SANDBOX_ASKED)")
    first, second = lanes(is_compared=is_compared, is_whole=is_whole)
    with (
        running(DATA, programs, print_progress, (PACKAGES,)) as first_cluster,
        running(DATA.with_name(f"{DATA.name}-2"), programs, print_progress, (PACKAGES,)) as second_cluster,
        ThreadPoolExecutor(1) as beside,
    ):
        others = beside.submit(walk, second, second_cluster, CACHE.with_name(f"{CACHE.name}-2"), None)
        found = walk(first, first_cluster, CACHE, say_now)
        found |= others.result()
    say_times(first_cluster)
    return found


def chosen_only(programs: Programs, chosen: list[str]) -> Found:
    """The tests that the command line names, on one cluster."""
    with running(DATA, programs, print_progress, (PACKAGES,)) as cluster:
        found = {"chosen": run(["--kubeconfig", str(cluster.kubeconfig), *chosen])}
    say_times(cluster)
    return found


def say_times(cluster: RealCluster) -> None:
    print(f"make test-real: started in {cluster.times['all']:.1f} s, stopped in {cluster.times['stop']:.1f} s")


def report() -> int:
    """Writes docs/conformance.md; in CI it must equal the committed one."""
    command = [sys.executable, "-m", "sandbox.conformance.report", *(["--check"] if os.environ.get("CI") else [])]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def main() -> int:
    ends_all_it_starts()
    started = time.monotonic()
    chosen = [word for word in sys.argv[1:] if word != "--all"]
    suite, tests, digest = suites.CONFORMANCE, suites.CONFORMANCE.passed(), suites.CONFORMANCE.digest()
    is_whole = "--all" in sys.argv
    is_compared = is_whole or not tests
    # CI asks the sandbox once: `make test` has run in this very tree.
    if chosen or not os.environ.get("SANDBOX_ASKED"):
        shutil.rmtree(SANDBOX, ignore_errors=True)
    shutil.rmtree(SANDBOX.with_name("real"), ignore_errors=True)
    try:
        programs = build(print_progress)
        building = time.monotonic() - started
        os.environ["PATH"] = programs.search_path
        found = (
            chosen_only(programs, chosen)
            if chosen
            else everything(programs, is_compared=is_compared, is_whole=is_whole)
        )
    except (BuildFailed, PartFailed) as problem:
        print_progress(str(problem))
        return closing((), also_bad=1)
    wrong = report() if is_compared and not chosen else 0
    if not chosen and not is_compared:
        print_progress(
            f"left out: {suite.name}, {tests} tests: nothing that it depends on has changed since they passed"
            " (tools/suites.py)"
        )
    if not wrong and "conformance, real" in found and not found["conformance, real"][0]:
        suites.note(suite, digest, found["conformance, real"][1].get("passed", 0))
    print(f"make test-real: built in {building:.0f} s, {time.monotonic() - started:.0f} s in all")
    return closing(found.values(), also_bad=1 if wrong else 0)


if __name__ == "__main__":
    sys.exit(main())
