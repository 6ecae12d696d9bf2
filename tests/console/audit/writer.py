"""Writes acts as a process of the console does: `python -m tests.console.audit.writer <number> <pause>`.

Says how many were late.
"""

import sys
import time

import django

django.setup()

from console.audit import entries  # noqa: E402
from tests.console.audit.conftest import entry  # noqa: E402


def main(number: int, pause: float) -> None:
    entries.AGAIN_SECONDS = 0.2
    slowest, late = 0.0, 0
    for item in range(number):
        began = time.perf_counter()
        entries.save([entry(item)])
        slowest = max(slowest, time.perf_counter() - began)
        late = max(late, len(entries._late))
        time.sleep(pause)
    until = time.monotonic() + 20
    while entries._late and time.monotonic() < until:
        time.sleep(0.05)
    print(f"slowest={slowest:.2f} late={late} left={len(entries._late)}")  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
