#!/usr/bin/env python3
"""`make test`: the units and pages in parallel, then the browser tests in a process of their own.

Playwright's sync API and pytest-asyncio can't share a process, hence two runs. Both summaries are added up in the last line.
Extra arguments go to the first run only, e.g. `make test ARGS=tests/kube`.
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTEST = [str(ROOT / ".venv/bin/python"), "-m", "pytest"]
# Far above what a run takes on two cores (single tests have a limit of their own, in pyproject.toml): a run that hangs is ended and fails.
LIMIT_SECONDS = 20 * 60


def end(process: "subprocess.Popen[str]") -> None:
    """End a run that takes too long, with all that it started."""
    print(f"make test: no end after {LIMIT_SECONDS} s, so the run is ended", flush=True)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def run(arguments: list[str]) -> tuple[int, dict[str, int]]:
    """The exit code and the counts of pytest's own closing line."""
    counts: dict[str, int] = {}
    with subprocess.Popen(
        [*PYTEST, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        limit = threading.Timer(LIMIT_SECONDS, end, (process,))
        limit.daemon = True
        limit.start()
        for line in process.stdout:
            sys.stdout.write(line)
            sys.stdout.flush()
            if re.match(r"^=+ .* in [\d.]+s.* =+$", line) or re.match(
                r"^\d+ (passed|failed|skipped).* in [\d.]+s", line
            ):
                counts = {
                    word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|skipped|errors?)", line)
                }
        limit.cancel()
    return process.returncode, counts


def main() -> int:
    started = time.monotonic()
    chosen = sys.argv[1:]
    workers = str(min(4, max(2, os.cpu_count() or 2)))
    runs = (
        [run(chosen)]
        if chosen
        else [run(["-q", "-n", workers, "--dist", "loadfile", "--ignore", "tests/e2e"]), run(["-q", "tests/e2e"])]
    )
    total: dict[str, int] = {}
    for _, counts in runs:
        for word, number in counts.items():
            total[word.removesuffix("s") if word == "errors" else word] = total.get(word, 0) + number
    bad = total.get("failed", 0) + total.get("error", 0)
    codes = [code for code, _ in runs]
    print(f"make test: {time.monotonic() - started:.0f} s")
    print(f"{total.get('passed', 0)} passed, {bad} failed, {total.get('skipped', 0)} skipped")
    return 1 if bad or any(code not in (0,) for code in codes) or not total.get("passed") else 0


if __name__ == "__main__":
    sys.exit(main())
