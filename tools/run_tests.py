#!/usr/bin/env python3
"""`make test`: units and pages in one lane; beside them the browser's journeys, the tutorials, and suites that are
due, one after the other.

Playwright's sync API and pytest-asyncio can't share a process, hence several runs of pytest. Their summaries are added
up in the last line. `--all` leaves out nothing; other arguments go to one run of pytest, e.g. `make test
ARGS=tests/kube`. A few tests that fail among thousands are tried once more, alone (decision 13). What passes only then
is named and noted in tests/second_tries.json; the third time it fails.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools import second_tries, suites  # noqa: E402 - the tree isn't installed in the environment

# TEST_PYTHON: another environment's (tools/run_image_tests.py).
PYTEST = [os.environ.get("TEST_PYTHON") or str(ROOT / ".venv/bin/python"), "-m", "pytest"]
# Far above what a run takes on two cores (single tests have a limit of their own, in pyproject.toml): a run that hangs
# is ended and fails.
LIMIT_SECONDS = 40 * 60
# More failures than these don't come from a busy machine, and are not tried again.
AGAIN = 12
CACHE = ROOT / ".data" / "pytest-again"
# Files go to the workers in the order of their names. Those with the most tests first, as is pytest-xdist's way, leaves
# those for the end that take minutes for five.
SPREAD = ("--dist", "loadfile", "--no-loadscope-reorder")
_PARALLEL = ("-n", "--dist")
#: Where the time goes, after each run.
SLOWEST = ("--durations", "25", "--durations-min", "5")


def end(process: "subprocess.Popen[str]") -> None:
    """End a run that takes too long, with all that it started."""
    print(f"make test: no end after {LIMIT_SECONDS} s, so the run is ended", flush=True)
    _kill(process)


def _kill(process: "subprocess.Popen[str]") -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def interrupted(*_: object) -> None:
    """Ctrl-C and the end of a CI job end every run: none outlives its parent, and none begins after it."""
    _ENDING.set()
    left = list(_RUNNING)
    # pytest ends its fixtures after SIGINT: what they started isn't a child of this process.
    for process in left:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)
    until = time.monotonic() + 20
    while time.monotonic() < until and any(process.poll() is None for process in left):
        time.sleep(0.2)
    for process in left:
        _kill(process)
    sys.exit(130)


def ends_all_it_starts() -> None:
    """For every `make test…`: see interrupted()."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupted)


Say = Callable[[str], object]
#: What runs now. Each is a session of its own, which Ctrl-C does not reach.
_RUNNING: "set[subprocess.Popen[str]]" = set()
#: Set when all is to end. A lane in a thread of its own would otherwise start its next suite, and be waited for.
_ENDING = threading.Event()


def say_now(text: str) -> None:
    """To the terminal, at once."""
    sys.stdout.write(text)
    sys.stdout.flush()


def environment() -> dict[str, str]:
    """The environment variables of a run.

    Without compiled files each of the hundreds of processes that tests start compiles all of Django: a tenth of the
    run.
    """
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run(arguments: list[str], say: Say = say_now) -> tuple[int, dict[str, int]]:
    """The exit code and the counts of pytest's own closing line. `say` gets each line. 130 where all is to end."""
    counts: dict[str, int] = {}
    if _ENDING.is_set():
        return 130, counts
    with subprocess.Popen(
        [*PYTEST, *arguments],
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        _RUNNING.add(process)
        limit = threading.Timer(LIMIT_SECONDS, end, (process,))
        limit.daemon = True
        limit.start()
        for line in process.stdout:
            say(line)
            if re.match(r"^=+ .* in [\d.]+s.* =+$", line) or re.match(
                r"^\d+ (passed|failed|skipped|errors?).* in [\d.]+s", line
            ):
                counts = {
                    word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|skipped|errors?)", line)
                }
        limit.cancel()
    _RUNNING.discard(process)
    return process.returncode, counts


def run_again(arguments: list[str], say: Say = say_now, cache: Path = CACHE) -> tuple[int, dict[str, int]]:
    """run(), and then those that failed once more: one after the other, in processes of their own.

    Failed is what fails twice.

    The counts are those of both tries together, so that each test counts once.
    """
    shutil.rmtree(cache, ignore_errors=True)
    cache_options = ["-o", f"cache_dir={cache}"]
    code, counts = run([*arguments, *cache_options, *SLOWEST], say)
    bad = counts.get("failed", 0) + counts.get("error", 0) + counts.get("errors", 0)
    if code != 1 or not 0 < bad <= AGAIN:
        return code, counts
    say(f"make test: {bad} failed; once more, alone …\n")
    output: list[str] = []

    def hear(text: str) -> None:
        output.append(text)
        say(text)

    again = [*one_by_one(arguments), *cache_options, "--last-failed", "--last-failed-no-failures", "none", "-rA"]
    code, second = run(again, hear)
    passed, skipped = second.get("passed", 0), second.get("skipped", 0)
    say(f"make test: {passed} of {bad} passed only at the second try; they are named above\n")
    if often := second_tries.note(re.findall(r"^PASSED (.+)$", "".join(output), re.MULTILINE)):
        say(f"make test: {', '.join(often)}: for the third time, so it has failed ({second_tries.RECORD.name})\n")
        code, passed = code or 1, passed - len(often)
    # What the second run did not reach, as a file can't be read, has failed too.
    failed = max(0, bad - passed - skipped)
    both = {
        "passed": counts.get("passed", 0) + passed,
        "failed": failed,
        "skipped": counts.get("skipped", 0) + skipped,
    }
    return code or int(failed > 0), {word: number for word, number in both.items() if number}


