#!/usr/bin/env python3
"""`make test-compatibility`: the tests that a real cluster decides, with other versions of Kubernetes and OLM.

Arguments are versions: `1.33` of Kubernetes, `olm-0.45` of OLM. Without any: those of Kubernetes that are emulated, and
those of both that this machine has built already (docs/compatibility.md). For a version of Kubernetes: the conformance
suite, then the product's and OperatorHub's tests as at a landing; for one of OLM, OperatorHub's alone. Other arguments
choose suites by the beginning of their names: `-conformance`. Two versions are tried at once. Prints a line for each
version, and the sum of all.
"""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools import second_tries, suites  # noqa: E402
from tools.realcluster.build import BuildFailed, Programs, build, built_versions, print_progress  # noqa: E402
from tools.realcluster.cluster import running  # noqa: E402
from tools.realcluster.process import PartFailed  # noqa: E402
from tools.run_real_tests import IN_PARALLEL, LANDING_HUB, LANDING_PRODUCT, PACKAGES, Found, Lane, walk  # noqa: E402
from tools.run_tests import closing, ends_all_it_starts  # noqa: E402

DATA = ROOT / ".data" / "test-compatibility"
EMULATED = ("1.33", "1.34", "1.35")
#: Clusters at once: their tests wait for half of their time.
AT_ONCE = 2
_OLM = "olm-"
_HUB: Lane = {"OperatorHub": ["-q", *LANDING_HUB]}
_ALL: Lane = {
    # OLM takes several steps in some tests, and minutes for them on a busy machine.
    "conformance": [*IN_PARALLEL, "--timeout", "400", *suites.CONFORMANCE.words],
    "product": [*IN_PARALLEL, *LANDING_PRODUCT],
    **_HUB,
}


def asked(version: str, chosen: list[str]) -> Lane:
    """The suites of a version, by their names for walk()."""
    lane = _HUB if version.startswith(_OLM) else _ALL
    return {
        f"{name}, {version}, real": words
        for name, words in lane.items()
        if not chosen or any(name.lower().startswith(word) for word in chosen)
    }


def programs_of(version: str) -> Programs:
    """Builds what is missing; BuildFailed."""
    is_olm = version.startswith(_OLM)
    os.environ |= {"KUBERNETES": "" if is_olm else version, "OLM_VERSION": version.removeprefix(_OLM) if is_olm else ""}
    return build(print_progress)


@dataclass(frozen=True, slots=True)
class Tried:
    """What a version's suites gave; `problem`: why its cluster did not start."""

    version: str
    found: Found
    seconds: float
    problem: str = ""

    def line(self) -> str:
        parts = [self.problem] if self.problem else []
        for name, (code, counts) in self.found.items():
            numbers = ", ".join(f"{number} {word}" for word, number in counts.items())
            parts.append(f"{name.partition(',')[0]}: {numbers or f'exit code {code}'}")
        return f"  {self.version:<8} {'; '.join(parts)} ({self.seconds / 60:.0f} min)"


def tried(version: str, programs: Programs, lane: Lane) -> Tried:
    """The suites on a cluster of this version. What they print comes when each ends."""
    started = time.monotonic()

    def say(text: str) -> None:
        print_progress(f"{version}: {text}")

    try:
        with running(DATA / version, programs, say, (PACKAGES,)) as cluster:
            found = walk(lane, cluster, DATA / f"pytest-{version}", None)
    except PartFailed as problem:
        return Tried(version, {}, time.monotonic() - started, str(problem))
    return Tried(version, found, time.monotonic() - started)


def main() -> int:
    ends_all_it_starts()
    started = time.monotonic()
    DATA.mkdir(parents=True, exist_ok=True)
    # A busy moment here says nothing about a landing.
    second_tries.RECORD = DATA / "second-tries.json"
    second_tries.RECORD.unlink(missing_ok=True)
    chosen = [word.lstrip("-").lower() for word in sys.argv[1:] if word.startswith("-")]
    versions = [word for word in sys.argv[1:] if not word.startswith("-")]
    versions = versions or sorted({*EMULATED, *built_versions("kubernetes")}) + [
        f"{_OLM}{version}" for version in built_versions("olm")
    ]
    try:
        programs = {version: programs_of(version) for version in versions}
    except BuildFailed as problem:
        print_progress(str(problem))
        return closing((), also_bad=1)
    os.environ["PATH"] = programs[versions[0]].search_path
    with ThreadPoolExecutor(AT_ONCE) as pool:
        results = [pool.submit(tried, version, programs[version], asked(version, chosen)) for version in versions]
        try:
            done = [result.result() for result in results]
        finally:
            # Ctrl-C ends those that run; no other begins.
            pool.shutdown(cancel_futures=True)
    minutes = (time.monotonic() - started) / 60
    print(f"make test-compatibility: {len(done)} versions in {minutes:.0f} min")
    print(*(trial.line() for trial in done), sep="\n")
    return closing(
        (found for trial in done for found in trial.found.values()),
        also_bad=sum(bool(trial.problem) for trial in done),
    )


if __name__ == "__main__":
    sys.exit(main())