def one_by_one(arguments: list[str]) -> list[str]:
    """Without pytest-xdist's options and their values."""
    return [
        word
        for before, word in zip(["", *arguments], arguments, strict=False)
        if word not in _PARALLEL and before not in _PARALLEL
    ]


def closing(runs: Iterable[tuple[int, dict[str, int]]], also_bad: int = 0) -> int:
    """Prints the sum of all runs as the last line.

    The exit code: 1 where anything failed, a run ended badly, or nothing passed.
    """
    runs = list(runs)
    total: Counter[str] = Counter()
    for _, counts in runs:
        total.update(counts)
    bad = total["failed"] + total["error"] + total["errors"] + also_bad
    print(f"{total['passed']} passed, {bad} failed, {total['skipped']} skipped")
    return 1 if bad or any(code for code, _ in runs) or not total["passed"] else 0


Result = tuple[int, dict[str, int]]
PARALLEL = ("-q", "-n", str(min(4, max(2, os.cpu_count() or 2))), *SPREAD)
#: Runs of pytest at once. Tests wait for half of their time, so two workers leave half of two cores to others.
LANES = 2
UNITS = "units"
#: Needs root and minutes: never a part of `make test`.
NODE = "tests/node"


@dataclass(frozen=True, slots=True)
class TestRun:
    """One run of pytest. `words`: for pytest. `suite`: left out where nothing that it depends on has changed."""

    name: str
    words: list[str]
    suite: suites.Suite | None = None


def everything(*, is_whole: bool) -> list[Result]:
    """Each run's exit code and counts.

    Without `is_whole`, suites whose files haven't changed and browser tests other than journeys are left out.

    Two runs at once: the first lasts longest, and the others take turns beside it.
    """
    with ThreadPoolExecutor(LANES) as lanes:
        waiting = [lanes.submit(run_part, part, is_whole=is_whole) for part in parts(is_whole=is_whole)]
        return [each.result() for each in waiting]


def parts(*, is_whole: bool) -> list[TestRun]:
    """What `make test` consists of, in the order in which it begins."""
    own = (path for suite in suites.OWN for path in suite.tests)
    elsewhere = ("tests/e2e", "tests/tutorials", "tests/image", NODE, *own)
    browser = ("-n", "2", *SPREAD) if is_whole else ("--journeys",)
    return [
        TestRun(UNITS, [*PARALLEL, *(f"--ignore={folder}" for folder in elsewhere)]),
        TestRun("browser", ["-q", *browser, "tests/e2e"]),
        TestRun("tutorials", ["-q", "tests/tutorials"]),
        *(TestRun(suite.name, list(PARALLEL), suite) for suite in suites.OWN),
    ]


def run_part(part: TestRun, *, is_whole: bool) -> Result:
    """Runs it. The output of all but the units is printed when they are done, so that both lanes stay readable."""
    output: list[str] = []
    say = say_now if part.name == UNITS else output.append
    cache = CACHE.with_name(f"{CACHE.name}-{part.name.replace(' ', '-')}")
    started = time.monotonic()
    if part.suite:
        found = run_suite(part.suite, part.words, say, cache, is_whole=is_whole)
    else:
        found = run_again(part.words, say, cache)
    say_now("".join([f"\nmake test: {part.name}, {time.monotonic() - started:.0f} s\n", *output]))
    return found


def run_suite(
    suite: suites.Suite, arguments: list[str], say: Say = say_now, cache: Path = CACHE, *, is_whole: bool = False
) -> Result:
    """Runs a suite and notes that it passed, or says that it is left out and why."""
    if not is_whole and (tests := suite.passed()):
        say(
            f"make test: left out: {suite.name}, {tests} tests: nothing that it depends on has changed since they"
            " passed (tools/suites.py)\n"
        )
        return 0, {}
    digest = suite.digest()
    code, counts = run_again([*arguments, *suite.words], say, cache)
    if not code:
        suites.note(suite, digest, counts.get("passed", 0))
    return code, counts


def main() -> int:
    ends_all_it_starts()
    started = time.monotonic()
    chosen = [word for word in sys.argv[1:] if word != "--all"]
    if not chosen:
        print(f"make test: {NODE} is left out; `make test-node` runs it (docs/real-node.md)", flush=True)
    runs = [run(chosen)] if chosen else everything(is_whole="--all" in sys.argv)
    print(f"make test: {time.monotonic() - started:.0f} s")
    return closing(runs)


if __name__ == "__main__":
    sys.exit(main())
